"""Recall by the whole formula: words, threads, owner and date, then meaning (`design/recall.md` §4).

One formula for the person who types and the agent that asks. Typed: the last word may go on, and typing errors are
mended. Asked: whole words, and meaning always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.best import best
from pipeline.recall.dates import When, when
from pipeline.recall.lexical import Lexical, lexical
from pipeline.recall.sight import Sight
from pipeline.recall.sought import sought, worth
from pipeline.recall.weights import WEIGHTS, Weights
from store.index.search.index import Flags, Scores
from store.index.search.words import fold

RANKER = "hybrid"
ALL_WORDS = 0.5
"""Typed: the share of a score that depends on how many of the words a row has (`design/recall.md` §4)."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best rows of a query, best first, with their scores; and what they came from, to be explained when asked.

    `total` counts all rows with a score. `owner` is the one name in the query, `date` what it names.
    """

    rows: NDArray[np.int64]
    scores: Scores
    total: int
    words: Lexical
    owner: str = ""
    date: When | None = None


def rank_rows(
    sight: Sight,
    text: str,
    most: int,
    *,
    typing: bool = False,
    passing: Flags | None = None,
    weights: Weights = WEIGHTS,
) -> Ranked:
    """The `most` best of the rows that are seen and `passing` [rows]; of equal scores the newer comes first."""
    words = lexical(sight, text, weights, typing=typing)
    scores = words.scores
    owner, date, kinds = _named(sight, text), when(text), sought(text)
    scores *= worth(sight, weights)
    if owner:
        scores[sight.owners[owner]] *= np.float32(weights.owner)
    if date is not None:
        scores[date.of(sight.index.days)] *= np.float32(weights.date)
    for sign, name in kinds:
        scores[(sight.index.signs & sign) > 0] *= np.float32(1 + getattr(weights, name))
    if passing is not None:
        scores *= passing
    total = int(np.count_nonzero(scores > 0))
    rows = best(scores, most)
    found = scores[rows]
    if typing and len(words.terms) > 1:
        rows, found = _all_words_first(scores, rows, found, words, most)
    order = np.lexsort((-sight.index.days[rows], -found))[:most]
    return Ranked(rows[order], found[order], total, words, owner, date)


def _all_words_first(
    scores: Scores, rows: NDArray[np.int64], found: Scores, words: Lexical, most: int
) -> tuple[NDArray[np.int64], Scores]:
    """Scores by the share of the words that a row has, so that those with more of them come before others.

    The share is at most 1: a row whose score is under the least of `most` shared ones cannot be among them.
    """
    shared = np.sort(found * _share(words, rows))
    if len(shared) >= most:
        rows = np.flatnonzero(scores >= max(shared[-most], np.finfo(np.float32).tiny))
    return rows, scores[rows] * _share(words, rows)


def _share(words: Lexical, rows: NDArray[np.int64]) -> Scores:
    """1 for rows with all the words, ALL_WORDS for rows with none."""
    has = np.zeros(len(rows), np.float32)
    for term in words.terms:
        if term.own is not None:
            has += term.own[rows] > 0
    return np.float32(1 - ALL_WORDS) + has * np.float32(ALL_WORDS / len(words.terms))


def _named(sight: Sight, text: str) -> str:
    """The owner that the query names first, "" when it names none."""
    folded = fold(text)
    found = ((at, name) for name in sight.owners if name in folded and (at := _place(name, folded)) >= 0)
    return min(found, default=(0, ""))[1]


def _place(name: str, folded: str) -> int:
    """Where a name stands by itself, -1 when it only stands inside of words."""
    match = re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", folded)
    return match.start() if match else -1
