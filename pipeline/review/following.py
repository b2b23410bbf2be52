"""The queue of a bank that moves on: what a commit did not touch is not worked out again.

Working out thousands of rows takes the best part of a second; a person decides thirty of them in a minute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.extract.gaps import FLOOR, read_gap
from pipeline.extract.known import alive
from pipeline.extract.profile_rows import ProfileRow, conflicting, read_profile
from pipeline.review.proposals import read_proposal
from pipeline.review.waiting import Counts, Waiting, gap_item, in_order, profile_item, proposal_item
from store.changes import MoveMemory, PutMemory, Row
from store.view import View

STALE_AFTER = 3_600_000
"""Milliseconds after which times (fresh, expiring) are worked out anew for every row."""

Made = tuple[tuple[object, ...], Waiting | None]
"""What a row was worked out from, compared by identity, and what came of it (None: nothing waits there)."""


@dataclass(frozen=True, slots=True)
class Following:
    """The queue of one view. `waiting` ends with what was put off; `refused` can be restored, newest first."""

    view: View
    now: int
    waiting: tuple[Waiting, ...]
    refused: tuple[Waiting, ...]
    counts: Counts
    _made: Mapping[tuple[str, str], Made] = field(default_factory=dict, repr=False)
    _facts: Mapping[str, tuple[Row, ProfileRow | None]] = field(default_factory=dict, repr=False)


def follow(view: View, now: int, before: Following | None = None) -> Following:
    """The queue of `view` as `queue` and `rejected` give it (without neighbours), reusing what `before` knew.

    `now` is milliseconds since 1970.
    """
    if before is not None and not _comparable(view, now, before):
        before = None
    facts = _facts(view, before)
    made = _gaps(view, now, before) | _profile(view, facts, before) | _proposals(view, before)
    items = [item for _, item in made.values() if item is not None]
    waiting = sorted((one for one in items if one.state not in ("rejected", "archived")), key=in_order)
    refused = sorted((one for one in items if one.state in ("rejected", "archived")), key=_newest_first)
    return Following(view, now, tuple(waiting), tuple(refused), Counts.of(one.state for one in waiting), made, facts)


def _comparable(view: View, now: int, before: Following) -> bool:
    floor = "min_gap_evidence"
    return (
        0 <= now - before.now < STALE_AFTER
        and view.agents == before.view.agents
        and view.setting(floor, FLOOR) == before.view.setting(floor, FLOOR)
    )


def _known(before: Following | None, key: tuple[str, str], sources: Sequence[object]) -> Made | None:
    made = before._made.get(key) if before is not None else None
    if made is None or len(made[0]) != len(sources):
        return None
    return made if all(old is new for old, new in zip(made[0], sources, strict=True)) else None


def _gaps(view: View, now: int, before: Following | None) -> dict[tuple[str, str], Made]:
    found: dict[tuple[str, str], Made] = {}
    known = before._made if before is not None else {}
    for key, row in view.rows("gaps").items():
        made = known.get(("gaps", key))
        if made is None or made[0][0] is not row:
            gap = read_gap(key, row)
            made = (row,), gap_item(view, gap, now) if gap is not None and gap.state != "covered" else None
        found["gaps", key] = made
    return found


def _facts(view: View, before: Following | None) -> dict[str, tuple[Row, ProfileRow | None]]:
    known = before._facts if before is not None else {}
    found: dict[str, tuple[Row, ProfileRow | None]] = {}
    for key, row in view.rows("profile").items():
        old = known.get(key)
        found[key] = old if old is not None and old[0] is row else (row, read_profile(key, row))
    return found


def _profile(
    view: View, facts: Mapping[str, tuple[Row, ProfileRow | None]], before: Following | None
) -> dict[tuple[str, str], Made]:
    """Each pending fact against the confirmed ones of its own field."""
    held: dict[tuple[str, str], list[ProfileRow]] = {}
    for _, fact in facts.values():
        if fact is not None and fact.state == "confirmed" and alive(view, fact.memory):
            held.setdefault((fact.category, fact.slot), []).append(fact)
    found: dict[tuple[str, str], Made] = {}
    for key, (row, fact) in facts.items():
        if fact is None or fact.state not in ("pending", "rejected"):
            continue
        conflict = conflicting(view, held.get((fact.category, fact.slot), ()), fact)
        sources = (row, conflict)
        found["profile", key] = _known(before, ("profile", key), sources) or (
            sources,
            profile_item(view, fact, conflict),
        )
    return found


def _proposals(view: View, before: Following | None) -> dict[tuple[str, str], Made]:
    """Agents' proposals; one about a memory is worked out again when the memory is another."""
    found: dict[tuple[str, str], Made] = {}
    for key, row in view.rows("proposals").items():
        old = before._made.get(("proposals", key)) if before is not None else None
        touched = _touched(view, old[1]) if old is not None else ()
        made = _known(before, ("proposals", key), (row, *touched))
        if made is None:
            proposal = read_proposal(key, row)
            open_one = proposal if proposal is not None and proposal.state != "approved" else None
            item = proposal_item(view, open_one) if open_one is not None else None
            made = (row, *_touched(view, item)), item
        found["proposals", key] = made
    return found


def _touched(view: View, item: Waiting | None) -> tuple[object, ...]:
    changes = item.changes if item is not None else ()
    return tuple(
        view.memories.get(change.id)
        for change in changes
        if isinstance(change, PutMemory | MoveMemory) and change.id is not None
    )


def _newest_first(one: Waiting) -> tuple[int, str]:
    return -one.updated, one.id
