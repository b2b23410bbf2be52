"""Evaluating a span of a session because a person wants it, wherever its cursor stands.

`spec/extraction.md` §23.6, §24.5: it never moves a cursor back and never freezes anything, and what it gets through is
no longer a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.extract.coverage import content_hash, in_range, windows
from pipeline.extract.effects import Done, Gate, Look, Result
from pipeline.extract.entries import PERSON, Entry, said_by
from pipeline.extract.evidence import json_size, record_of
from pipeline.extract.further import find
from pipeline.extract.identity import operation_id, retry_id, segment_id
from pipeline.extract.ledger.control import Receipt, put_receipt, read_failure, receipt_of
from pipeline.extract.results import joined
from pipeline.extract.settle import Closing, Tally, nothing, settle
from pipeline.extract.work import Blocked, Failed, Range, Steps, Work
from store.changes import DropRow, PutRow
from store.view import View

DENIED = "denied"
"""Why a span is refused: it holds messages written while memory was switched off."""
ASK_FIRST = "Memory was off while some of these messages were written; confirm that they may be evaluated all the same."
BEYOND = "The last turn of this session is {:,}, and turn {:,} was asked for; choose turns that are there."
LEFT_OUT = ("discarded", "denied")
"""Receipts of ranges that nothing was learnt from."""


@dataclass(frozen=True, slots=True)
class Span:
    """The messages with after < seq <= through. `override` also evaluates what was written while memory was off.

    `halves` evaluates it in two calls instead of one.
    """

    after: int
    through: int
    override: bool = False
    halves: bool = False


def execute_spans(work: Work, spans: Sequence[Span]) -> Steps:
    """Evaluate spans of one session, one after the other; returns one `Result` and tells it with `Done`."""
    results = []
    for span in spans:
        results.append((yield from evaluate_span(work, span)))
        if results[-1].status == "unavailable":
            break
    result = joined(results)
    yield Done(work.snapshot.session, result)
    return result


def evaluate_span(work: Work, span: Span) -> Steps:
    """Evaluate a span; returns its `Result`."""
    if work.snapshot.valid and span.after >= max(0, work.snapshot.boundary):
        return Result(
            "unavailable", reason="beyond the end", note=BEYOND.format(work.snapshot.boundary, span.after + 1)
        )
    if not work.snapshot.valid or span.after < -1 or span.through <= span.after:
        return Result("unavailable", reason="invalid snapshot")
    if reason := (yield Gate()):
        return Result("unavailable", reason=f"gate: {reason}")
    view = yield Look()
    if not span.override and any(one.status == "denied" for one in left_out(view, work.snapshot.session, span)):
        return Result("unavailable", reason=DENIED, note=ASK_FIRST)
    try:
        return (yield from _evaluate(work, span))
    except Blocked as stop:
        return Result("unavailable", reason="blocked", note=stop.note)


def _evaluate(work: Work, span: Span) -> Steps:
    ranges = _ranges(work, span)
    tally = Tally()
    for one in ranges:
        closing = _closing(work, span, one.operation) if one is ranges[-1] else nothing
        try:
            findings = yield from find(work, one)
            settled = yield from settle(work, one, findings, tally, closing)
        except Failed as failed:
            reason = f"failure: {failed.failure_class}"
            return replace(tally.result(), status="unavailable", reason=reason, note=failed.note)
        tally = tally.plus(settled)
    return tally.result()


def _ranges(work: Work, span: Span) -> list[Range]:
    entries = in_range(work.entries, span.after, span.through)
    cut = [part for half in (halves(entries) if span.halves else (entries,)) for part in windows(half, work.options)]
    trigger = operation_id(work.snapshot.session, span.through)
    operation = retry_id(trigger, str(span.after), content_hash(work.entries, span.after, span.through))
    ranges, after = [], span.after
    for number, part in enumerate(cut or [()], 1):
        last = number == max(1, len(cut))
        end = span.through if last else part[-1].seq
        name = operation if last else segment_id(operation, after, end)
        ranges.append(Range(part, after, end, name, by_hand=True, alone=True))
        after = end
    return ranges


def halves(entries: Sequence[Entry]) -> tuple[Sequence[Entry], ...]:
    """Two parts of nearly equal weight, cut where a turn begins if there is such a place; one when it cannot be cut.

    Weight is what the evidence takes in a prompt (`spec/extraction.md` §25, "Splitting").
    """
    weights = {
        place: json_size((record,)) for place, entry in said_by(entries, {PERSON}) if (record := record_of(entry))
    }
    total, weighed, before = sum(weights.values()), 0, None
    best: tuple[bool, int, int] | None = None
    for place, entry in enumerate(entries):
        if before is not None and 0 < weighed < total and entry.seq != before.seq:
            inside = entry.turn is not None and entry.turn == before.turn
            cut = (inside, abs(2 * weighed - total), place)
            best = cut if best is None else min(best, cut)
        weighed, before = weighed + weights.get(place, 0), entry
    return (entries,) if best is None else (entries[: best[2]], entries[best[2] :])


def left_out(view: View, session: str, span: Span) -> tuple[Receipt, ...]:
    """The receipts of ranges in a span of a session that were given up or denied and not evaluated since."""
    found = (receipt_of(key, row) for key, row in view.rows("receipts").items() if row.get("sessionId") == session)
    return tuple(
        one
        for one in found
        if one is not None and one.status in LEFT_OUT and not one.rerun_by
        if one.after is not None and one.through is not None
        if one.after < span.through and span.after < one.through
    )


def _closing(work: Work, span: Span, operation: str) -> Closing:
    """What is no longer left out once the whole span is settled."""

    def rows(view: View) -> tuple[PutRow | DropRow, ...]:
        session = work.snapshot.session
        done: list[PutRow | DropRow] = [
            put_receipt(replace(one, rerun_by=operation))
            for one in left_out(view, session, span)
            if one.after is not None and one.through is not None
            if span.after <= one.after and one.through <= span.through
        ]
        failure = read_failure(view, session)
        if failure is not None and span.after < failure.from_seq and failure.through_seq <= span.through:
            done.append(DropRow("failures", session, failure.rev))
        return tuple(done)

    return rows
