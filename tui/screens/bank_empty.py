"""What the Bank says when it has no row to show: how to begin, or how to get rows back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from store.view import View
from tui.screens.bank_find import Arranged
from tui.text import count, line, lines, one_line

if TYPE_CHECKING:
    from tui.bench import Bench

KEY = "bold $text-primary"


def nothing(view: View, arranged: Arranged, bench: Bench) -> Content | None:
    """A few lines, or None when there are rows."""
    if len(arranged.rows):
        return None
    blank, text = Content(""), arranged.asked.text
    if text:
        shown = one_line(text, 60)
        return lines(
            [blank, line(f"  Nothing matches {shown!r}."), blank, line(("  escape", KEY), " clears the search")]
        )
    if arranged.asked.trash:
        return lines([blank, line("  The trash is empty."), blank, line(("  T", KEY), " shows the bank again")])
    return lines([blank, *_first_steps(view, bench)])


def _first_steps(view: View, bench: Bench) -> list[Content]:
    steps = [
        line(("  No memory here yet", "bold"), ": one thing that an agent should know, in one sentence."),
        Content(""),
        line((f"  {bench.pressed_id('item.new'):<4}", KEY), "write one"),
    ]
    sessions = [number for number, place in enumerate(bench.places, 1) if place.mode == "sessions"]
    steps += [line((f"  {number:<4}", KEY), "read a session and see what it holds") for number in sessions]
    if view.trashed:
        trashed = count(len(view.trashed), "memory", "memories")
        steps.append(line((f"  {bench.pressed_id('bank.trash'):<4}", KEY), f"look into the trash ({trashed})"))
    if view.problems:
        unread = count(len(view.problems), "file")
        steps.append(line((f"  {bench.pressed_id('bank.problems'):<4}", KEY), f"see why {unread} could not be read"))
    return steps
