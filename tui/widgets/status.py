"""The line that says what happened and how to take it back, and the line of keys under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from tui.keys import Key
from tui.text import cut, line, lines, one_line, width

MOST = 3
"""Rows of a sentence."""
LEAST, LOW = 30, 16
"""A window narrower or lower than that has no room for a second row."""


class Status(Widget):
    """What just happened at the left, the key that answers it at the right. It stays until something else happens."""

    DEFAULT_CSS = """
    Status { height: 1; color: $foreground; }
    """

    sentence: reactive[str] = reactive("")
    todo: reactive[str] = reactive("")
    count: reactive[str] = reactive("")
    """What stands before the sentence: how many rows are marked."""

    todo_id = ""
    """The id of the key in `todo`, for the mouse."""

    def say(self, sentence: str, todo: str = "", todo_id: str = "") -> None:
        """Show a sentence, and the key that answers it (`u undo`)."""
        self.todo_id = todo_id
        self.sentence, self.todo = sentence, todo
        self._fit()

    def watch_count(self) -> None:
        """More words need more room."""
        self._fit()

    def on_resize(self) -> None:
        """So do the same words in another width."""
        self._fit()

    def _fit(self) -> None:
        self.styles.height = len(self._rows())

    def render(self) -> Content:
        """One line; a sentence that is longer goes on under it, since its end says what to do."""
        first, *rest = self._rows()
        right = self._right()
        gap = " " * (self.size.width - 1 - width(first) - width(right))
        key, _, words = right.partition(" ")
        head = line(first, gap, (key, "bold $text-primary"), (f" {words}" if words else "", "$text-muted"))
        return lines([head, *(line(row) for row in rest)])

    def _right(self) -> str:
        return self.todo if width(self.todo) + 13 <= self.size.width else ""

    def _rows(self) -> list[str]:
        right = self._right()
        cells = self.size.width - 1 - width(right) - (1 if right else 0)
        text = "  ".join(one_line(part) for part in (self.count, self.sentence) if part)
        if width(text) < cells or cells < LEAST or self.app.size.height < LOW:
            return [cut(f" {text}", cells)]
        rows = [f" {row.plain.strip()}" for row in Content(text).wrap(cells - 1)]
        return rows if len(rows) <= MOST else [*rows[: MOST - 1], cut("".join(rows[MOST - 1 :]), cells)]

    def on_click(self, event: events.Click) -> None:
        """A click on `u undo` is the key."""
        if self.todo_id and event.x >= self.size.width - 1 - width(self.todo):
            self.app.call_later(self.app.run_action, f"do({self.todo_id!r})")


class KeyLine(Widget):
    """The keys that work now, most useful first; one that cannot act is dim, not gone. A click is the key."""

    DEFAULT_CSS = """
    KeyLine { height: 1; background: $bar; }
    """

    def __init__(self, why_not: Callable[[str], str]) -> None:
        super().__init__()
        self._why_not = why_not
        self._hints: Sequence[tuple[Key, str]] = ()
        self._dim: Sequence[bool] = ()
        self._ends: list[tuple[int, Key]] = []

    def show(self, hints: Sequence[tuple[Key, str]]) -> None:
        """Show these keys, each with the name that a person presses it by."""
        dim = [bool(self._why_not(key.id)) for key, _ in hints]
        if (hints, dim) != (self._hints, self._dim):
            self._hints, self._dim = hints, dim
            self.refresh()

    def render(self) -> Content:
        """As many keys as fit."""
        parts: list[str | tuple[str, str]] = [" "]
        used, self._ends = 1, []
        for (key, shown), dim in zip(self._hints, self._dim, strict=True):
            cells = width(shown) + 1 + width(key.hint)
            if used + cells > self.size.width - 1:
                continue
            parts += [
                (shown, "$text-muted" if dim else "bold $text-primary"),
                (f" {key.hint}", "dim $text-muted" if dim else ""),
                "  ",
            ]
            self._ends.append((used + cells, key))
            used += cells + 2
        return line(*parts)

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        for end, key in self._ends:
            if event.x < end:
                self.app.call_later(self.app.run_action, f"do({key.id!r})")
                return
