"""What the Sessions screen says when it has no transcript to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from pipeline.formats.read import places
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
    looked = [line(("    ", ""), one_line(str(place), 200)) for place in places()]
    return lines(
        [
            blank,
            line(("  No transcript found", "bold"), ". These folders hold none, or cannot be listed:"),
            *looked,
            blank,
            line((f"  {bench.pressed_id('session.read'):<4}", KEY), "reads a file that lies elsewhere"),
        ]
    )
