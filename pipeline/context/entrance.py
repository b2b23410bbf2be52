"""From which limit on each memory would have a place: what a larger `--limit` would add (`spec/context.md`, part G)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.context.pack import Pack
from pipeline.context.provider import paged
from store.memory import Memory


class Entrance(NamedTuple):
    """The smallest limit at which a memory stands in a section's list, and its place there; the budget left aside."""

    memory: Memory
    limit: int
    section: str
    rank: int


def entrances(pack: Pack) -> Iterator[Entrance]:
    """The memories that sections 2.6 to 4 choose from, in the order in which a growing limit lets them in.

    A memory may come more than once (the first time counts), or never, when the other bank's file of the same path
    is always shown before it. Lazy and linear: with one more place each list takes its next member, and what an
    earlier section takes over leaves its place in the later one. Lists are kept as paths, as the pack dedupes them.
    """
    if not pack.layout.takes_all:
        yield from _found(pack)
        return
    newest = filter(pack.allowed, paged.newest(pack.standing, pack.order))
    best = filter(pack.allowed, paged.most_valuable(pack.standing, pack.order))
    shown: set[str] = set()
    corridor: Counter[str] = Counter()
    backfill: Counter[str] = Counter()
    in_corridor = in_backfill = limit = 0
    ended = False
    while not ended or limit < len(pack.hits):
        limit += 1
        for entrance in _earlier(pack, limit):
            path = entrance.memory.path
            shown.add(path)
            in_corridor -= corridor.pop(path, 0)
            in_backfill -= backfill.pop(path, 0)
            yield entrance
        while in_corridor < limit and not ended:
            memory = next(newest, None)
            ended = memory is None
            if memory is not None and memory.path not in shown:
                corridor[memory.path] += 1
                in_corridor += 1
                in_backfill -= backfill.pop(memory.path, 0)
                yield Entrance(memory, limit, "3", in_corridor)
        while in_backfill < limit and (memory := next(best, None)) is not None:
            if memory.path not in shown and memory.path not in corridor:
                backfill[memory.path] += 1
                in_backfill += 1
                yield Entrance(memory, limit, "4", in_backfill)


def _found(pack: Pack) -> Iterator[Entrance]:
    """Of a layout that shows only what answers to the focus."""
    key = pack.layout.choices[0].key
    for limit, hit in enumerate(pack.hits, 1):
        if pack.allowed(hit.memory):
            yield Entrance(hit.memory, limit, key, focus_rank(pack, hit.memory, limit))


def _earlier(pack: Pack, limit: int) -> Iterator[Entrance]:
    """What sections 2.5 and 2.6 take with the place number `limit`."""
    if limit <= pack.layout.most_summaries:
        left = filter(pack.allowed, paged.summaries(pack.standing, pack.order))
        yield from (Entrance(memory, limit, "2.5", rank) for rank, memory in enumerate(left, 1) if rank == limit)
    if limit <= len(pack.hits) and pack.allowed(memory := pack.hits[limit - 1].memory):
        yield Entrance(memory, limit, "2.6", focus_rank(pack, memory, limit))


def focus_rank(pack: Pack, memory: Memory, limit: int) -> int:
    """The place of a hit in section 2.6 with a limit that lets it in: what hook and paging take leaves none."""
    there = [hit.memory for hit in paged.hits(pack.hits[:limit], pack.order) if pack.allowed(hit.memory)]
    return there.index(memory) + 1
