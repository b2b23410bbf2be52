"""What stands there when the window is too small to be drawn: the size it needs, and how to leave."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.text import content

LEAST = Size(40, 10)


def too_small(size: Size) -> bool:
    """Whether a window cannot hold a screen."""
    return size.width < LEAST.width or size.height < LEAST.height


class TooSmall(ModalScreen[None]):
    """Covers everything and takes no key but those that leave; what lies under it keeps its place."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,ctrl+c", "app.do('app.quit')", show=False)]
    DEFAULT_CSS = """
    TooSmall {
        background: $background;
        align: center middle;
        &:ansi { background: ansi_default; }
        & > Static { width: auto; max-width: 100%; }
    }
    """

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static(content(sentence(self.app.size)))

    def on_resize(self) -> None:
        """The size it is now."""
        self.query_one(Static).update(content(sentence(self.app.size)))


def sentence(size: Size) -> str:
    """`40×10 at least, this is 32×8`."""
    return f"{LEAST.width}×{LEAST.height} at least, this is {size.width}×{size.height}"
