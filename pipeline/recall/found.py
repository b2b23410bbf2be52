"""What a person who types is shown: the rows that pass, by relevance or in another order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.filtering.ordering import ordered
from pipeline.recall.filtering.passing import passing
from pipeline.recall.filtering.query import Query
from pipeline.recall.formula.hybrid import Ranked, rank_rows
from pipeline.recall.formula.meaning import LEAST, Meaning
from pipeline.recall.formula.wanted import wanted
from pipeline.recall.searchable import Searchable


@dataclass(frozen=True, slots=True)
class Found:
    """The `rows` to show, of `count` that were found `among` so many; `ranked` where words gave them scores.

    `near` of the rows, beyond those counted, have no word of the query and are near in meaning.
    """

    rows: NDArray[np.int64]
    count: int
    among: int
    ranked: Ranked | None = None
    near: int = 0


def find(searchable: Searchable, query: Query, sort: str, most: int) -> Found:
    """Find while a person types: the last word may go on, and typing errors are mended.

    By relevance the `most` best rows come back; in other orders (`query.SORTS`) all that have any of the words.
    """
    sight = searchable.sight(query.places)
    flags = passing(searchable.columns, query) if query.narrows else None
    if not wanted(query.words, typing=True):
        rows = np.flatnonzero(sight.seen if flags is None else flags)
        return Found(ordered(searchable, rows, sort), len(rows), sight.count)
    by_score = sort == "relevance"
    ranked = rank_rows(sight, query.words, most if by_score else len(sight.seen), typing=True, passing=flags)
    rows = ranked.rows if by_score else ordered(searchable, ranked.rows, sort)
    return Found(rows, ranked.total, sight.count, ranked)


def joined(searchable: Searchable, query: Query, most: int, meaning: Meaning, alone: Ranked) -> Found:
    """What `find` found by relevance with words `alone`, ordered anew by meaning; what is near without a word joins it.

    Nothing is left out, and the count is of what words find.
    """
    sight = searchable.sight(query.places)
    flags = passing(searchable.columns, query) if query.narrows else None
    ranked = rank_rows(sight, query.words, most, typing=True, passing=flags, meaning=meaning)
    worded = alone.words.scores[ranked.rows] > 0  # these have every factor and every filter in them
    kept = worded | (meaning.vectors.cosines(meaning.query, ranked.rows) >= LEAST)
    return Found(ranked.rows[kept], alone.total, sight.count, ranked, int(np.count_nonzero(kept & ~worded)))
