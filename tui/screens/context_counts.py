"""The line of outcomes: how many memories met each fate. They add up to the bank's live memories."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from pipeline.context.fate import Counts
from tui.screens.context_rows import MOVED
from tui.text import line, width
from tui.theme import OUTCOMES

SHORT = {"included": "in", "duplicate": "double", "unreadable": "others'", "paged_out": "paged"}
UNSEEN = ("unreadable", "outside_year", "other_project")


@dataclass(frozen=True, slots=True)
class Part:
    """One outcome with its number; `only` is what a click on it shows alone."""

    only: str
    sign: str
    word: str
    short: str
    number: int
    token: str


def parts(counts: Counts) -> list[Part]:
    """The outcomes that there are, and the evictions also when there are none."""
    found = []
    for name in ("included", "always", "evicted", "unlisted", "paged_out", "budget", "block_full", "duplicate"):
        number = counts.outcomes.get(name, 0)
        if number or name == "evicted":
            found.append(_part(name, number))
    if limit := counts.outcomes["over_limit"] + counts.outcomes.get("summary_overflow", 0):
        found.append(_part("over_limit", limit))
    if unmatched := counts.outcomes.get("unmatched", 0):
        found.append(_part("unmatched", unmatched))
    found += [_part(name, number) for name in UNSEEN if (number := counts.unseen[name])]  # type: ignore[index]
    return found


def _part(name: str, number: int) -> Part:
    look = OUTCOMES[name]
    return Part(name, look.sign, look.word, SHORT.get(name, look.word), number, look.token)


class CountsLine(Widget):
    """Signs, words, numbers and their sum, in as many words as fit. A click shows one outcome only."""

    DEFAULT_CSS = """
    CountsLine { height: 1; }
    """

    class Picked(Message):
        """An outcome was clicked."""

        def __init__(self, only: str) -> None:
            super().__init__()
            self.only = only

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._counts: Counts | None = None
        self._only = ""
        self._ends: list[tuple[int, str]] = []

    def show(self, counts: Counts | None, only: str) -> None:
        """Show these counts; `only` is the outcome that is shown alone."""
        self._counts, self._only = counts, only
        self.refresh()

    def render(self) -> Content:
        """The first way of writing it that fits."""
        if self._counts is None:
            return Content("")
        for gap, short in ((3, False), (2, False), (2, True), (1, True)):
            pieces = self._pieces(self._counts, gap, short)
            if sum(width(text) for text, _ in pieces) <= self.size.width:
                break
        return line(*pieces)

    def _pieces(self, counts: Counts, gap: int, short: bool) -> list[tuple[str, str]]:
        pieces: list[tuple[str, str]] = [(" ", "")]
        self._ends = []
        used = 1
        for part in parts(counts):
            words = f"{part.sign} {part.short if short else part.word} {part.number:,}"
            if part.only == "included" and counts.moved_up:
                words += f" (^{counts.moved_up:,})" if short else f" (^ {counts.moved_up:,} moved up)"
            chosen = self._only in {part.only, *([MOVED] if part.only == "included" else [])}
            pieces.append((f"[{words}]" if chosen else words, f"bold {part.token}" if chosen else part.token))
            pieces.append((" " * gap, ""))
            used += width(words) + gap + 2 * chosen
            self._ends.append((used, part.only))
        total = f"= {counts.live:,}" if short else f"= {counts.live:,} live"
        pieces.append((total, "$text-muted"))
        return pieces

    def on_click(self, event: events.Click) -> None:
        """The outcome under the mouse, or everything."""
        only = next((only for end, only in self._ends if event.x < end), "")
        self.post_message(self.Picked(only if only not in UNSEEN else ""))
