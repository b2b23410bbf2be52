"""The extraction's own ledger rows: cursors, receipts and failures, read tolerantly (`spec/extraction.md` §3, §19)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from store.changes import PutRow, Row
from store.fields import is_integer, is_text, revision, text, whole
from store.view import View

UNIT = "memory_extraction"
"""Name of the unit of tables (`spec/extraction.md` §19)."""
UNIT_VERSION = 1
TABLES = ("cursors", "receipts", "failures", "gaps", "tombstones", "unresolved")

NO_CURSOR = -1
"""What an absent cursor stands for (`spec/extraction.md` §2)."""

FailureClass = Literal["provider", "schema", "evidence", "localization"]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one session has been evaluated; `rev` is the row's revision (0: no row)."""

    session: str
    seq: int = NO_CURSOR
    rev: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """The durable record that an operation is settled.

    `status` is extracted, skipped, pending, discarded or denied; `result` is what its run reported, when that was kept.
    `after` and `through` bound what it covers (after < seq <= through); `request` is the hash of the person's words in
    it. A discarded one names the class of its first and of its last failure; `rerun_by` is the operation that a person
    evaluated a discarded or denied range with afterwards (`spec/extraction.md` §23.8, §25).
    """

    operation: str
    session: str
    status: str
    items: tuple[str, ...]
    committed_at: int
    result: Mapping[str, Any] | None = None
    after: int | None = None
    through: int | None = None
    request: str = ""
    failure_class: str = ""
    first_class: str = ""
    rerun_by: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A frozen range of one session that waits for its single retry."""

    session: str
    from_seq: int
    through_seq: int
    coverage_hash: str
    operation: str
    attempts: int
    failure_class: str
    failed_at: int
    content_hash: str = ""
    rev: int = field(default=0, compare=False)


def read_cursor(view: View, session: str) -> Cursor:
    """The session's cursor; a damaged row reads as absent but keeps its revision, so that it can be written over."""
    row = view.rows("cursors").get(session)
    if row is None:
        return Cursor(session)
    rev = revision(row)
    if not is_integer(row.get("processedSeq")):
        return Cursor(session, NO_CURSOR, rev)
    return Cursor(session, int(row["processedSeq"]), rev)


def read_receipt(view: View, operation: str) -> Receipt | None:
    """The receipt of an operation, or None when there is none that can be read."""
    row = view.rows("receipts").get(operation)
    return None if row is None else receipt_of(operation, row)


def receipt_of(operation: str, row: Row) -> Receipt | None:
    """A row of the table `receipts`, None for a damaged one."""
    items = row.get("items")
    if not (is_text(row.get("sessionId")) and is_text(row.get("status")) and is_integer(row.get("committedAt"))):
        return None
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        return None
    result = row.get("result")
    return Receipt(
        operation,
        row["sessionId"],
        row["status"],
        tuple(items),
        int(row["committedAt"]),
        result if isinstance(result, Mapping) else None,
        whole(row, "afterSeq"),
        whole(row, "throughSeq"),
        text(row, "requestHash"),
        text(row, "failureClass"),
        text(row, "firstClass"),
        text(row, "rerunBy"),
    )


def denied_before(view: View, session: str, after: int) -> int:
    """The last seq, up to `after`, of what was written while memory was switched off; -1 when nothing was."""
    rows = (row for row in view.rows("receipts").values() if row.get("sessionId") == session)
    ends = [whole(row, "throughSeq") for row in rows if row.get("status") == "denied"]
    return max((end for end in ends if end is not None and end <= after), default=NO_CURSOR)


def read_failure(view: View, session: str) -> Failure | None:
    """The session's frozen range; a row without `fromSeq` takes `throughSeq` (§19)."""
    row = view.rows("failures").get(session)
    return None if row is None else failure_of(session, row)


def failure_of(session: str, row: Row) -> Failure | None:
    """A row of the table `failures`, None for a damaged one."""
    numbers = [row.get(name) for name in ("throughSeq", "attempts", "failedAt")]
    texts = [row.get(name) for name in ("coverageHash", "operationId", "failureClass")]
    if not all(map(is_integer, numbers)) or not all(map(is_text, texts)):
        return None
    start = row.get("fromSeq", row["throughSeq"])
    if not is_integer(start):
        return None
    return Failure(
        session,
        int(start),
        int(row["throughSeq"]),
        row["coverageHash"],
        row["operationId"],
        int(row["attempts"]),
        row["failureClass"],
        int(row["failedAt"]),
        text(row, "contentHash"),
        revision(row),
    )


def put_cursor(cursor: Cursor, through: int, now: int) -> PutRow:
    """Moves the cursor, never backwards; a cursor moved by somebody else in the meantime refuses (§23.8)."""
    fields = {"sessionId": cursor.session, "processedSeq": max(cursor.seq, through), "updatedAt": now}
    return PutRow("cursors", cursor.session, fields, rev=cursor.rev)


def put_receipt(receipt: Receipt) -> PutRow:
    """Writes a receipt."""
    fields: dict[str, Any] = {
        "operationId": receipt.operation,
        "sessionId": receipt.session,
        "status": receipt.status,
        "items": list(receipt.items),
        "committedAt": receipt.committed_at,
    }
    if receipt.result is not None:
        fields["result"] = dict(receipt.result)
    more = {
        "afterSeq": receipt.after,
        "throughSeq": receipt.through,
        "requestHash": receipt.request or None,
        "failureClass": receipt.failure_class or None,
        "firstClass": receipt.first_class or None,
        "rerunBy": receipt.rerun_by or None,
    }
    fields |= {name: value for name, value in more.items() if value is not None}
    return PutRow("receipts", receipt.operation, fields)


def put_failure(failure: Failure) -> PutRow:
    """Writes the frozen range of a session, over an earlier one."""
    fields: dict[str, Any] = {
        "sessionId": failure.session,
        "fromSeq": failure.from_seq,
        "throughSeq": failure.through_seq,
        "coverageHash": failure.coverage_hash,
        "operationId": failure.operation,
        "attempts": failure.attempts,
        "failureClass": failure.failure_class,
        "failedAt": failure.failed_at,
    }
    if failure.content_hash:
        fields["contentHash"] = failure.content_hash
    return PutRow("failures", failure.session, fields)
