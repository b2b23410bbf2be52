"""The budget bar: letters that the line beneath explains, so that it reads the same without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from tui.text import cut, line, width

TOKENS = ("$text-primary", "$text-secondary", "$text-success", "$text-accent", "$text-primary", "$text-secondary")
FREE = "."


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of the bar: its letter, its words, and how many characters of the pack it takes."""

    letter: str
    words: str
    size: int


class BudgetBar(Widget):
    """Two lines: the bar with the sum, and what its letters mean."""

    DEFAULT_CSS = """
    BudgetBar { height: 2; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts: Sequence[Part] = ()
        self._budget = 0
        self._after = ""

    def show(self, parts: Sequence[Part], budget: int, after: str = "") -> None:
        """Show what fills the budget; `after` is a word about what stands behind it."""
        self._parts, self._budget, self._after = [part for part in parts if part.size], budget, after
        self.refresh()

    def render(self) -> Content:
        """The bar and its legend."""
        used = sum(part.size for part in self._parts)
        sums = f"   {used:,} / {self._budget:,}"
        cells = max(10, self.size.width - width(sums) - 4)
        return Content("\n").join([line(" [", *self._bar(cells, used), "]", sums), self._legend(used)])

    def _bar(self, cells: int, used: int) -> list[tuple[str, str]]:
        whole = max(used, self._budget, 1)
        pieces: list[tuple[str, str]] = []
        filled, done = 0, 0
        for at, part in enumerate(self._parts):
            done += part.size
            end = max(filled + 1, round(cells * done / whole))
            end = min(end, cells)
            pieces.append((part.letter * (end - filled), f"{TOKENS[at % len(TOKENS)]} reverse"))
            filled = end
        pieces.append((FREE * (cells - filled), "$text-muted"))
        return pieces

    def _legend(self, used: int) -> Content:
        gap = "   " if self.size.width >= 120 else "  "
        parts = [f"{part.letter} {part.words} {part.size:,}" for part in self._parts]
        if (free := self._budget - used) > 0:
            parts.append(f"{FREE} free {free:,}")
        if self._after:
            parts.append(self._after)
        return line((cut(" " + gap.join(parts), self.size.width), "$text-muted"))
