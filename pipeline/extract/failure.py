"""What happens to a range that failed: frozen once, given up the second time (`spec/extraction.md` §14)."""

from __future__ import annotations

from dataclasses import replace

from pipeline.extract.coverage import content_hash, coverage_hash, in_range
from pipeline.extract.evidence import project_evidence
from pipeline.extract.ledger.control import Failure, put_cursor, put_failure, put_receipt, read_cursor
from pipeline.extract.ledger.receipts import receipt
from pipeline.extract.ledger.unresolved import carried, leave, tried
from pipeline.extract.work import Failed, Harvest, Moved, Range, Steps, Work, write_rows
from store.changes import DropRow, PutRow
from store.view import View

ATTEMPTS = 2
"""Runs of one range: the first and exactly one retry (`spec/extraction.md` §20)."""


def settle_failure(work: Work, span: Range, failed: Failed, retried: Failure | None) -> Steps:
    """Freeze the range for its single retry, or give a retried one up: its cursor moves and it is `discarded`.

    Raises `Moved` when somebody else evaluated the range meanwhile.
    """

    def rows(view: View) -> tuple[PutRow | DropRow, ...]:
        if read_cursor(view, work.snapshot.session).seq != span.after:
            raise Moved
        if retried is not None and retried.attempts + 1 >= ATTEMPTS:
            return _discarded(work, view, span, failed, retried)
        return (put_failure(_frozen(work, span, failed, retried)), *_shown_again(work, view, span))

    yield from write_rows(rows)


def _shown_again(work: Work, view: View, span: Range) -> tuple[PutRow | DropRow, ...]:
    """What had been left unresolved and was shown with the range had an attempt; the retry goes without it."""
    records = project_evidence(span.entries)
    if span.alone or not records:
        return ()
    return tried(view, work, [one.seq for one in carried(view, work, span, records)])


def _frozen(work: Work, span: Range, failed: Failed, retried: Failure | None) -> Failure:
    return Failure(
        work.snapshot.session,
        span.after + 1,
        span.through,
        coverage_hash(work.entries, span.after, span.through),
        span.operation,
        (retried.attempts if retried else 0) + 1,
        failed.failure_class,
        work.now,
        content_hash(work.entries, span.after, span.through),
    )


def _discarded(work: Work, view: View, span: Range, failed: Failed, retried: Failure) -> tuple[PutRow | DropRow, ...]:
    """The model had its two chances; what rules find in the range is filed all the same."""
    entries = in_range(work.entries, span.after, retried.through_seq)
    records = project_evidence(entries)
    harvest = Harvest(view, records, work.snapshot, work.now, work.cite)
    filed = [row for extractor in work.extractors if records for row in extractor.file(harvest).rows]
    cursor = put_cursor(read_cursor(view, work.snapshot.session), retried.through_seq, work.now)
    left = leave(view, work, entries) if failed.failure_class == "localization" else ()
    given_up = replace(
        receipt(work, replace(span, operation=retried.operation, through=retried.through_seq), "discarded"),
        failure_class=failed.failure_class,
        first_class=retried.failure_class,
    )
    return (*filed, cursor, put_receipt(given_up), DropRow("failures", work.snapshot.session), *left)
