"""The rows of Health: the checks, the changes newest first, the trash; each group under its own line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from store.bank import Kept
from store.changes import Committed
from store.memory import Memory
from tui.dates import ago, moment
from tui.screens.health_report import Check, Report
from tui.text import fit, one_line, width
from tui.widgets.rows import Piece

SIGNS = {"good": ("+", "good"), "look": ("!", "warn"), "bad": ("x", "bad")}
NAME = 12
WHEN = 13
BY = 16
"""Cells for who made a change, or for the one that took it back; the detail says both."""
CHECK, KEPT, CHANGE, TRASH, GROUP = "check", "kept", "change", "trash", "group"
KEPT_ASIDE = "kept aside"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its id, and how it draws itself in so many cells."""

    id: str
    draw: Callable[[int], Sequence[Piece]]


class HealthRows:
    """All rows of a report, for the list."""

    def __init__(self, report: Report, today: date) -> None:
        self.report = report
        rows = [Row(f"{CHECK}:{check.name}", _check(check)) for check in report.checks]
        if report.kept:
            rows.append(_group(KEPT_ASIDE, "p uses one, x drops one"))
            rows += [Row(f"{KEPT}:{kept.file}", _kept(kept)) for kept in report.kept]
        rows.append(_group("changes", "newest first" if report.changes else "none yet"))
        rows += [Row(f"{CHANGE}:{change.number}", _change(change)) for change in report.changes]
        rows.append(_group("trash", "r puts back" if report.view.trashed else "empty"))
        rows += [Row(f"{TRASH}:{memory.id}", _trashed(memory, today)) for memory in report.view.trashed]
        self._rows = rows
        self._places = {row.id: at for at, row in enumerate(rows)}
        self.checks = {check.name: check for check in report.checks}
        self.changes = {change.number: change for change in report.changes}
        self.kept = {kept.file: kept for kept in report.kept}

    def __len__(self) -> int:
        return len(self._rows)

    def id(self, index: int) -> str:
        """The row's id: its kind, a colon, and its name."""
        return self._rows[index].id

    def find(self, id: str) -> int | None:
        """Where a row stands."""
        return self._places.get(id)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The pieces of one row."""
        return self._rows[index].draw(width)


def _check(check: Check) -> Callable[[int], Sequence[Piece]]:
    sign, style = SIGNS[check.level]

    def draw(cells: int) -> Sequence[Piece]:
        todo = f"  {check.todo} " if check.todo and cells > 70 else ""
        room = cells - 2 - NAME - width(todo)
        words = fit(one_line(check.words), room)
        return [(f"{sign} ", style), (f"{check.name:<{NAME}}", "strong"), (words, ""), (todo, "muted")]

    return draw


def _group(name: str, words: str) -> Row:
    def draw(cells: int) -> Sequence[Piece]:
        head = f"── {name}  {words} "
        return [(fit(head + "─" * max(0, cells - width(head)), cells), "muted")]

    return Row(f"{GROUP}:{name}", draw)


def _change(change: Committed) -> Callable[[int], Sequence[Piece]]:
    def draw(cells: int) -> Sequence[Piece]:
        undone = change.undone_by is not None
        state = f"undone by {change.undone_by}" if undone else ""
        right = f"  {fit(state or one_line(change.by, 20), BY)}" if cells > 56 else f"  {state}"
        room = cells - 8 - WHEN - width(right)
        return [
            (f"{change.number:>6}  ", "muted"),
            (fit(moment(change.at), WHEN), "muted"),
            (fit(one_line(change.reason), room), "muted" if undone else ""),
            (right, "muted"),
        ]

    return draw


def _kept(kept: Kept) -> Callable[[int], Sequence[Piece]]:
    whose = "our text" if kept.side == "ours" else "their text"

    def draw(cells: int) -> Sequence[Piece]:
        room = cells - 2 - NAME - WHEN
        path = fit(one_line(kept.path), room)
        return [("! ", "warn"), (f"{whose:<{NAME}}", "strong"), (fit(moment(kept.at), WHEN), "muted"), (path, "")]

    return draw


def _trashed(memory: Memory, today: date) -> Callable[[int], Sequence[Piece]]:
    def draw(cells: int) -> Sequence[Piece]:
        here = ago(memory.trashed_at, today)
        when = f"{here} here" if here not in {"", "today"} else here
        subject = f"{memory.subject}: " if memory.subject else ""
        text = fit(one_line(subject + memory.display), cells - 9 - WHEN - 2)
        return [("  ", ""), (f"{one_line(memory.type, 6):<7}", "muted"), (text, ""), (f"{when:>{WHEN + 1}} ", "muted")]

    return draw
