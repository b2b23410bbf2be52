"""Remembering a line of a transcript: worked out at once for the person, written when its turn has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.formats.session import Session, Turn
from pipeline.review.from_turn import remember_words
from store.errors import ReadOnly
from store.view import View
from tui.messages import Task
from tui.text import one_line

if TYPE_CHECKING:
    from tui.bench import Bench
    from tui.screens.transcript import Remember
    from tui.screens.transcript_rows import Span


def rememberer(bench: Bench) -> Remember:
    """What the reader of a transcript calls, on a thread of its own."""

    def remember(session: Session, turn: Turn, part: Span) -> str:
        desk = bench.desk
        if desk.read_only:
            raise ReadOnly(desk.read_only)
        _, wording = remember_words(desk.view, session, turn, *part)
        done = f"Waits for review: {one_line(wording, 120)}"

        def plan(view: View) -> Task:
            return Task("commit", remember_words(view, session, turn, *part)[0], done)

        bench.call_from_thread(desk.put, Task("commit", done=done, plan=plan))
        return f"{done}  ({bench.pressed_id('app.undo')} takes it back.)"

    return remember
