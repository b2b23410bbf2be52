"""Words that were meant when one is mistyped: by shared letter pairs, then edit distance (`design/recall.md` §8)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from store.index.search.segment import Rows
from store.index.search.words import is_cjk

SHORTEST = 4
"""Letters of a word from which on it may be mistyped."""
TWO_FROM = 8
"""Letters of a word from which on two edits are allowed (`design/recall.md` §8)."""
_CODES = 8191
SPOILT = 3
"""Letter pairs that one edit, a swap of neighbours, takes from a word."""
_FAR = 64
_CANDIDATES = 256
"""Terms with the most letter pairs in common whose distance is counted."""


def pair_codes(word: str) -> list[int]:
    """A number below 8191 for each two letters in a row, the beginning of the word counting as one."""
    return [(ord(first) * 173 + ord(second)) % _CODES for first, second in pairwise(f"^{word}")]


def may_be_mistyped(term: str) -> bool:
    """Whether a term is a word that typing errors are looked for in: no number, no CJK, four letters or more."""
    return len(term) >= SHORTEST and not term.isdigit() and not is_cjk(term)


def edits_of(word: str) -> int:
    """How many edits a word of this length may be away."""
    return 1 if len(word) < TWO_FROM else 2


def pairs_of(terms: Sequence[str]) -> tuple[NDArray[np.int64], Rows]:
    """Where the terms of each pair code begin [8192], and the numbers of the terms."""
    pairs, owners = array("i"), array("i")
    for at, term in enumerate(terms):
        if may_be_mistyped(term):
            found = pair_codes(term)
            pairs.extend(found)
            owners.extend([at] * len(found))
    every = np.frombuffer(pairs, np.int32) if len(pairs) else np.empty(0, np.int32)
    order = np.argsort(every, kind="stable")
    starts = np.searchsorted(every[order], np.arange(_CODES + 1)).astype(np.int64)
    return starts, (np.frombuffer(owners, np.int32)[order] if len(owners) else np.empty(0, np.int32))


def candidates(word: str, starts: NDArray[np.int64], terms: Rows, lengths: NDArray[np.int64]) -> Rows:
    """The terms that share enough letter pairs with a word to be within its edits; `lengths` are in bytes."""
    edits = edits_of(word)
    found = [terms[starts[code] : starts[code + 1]] for code in pair_codes(word)]
    shared = np.bincount(np.concatenate(found)) if found else np.zeros(0, np.int64)
    near = np.flatnonzero(shared >= max(1, len(word) - SPOILT * edits))
    near = near[lengths[near] >= len(word) - edits]
    if len(near) > _CANDIDATES:  # of equal ones those of about the same length: a name goes on in many ways
        apart = np.minimum(np.abs(lengths[near] - len(word)), _FAR - 1)
        near = near[np.argpartition(shared[near] * _FAR - apart, -_CANDIDATES)[-_CANDIDATES:]]
    return near.astype(np.int32)


def distances(meant: str, words: Sequence[str], most: int, *, beginning: bool = False) -> NDArray[np.int64]:
    """Edits from `meant` to each of `words` [n], a swap of neighbours counting one; more than `most` for too far.

    With `beginning` the best over the beginnings of a word: more of it may follow.
    """
    ends = range(max(len(meant) - most, 1), len(meant) + most + 1) if beginning else (None,)
    cut = ([word[:end] for word in words] for end in ends)
    found = [cdist([meant], part, scorer=OSA.distance, score_cutoff=most, dtype=np.int32)[0] for part in cut]
    least: NDArray[np.int64] = np.min(found, axis=0).astype(np.int64)
    return least
