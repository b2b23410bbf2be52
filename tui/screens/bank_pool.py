"""The memories that the Bank's searches look through, and what every search needs again: places and the order of time.

After a change most of both is what it was: it is carried on from the pool before (`decisions.md` §5.5).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import compress, count
from operator import attrgetter, is_not

from pipeline.recall.filtering.judging import shown_day
from store.memory import Memory
from store.view import View

CARRIED = 64
"""Memories between the first and the last change up to which an order is carried on rather than made anew."""
_ordinal = attrgetter("ordinal")

Memories = tuple[Memory, ...]


class Pool:
    """One list of a view's memories: `memories` is its `live` (in original order), `trashed` or `archived`.

    `before` is the pool of the view before, whose order may be carried on. With `ordered` the memories stand newest
    first already, as the trash does.
    """

    def __init__(self, view: View, memories: Memories, *, ordered: bool, before: Pool | None = None) -> None:
        self.memories = memories
        self._ordered = ordered
        self._known = view.memories if memories is view.live else None
        carried = before is not None and not ordered and not before._ordered and "newest" in before.__dict__
        self._before = (before.memories, before.newest) if before is not None and carried else None

    def place(self, id: str) -> int | None:
        """Where a memory stands among all of them; None when it is not one of them."""
        if self._known is None:
            return self._places.get(id)
        memory = self._known.get(id)
        if memory is None:
            return None
        at = bisect_left(self.memories, memory.ordinal, key=_ordinal)
        while at < len(self.memories) and self.memories[at].ordinal == memory.ordinal:
            if self.memories[at].id == id:
                return at
            at += 1
        return None

    def ready(self) -> None:
        """Make what rows ask for when they are shown; called on the thread that looks."""
        if self._known is None:
            _ = self._places

    @cached_property
    def _places(self) -> dict[str, int]:
        return {memory.id: at for at, memory in enumerate(self.memories)}

    @cached_property
    def newest(self) -> Sequence[int]:
        """All places, newest first; of one day in original order."""
        before, self._before = self._before, None
        if self._ordered:
            return range(len(self.memories))
        if before is not None and (carried := carried_on(*before, self.memories)) is not None:
            return carried
        dates = list(map(_date, self.memories))
        return sorted(range(len(dates)), key=dates.__getitem__, reverse=True)

    @cached_property
    def _ranks(self) -> list[int]:
        ranks = [0] * len(self.memories)
        for rank, at in enumerate(self.newest):
            ranks[at] = rank
        return ranks

    def by_time(self, places: Sequence[int]) -> Sequence[int]:
        """These places, newest first."""
        if len(places) == len(self.memories):
            return self.newest
        return sorted(places, key=self._ranks.__getitem__)


def carried_on(before: Memories, newest: Sequence[int], now: Memories) -> list[int] | None:
    """The places of `now`, newest first, from those of `before`; None when too much lies between the changes."""
    most = min(len(before), len(now))
    start = next(compress(count(), map(is_not, before, now)), most)
    alike = next(compress(count(), map(is_not, reversed(before), reversed(now))), most)
    end = len(before) - min(alike, most - start)
    shift = len(now) - len(before)
    if max(end, end + shift) - start > CARRIED:
        return None
    order = [at if at < start else at + shift for at in newest if not start <= at < end]
    for at in range(start, end + shift):
        order.insert(_where(order, at, now), at)
    return order


def _where(order: Sequence[int], at: int, memories: Memories) -> int:
    """Where a place belongs in an order by falling date, then rising place."""
    date, low, high = _date(memories[at]), 0, len(order)
    while low < high:
        middle = (low + high) // 2
        other = _date(memories[order[middle]])
        low, high = (middle + 1, high) if other > date or (other == date and order[middle] < at) else (low, middle)
    return low


def _date(memory: Memory) -> str:
    return shown_day(memory)
