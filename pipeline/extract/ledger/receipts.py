"""The receipt of a range, and the cursor that goes with it (`spec/extraction.md` §14, §23.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.extract.coverage import request_hash
from pipeline.extract.ledger.control import Cursor, Receipt, put_cursor
from pipeline.extract.work import Range, Work
from store.changes import PutRow

REUSED = "operation_reused"
"""Why a trigger is not answered from its receipt: its session says other things now (`spec/extraction.md` §23.8)."""
CHANGED_WORDS = (
    "Your messages in this session are not those that were evaluated before; go over the whole session again (--again)."
)


def receipt(
    work: Work, span: Range, status: str, items: Sequence[str] = (), result: Mapping[str, Any] | None = None
) -> Receipt:
    """The receipt of a range: what came of it, what it covers, and the hash of the person's words in it."""
    return Receipt(
        span.operation,
        work.snapshot.session,
        status,
        tuple(items),
        work.now,
        result,
        span.after,
        span.through,
        request_hash(work.entries, span.after, span.through),
    )


def reused(work: Work, found: Receipt) -> bool:
    """Whether the receipt is for other words than the session holds now; one that does not say is believed."""
    if not found.request or found.after is None or found.through is None:
        return False
    return request_hash(work.entries, found.after, found.through) != found.request


def moved(cursor: Cursor, span: Range, now: int) -> tuple[PutRow, ...]:
    """The cursor after the range; by hand it moves only over what it has reached, and never back."""
    if span.by_hand and not span.after <= cursor.seq < span.through:
        return ()
    return (put_cursor(cursor, span.through, now),)
