"""What the Bank says when it has no row to show: how to begin, or how to get rows back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from store.view import View
from tui.keys import SCREEN
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
    if arranged.waiting is not None:
        return lines([blank, *_in_review(arranged.waiting, bench)])
    if text:
        shown = one_line(text, 60)
        return lines(
            [blank, line(f"  Nothing matches {shown!r}."), blank, line(("  escape", KEY), " clears the search")]
        )
    if arranged.asked.trash:
        return lines([blank, line("  The trash is empty."), blank, line(("  T", KEY), " shows the bank again")])
    return lines([blank, *_first_steps(view, bench)])


def _in_review(waiting: int, bench: Bench) -> list[Content]:
    """Proposals are no memories yet: how many there are, and where."""
    if not waiting:
        return [line("  Nothing waits in Review."), Content(""), line(("  escape", KEY), " clears the search")]
    waits = count(waiting, "proposal waits", "proposals wait")
    return [
        line(f"  {waits} in Review."),
        Content(""),
        *_go(_number("review", bench), "goes there: it shows what each rests on", bench),
    ]


def _number(mode: str, bench: Bench) -> int:
    """The number of a screen, 0 where there is none."""
    return next((number for number, place in enumerate(bench.places, 1) if place.mode == mode), 0)


def _go(number: int, words: str, bench: Bench) -> list[Content]:
    """The key of a screen, and what it does there."""
    return [line((f"  {bench.pressed_id(f'{SCREEN}{number}'):<4}", KEY), words)] if number else []


def _first_steps(view: View, bench: Bench) -> list[Content]:
    steps = [
        line(("  No memory here yet", "bold"), ": one thing that an agent should know, in one sentence."),
        Content(""),
        line((f"  {bench.pressed_id('item.new'):<4}", KEY), "write one"),
    ]
    steps += _go(_number("sessions", bench), "read a session and see what it holds", bench)
    if view.trashed:
        trashed = count(len(view.trashed), "memory", "memories")
        steps.append(line((f"  {bench.pressed_id('bank.trash'):<4}", KEY), f"look into the trash ({trashed})"))
    if view.problems:
        unread = count(len(view.problems), "file")
        steps.append(line((f"  {bench.pressed_id('bank.problems'):<4}", KEY), f"see why {unread} could not be read"))
    return steps
