"""Ranges of sessions that nothing was learnt from, and what a person can do about them (`spec/extraction.md` §26).

Evaluating one again, with this model or another, whole or in halves, is a run: `pipeline.extraction.extract` with the
`Span` that `again` gives. Giving one up is a decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pipeline.extract.coverage import in_range
from pipeline.extract.evidence import Record, entries, project_evidence
from pipeline.extract.ledger.control import (
    Cursor,
    Failure,
    Receipt,
    failure_of,
    put_cursor,
    put_receipt,
    read_cursor,
    read_failure,
    receipt_of,
)
from pipeline.extract.rerun import Span
from pipeline.formats.session import Session
from store.changes import Change, Changeset, DropRow, Origin, PutRow
from store.clock import millis
from store.errors import AlreadyDecided, BadInput
from store.fields import text
from store.view import View

State = Literal["frozen", "given up", "denied"]
PREVIEW = 20
"""Messages of a range that are shown before a person decides about it."""
GONE = "This range is not left out any more; look at the list again."


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The messages of a session with after < seq <= through, from which nothing was learnt.

    `state`: `frozen` waits for its one retry, `given up` failed twice or was given up by hand, `denied` was written
    while memory was switched off. `failure_class` is the last reason (provider, schema, evidence, localization; empty
    when denied), `first_class` the one before. `at` is milliseconds; `path` is the transcript's, "" when unknown.
    """

    session: str
    after: int
    through: int
    state: State
    failure_class: str = ""
    first_class: str = ""
    attempts: int = 0
    operation: str = ""
    at: int = 0
    path: str = ""
    project: str = ""
    rev: int = 0

    @property
    def id(self) -> str:
        """A name to type and to follow across views: the session and its messages."""
        return f"{self.session}#{self.after + 1}-{self.through}"


def failures(view: View) -> tuple[LeftOut, ...]:
    """The frozen ranges and those that were given up and not evaluated since, newest first."""
    return tuple(sorted((*_frozen(view), *_settled(view, "discarded")), key=_newest))


def denied(view: View) -> tuple[LeftOut, ...]:
    """The ranges that were written while memory was switched off, newest first."""
    return tuple(sorted(_settled(view, "denied"), key=_newest))


def preview(session: Session, found: LeftOut, most: int = PREVIEW) -> tuple[Record, ...]:
    """The person's first messages of a range as a model would see them, secrets masked."""
    return project_evidence(in_range(entries(session), found.after, found.through))[:most]


def again(found: LeftOut, *, override: bool = False, halves: bool = False) -> Span:
    """The span that evaluates a range again: `override` for a denied one, `halves` to cut it in two calls."""
    return Span(found.after, found.through, override, halves)


def give_up(view: View, found: LeftOut, origin: Origin = "screen") -> Changeset:
    """The changeset that gives a frozen range up before its retry: what follows it is evaluated, it stays in the list.

    Raises `AlreadyDecided` when it is not frozen any more, `BadInput` for a range that is given up already.
    """
    if found.state != "frozen":
        raise BadInput("This range is left out already; there is nothing to give up.")
    failure = read_failure(view, found.session)
    if failure is None or failure.rev != found.rev:
        raise AlreadyDecided(GONE)
    now, cursor = millis(), read_cursor(view, found.session)
    receipt = Receipt(
        failure.operation,
        found.session,
        "discarded",
        (),
        now,
        after=found.after,
        through=found.through,
        failure_class=failure.failure_class,
        first_class=failure.failure_class,
    )
    drop = DropRow("failures", found.session, failure.rev)
    changes: tuple[Change, ...] = (*_over(cursor, failure, now), put_receipt(receipt), drop)
    name = found.session.partition("/")[2] or found.session
    return Changeset(changes, f"give up messages {failure.from_seq} to {failure.through_seq} of {name}", origin)


def _over(cursor: Cursor, failure: Failure, now: int) -> tuple[PutRow, ...]:
    return (put_cursor(cursor, failure.through_seq, now),) if cursor.seq < failure.through_seq else ()


def _newest(one: LeftOut) -> tuple[int, str]:
    return -one.at, one.id


def _frozen(view: View) -> Iterator[LeftOut]:
    for session, row in view.rows("failures").items():
        one = failure_of(session, row)
        if one is None or one.from_seq != read_cursor(view, session).seq + 1:
            continue  # what is behind the cursor is no longer frozen; the next run takes the row away
        path, project = _source(view, session)
        yield LeftOut(
            session,
            one.from_seq - 1,
            one.through_seq,
            "frozen",
            one.failure_class,
            one.failure_class,
            one.attempts,
            one.operation,
            one.failed_at,
            path,
            project,
            one.rev,
        )


def _settled(view: View, status: str) -> Iterator[LeftOut]:
    for key, row in view.rows("receipts").items():
        if row.get("status") != status:
            continue
        one = receipt_of(key, row)
        if one is None or one.rerun_by or one.after is None or one.through is None:
            continue
        path, project = _source(view, one.session)
        yield LeftOut(
            one.session,
            one.after,
            one.through,
            "denied" if status == "denied" else "given up",
            one.failure_class,
            one.first_class,
            2 if one.failure_class else 0,
            one.operation,
            one.committed_at,
            path,
            project,
        )


def _source(view: View, session: str) -> tuple[str, str]:
    row = view.rows("sessions").get(session, {})
    return text(row, "path"), text(row, "project")
