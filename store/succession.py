"""From the lists of one view to those of the next at the cost of what changed between them (`decisions.md` §5.5)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from store.layered import Layered
from store.memory import Memory

_ordinal = attrgetter("ordinal")


@dataclass(frozen=True, slots=True)
class Lists:
    """The live memories of a view in original order."""

    memories: Layered[str, Memory]
    live: tuple[Memory, ...]


def after(before: Lists, now: Layered[str, Memory]) -> Lists | None:
    """The lists of the view over `now`.

    None when they must be made anew: the base is another one, or two memories claim one place.
    """
    if before.memories.parts()[0] is not now.parts()[0]:
        return None
    live = list(before.live)
    for old, new in _changes(before.memories, now):
        if old is not None and old.state == "live":
            at = _place(live, old.ordinal)
            if at == len(live) or live[at] is not old:
                return None
            del live[at]
        if new is not None and new.state == "live":
            at = _place(live, new.ordinal)
            if at < len(live) and live[at].ordinal == new.ordinal:
                return None
            live.insert(at, new)
    return Lists(now, tuple(live))


def _place(live: list[Memory], ordinal: int) -> int:
    return bisect_left(live, ordinal, key=_ordinal)


def _changes(before: Layered[str, Memory], now: Layered[str, Memory]) -> Iterator[tuple[Memory | None, Memory | None]]:
    """What each memory was and is, where that is not the same; both maps share their base."""
    for key in before.parts()[1].keys() | now.parts()[1].keys():
        old, new = before.get(key), now.get(key)
        if old is not new:
            yield old, new
