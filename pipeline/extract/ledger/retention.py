"""What the ledger lets go of by age, so that years of runs leave it small (ext-D23, `spec/extraction.md` §22).

Tombstones stay for ever, and so does what the bank could not tell from its own text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.control import failure_of, read_cursor, receipt_of
from pipeline.extract.ledger.gaps import Gap, all_gaps
from pipeline.extract.ledger.known import alive
from pipeline.extract.ledger.unresolved import TABLE as UNRESOLVED
from pipeline.extract.ledger.unresolved import read_unresolved, worn_out
from store.changes import DropRow, PutRow
from store.fields import revision, text, whole
from store.view import View

DAY = 86_400_000
SETTLED = 90 * DAY
"""Milliseconds that a receipt is kept, and the quotes of a fact that is in the bank: they stand in its memory."""
KEPT = 365 * DAY
"""Milliseconds that anything else is kept: ranges left out, facts retired or put away, cursors of lost transcripts."""
SLIM = 8
"""Sightings that a retired fact keeps, without their words."""
AT_ONCE = 500
"""Rows that are tidied at once."""

Rows = Iterator[PutRow | DropRow]


def there(path: str) -> bool:
    """Whether a transcript still lies where it was read."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return True


def retained(view: View, now: int, lies: Callable[[str], bool] = there) -> tuple[PutRow | DropRow, ...]:
    """Bookkeeping rows (for `Bank.record`) that let go of what is old; none when there is nothing to tidy.

    `now` is milliseconds since 1970. `lies` tells whether the transcript of a path is still there: then its cursor
    stays, however old, so that nothing of it is evaluated twice.
    """

    def rows() -> Rows:
        yield from _receipts(view, now)
        yield from _gaps(view, now)
        yield from _sessions(view, now, lies)
        yield from _unresolved(view, now)

    return tuple(islice(rows(), AT_ONCE))


def _receipts(view: View, now: int) -> Rows:
    for key, row in view.rows("receipts").items():
        one = receipt_of(key, row)
        waits = one is not None and one.status in ("discarded", "denied") and not one.rerun_by
        at = one.committed_at if one is not None else whole(row, "committedAt") or 0
        if now - at > (KEPT if waits else SETTLED):
            yield DropRow("receipts", key, revision(row))


def _gaps(view: View, now: int) -> Rows:
    for gap in all_gaps(view):
        age = now - gap.updated_at
        if gap.state == "open" and not gap.alive(now):
            yield PutRow("gaps", gap.key, {"state": "archived", "updatedAt": now}, gap.rev)
        elif gap.state == "covered" and age > KEPT and not _needed(view, gap):
            yield DropRow("gaps", gap.key, gap.rev)
        elif gap.state == "covered" and age > SETTLED and gap != (slim := _slim(gap)):
            fields = {"sightings": [seen.row() for seen in slim.sightings], "merged": None, "suspects": None}
            yield PutRow("gaps", gap.key, fields, gap.rev)
        elif gap.state in ("rejected", "archived") and age > KEPT:
            yield DropRow("gaps", gap.key, gap.rev)


def _needed(view: View, gap: Gap) -> bool:
    """Whether only this row knows that a live memory says the fact, because it says it in other words."""
    if not alive(view, gap.memory):
        return False
    return {gap_id(view.memories[gap.memory].statement)} != set(gap.identities)


def _slim(gap: Gap) -> Gap:
    sightings = tuple(replace(seen, quotes=(), model="", operation="") for seen in gap.sightings[-SLIM:])
    return replace(gap, sightings=sightings, merged=(), suspects=())


def _sessions(view: View, now: int, lies: Callable[[str], bool]) -> Rows:
    """Cursors, failures and rows of sessions that nobody has looked at for long and whose transcript is gone."""
    sessions, failures = view.rows("sessions"), view.rows("failures")
    for key in dict.fromkeys((*view.rows("cursors"), *sessions)):
        cursor, row = view.rows("cursors").get(key, {}), sessions.get(key, {})
        last = max(whole(cursor, "updatedAt") or 0, whole(row, "lastRun") or 0)
        path = text(row, "path")
        if now - last <= KEPT or (path and lies(path)):
            continue
        yield from (DropRow(table, key) for table in ("cursors", "sessions", "failures") if key in view.rows(table))
    for key, row in failures.items():
        one = failure_of(key, row)
        if one is None or (now - one.failed_at > SETTLED and one.from_seq <= read_cursor(view, key).seq):
            yield DropRow("failures", key, revision(row))


def _unresolved(view: View, now: int) -> Rows:
    for key, row in view.rows(UNRESOLVED).items():
        one = read_unresolved(row)
        if one is None or worn_out(one, now):
            yield DropRow(UNRESOLVED, key, revision(row))
