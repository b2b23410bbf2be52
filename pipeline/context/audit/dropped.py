"""What was on its way into a pack and did not get in: refused by the engine, or taken out by the hook or by paging.

`context --audit` without a text (`spec/context.md` §16): each memory once, what a provider took out included (ctx-D19).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.context.pack import Pack
from store.memory import Memory

Reason = Literal["duplicate", "budget_exceeded", "block_full", "evicted", "unlisted", "paged_out"]
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One memory that did not get in: why (the first reason of several), and whether a recall could still find it."""

    memory: Memory
    reason: Reason
    recallable: bool


def left_out(pack: Pack) -> tuple[LeftOut, ...]:
    """What did not get in, in the order of the trace, then what a provider took out; each memory once."""
    found: dict[str, LeftOut] = {}
    for memory, reason in (*_refused(pack), *_taken_out(pack)):
        found.setdefault(memory.id, LeftOut(memory, reason, memory.id in pack.standing.by_id))
    return tuple(found.values())


def _refused(pack: Pack) -> Iterator[tuple[Memory, Reason]]:
    for attempt in pack.attempts:
        if attempt.outcome == "budget":
            yield attempt.memory, "budget_exceeded"
        elif attempt.outcome != "included":
            yield attempt.memory, attempt.outcome


def _taken_out(pack: Pack) -> Iterator[tuple[Memory, Reason]]:
    lists: list[tuple[tuple[str, ...], Reason]] = []
    if pack.hook is not None and pack.removed:
        lists += [(pack.hook.evicted, "evicted"), (pack.hook.hidden, "unlisted")]
    if pack.paging is not None and pack.paged:
        lists.append((pack.paging.drop, "paged_out"))
    for files, reason in lists:
        for file in files:
            yield from ((memory, reason) for memory in pack.standing.at(file) if not pack.allowed(memory))


def report(items: tuple[LeftOut, ...]) -> dict[str, Any]:
    """What `context --audit --json` prints without a text (`spec/context.md` §16)."""
    recallable = sum(item.recallable for item in items)
    return {
        "schemaVersion": SCHEMA,
        "mode": "dropped",
        "summary": {"dropped": len(items), "recallable": recallable, "unrecallable": len(items) - recallable},
        "items": [
            {
                "file": item.memory.path,
                "reason": item.reason,
                "recallable": item.recallable,
                "subject": item.memory.subject,
            }
            for item in items
        ],
    }
