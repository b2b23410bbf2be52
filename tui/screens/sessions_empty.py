"""What the Sessions screen says when it has no transcript to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from pipeline.formats.find import places
from tui.home import at_home
from tui.screens.sessions_rows import TranscriptRows
from tui.text import line, lines, one_line

if TYPE_CHECKING:
    from tui.bench import Bench

KEY = "bold $text-primary"


def nothing(shown: TranscriptRows, text: str, bench: Bench) -> Content | None:
    """Where it was looked and what can be done, or None when there are rows."""
    if len(shown):
        return None
    blank = Content("")
    if text and shown.total:
        words = line(f"  Nothing matches {one_line(text, 60)!r}.")
        return lines([blank, words, blank, line(("  escape", KEY), " clears the search")])
    looked = _looked()
    return lines(
        [
            blank,
            line((f"  {bench.pressed_id('session.read'):<4}", KEY), "reads a file that lies elsewhere"),
            blank,
            line(("  No transcript found", "bold"), ". These folders hold none, or cannot be listed:"),
            *looked,
        ]
    )


def _looked() -> list[Content]:
    """The folders that were looked into, one of each tool."""
    by_tool: dict[str, str] = {}
    for tool, place in places():
        by_tool.setdefault(tool, one_line(at_home(place), 200))
    cells = max(map(len, by_tool), default=0) + 2
    return [line(("    ", ""), f"{tool:<{cells}}{folder}") for tool, folder in by_tool.items()]
