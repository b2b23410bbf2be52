"""A text field of several lines that a stranger's text cannot harm; apart, for what a text area imports."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea

from tui.literal import pasted
from tui.text import editable


class TextBox(TextArea):
    """A field of several lines; tab leaves it."""

    DEFAULT_CSS = """
    TextBox, TextBox:focus {
        border: none;
        padding: 0;
        height: 1fr;
        background: transparent;
    }
    """

    many_lines = True

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(editable(text), tab_behavior="focus", soft_wrap=True, id=id)
        self.cursor_blink = False

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = editable(pasted(event.text))  # the text area itself hears of it next, and puts it in
