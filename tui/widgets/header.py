"""The line at the top: which screens there are, which is open, what waits, whose bank it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui.text import cut, line, one_line, width

WIDE = 100
NARROW = 80
"""Cells from which the whole names are shown; below, the numbers and the name of the open one (`decisions.md` §6.3)."""
MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Tab:
    """One screen as the header names it; `waiting` is the count behind its name."""

    mode: str
    title: str
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """Something about the bank or the person; where room is short, what is worth least goes first."""

    text: str
    worth: int


class Header(Widget):
    """Screen names at the left, the bank and the identity at the right."""

    DEFAULT_CSS = """
    Header { height: 1; background: $bar; }
    """

    class Picked(Message):
        """A screen's name was clicked."""

        def __init__(self, mode: str) -> None:
            super().__init__()
            self.mode = mode

    def __init__(self) -> None:
        super().__init__()
        self._tabs: Sequence[Tab] = ()
        self._open = ""
        self._facts: Sequence[Fact] = ()
        self._ends: list[tuple[int, str]] = []

    def show(self, tabs: Sequence[Tab], open_mode: str, facts: Sequence[Fact]) -> None:
        """Show the screens and, at the right, the facts that fit."""
        self._tabs, self._open, self._facts = tabs, open_mode, facts
        self.refresh()

    def render(self) -> Content:
        """One line."""
        parts: list[tuple[str, str]] = [(" Memdesk", "bold $text-primary"), ("  ", "")]
        used, self._ends = 10, []
        gap = "   " if self.size.width >= 120 else "  "
        for number, tab in enumerate(self._tabs, 1):
            for text, style in self._tab(number, tab):
                parts.append((text, style))
                used += width(text)
            self._ends.append((used, tab.mode))
            parts.append((gap, ""))
            used += len(gap)
        return line(*parts, *self._right(self.size.width - used - 1))

    def _tab(self, number: int, tab: Tab) -> list[tuple[str, str]]:
        is_open = tab.mode == self._open
        all_names = self.size.width >= (WIDE if len(self._tabs) > MOST_NAMES else NARROW)
        label = f"{number} {tab.title}" if is_open or all_names else str(number)
        count = f" {tab.waiting:,}" if tab.waiting else ""
        if is_open:
            return [("[", "$text-muted"), (label, "bold"), (count, "bold $text-warning"), ("]", "$text-muted")]
        return [(label, "$text-muted"), (count, "$text-warning")]

    def _right(self, room: int) -> list[tuple[str, str]]:
        facts, gap = list(self._facts), "   " if self.size.width >= WIDE else "  "
        while len(facts) > 1 and width(_joined(facts, gap)) > room:
            facts.remove(min(facts, key=lambda fact: fact.worth))
        text = cut(_joined(facts, gap), room)
        return [(" " * (room - width(text)), ""), (text, "$text-muted")]

    def on_click(self, event: events.Click) -> None:
        """Open the screen under the mouse."""
        for end, mode in self._ends:
            if 10 <= event.x < end:
                self.post_message(self.Picked(mode))
                return


def _joined(facts: Sequence[Fact], gap: str) -> str:
    return gap.join(one_line(fact.text) for fact in facts)
