"""A second round: an answer in pieces is in several entries, and rare words of the first found lead to the others.

Asked only, and only with meaning: by words alone it gains nothing. It lifts what the query has found already, so
nothing is found by these words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.best import best
from pipeline.recall.formula.lexical import Lexical
from pipeline.recall.formula.sight import Sight, rarity
from pipeline.recall.formula.stop import ENGLISH
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Scores
from store.index.search.segment import FULL
from store.index.search.stems import stem
from store.index.search.words import is_cjk, words

SEEDS = 2
"""The best entries whose words are looked at."""
LOOKED = 48
"""The first words of each that are looked at."""
RAREST, TERMS = 16, 8
"""The words that are looked at with their forms, and those that lead on."""
RARE, FEW = 0.03, 3
"""A word leads on where at most this share of the rows has it; so many rows are always few enough."""
MOST = 1_000
"""Rows of a word that leads on, however many there are."""
SHORTEST, SHORTEST_CJK = 3, 2
"""Letters of a word that leads on."""


@dataclass(frozen=True, slots=True)
class Hops:
    """What the words of the best hits gave: `values` of `rows`, as the words of the query are counted.

    `stems` are those of the words that led on.
    """

    rows: NDArray[np.int64]
    values: Scores
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Lead:
    """A word, how good the hits are that have it, the rows that have it, and how strongly [m]."""

    word: str
    worth: float
    rows: NDArray[np.int64]
    impacts: Scores

    def weight(self, sight: Sight) -> float:
        """How far the word leads."""
        return self.worth * rarity(sight.count, len(self.rows))


def hops(sight: Sight, scores: Scores, asked: Lexical, texts: Callable[[int], str], weights: Weights) -> Hops | None:
    """What the rare words of the best rows add to other rows that have a score [rows]; None where nothing leads on.

    `texts` gives the text of a row.
    """
    seeds = _seeds(scores)
    known = {stem(term.wanted.term) for term in asked.terms}
    worth: dict[str, float] = {}
    for row in seeds.tolist():
        for word in _telling(words(texts(row)), sight, known):
            worth[word] = worth.get(word, 0.0) + float(scores[row] / scores[seeds[0]])
    leads = _leads(sight, worth)
    if not leads:
        return None
    rows = np.concatenate([lead.rows for lead in leads])
    given = np.concatenate([lead.impacts * np.float32(lead.weight(sight)) for lead in leads])
    total = np.bincount(rows, given, len(scores))
    total[seeds] = 0
    kept = np.flatnonzero((total > 0) & (scores > 0))
    ideal = FULL * weights.perfect * sum(lead.weight(sight) for lead in leads)
    values = (total[kept] * (weights.hop / ideal)).astype(np.float32)
    return Hops(kept, values, frozenset(stem(lead.word) for lead in leads))


def _seeds(scores: Scores) -> NDArray[np.int64]:
    """The best rows, best first; where more are equal than there is room for, none of those."""
    rows = best(scores, SEEDS + 1)
    if len(rows) > SEEDS:
        floor = np.partition(scores[rows], -SEEDS - 1)[-SEEDS - 1]
        rows = rows[scores[rows] > floor]
    return rows[np.argsort(-scores[rows], kind="stable")]


def _telling(tokens: Sequence[str], sight: Sight, known: Collection[str]) -> list[str]:
    """The words that may lead on: not those of the query, whose stems are `known`, and not the names of owners."""
    return [
        token
        for token in dict.fromkeys(tokens[:LOOKED])
        if token not in ENGLISH
        and token not in sight.owners
        and len(token) >= (SHORTEST_CJK if is_cjk(token) else SHORTEST)
        and stem(token) not in known
    ]


def _leads(sight: Sight, worth: Mapping[str, float]) -> list[_Lead]:
    """The words that lead farthest, of those that are rare and stand elsewhere too.

    `worth` says how good the hits are that have each.
    """
    most = min(max(FEW, int(RARE * sight.count)), MOST)
    rare = [_Lead(word, value, *sight.held(word)) for word, value in worth.items()]
    rare = _farthest(sight, [lead for lead in rare if len(lead.rows) <= most])[:RAREST]
    found = {stem(lead.word): _with_forms(sight, lead) for lead in reversed(rare)}
    return _farthest(sight, [lead for lead in found.values() if 1 < len(lead.rows) <= most])[:TERMS]


def _farthest(sight: Sight, leads: Iterable[_Lead]) -> list[_Lead]:
    """Those first that lead farthest."""
    return sorted(leads, key=lambda lead: (-lead.weight(sight), lead.word))


def _with_forms(sight: Sight, lead: _Lead) -> _Lead:
    """The word with the others of its stem."""
    forms = [form for form in sight.index.forms(stem(lead.word)) if form != lead.word]
    held = [(lead.rows, lead.impacts), *map(sight.held, forms)]
    rows, of = np.unique(np.concatenate([rows for rows, _ in held]), return_inverse=True)
    impacts = np.bincount(of, np.concatenate([impacts for _, impacts in held]))
    return replace(lead, rows=rows, impacts=np.minimum(impacts, FULL).astype(np.float32))
