"""How well the words of a query match, for every row at once (`design/recall.md` §4).

The scale is fixed: 1 is a perfect match of every term. So meaning takes over by itself where words do not match, and
stays out of the way where they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.recall.formula.factors import worth
from pipeline.recall.formula.sight import Found, Sight, rarity
from pipeline.recall.formula.spelling import meant
from pipeline.recall.formula.thread import lent
from pipeline.recall.formula.wanted import Wanted, wanted
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Scores
from store.index.search.segment import FULL, PIVOT, impact

GUESSED, LAST_TURN = 0.98, 200
"""What a row of guessed words counts of the one before it, and how many rows take turns."""
USUAL = int(impact(1, PIVOT))
"""The impact of a word that stands once in an entry of usual length."""
GUESSED_IDF, GUESSED_ROWS = 4.0, 3
"""The rarity of a word that was guessed: that of a word in one row of a hundred, in a small bank in so many rows."""

SPARE, MOST_KEPT = 8, 100
"""How many answers about terms are kept beyond those of a query, and of how many terms of one."""


@dataclass(frozen=True, slots=True)
class Matched:
    """One term of a query over all rows: `own` (None: nowhere) what the row itself gives, `scores` with its thread.

    Both carry the term's rarity `idf`, on the scale where FULL · idf is the greatest. `instead` are the words that
    stand in for a mistyped one.
    """

    wanted: Wanted
    own: Scores | None
    scores: Scores | None
    idf: float
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lexical:
    """The words' score of every row [rows], on the scale where 1 is perfect, and the terms it came from."""

    scores: Scores
    terms: tuple[Matched, ...]
    ideal: float


def lexical(sight: Sight, text: str, weights: Weights, *, typing: bool) -> Lexical:
    """Score all rows for the words of a query; `typing` means that its last word may go on."""
    asked = wanted(text, typing=typing)
    terms = tuple(_matched(sight, term, weights, typing=typing) for term in asked)
    ideal = sum(term.idf for term in terms) * FULL * weights.perfect
    total = _sum(sight, terms)
    if ideal:
        total /= np.float32(ideal)
    sight.forget(min(len(terms), MOST_KEPT) + SPARE)
    return Lexical(total, terms, ideal)


def _sum(sight: Sight, terms: Sequence[Matched]) -> Scores:
    """The terms' scores added up; those of finished words are kept while the next one is typed."""
    head, last = terms[:-1], terms[-1:]
    total = sight.kept(("sum", *(term.wanted for term in head)), lambda: _added(sight, head))
    scores = last[0].scores if last else None
    return total + scores if scores is not None else total.copy()


def _added(sight: Sight, terms: Sequence[Matched]) -> Scores:
    total = np.zeros(len(sight.index), np.float32)
    for term in terms:
        if term.scores is not None:
            total += term.scores
    return total


def _matched(sight: Sight, term: Wanted, weights: Weights, *, typing: bool) -> Matched:
    return sight.kept((term, typing, weights), lambda: _looked_up(sight, term, weights, typing=typing))


def _looked_up(sight: Sight, term: Wanted, weights: Weights, *, typing: bool) -> Matched:
    found = _found(sight, term, weights)
    instead = meant(sight, term.term, found.rows, beginning=term.kind == "typed") if typing else ()
    own = found.impacts
    if own is not None:
        own *= np.float32(found.idf)
    if instead:
        guesses = _guesses(sight, instead, weights)
        own = guesses if own is None else np.maximum(own, guesses)
    scores = None if own is None else lent(sight, own, weights)
    return Matched(term, own, scores, _guessed_idf(sight) if instead else found.idf, instead)


def _found(sight: Sight, term: Wanted, weights: Weights) -> Found:
    match term.kind:
        case "word":
            return sight.word(term.term, weights)
        case "typed":
            return sight.beginning(term.term, weights.own_word, weights.same_stem)
        case "pair":
            return sight.exact(term.term)
    return sight.beginning(term.term)


def _guessed_idf(sight: Sight) -> float:
    return min(GUESSED_IDF, rarity(max(sight.count, GUESSED_ROWS), GUESSED_ROWS))


def _guesses(sight: Sight, words: Sequence[str], weights: Weights) -> Scores:
    """The guessed words take turns: the best row of each, then the second best of each, whatever else they score.

    So a wrong guess cannot crowd out a right one. What an entry is worth is divided out, as it comes in again later.
    """
    total = np.zeros(len(sight.index), np.float32)
    value = worth(sight, weights)
    for turn, word in enumerate(words):
        rows, impacts = sight.held(word)
        rows = rows[np.lexsort((-sight.index.days[rows], -(impacts * value[rows])))]
        place = np.arange(len(rows)) * len(words) + turn
        share = GUESSED ** np.minimum(place, LAST_TURN) * (_guessed_idf(sight) * USUAL)
        total[rows] = np.maximum(total[rows], (share / value[rows]).astype(np.float32))
    return total
