"""One row of the queue: sign, kind, what it says, and at the right as much of what is known as there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.review.waiting import Waiting
from tui.text import cut, fit, one_line, width
from tui.widgets.rows import Piece

SHORT = {"remember": "new", "change": "changes", "suggestion": "suggest"}
"""Kinds whose word in a row is another."""
SIGNS: Mapping[str, tuple[str, str]] = {
    "conflict": ("!", "warn"),
    "expiring": ("~", "warn"),
    "rejected": ("x", "muted"),
    "archived": ("-", "muted"),
    "postponed": (":", "muted"),
}
KIND = 9
RIGHT_FROM, COLUMNS_FROM, SESSION_FROM = 34, 64, 104
"""Cells of a row from which one thing stands at the right; sessions, age and project; and the session itself."""
SESSIONS, AGE, PROJECT, SESSION = 6, 10, 12, 8
DAY = 86_400_000


def pieces(item: Waiting, lead: str, said: str, cells: int, now: int) -> Sequence[Piece]:
    """The row in exactly `cells` cells; `lead` and `said` are the subject and the statement, `now` is milliseconds."""
    sign, style = SIGNS.get(item.state, (" ", ""))
    right = _right(item, cells, now)
    word = "conflict" if item.state == "conflict" else SHORT.get(item.kind, item.kind)
    return [
        (f"{sign} ", style),
        (fit(word, KIND - 1) + " ", style or "muted"),
        *_text(lead, said, max(0, cells - 2 - KIND - width(right))),
        (right, "muted"),
    ]


def _text(lead: str, said: str, room: int) -> list[Piece]:
    """Subject and statement in exactly `room` cells."""
    shown = fit(cut(lead + said, room), room)
    return [(shown[: len(lead)], "strong"), (shown[len(lead) :], "")] if width(lead) < room else [(shown, "strong")]


def _right(item: Waiting, cells: int, now: int) -> str:
    if cells < RIGHT_FROM:
        return ""
    if cells < COLUMNS_FROM:
        return f"  {said} " if (said := _one(item, now)) else ""
    project = fit(one_line(item.project, 60), PROJECT)
    seen = f"{item.have} of {item.need}" if item.need else _seen(item)
    columns = [f"{seen:>{SESSIONS}}", f"{_time(item, now):>{AGE}}", f"  {project}"]
    if cells >= SESSION_FROM:
        first = item.sessions[0].rpartition("/")[2] if item.sessions else ""
        columns.append(f" {fit(one_line(first, 80)[:SESSION], SESSION)}")
    return " " + "".join(columns) + " "


def _one(item: Waiting, now: int) -> str:
    """The one thing that matters most: how long it waits still, how often it was seen, how sure an extractor was."""
    if item.state == "expiring":
        return _time(item, now)
    return _seen(item)


def _seen(item: Waiting) -> str:
    """`1 of 2` sessions, or the confidence where an extractor gave one."""
    if item.need and item.folded:
        return f"{item.have} of {item.need}"
    return f"{item.confidence:.2f}" if item.confidence is not None else ""


def _time(item: Waiting, now: int) -> str:
    """`3 d left` when it runs out soon, else how old it is."""
    if item.state == "expiring" and item.expires is not None:
        return f"{max(0, -(-(item.expires - now) // DAY))} d left"
    return age(item.created, now) if item.created else ""


def age(since: int, now: int) -> str:
    """`today`, `9 d`, `7 w`, `5 mo`: how long ago; both are milliseconds."""
    days = max(0, (now - since) // DAY)
    if days < 1:
        return "today"
    if days < 14:
        return f"{days} d"
    return f"{days // 7} w" if days < 90 else f"{days // 30} mo"
