"""A text over everything else: what could not be read, a history, the answer of a program. `escape` closes it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.text import content
from tui.widgets.foot import foot
from tui.widgets.pane import Pane


class Reader(ModalScreen[None]):
    """Shows `Content`; the keys of a pane scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss(None)", "back")]
    AUTO_FOCUS = "Pane"
    DEFAULT_CSS = """
    Reader {
        align: center middle;
        & > Vertical {
            width: 110; max-width: 100%; height: 90%; max-height: 44;
            padding: 1 2 0 2; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; margin: 0 0 1 0; }
        Pane { background: $panel; }
        #keys { height: 1; }
    }
    """

    pane = query_one(Pane)

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        with Vertical():
            yield Static(content(self._title, "bold"), id="title")
            yield Pane()
            yield Static(foot(("escape", "back")), id="keys")

    def on_mount(self) -> None:
        """Show the text."""
        self.pane.show(self._text)
