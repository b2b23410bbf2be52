"""Memories that may be of use beside a query, or without one: no model, no writing (`spec/memora.md` §6.6)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pipeline.recall.engines.memora import SETTING_LABELS, WORDLESS, score_in, search
from pipeline.recall.hits import Hit, Part, Recall
from pipeline.recall.within import Within
from store.memory import Memory
from store.score import accessed_of
from store.usage import TABLE, UsageSettings, totals
from store.view import View

NAME = "suggest"
DEFAULT_LIMIT, RECENCY_WEIGHT = 5, 0.3
DIRECT, TOP = 3, 3
"""How many times the limit are found by words, and how many of each source stand for it (`spec/memora.md` §6.6)."""
FADES = timedelta(days=30)
"""After which a use says nothing any more."""
DAY = timedelta(days=1)
HIGH = 0.8


def suggest(
    view: View,
    query: str,
    within: Within,
    now: datetime,
    *,
    limit: int | None = None,
    excluded: Collection[str] = SETTING_LABELS,
    recency_weight: float = RECENCY_WEIGHT,
    usage: UsageSettings | None = None,
) -> Recall:
    """What the words of the query find, then the best of each source, each with the first reason that applies.

    A source is a label, or the type of memories without one; `excluded` labels are left out before anything is cut.
    `final` of a hit is its relevance, 0..1 with two decimals; the first part that is told is the reason.
    """
    most = limit if limit and limit > 0 else DEFAULT_LIMIT
    direct, wordless = _direct(view, query, within, excluded, most)
    readable = (memory for memory in within.of(view).memories if memory.label not in excluded)
    best = {memory.id: memory for memory in _best(view, readable)}
    chosen = {id: view.memories[id] for id in direct} | best
    weighing = _Weighing(now, recency_weight, usage or UsageSettings())
    hits = [_hit(view, memory, memory.id in direct, weighing) for memory in chosen.values()]
    hits.sort(key=lambda hit: (not hit.number("direct"), -hit.final))
    return Recall(tuple(hits[:most]), len(hits), 0, NAME, (WORDLESS,) if wordless else (), wordless)


def _direct(
    view: View, query: str, within: Within, excluded: Collection[str], most: int
) -> tuple[dict[str, None], bool]:
    """The ids that the words find, the highest score first, and whether the query has no words."""
    if not query.strip():
        return {}, False
    found = search(view, query, within, limit=most * DIRECT, excluded=excluded)
    return dict.fromkeys(hit.memory.id for hit in found.hits), found.wordless


def _best(view: View, readable: Iterable[Memory]) -> list[Memory]:
    """The memories with the highest scores of each source."""
    sources: dict[str, list[Memory]] = {}
    for memory in readable:
        sources.setdefault(source_of(memory), []).append(memory)
    return [
        memory
        for memories in sources.values()
        for memory in sorted(memories, key=lambda memory: -score_in(view, memory))[:TOP]
    ]


def source_of(memory: Memory) -> str:
    """What kind of memory it is: its label, or its type when it has none."""
    return memory.label or memory.type


@dataclass(frozen=True, slots=True)
class _Weighing:
    """What relevance is made of: the moment it is counted at, and what recency weighs."""

    now: datetime
    recency_weight: float
    usage: UsageSettings


def _hit(view: View, memory: Memory, direct: bool, weighing: _Weighing) -> Hit:
    score, accessed = score_in(view, memory), accessed_of(memory, view.rows(TABLE).get(memory.id))
    passed = FADES if accessed is None else weighing.now - accessed
    recency = min(1.0, max(0.0, 1 - passed / FADES))
    weight = weighing.recency_weight
    relevance = math.floor((score * (1 - weight) + recency * weight) * 100 + 0.5 + 1e-9) / 100
    parts = (
        _reason(memory, direct, accessed is not None and passed <= DAY, score),
        Part("direct", float(direct)),
        Part("score", score, "score {value:g}"),
        Part("recency", recency, "recency {value:g}"),
    )
    return Hit(totals(view, memory, weighing.usage), score, relevance, NAME, parts)


def _reason(memory: Memory, direct: bool, recent: bool, score: float) -> Part:
    """The first reason that applies."""
    if direct:
        return Part("reason", 1.0, "related to the search")
    if recent:
        return Part("reason", 1.0, "recently accessed")
    if score >= HIGH:
        return Part("reason", 1.0, "high score")
    return Part("reason", 1.0, "suggested by {found}", found=source_of(memory))
