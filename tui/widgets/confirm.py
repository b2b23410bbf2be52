"""A question with yes and no. It is a place of its own: only here `y` answers instead of copying."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.text import content, line, lines


class Confirm(ModalScreen[bool]):
    """Asked only before what cannot be undone, and answered by another key than the one that asked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("n,escape", "dismiss(False)", "no"),
    ]
    DEFAULT_CSS = """
    Confirm {
        align: center middle;
        & > Vertical {
            width: 64; max-width: 96%; height: auto; max-height: 90%;
            padding: 1 2; background: $panel; border-left: outer $text-warning;
        }
        &:ansi > Vertical { border: solid ansi_default; }
    }
    """

    def __init__(self, question: str, yes: str = "yes", no: str = "no", detail: Content | None = None) -> None:
        super().__init__()
        self._question, self._yes, self._no, self._detail = question, yes, no, detail

    def compose(self) -> ComposeResult:
        """The question, what it is about, the two keys."""
        keys = line(("y", "bold $text-primary"), f" {self._yes}     ", ("n", "bold $text-primary"), f" {self._no}")
        parts = [content(self._question, "bold"), Content(""), *([self._detail, Content("")] if self._detail else [])]
        with Vertical():
            yield Static(lines([*parts]))
            yield Static(keys, id="answers")

    def on_click(self, event: events.Click) -> None:
        """The words of the answers can be clicked."""
        widget, _ = self.get_widget_at(event.screen_x, event.screen_y)
        if widget.id == "answers":
            self.dismiss(event.get_content_offset_capture(widget).x < len(self._yes) + 5)
