"""What Review says beside its proposals: the line on top, what a folded row stands for, and that nothing waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from pipeline.review.following import Following
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.waiting import Waiting
from store import clock
from store.view import View
from tui.dates import moment
from tui.screens.review_find import words_of
from tui.screens.review_rows import KINDS, ORDERS, Asked, Fold, ReviewRows, kind_word, kind_words
from tui.text import content, count, cut, line, lines, one_line, width

if TYPE_CHECKING:
    from tui.bench import Bench

MUTED = "$text-muted"
KEY = "bold $text-primary"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the person is: the rows, the cursor in them, what was asked, and whether what waits is known yet."""

    rows: ReviewRows
    cursor: int
    asked: Asked
    known: bool


def place(here: Place, cells: int, *, wide: bool) -> Content:
    """The line under the header: where in the queue, or what it holds; at the right what narrows it and its order."""
    asked = here.asked
    end = "   ".join((*words_of(asked), ORDERS["newest" if asked.refused else asked.order]))
    if not here.known:
        left = ["looking at what waits ..."]
    elif asked.refused:
        left = [f"{count(here.rows.proposals, 'proposal')} rejected or put away"]
    elif wide:
        kinds = sorted(here.rows.kinds.items(), key=_most)
        left = [
            f"{sum(number for _, number in kinds):,} ready",
            ", ".join(kind_words(kind, number) for kind, number in kinds),
        ]
    else:
        left = _here(here.rows, here.cursor)
    room = max(0, cells - width(end) - 4)
    text = cut("   ".join(part for part in left if part), room)
    return line(" ", text, " " * max(1, cells - 2 - width(text) - width(end)), (end, MUTED))


def _most(kind: tuple[str, int]) -> tuple[bool, int, int]:
    """Most first, then as the kinds are listed; conflicts stand apart at the end."""
    name, number = kind
    return name == "conflict", -number, list(KINDS).index(name) if name in KINDS else len(KINDS)


def _here(rows: ReviewRows, cursor: int) -> list[str]:
    """`3 of 12   profile fact, session 8f2`."""
    row = rows.at(cursor)
    if row is None:
        return []
    if isinstance(row, Fold):
        return [row.words]
    at, kind = rows.ordinal(cursor), kind_word(row.kind)
    state = {"conflict": ", a conflict", "open": ", seen once", "expiring": ", runs out soon", "postponed": ", put off"}
    return [f"{at:,} of {rows.proposals:,}", f"{kind}{state.get(row.state, '')}{_from(row)}"]


def _from(item: Waiting) -> str:
    if any(quote.format == AUDITED for quote in item.quotes):
        return ", from an audit"
    if item.quotes:
        sessions = dict.fromkeys(quote.session for quote in item.quotes)
        first = one_line(next(iter(sessions)), 80)[:8]
        return f", session {first}" if len(sessions) == 1 else f", {len(sessions)} sessions"
    return f", by {one_line(item.by, 40)}" if item.by else ""


def folded(fold: Fold, bench: Bench) -> Content:
    """What a folded row stands for."""
    number = fold.number
    if fold.id == "fold:once":
        what = f"{count(number, 'fact was', 'facts were')} seen in one session only."
        why = "Each waits until another session says the same; it can be approved before."
    else:
        what = f"{count(number, 'proposal is', 'proposals are')} put off."
        why = "Each comes back when something new is known about it; it can be decided before."
    verb = "hides" if fold.opened else "shows"
    key = bench.pressed_id("list.open")
    return lines(
        [
            content(what, "bold"),
            content(why),
            Content(""),
            line((key, KEY), f"  {verb} {'it' if number == 1 else 'them'}"),
        ]
    )


def nothing(view: View, queue: Following, asked: Asked, bench: Bench) -> Content:
    """Why there is no row, and what can be done next."""
    back = line(("escape", KEY), "  shows everything again")
    if asked.text:
        return lines([content(f"Nothing that waits matches {one_line(asked.text, 60)!r}."), Content(""), back])
    if asked.state == "refused":
        return lines([content("Nothing was rejected or put away."), Content(""), back])
    if asked.narrowed:
        return lines([content(f"Nothing that waits is of {' and '.join(words_of(asked))}."), Content(""), back])
    return lines([content("Nothing waits.", "bold"), content(_last_run(view)), Content(""), *_next(queue, bench)])


def _last_run(view: View) -> str:
    rows = view.rows("sessions").values()
    runs = [at for row in rows if isinstance(at := row.get("lastRun"), int)]
    if not runs:
        return "No session was read yet: facts that are found in sessions come here, with the words they rest on."
    when = moment(datetime.fromtimestamp(max(runs) / 1000, tz=clock.now().tzinfo).isoformat())
    return f"{count(len(runs), 'session was', 'sessions were')} read, the last one {when}."


def _next(queue: Following, bench: Bench) -> list[Content]:
    numbers = [number for number, place in enumerate(bench.places, 1) if place.mode == "sessions"]
    steps = [line((f"{number:<3}", KEY), "read a session and see what it holds") for number in numbers]
    steps += [] if numbers else [line(("memdesk extract FILE", KEY), "  reads a transcript")]
    if queue.refused:
        key = bench.pressed_id("review.refused")
        steps.append(line((f"{key:<3}", KEY), f"look at what was rejected ({len(queue.refused):,})"))
    return steps
