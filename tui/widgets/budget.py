"""The budget bar: letters that the line beneath explains, so that it reads the same without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widget import Widget

from tui.text import cut, line, width

TOKENS = ("$text-primary", "$text-secondary", "$text-success", "$text-accent", "$text-primary", "$text-secondary")
FREE, ENDED = ".", "!"
LEAST_BAR = 10
WIDE_FROM = 120
"""Cells from which the legend has more air."""


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of the bar: its letter, its words, and how much of the pack it takes, in the bar's unit."""

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
        self._unit = ""
        self._after: Sequence[str] = ()
        self._ended: int | None = None

    def mark(self, at: int | None) -> None:
        """Say where the budget refused the first memory: how much was used then, None when it refused nothing."""
        self._ended = at
        self.refresh()

    def show(self, parts: Sequence[Part], budget: int, after: Sequence[str] = (), unit: str = "") -> None:
        """Show what fills the budget (0: none is set), counted in `unit`; `after` says what stands behind it."""
        self._parts, self._budget, self._after = [part for part in parts if part.size], budget, after
        self._unit = f" {unit}" if unit else ""
        self.refresh()

    @property
    def used(self) -> int:
        """What all parts take."""
        return sum(part.size for part in self._parts)

    def render(self) -> Content:
        """The bar and its legend; nothing before there is something to show."""
        if not self._parts:
            return Content("")
        sums = (
            f"{self.used:,} / {self._budget:,}{self._unit}" if self._budget else f"{self.used:,}{self._unit}, no budget"
        )
        over = self._budget and self.used > self._budget
        cells = max(LEAST_BAR, self.size.width - width(sums) - 7)
        bar = [(" [", ""), *self._bar(cells), ("]   ", ""), (sums, "bold $text-error" if over else "bold")]
        return Content("\n").join([line(*bar), self._legend()])

    def _bar(self, cells: int) -> list[tuple[str, str]]:
        whole = max(self.used, self._budget, 1)
        pieces: list[tuple[str, str]] = []
        filled, done = 0, 0
        for at, part in enumerate(self._parts):
            done += part.size
            after = len(self._parts) - at - 1  # each part has a cell, however small it is
            end = min(max(filled + 1, round(cells * done / whole)), cells - after)
            pieces.append((part.letter * (end - filled), f"{_token(at)} reverse"))
            filled = end
        pieces.append((FREE * (cells - filled), "$text-muted"))
        return pieces if self._ended is None else _marked(pieces, round(cells * self._ended / whole))

    def _legend(self) -> Content:
        """Letters, words and sizes; where room is short the last words go first, then the last sizes."""
        gap = "   " if self.size.width >= WIDE_FROM else "  "
        free = self._budget - self.used
        named = [*self._parts, *([Part(FREE, "free", free)] if free > 0 else [])]
        for without in range(2 * len(named) + 1):
            texts = _texts(named, without)
            room = self.size.width - 2 - sum(width(text) + 1 + len(gap) for text in texts) + len(gap)
            if room >= 0:
                break
        pieces: list[tuple[str, str]] = [(" ", "")]
        for at, (part, text) in enumerate(zip(named, texts, strict=True)):
            pieces += [(part.letter, f"bold {_token(at)}" if part.letter != FREE else "$text-muted")]
            pieces += [(text, "$text-muted"), (gap, "")]
        return line(*pieces[:-1], *self._behind(room))

    def _behind(self, room: int) -> list[tuple[str, str]]:
        room -= 3
        kept: list[str] = []
        for words in self._after:
            if width("   ".join([*kept, words])) > room:
                break
            kept.append(words)
        text = cut("   ".join(kept), max(0, room))
        return [(" " * (room + 3 - width(text)), ""), (text, "$text-muted")] if text else []


def _texts(parts: Sequence[Part], without: int) -> list[str]:
    """What stands behind each letter when so many words, and after them sizes, are left out from the end."""
    worded, sized = len(parts) - without, 2 * len(parts) - without
    return [
        f" {part.words} {part.size:,}" if at < worded else f" {part.size:,}" if at < sized else ""
        for at, part in enumerate(parts)
    ]


def _marked(pieces: Sequence[tuple[str, str]], at: int) -> list[tuple[str, str]]:
    """`!` in the cell where the budget ended, unless a part would lose its only letter."""
    found: list[tuple[str, str]] = []
    start = 0
    for text, style in pieces:
        cell = at - start
        start += len(text)
        if 0 <= cell < len(text) and len(text) > 1:
            cut = [(text[:cell], style), (ENDED, "bold $text-error"), (text[cell + 1 :], style)]
            found += [piece for piece in cut if piece[0]]
        else:
            found.append((text, style))
    return found


def _token(at: int) -> str:
    return TOKENS[at % len(TOKENS)]
