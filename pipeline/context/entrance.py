"""From which limit on each memory would have a place: what a larger `--limit` would add (`spec/context.md`, part G)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.context.pack import Pack
from store.memory import Memory


@dataclass(frozen=True, slots=True)
class Entrance:
    """The smallest limit at which a memory stands in a section's list, and its place there; the budget left aside."""

    memory: Memory
    limit: int
    section: str
    rank: int


@dataclass(slots=True)
class _Lists:
    """The lists of sections 2.6, 3 and 4 as the limit grows: members, and how far each order has been read."""

    task: set[str] = field(default_factory=set)
    corridor: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    backfill: int = 0


def entrances(pack: Pack) -> Iterator[Entrance]:
    """Every memory that sections 2.6 to 4 choose from, in the order in which a growing limit lets it in.

    Lazy and linear: with one more place each list takes its next member, and a member that an earlier section takes
    over leaves a place in the later one.
    """
    lists = _Lists()
    plain = pack.standing.scores
    hits = [hit.memory if hit.memory.id in plain and pack.allowed(hit.memory) else None for hit in pack.hits]
    corridor = filter(pack.allowed, pack.standing.plain)
    valued = filter(pack.allowed, pack.standing.valued)
    seen: set[str] = set()
    limit = 0
    while len(seen) < len(plain):
        limit += 1
        came = [*_task(lists, hits, limit), *_corridor(lists, corridor, limit), *_backfill(lists, valued, limit)]
        if not came and limit > len(hits):
            return
        for entrance in came:
            if entrance.memory.id not in seen:
                seen.add(entrance.memory.id)
                yield entrance


def _task(lists: _Lists, hits: list[Memory | None], limit: int) -> Iterator[Entrance]:
    memory = hits[limit - 1] if limit <= len(hits) else None
    if memory is None:
        return
    if memory.id in lists.corridor:
        lists.corridor.discard(memory.id)
    elif memory.id in lists.passed:
        lists.backfill -= 1
    lists.task.add(memory.id)
    yield Entrance(memory, limit, "2.6", limit)


def _corridor(lists: _Lists, order: Iterator[Memory], limit: int) -> Iterator[Entrance]:
    while len(lists.corridor) < limit and (memory := next(order, None)) is not None:
        if memory.id in lists.task:
            continue
        lists.corridor.add(memory.id)
        lists.backfill -= memory.id in lists.passed
        yield Entrance(memory, limit, "3", len(lists.corridor))


def _backfill(lists: _Lists, order: Iterator[Memory], limit: int) -> Iterator[Entrance]:
    while lists.backfill < limit and (memory := next(order, None)) is not None:
        lists.passed.add(memory.id)
        if memory.id in lists.task or memory.id in lists.corridor:
            continue
        lists.backfill += 1
        yield Entrance(memory, limit, "4", lists.backfill)
