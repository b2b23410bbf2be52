"""The one way to ask for memories, whatever ranks them: every ranker answers with hits and what they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pipeline.recall import answering
from pipeline.recall.answering import Similar
from pipeline.recall.engines import memora, yotta
from pipeline.recall.engines.embedding import Meaning
from pipeline.recall.engines.fusion import Fusion
from pipeline.recall.filtering.judging import passes
from pipeline.recall.filtering.query import Query, parse
from pipeline.recall.formula import hybrid
from pipeline.recall.formula.wanted import wanted
from pipeline.recall.hits import Recall
from pipeline.recall.scores import HALF_LIVES
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.quotes import quotes_of
from store.usage import UsageSettings, totals
from store.view import View

RANKERS = (hybrid.RANKER, yotta.RANKER, memora.RANKER)
DEFAULT = hybrid.RANKER
Words = Literal["any", "all"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What rankers take besides the query: `limit` hits (None: the ranker's own), the bank's `half_lives` and `usage`.

    Of `hybrid`: `searchable` is the view's index (None: one is made), `similar` its meaning. Of the others: `program`
    is what an embedding program said; `fusion` and `words` are memora's, the latter for a search by words alone.
    """

    limit: int | None = None
    half_lives: Mapping[str, float] = field(default_factory=lambda: HALF_LIVES)
    usage: UsageSettings | None = None
    searchable: Searchable | None = None
    similar: Similar | None = None
    program: Meaning | None = None
    fusion: Fusion | None = None
    words: Words | None = None


def rank(view: View, query: str, within: Within, ranker: str, settings: Settings) -> Recall:
    """Find memories, best first. Reads only: a use is recorded by whoever really uses what was found.

    Without a query everything is answered by utility, whatever the ranker but memora; with operators alone (hybrid),
    what passes them. Raises `BadInput` for a year that is none, and for a memora search without words.
    """
    if ranker == memora.RANKER:
        return _memora(view, query, within, settings)
    if ranker == hybrid.RANKER and query.strip():
        asked = parse(query)
        if not worded(asked):
            return _passing(view, asked, within, settings) if asked.narrows else _wordless(view, within)
        searchable = settings.searchable or Searchable.of(view)
        return answering.ask(
            searchable, query, within, limit=settings.limit, usage=settings.usage, similar=settings.similar
        )
    return yotta.ranked(
        view,
        query,
        within,
        limit=settings.limit,
        half_lives=settings.half_lives,
        usage=settings.usage,
        similarity=settings.program.similarity if settings.program else None,
    )


def worded(asked: Query) -> bool:
    """Whether there is a word in it to look for, so that an index is needed."""
    return bool(wanted(asked.words, typing=False))


def _wordless(view: View, within: Within) -> Recall:
    return Recall((), 0, within.of(view).denied, hybrid.RANKER, (memora.WORDLESS,), wordless=True)


def _passing(view: View, asked: Query, within: Within, settings: Settings) -> Recall:
    """All that passes the operators, by utility among themselves."""
    among, quotes, usage = within.of(view), quotes_of(view), settings.usage or UsageSettings()
    kept = [totals(view, memory, usage) for memory in among.memories if passes(memory, asked, quotes)]
    found = yotta.ranked(kept, "", Within(within.today), limit=settings.limit, half_lives=settings.half_lives)
    return replace(found, denied=among.denied)


def _memora(view: View, query: str, within: Within, settings: Settings) -> Recall:
    limit, usage, channel = settings.limit, settings.usage, settings.program
    if settings.words:
        every = settings.words == "all"
        return memora.search(view, query, within, limit=limit or memora.SEARCH_LIMIT, every=every, usage=usage)
    similar = channel if channel and channel.similarity else None
    fusion = settings.fusion or "linear"
    return memora.recall(view, query, within, limit=limit, similar=similar, fusion=fusion, usage=usage)
