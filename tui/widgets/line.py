"""A text field of one line that a stranger's text cannot harm."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from tui.text import editable, one_line

LAST_CONTROL = "\x9f"


class Line(Input):
    """A one-line field. A paste of several lines is joined, and says so."""

    DEFAULT_CSS = """
    Line, Line:focus {
        height: 1;
        border: none;
        padding: 0;
        background: transparent;
    }
    """

    class Joined(Message):
        """A paste of several lines was joined into one."""

        def __init__(self, lines: int) -> None:
            super().__init__()
            self.lines = lines

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(one_line(value), placeholder=placeholder, select_on_focus=False, id=id)
        self.cursor_blink = False

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not event.text:
            return
        text = one_line(event.text, len(event.text))
        if self.selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *self.selection)
        lines = len(event.text.strip().splitlines())
        if lines > 1:
            self.post_message(self.Joined(lines))


def takes_text(widget: Widget | None) -> bool:
    """Whether what is typed goes into this widget."""
    return isinstance(widget, Input) or getattr(widget, "many_lines", False)


class Typed(events.Key):
    """A key whose character is text, though Python calls it not printable."""

    @property
    def is_printable(self) -> bool:
        """Fields take it."""
        return True


Typed.handler_name = events.Key.handler_name  # fields hear of it as of any key


def typed(key: events.Key) -> events.Key:
    """The key as fields have to see it: they leave out what `str.isprintable` does not know, and texts need some of it.

    Among that are the joiners inside emoji and Persian words, the wide space of Japanese, and the emoji of next year.
    What the gate for text from outside would replace (controls, direction overrides, what nobody can see) stays out.
    """
    sign = key.character
    if sign is None or sign.isprintable() or sign <= LAST_CONTROL or editable(sign) != sign:
        return key
    return Typed(key.key, sign)
