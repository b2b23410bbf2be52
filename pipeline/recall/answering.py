"""The hybrid ranking as hits over memories: for the person who types and for the agent that asks."""

from __future__ import annotations

from pipeline.recall.hits import Hit, Recall
from pipeline.recall.hybrid import RANKER, Ranked, rank_rows
from pipeline.recall.passing import passing
from pipeline.recall.query import parse
from pipeline.recall.searchable import Searchable
from pipeline.recall.telling import parts_of, terms_of
from pipeline.recall.wanted import wanted
from pipeline.recall.within import Within
from store.index.search.doc import text_of
from store.usage import UsageSettings, totals

DEFAULT_LIMIT = 50
"""Hits shown when no limit is asked for."""


def ask(
    searchable: Searchable, query: str, within: Within, *, limit: int | None = None, usage: UsageSettings | None = None
) -> Recall:
    """What is remembered of a query, best first: whole words, no correction. Reads only.

    Operators, phrases and words left out work as they do while typing. What `within` does not allow is left out before
    anything is counted. A query without words is a state of its own. Raises `BadInput` for a bad year.
    """
    among, asked = within.of(searchable.view), parse(query)
    if not wanted(asked.words, typing=False):
        return Recall((), 0, among.denied, RANKER, wordless=True)
    sight = searchable.sight_of(within, (memory.id for memory in among.memories))
    most = limit if limit and limit > 0 else DEFAULT_LIMIT
    flags = passing(searchable.columns, asked) if asked.narrows else None
    ranked = rank_rows(sight, asked.words, most, passing=flags)
    settings = usage or UsageSettings()
    hits = tuple(hit_of(searchable, ranked, place, settings) for place in range(len(ranked.rows)))
    return Recall(hits, ranked.total, among.denied, RANKER)


def hit_of(searchable: Searchable, ranked: Ranked, place: int, usage: UsageSettings | None = None) -> Hit:
    """One row of a ranking as a hit, with every part of its score."""
    memory = searchable.followed.memory(int(ranked.rows[place]))
    parts = parts_of(ranked, place, text_of(memory, searchable.columns.quotes(memory)))
    final = float(ranked.scores[place])
    counted = totals(searchable.view, memory, usage or UsageSettings())
    return Hit(counted, final, final, RANKER, parts, terms_of(ranked, place))
