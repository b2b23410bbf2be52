"""The baseline of the first frame: the least that a Textual app can be."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static

WORDS = "one Static"


class OneStatic(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static(WORDS)


if __name__ == "__main__":
    OneStatic().run()
