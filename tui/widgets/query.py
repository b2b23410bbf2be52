"""The search box of a screen: `/`, what is typed, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static

from tui.text import line, width
from tui.widgets.line import Line


class Query(Horizontal):
    """One line to type in; each letter posts `Changed`."""

    DEFAULT_CSS = """
    Query {
        height: 1;
        padding: 0 1 0 0;
        & > #slash { width: 3; color: $text-muted; }
        & > Line { width: 1fr; }
        & > #found { width: 1fr; color: $text-muted; text-align: right; text-wrap: nowrap; }
        &:focus-within > #slash { color: $text-primary; text-style: bold; }
    }
    """

    box = query_one("Line", Line)
    found = query_one("#found", Static)

    class Changed(Message):
        """Something else stands in the box. Only the latest text matters."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

        def can_replace(self, message: Message) -> bool:
            """What was typed later replaces what nobody has looked for yet."""
            return isinstance(message, Query.Changed)

    class Left(Message):
        """Enter, or down: on to the rows."""

    def __init__(self, placeholder: str, text: str = "", *, shorter: str = "", id: str | None = None) -> None:
        """`shorter` stands in the empty box where there is no room for the whole `placeholder`."""
        super().__init__(id=id)
        self._placeholder, self._shorter, self._text = placeholder, shorter or placeholder, text

    def compose(self) -> ComposeResult:
        """The slash, the box, the result."""
        yield Static(" /", id="slash", markup=False)
        yield Line(self._text, placeholder=self._placeholder)
        yield Static(id="found", markup=False)

    def on_resize(self) -> None:
        """What stands in the empty box ends where the box does."""
        fits = width(self._placeholder) <= self.room(self.size.width)
        self.box.placeholder = self._placeholder if fits else self._shorter

    @property
    def text(self) -> str:
        """What stands in the box."""
        return self.box.value

    @staticmethod
    def room(cells: int) -> int:
        """Cells of the box of a line that is `cells` wide, and for what is said behind it."""
        return (cells - 4) // 2

    def clear(self) -> None:
        """Empty the box."""
        self.box.value = ""

    def show(self, found: Sequence[str], fault: str = "") -> None:
        """What the search gave, most useful first, as much as half the line holds; or what is wrong with the words."""
        parts = list(found)
        while len(parts) > 1 and width("   ".join(parts)) > self.app.size.width // 2:
            parts.pop()
        self.found.update(line((fault, "$text-error") if fault else "   ".join(parts)), layout=False)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._text:
            self._text = event.value
            self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Left())

    def key_down(self) -> None:
        """Down goes on to the rows."""
        self.post_message(self.Left())
