"""A question that is answered with a line of text: a reason, a number, a folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.text import content
from tui.widgets.foot import foot
from tui.widgets.line import Line


class Ask(ModalScreen[str | None]):
    """Gives the text, or None when the person leaves. `check` gives a sentence for an answer that cannot be taken."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "back")]
    DEFAULT_CSS = """
    Ask {
        align: center middle;
        & > Vertical {
            width: 72; max-width: 96%; height: auto;
            padding: 1 2; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        Line, Line:focus { background: $surface; padding: 0 1; margin: 1 0 0 0; }
        #fault { color: $text-error; height: auto; }
        #keys { margin: 1 0 0 0; }
    }
    """

    fault = query_one("#fault", Static)

    def __init__(
        self,
        question: str,
        value: str = "",
        *,
        placeholder: str = "",
        enter: str = "take it",
        check: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__()
        self._question, self._value, self._placeholder, self._enter = question, value, placeholder, enter
        self._check = check

    def compose(self) -> ComposeResult:
        """The question, the box, what is wrong with the answer, the keys."""
        with Vertical():
            yield Static(content(self._question, "bold"))
            yield Line(self._value, placeholder=self._placeholder)
            yield Static(id="fault")
            yield Static(foot(("enter", self._enter), ("escape", "back")), id="keys")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        sentence = self._check(event.value) if self._check else ""
        if sentence:
            self.fault.update(content(sentence))
        else:
            self.dismiss(event.value)

    @on(Line.Joined)
    def _joined(self, event: Line.Joined) -> None:
        self.fault.update(content(f"{event.lines} lines were joined into one."))
