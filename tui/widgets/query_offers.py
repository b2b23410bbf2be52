"""What can stand where a person is typing, as a few lines over the rows; one of them is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui.text import fit, line, lines, one_line, width

if TYPE_CHECKING:
    from pipeline.recall.filtering.completing import Completion, Completions

SHOWN = 8
"""Lines at once; of more, those around the chosen one."""
LONGEST = 40
"""Cells of one value."""
CHOSEN = "$block-cursor-foreground on $block-cursor-background"


class Offers(Widget):
    """Floats under its box and takes no room. It has no focus: the box presses its keys."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Offers {
        overlay: screen;
        display: none;
        width: auto;
        height: auto;
        background: $panel;
        border-left: outer $text-primary;
        &:ansi { border: solid ansi_default; }
    }
    """

    class Picked(Message):
        """A line was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Completions | None = None
        self.chosen = 0
        self.moved = False
        """Whether the person chose by hand: then enter takes it, too."""

    def __len__(self) -> int:
        return len(self.found.values) if self.found is not None else 0

    @property
    def open(self) -> bool:
        """Whether anything is offered."""
        return self.found is not None

    @property
    def value(self) -> Completion | None:
        """The chosen one."""
        return None if self.found is None else self.found.values[self.chosen]

    def show(self, found: Completions, column: int) -> None:
        """Offer these, from a column of the box's line on."""
        self.found, self.chosen, self.moved = found, 0, False
        edges = self.gutter.width
        self.styles.width = self._cells() + edges
        self.styles.offset = (max(0, min(column, self.app.size.width - self._cells() - edges)), 1)
        self.display = True
        self.refresh(layout=True)

    def close(self) -> bool:
        """Offer nothing; whether anything was offered."""
        was, self.found = self.open, None
        self.display = False
        return was

    def move(self, step: int) -> None:
        """Choose the next one or the one before; behind the last comes the first."""
        if self.found is not None:
            self.chosen, self.moved = (self.chosen + step) % len(self), True
            self.refresh()

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """One line each, and one that counts the others."""
        return min(len(self), SHOWN) + (len(self) > SHOWN)

    def render(self) -> Content:
        """The names, how many memories each holds, and how many more there are."""
        if self.found is None:
            return Content("")
        values, first = self.found.values, self._first()
        rows = [
            self._line(values[at], chosen=at == self.chosen) for at in range(first, min(first + SHOWN, len(values)))
        ]
        if len(values) > SHOWN:
            rows.append(line((f"  {self.chosen + 1} of {len(values)}", "$text-muted")))
        return lines(rows)

    def _first(self) -> int:
        """The first line that is shown."""
        return max(0, min(self.chosen - SHOWN // 2, len(self) - SHOWN))

    def _line(self, value: Completion, *, chosen: bool) -> Content:
        name, counted = self._columns()
        number = "" if value.count is None else f"{value.count:,}"
        text = f"{'>' if chosen else ' '} {fit(one_line(value.text, LONGEST), name)}"
        rest = f"{number:>{counted}} " if counted else " "
        return line((text + rest, CHOSEN)) if chosen else line(text, (rest, "$text-muted"))

    def _columns(self) -> tuple[int, int]:
        """Cells of the names, and of the numbers with the gap before them."""
        values = self.found.values if self.found is not None else ()
        name = max((min(LONGEST, width(one_line(value.text, LONGEST))) for value in values), default=0)
        number = max((0 if value.count is None else len(f"{value.count:,}") for value in values), default=0)
        return name, number + 2 if number else 0

    def _cells(self) -> int:
        return sum(self._columns()) + 3

    def on_click(self, event: events.Click) -> None:
        """A click on a line takes it."""
        event.stop()
        place = event.get_content_offset(self)
        at = self._first() + (place.y if place is not None else SHOWN)
        if at < min(self._first() + SHOWN, len(self)):
            self.chosen = at
            self.post_message(self.Picked())
