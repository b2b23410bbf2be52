"""The provider: how it is configured, what exactly it was asked, what it answered; also before it was ever started."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.provider.check import Check
from pipeline.context.whatif import StatusCost
from tui import clipboard
from tui.screens.context_provider_rows import Asked, Lines, told
from tui.text import content, line, literal, one_line
from tui.widgets.foot import foot
from tui.widgets.reader import Reader
from tui.widgets.rows import Rows


class ProviderPanel(ModalScreen[None]):
    """A list of lines; enter shows the whole of one, `y` copies the request that it is about, as it was sent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("y", "copy", "copy the request"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    ProviderPanel {
        align: center middle;
        & > Vertical {
            width: 120; max-width: 100%; height: 94%; max-height: 50;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; margin: 0 0 1 0; padding: 0 1; }
        Rows { background: $panel; }
        .rows--match { text-style: bold; }
        #keys { height: 1; padding: 0 1; }
    }
    """

    rows = query_one(Rows)
    foot = query_one("#keys", Static)

    def __init__(self, check: Check, hook: Asked, paging: Asked, cost: StatusCost, *, stale: bool) -> None:
        super().__init__()
        self._check, self._lines = check, told(check, hook, paging, cost, stale=stale)
        self._first = next((one.request for one in self._lines if one.request), "")

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        able = {one.provider.id: one.capability for one in reversed(self._check.chosen) if one.provider is not None}
        names = ", ".join(one_line(name, 60) for name in reversed(able)) or "none"
        with Vertical():
            yield Static(line(("Provider", "bold"), f"   {names}"), id="title")
            yield Rows(Lines(self._lines))
            yield Static(self._keys(), id="keys")

    def _keys(self, said: str = "") -> Content:
        copies = [("y", "copy the request")] if self._first else []
        return line(foot(("escape", "back"), ("enter", "whole line"), *copies), (f"   {said}", "$text-muted"))

    @on(Rows.Opened)
    def _opened(self, message: Rows.Opened) -> None:
        shown = self._lines[message.index]
        if shown.whole:
            self.app.push_screen(Reader(shown.pieces[0][0].strip() or "line", content(literal(shown.whole))))

    @work(thread=True, group="copy", exclusive=True)
    def action_copy(self) -> None:
        """Copy the request of the line under the cursor, or the first one, exactly as it was sent."""
        if request := self._lines[self.rows.cursor].request or self._first:
            said = clipboard.copy(self.app, request, "the request")
            self.app.call_from_thread(self.foot.update, self._keys(said))
