"""The extraction engine: one trigger from gate to receipt, as a generator of effects (`spec/extraction.md` §14).

It imports no writer and no model: it yields what it needs (`pipeline/extract/effects.py`) and is sent the answers by
`pipeline/run.py`, so the screen, the command line and the tests watch the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.extract.coverage import content_hash, coverage_hash, in_range, windows
from pipeline.extract.effects import Audit, Done, Gate, Look, Result
from pipeline.extract.failure import settle_failure
from pipeline.extract.further import find
from pipeline.extract.identity import operation_id, segment_id
from pipeline.extract.ledger.control import (
    Cursor,
    Failure,
    Receipt,
    put_cursor,
    put_receipt,
    read_cursor,
    read_failure,
    read_receipt,
)
from pipeline.extract.ledger.receipts import CHANGED_WORDS, REUSED, reused
from pipeline.extract.ledger.receipts import receipt as receipt_of
from pipeline.extract.settle import Closing, Tally, nothing, settle
from pipeline.extract.work import Blocked, Failed, Moved, Range, Steps, Work, write_rows
from store.changes import DropRow, PutRow
from store.view import View

OUTSIDE = "pending failure outside trigger boundary"
CHANGED = "pending failure coverage changed"


def execute(work: Work) -> Steps:
    """Run one trigger; returns its `Result` and tells it with `Done`."""
    result = yield from evaluate(work)
    yield Done(work.snapshot.session, result)
    return result


def evaluate(work: Work) -> Steps:
    """Run one trigger; returns its `Result`."""
    if not work.snapshot.valid:
        return Result("unavailable", reason="invalid snapshot")
    if reason := (yield Gate()):
        yield from _deny(work, str(reason))
        return Result("unavailable", reason=f"gate: {reason}")
    operation = operation_id(work.snapshot.session, work.snapshot.boundary)
    view = yield Look()
    receipt = read_receipt(view, operation)
    if receipt is not None and reused(work, receipt):
        return Result("unavailable", reason=REUSED, note=CHANGED_WORDS)
    if receipt is not None:
        return _replay(work, receipt)
    cursor = read_cursor(view, work.snapshot.session)
    if cursor.seq >= work.snapshot.boundary:
        return Result("no_range")
    try:
        return (yield from _process(work, view, cursor, operation))
    except Blocked as stop:
        yield from _deny(work, stop.reason)
        return Result("unavailable", reason="blocked", note=stop.note)
    except Moved:
        return Result("no_range")


def _replay(work: Work, receipt: Receipt) -> Result:
    """What the first run reported; without a stored result only what was stored is known (ext-D19)."""
    first = receipt.result or {}
    status = first.get("status") if work.options.replay_fidelity else None
    pending = first.get("pending")
    if receipt.status in ("discarded", "denied"):
        return Result("skipped", replayed=True)
    if status == "pending" and isinstance(pending, int):
        return Result("pending", pending=pending, replayed=True)
    if status == "skipped" or receipt.status != "extracted":
        return Result("skipped", replayed=True)
    items = first.get("items") if status == "extracted" else None
    return Result("extracted", tuple(items) if isinstance(items, list) else receipt.items, replayed=True)


def _deny(work: Work, reason: str) -> Steps:
    """A period seen while memory was switched off is settled as denied and never mined later (§23.6)."""
    if reason != "disabled" or not work.options.settle_denied_ranges:
        return
    snapshot = work.snapshot
    operation = operation_id(snapshot.session, snapshot.boundary)

    def rows(view: View) -> tuple[PutRow, ...]:
        cursor = read_cursor(view, snapshot.session)
        if cursor.seq >= snapshot.boundary or read_receipt(view, operation) is not None:
            return ()
        span = Range((), cursor.seq, snapshot.boundary, operation)
        return put_cursor(cursor, snapshot.boundary, work.now), put_receipt(receipt_of(work, span, "denied"))

    try:
        yield from write_rows(rows)
    except Blocked:
        return  # the range stays as it is and is looked at again by the next trigger


def _process(work: Work, view: View, cursor: Cursor, operation: str) -> Steps:
    """Step 5 and 6 of the state machine: the frozen range first, then what is new."""
    failure = read_failure(view, cursor.session)
    if failure is None:
        return (yield from _fresh(work, cursor.seq, operation))
    if failure.through_seq > work.snapshot.boundary:
        return Result("unavailable", reason=OUTSIDE)
    if failure.from_seq != cursor.seq + 1:
        yield from _drop(failure)
        return (yield from _fresh(work, cursor.seq, operation))
    if _changed(work, failure):
        if work.options.on_coverage_change == "block":
            return Result("unavailable", reason=CHANGED)
        yield from _drop(failure)
        result = yield from _fresh(work, cursor.seq, operation)
        return replace(result, audits=(Audit("failure_superseded"), *result.audits))
    return (yield from _retry(work, failure, operation))


def _drop(failure: Failure) -> Steps:
    yield from write_rows(lambda view: (DropRow("failures", failure.session),))


def _changed(work: Work, failure: Failure) -> bool:
    """Whether the frozen range is no longer what it was (§23.5)."""
    after, through = failure.from_seq - 1, failure.through_seq
    if coverage_hash(work.entries, after, through) != failure.coverage_hash:
        return True
    if work.options.on_coverage_change == "block" or not failure.content_hash:
        return False
    return content_hash(work.entries, after, through) != failure.content_hash


def _retry(work: Work, failure: Failure, operation: str) -> Steps:
    """The single retry of a frozen range, under its own operation id, then the tail (§23.4)."""
    recovered = yield from _span(work, failure.from_seq - 1, failure.through_seq, failure.operation, failure)
    if not work.options.continue_after_retry or failure.through_seq >= work.snapshot.boundary:
        return recovered
    if recovered.more:
        return recovered
    tail = yield from _span(work, failure.through_seq, work.snapshot.boundary, operation, None)
    return replace(tail, recovered=recovered)


def _fresh(work: Work, after: int, operation: str) -> Steps:
    return (yield from _span(work, after, work.snapshot.boundary, operation, None))


def _span(work: Work, after: int, through: int, operation: str, retried: Failure | None) -> Steps:
    """Evaluate (after, through] window by window; stops at the first that fails. Returns a `Result`."""
    ranges, more = _ranges(work, after, through, operation, retried is not None)
    tally = Tally()
    for number, span in enumerate(ranges, 1):
        last = number == len(ranges) and not more
        try:
            findings = yield from find(work, span)
            settled = yield from settle(work, span, findings, tally, _closing(retried) if last else nothing)
        except Failed as failed:
            yield from settle_failure(work, span, failed, retried)
            return replace(
                tally.result(), status="unavailable", reason=f"failure: {failed.failure_class}", note=failed.note
            )
        tally = tally.plus(settled)
    return replace(tally.result(), more=more)


def _closing(retried: Failure | None) -> Closing:
    """The failure row of a retried range goes when its last window is settled."""
    return nothing if retried is None else lambda view: (DropRow("failures", retried.session),)


def _ranges(work: Work, after: int, through: int, operation: str, alone: bool) -> tuple[Sequence[Range], bool]:
    """The windows of a range with their ids (§23.3), and whether some are left for the next run."""
    most = work.options.max_windows_per_run
    parts = windows(in_range(work.entries, after, through), work.options, most + 1) or ((),)
    ranges: list[Range] = []
    for number, part in enumerate(parts[:most], 1):
        end = through if number == len(parts) else part[-1].seq
        name = operation if number == len(parts) else segment_id(operation, after, end)
        ranges.append(Range(part, after, end, name, alone=alone))
        after = end
    return ranges, len(parts) > most
