"""Two packs side by side, line by line: what both get, and what only one of them does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pipeline.context.budget import Line
from pipeline.context.difference import Changed, difference
from pipeline.context.fate import Fate
from pipeline.context.fates import Fates
from pipeline.context.pack import Pack
from store.errors import UnknownMemory

Side = Literal["=", "<", ">", "~"]
"""Both have the line; only the left one; only the right one; each has its own in this place."""
Whose = Literal["both", "left", "right"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One row: the line of either pack, None where it has none."""

    side: Side
    left: Line | None
    right: Line | None

    @property
    def entry(self) -> str:
        """The memory that the row shows, "" for none."""
        return (self.left.entry if self.left else "") or (self.right.entry if self.right else "")


@dataclass(frozen=True)
class Beside:
    """Two packs of one view. `pairs` hold every line of both, in order."""

    left: Pack
    right: Pack
    pairs: tuple[Pair, ...]

    @cached_property
    def fates(self) -> tuple[Fates, Fates]:
        """The fates of the left and the right."""
        return Fates(self.left), Fates(self.right)

    @cached_property
    def whose(self) -> dict[str, Whose]:
        """Who is given each memory that is in either pack."""
        left, right = self.left.places, self.right.places
        return {id: "both" if id in left and id in right else "left" if id in left else "right" for id in left | right}

    def count(self, whose: Whose) -> int:
        """How many memories both get, or only one."""
        return sum(found == whose for found in self.whose.values())

    def fate(self, id: str, side: Literal["left", "right"]) -> Fate | None:
        """What became of a memory in one of the packs; None when that agent may not know of it."""
        try:
            return self.fates[side == "right"].of(id)
        except UnknownMemory:
            return None


def beside(left: Pack, right: Pack) -> Beside:
    """Put two packs side by side. Both are packs of the same view."""
    return Beside(left, right, tuple(_pairs(difference(left, right).lines, left.lines)))


def _pairs(changed: Sequence[Changed], left: Sequence[Line]) -> Iterator[Pair]:
    """Rows of the difference; what stands in the same place of both is one row, not two."""
    gone: list[Line] = []
    come: list[Line] = []
    at = 0
    for one in changed:
        if one.sign == " ":
            yield from _met(gone, come)
            gone, come = [], []
            yield Pair("=", left[at], one.line)  # each row but the right one's own is one line of the left pack
            at += 1
        elif one.sign == "-":
            gone.append(one.line)
            at += 1
        else:
            come.append(one.line)
    yield from _met(gone, come)


def _met(gone: Sequence[Line], come: Sequence[Line]) -> Iterator[Pair]:
    """Lines that differ: those that show no memory, or the same one, face each other; a memory stands alone.

    Empty lines go with the changed one above them in a difference; facing one another, they are alike.
    """
    waiting = list(come)
    for line in gone:
        facing = next((other for other in waiting if other.section == line.section and other.entry == line.entry), None)
        if facing is None:
            yield Pair("<", line, None)
            continue
        before = waiting[: waiting.index(facing)]
        yield from (Pair(">", None, other) for other in before)
        waiting = waiting[len(before) + 1 :]
        yield Pair("=" if line.text == facing.text else "~", line, facing)
    yield from (Pair(">", None, other) for other in waiting)
