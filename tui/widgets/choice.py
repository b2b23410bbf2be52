"""One of a few words: left and right, the first letter, or a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui.text import line, one_line, width


class Choice(Widget, can_focus=True):
    """Shows all its words; the chosen one stands in brackets."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right,space", "step(1)", show=False),
    ]
    DEFAULT_CSS = """
    Choice { height: 1; }
    """

    value: reactive[str] = reactive("")

    class Changed(Message):
        """Another word was chosen."""

        def __init__(self, choice: Choice, value: str) -> None:
            super().__init__()
            self.choice, self.value = choice, value

        @property
        def control(self) -> Choice:
            """The choice that it happened in."""
            return self.choice

    def __init__(self, words: Sequence[str], value: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.words = tuple(words)
        self.set_reactive(Choice.value, value if value in self.words else self.words[0])

    def render(self) -> Content:
        """The words in a row."""
        chosen = "bold reverse" if self.has_focus else "bold"
        parts: list[str | tuple[str, str]] = []
        for word in self.words:
            shown = one_line(word) or "none"
            parts.append((f"[{shown}]", chosen) if word == self.value else (f" {shown} ", "$text-muted"))
        return line(*parts)

    def watch_value(self, value: str) -> None:
        """Tell who asked."""
        self.post_message(self.Changed(self, value))

    def action_step(self, step: int) -> None:
        """The word before or after."""
        self.value = self.words[(self.words.index(self.value) + step) % len(self.words)]

    def on_focus(self) -> None:
        """The chosen word shows the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The chosen word shows the focus."""
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """The first letter of a word chooses it."""
        if event.character and event.character.isalpha():
            letter = event.character.casefold()
            found = next((word for word in self.words if word.casefold().startswith(letter)), None)
            if found is not None:
                self.value = found
                event.stop()

    def on_click(self, event: events.Click) -> None:
        """The word under the mouse."""
        end = 0
        for word in self.words:
            end += width(one_line(word) or "none") + 2
            if event.x < end:
                self.value = word
                return
