"""Putting a proposal off, giving it more time, putting it away, bringing it back (`spec/extraction.md` §24.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pipeline.extract.ledger.gaps import put_gap
from pipeline.review.by_hand import lifted
from pipeline.review.rows import gap_of, graves, row_of
from pipeline.review.waiting import Waiting
from store.changes import Change, Changeset, Origin, PutRow
from store.clock import millis
from store.errors import BadInput
from store.view import View


def postpone(view: View, item: Waiting, until: int | None = None, origin: Origin = "screen") -> Changeset:
    """The changeset that puts a proposal off; it comes back when something new is known about it.

    `until` (milliseconds since 1970, in the future; only for pending facts) brings it back at that time as well.
    Raises `AlreadyDecided`, `BadInput`.
    """
    row_of(view, item)
    now = millis()
    if until is not None and (item.table != "gaps" or until <= now):
        raise BadInput("Only a fact found in transcripts can be put off until a day, and the day must be to come.")
    later: dict[str, dict[str, Any]] = {
        "gaps": {"postponed": now, "postponedUntil": until},
        "proposals": {"state": "postponed"},
    }
    fields = later.get(item.table, {"postponed": True})
    return Changeset((PutRow(item.table, item.key, fields, rev=item.rev),), f"postpone {item.named}", origin)


def extend(view: View, item: Waiting, origin: Origin = "screen") -> Changeset:
    """The changeset that gives an open fact its whole time again, counted from now; it stays where it stands.

    Raises `AlreadyDecided`, `BadInput` for what does not run out.
    """
    gap = gap_of(view, item)
    if gap.state != "open":
        raise BadInput("This does not run out; there is nothing to extend.")
    fields = {"extended": millis()}
    return Changeset((PutRow("gaps", item.key, fields, rev=item.rev),), f"keep {item.named} longer", origin)


def archive(view: View, item: Waiting, origin: Origin = "screen") -> Changeset:
    """The changeset that puts a waiting fact away as if its time had run out: out of sight, and a new sighting or
    `restore` brings it back. Raises `AlreadyDecided`, `BadInput` for what does not wait.
    """
    gap = gap_of(view, item)
    if gap.state not in ("open", "ready"):
        raise BadInput("This does not wait any more; there is nothing to put away.")
    away = replace(gap.woken(), state="archived", updated_at=millis())
    return Changeset((put_gap(away),), f"put away {item.named}", origin, allow_secrets=True)


def restore(view: View, item: Waiting, origin: Origin = "screen") -> Changeset:
    """The changeset that takes a rejection, a postponement or the archive back; old sightings are still there."""
    row_of(view, item)
    now = millis()
    changes: list[Change] = []
    if item.table == "gaps":
        gap = gap_of(view, item)
        ready = gap.state == "ready" if item.state == "postponed" else gap.explicit
        held = now if item.state == "archived" else gap.extended
        back = replace(gap.woken(), state="ready" if ready else "open", updated_at=now, extended=held)
        changes.append(put_gap(back, rejectedAt=None, rejectReason=None))
        changes += lifted(view, graves(item, gap))
    else:
        state = "pending" if item.table == "profile" else "waiting"
        fields = {"state": state, "postponed": None, "rejectedAt": None, "rejectReason": None}
        changes.append(PutRow(item.table, item.key, fields, rev=item.rev))
        changes += lifted(view, [item.key])
    return Changeset(tuple(changes), f"bring back {item.named}", origin, allow_secrets=True)
