"""The rows of two packs side by side: a pair of lines in a wide window, one column with signs in a narrow one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.context.beside import Beside, Pair
from pipeline.context.budget import Line
from tui.screens.context_text import flat
from tui.text import fit
from tui.widgets.rows import Piece

STYLES = {" ": "", "<": "warn", ">": "good", "~": "accent"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One row: a pair of lines, or in a narrow window one side of it. `at` is the number of the pair.

    `elsewhere` says that its memory stands in another place of the other pack: both are given it.
    """

    at: int
    pair: Pair
    sides: Literal["both", "left", "right"] = "both"
    elsewhere: bool = False

    @property
    def id(self) -> str:
        """What stays the same in every width."""
        return f"{self.at}{'>' if self.sides == 'right' else ''}"

    @property
    def sign(self) -> str:
        """`<` and `>` for what only one is given, `~` for what both are given in other words or another place."""
        side = "~" if self.elsewhere else self.pair.side
        return " " if side == "=" else side

    @property
    def signs(self) -> str:
        """The sign in a narrow window, which has to say the side too."""
        if self.sign != "~":
            return f"{self.sign} "
        left = self.sides == "left" or self.pair.right is None
        return "<~" if left else ">~"


class BesideRows:
    """A row source over the pairs of two packs, all of them or those that differ with their headings; None has none."""

    def __init__(self, found: Beside | None, *, panes: bool, only_different: bool = False) -> None:
        self.panes = panes
        pairs, whose = (found.pairs, found.whose) if found is not None else ((), {})
        kept = _different(pairs) if only_different else enumerate(pairs)
        self.shown = [row for at, pair in kept for row in _rows(at, pair, panes, whose.get(pair.entry) == "both")]
        self._places = {row.id: place for place, row in enumerate(self.shown)}

    def __len__(self) -> int:
        return len(self.shown)

    def id(self, index: int) -> str:
        """The number of the pair, and the side where both have a row."""
        return self.shown[index].id

    def find(self, id: str) -> int | None:
        """Where a pair stands."""
        found = self._places.get(id)
        return self._places.get(id.removesuffix(">")) if found is None else found

    def first_of(self, entry: str) -> int | None:
        """The first row that shows a memory."""
        return next((at for at, row in enumerate(self.shown) if row.pair.entry == entry), None)

    @property
    def first_difference(self) -> int:
        """The first row of a memory that only one is given, else the first that differs, else the top."""
        lone = (at for at, row in enumerate(self.shown) if row.sign in {"<", ">"} and row.pair.entry)
        other = (at for at, row in enumerate(self.shown) if row.sign != " ")
        return next(lone, next(other, 0))

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Both lines with the sign between them, or the sign and one line."""
        shown = self.shown[index]
        pair = shown.pair
        style = STYLES[shown.sign]
        if not self.panes:
            told = pair.right if shown.sides == "right" or pair.left is None else pair.left
            return [(f"{shown.signs} ", style), *_half(told, style, width - 3)]
        half = (width - 3) // 2
        left, right = _half(pair.left, style, half), _half(pair.right, style, width - 3 - half)
        return [*left, (f" {shown.sign} ", style), *right]


def _rows(at: int, pair: Pair, panes: bool, both: bool) -> Iterator[Shown]:
    """One row for a pair; in one column a pair that differs has two."""
    if panes or pair.side != "~":
        yield Shown(at, pair, elsewhere=both and pair.side != "=")
    else:
        yield from (Shown(at, pair, "left"), Shown(at, pair, "right"))


def _different(pairs: Sequence[Pair]) -> Iterator[tuple[int, Pair]]:
    """The pairs that differ, each section with its heading."""
    heading: tuple[int, Pair] | None = None
    for at, pair in enumerate(pairs):
        if pair.side != "=":
            yield from [heading] if heading is not None else []
            heading = None
            yield at, pair
        elif pair.right is not None and pair.right.text.startswith("## "):
            heading = at, pair


def _half(shown: Line | None, style: str, cells: int) -> list[Piece]:
    if shown is None:
        return [(" " * cells, "")]
    style = style or ("strong" if shown.text.startswith("#") else "" if shown.entry else "muted")
    return [(fit(flat(shown.text, cells), cells), style)]
