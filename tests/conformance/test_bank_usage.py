"""Bank cases: usage signals, read as totals (`spec/bank.md` §12, `decisions.md` §2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from pipeline.recall.engines.yotta import recall
from store.memory import Memory
from store.usage import UsageSettings, add_signal, may_count, record_use, totals
from store.view import View
from tests.conformance.memories import TODAY, make

DAY = date.fromisoformat(TODAY)


def recalled(
    memories: Sequence[Memory], queries: Sequence[str], agent: str | None = None, **settings: Any
) -> dict[str, Memory]:
    """The memories with their totals after recalling each query in turn."""
    usage: dict[str, dict[str, Any]] = {}
    grants = {"aria": ("lan",)}
    for query in queries:
        view = View.of(memories, {"usage": usage}, grants=grants)
        ids = [hit.memory.id for hit in recall(view, query, today=DAY, agent=agent).hits]
        rows = record_use(view, ids, "s", DAY, query=query, agent=agent, settings=UsageSettings(**settings))
        usage = usage | {row.key: {**usage.get(row.key, {}), **row.fields} for row in rows}
    view = View.of(memories, {"usage": usage}, grants=grants)
    return {memory.subject: totals(view, memory) for memory in memories}


def test_yb_051_signals_of_searches() -> None:
    """hit_days s2026-10-12:3; hit_queries qb2229b3d:2; access_count 3; the query text appears nowhere."""
    used = recalled([make("缓存策略", "十五分钟")], ["缓存策略", "缓存策略", ""])["缓存策略"]
    assert (used.hit_days, used.hit_queries, used.access_count) == ("s2026-10-12:3", "qb2229b3d:2", 3)


def test_yb_052_retention_and_order() -> None:
    """Age 90 kept, age 91 dropped, same day ordered s, g, u."""
    before = "s2026-07-14:2|s2026-07-13:5|g2026-10-12:1|u2026-10-12:1"
    after = "s2026-10-12:1|g2026-10-12:1|u2026-10-12:1|s2026-07-14:2"
    assert add_signal(before, "s", DAY, 90) == after
    assert recalled([make("cache", hit_days=before)], ["cache"])["cache"].hit_days == after


def test_yb_053_usage_switched_off() -> None:
    """access_count 1 and last_accessed set; no hit_days, no hit_queries."""
    used = recalled([make("cache")], ["cache"], enabled=False)["cache"]
    assert (used.access_count, used.last_accessed, used.hit_days, used.hit_queries) == (1, TODAY, "", "")


def test_yb_054_others_private_memories_are_shown_but_not_counted() -> None:
    """Shown; counters of that entry unchanged; one skipped entry."""
    tempo = make("tempo", "walks at noon", type="PREF", owner="lan")
    view = View.of([tempo], grants={"aria": ("lan",)})
    assert [hit.memory for hit in recall(view, "tempo", today=DAY, agent="aria").hits] == [tempo]
    assert recalled([tempo], ["tempo"], agent="aria")["tempo"] == tempo
    assert [may_count(tempo, agent) for agent in ("aria", "lan")] == [False, True]
