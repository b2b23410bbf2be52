"""The ledger row behind a waiting item, as it is now, and where its tombstones stand."""

from __future__ import annotations

from pipeline.extract.ledger.gaps import Gap, gap_key, read_gap
from pipeline.review.waiting import Waiting
from store.changes import Row
from store.errors import AlreadyDecided, BadInput
from store.fields import revision
from store.view import View

DECIDED = "This was decided in the meantime; look at the queue again."


def row_of(view: View, item: Waiting) -> Row:
    """The row as it is now; one that was decided since it was read is refused at once."""
    row = view.rows(item.table).get(item.key)
    if row is None or revision(row) != item.rev:
        raise AlreadyDecided(DECIDED)
    return row


def gap_of(view: View, item: Waiting) -> Gap:
    """The pending fact of an item. Raises `AlreadyDecided`, `BadInput` when the item is of another kind."""
    if item.table != "gaps":
        raise BadInput("Only facts found in transcripts can be handled like this; approve or reject this one.")
    gap = read_gap(item.key, row_of(view, item))
    if gap is None:
        raise AlreadyDecided(DECIDED)
    return gap


def graves(item: Waiting, gap: Gap) -> list[str]:
    """Keys of the tombstones of a pending fact: in its project, and everywhere for what is about the person."""
    projects = dict.fromkeys((gap.project, str(item.fields.get("project") or "")))
    return [gap_key(project, name) for project in projects for name in gap.identities]
