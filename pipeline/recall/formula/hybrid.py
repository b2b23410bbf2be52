"""Recall by the whole formula: words, threads, owner and date, then meaning (`design/recall.md` §4).

One formula for the person who types and the agent that asks. Typed: the last word may go on, and typing errors are
mended. Asked: whole words, and meaning always.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.best import best
from pipeline.recall.formula.content import common, others
from pipeline.recall.formula.factors import Factor, factors
from pipeline.recall.formula.hops import Hops, hops
from pipeline.recall.formula.lexical import Lexical, lexical
from pipeline.recall.formula.links import Raised, raised
from pipeline.recall.formula.meaning import Meaning, Near, near
from pipeline.recall.formula.pairs import side_by_side
from pipeline.recall.formula.several import again
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import WEIGHTS, Weights
from store.index.search.index import Flags, Scores
from store.index.search.words import words as tokens_of

RANKER = "hybrid"
ALSO, MOST_ALSO = 100, 400
"""The best rows by words whose meaning is measured too, and the most of them when many are equal."""
LOOKED = 50
"""The best rows that are looked at once more."""
ALL_WORDS = 0.5
"""Typed: the share of a score that depends on how many of the words a row has (`design/recall.md` §4)."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best rows of a query, best first, with their scores; and what they came from, to be explained when asked.

    `total` counts all rows with a score, `factors` are what their sums were multiplied by, `beside` what the best were
    multiplied by then; `typing` says that the last word may go on. `near` is what meaning gave, None when it was not
    asked, `hops` what the second round gave, and `linked` what turns and the facts drawn from them gave each
    other: None where there was nothing.
    """

    rows: NDArray[np.int64]
    scores: Scores
    total: int
    words: Lexical
    factors: tuple[Factor, ...]
    beside: tuple[Factor, ...]
    typing: bool
    near: Near | None
    hops: Hops | None
    linked: Raised | None
    weights: Weights

    def share(self, row: int) -> float:
        """The factor for how many of the words a row has."""
        return float(_share(self.words, np.array([row]))[0]) if self.typing and len(self.words.terms) > 1 else 1.0


def rank_rows(
    sight: Sight,
    text: str,
    most: int,
    *,
    typing: bool = False,
    passing: Flags | None = None,
    meaning: Meaning | None = None,
    texts: Callable[[int], str] | None = None,
    weights: Weights = WEIGHTS,
) -> Ranked:
    """The `most` best of the rows that are seen and `passing` [rows]; of equal scores the newer comes first.

    `texts` gives the text of a row: with it the best are looked at once more, for words that stand side by side, for
    words that lead on, and for other moments where several are asked for.
    """
    words = lexical(sight, text, weights, typing=typing)
    scores, by = words.scores, tuple(factors(sight, text, weights))
    for factor in by:
        factor.apply(scores)
    if passing is not None:
        scores *= passing
    allowed = sight.seen if passing is None else sight.seen & passing
    nearest = None if meaning is None else _add_meaning(sight, scores, meaning, by, weights, allowed=allowed)
    led = None if nearest is None or texts is None else hops(sight, scores, words, texts, weights)
    if led is not None:
        _add(scores, led.rows, led.values, by)
    linked = raised(sight, scores, weights.link, passing)
    if linked is not None:
        scores[linked.rows] += linked.values
    total = int(np.count_nonzero(scores > 0))
    looked = max(most, LOOKED) if texts else most
    rows, found = _newer_first(sight, *_best(scores, words, looked, typing=typing), looked)
    beside: tuple[Factor, ...] = ()
    if texts is not None:
        first = rows[:LOOKED], found[:LOOKED]
        beside = _looked_again(sight, text, first, words, weights, texts=texts, meant=nearest is not None)
        rows, found = _newer_first(sight, rows, _times(rows, found, beside), most)
    return Ranked(rows, found, total, words, by, beside, typing, nearest, led, linked, weights)


def _newer_first(sight: Sight, rows: NDArray[np.int64], found: Scores, most: int) -> tuple[NDArray[np.int64], Scores]:
    """The `most` best rows and their scores, best first; of equal ones the newer."""
    if len(found) > most:
        kept = found >= np.partition(found, -most)[-most]
        rows, found = rows[kept], found[kept]
    order = np.lexsort((-sight.index.days[rows], -found))[:most]
    return rows[order], found[order]


def _looked_again(
    sight: Sight,
    text: str,
    first: tuple[NDArray[np.int64], Scores],
    words: Lexical,
    weights: Weights,
    *,
    texts: Callable[[int], str],
    meant: bool,
) -> tuple[Factor, ...]:
    """The factors for the best rows and their scores: what their words are and, with meaning, other moments."""
    rows, found = first
    tokens = [tokens_of(texts(row)) for row in rows.tolist()]
    by = (
        *_beside(rows, words, tokens, weights),
        *common(sight, rows, tokens, weights),
        *others(sight, text, rows, tokens, weights),
    )
    return (*by, *again(sight, text, rows, _times(rows, found, by), weights)) if meant else by


def _times(rows: NDArray[np.int64], found: Scores, by: Sequence[Factor]) -> Scores:
    """The scores of rows times their factors."""
    for factor in by:
        found = found * factor.take(rows)
    return found


def _add_meaning(
    sight: Sight, scores: Scores, meaning: Meaning, by: Sequence[Factor], weights: Weights, *, allowed: Flags
) -> Near:
    """Give meaning its share of the scores, on the same scale and with the same factors."""
    also = best(scores, ALSO)
    if len(also) > MOST_ALSO:
        also = also[np.argpartition(scores[also], -MOST_ALSO)[-MOST_ALSO:]]
    nearest = near(sight, meaning, weights, allowed, also)
    scores *= np.float32(1 - weights.meaning)
    _add(scores, nearest.rows, nearest.shares * np.float32(weights.meaning), by)
    return nearest


def _add(scores: Scores, rows: NDArray[np.int64], given: Scores, by: Sequence[Factor]) -> None:
    """Add to the scores of rows what is given to them, times their factors."""
    for factor in by:
        given = given * factor.take(rows)
    scores[rows] += given


def _beside(
    rows: NDArray[np.int64], words: Lexical, tokens: Sequence[Sequence[str]], weights: Weights
) -> tuple[Factor, ...]:
    """The factors of rows for words side by side; `tokens` are the words of each."""
    terms = [term.wanted for term in words.terms]
    has = sum((term.own[rows] > 0 for term in words.terms if term.own is not None), np.zeros(len(rows), np.int64))
    pairs = np.zeros(len(rows), np.int64)
    for at in np.flatnonzero(has > 1).tolist():
        pairs[at] = side_by_side(terms, tokens[at])
    return tuple(Factor("pair", 1 + weights.pair * count, rows[pairs == count], str(count)) for count in (1, 2))


def _best(scores: Scores, words: Lexical, most: int, *, typing: bool) -> tuple[NDArray[np.int64], Scores]:
    """The rows that the `most` best are among, and their scores."""
    rows = best(scores, most)
    if typing and len(words.terms) > 1:
        return _all_words_first(scores, rows, scores[rows], words, most)
    return rows, scores[rows]


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
