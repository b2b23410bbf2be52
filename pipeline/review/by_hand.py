"""A person's own acts that touch what was learnt: remembering, forgetting, restoring (`spec/extraction.md` §24.4).

Forgetting a memory that came from a transcript leaves a tombstone, so that the next session does not bring it back;
restoring it, or saving the same text by hand, lifts the stone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, all_gaps, gap_key, read_gap
from pipeline.extract.placement import SOURCE
from pipeline.extract.profile.rows import all_profile
from store.called import called
from store.changes import Change, Changeset, DropRow, MoveMemory, NewId, Origin, PutMemory, PutRow
from store.clock import millis, today
from store.errors import unknown_memory
from store.fields import items
from store.memory import Memory
from store.remember import remember as remembered
from store.view import View


def forget(
    view: View, ids: Sequence[str], reason: str = "", origin: Origin = "screen", agent: str | None = None
) -> Changeset:
    """The changeset that moves memories to the trash, with tombstones for those that came from a transcript.

    `ids` are exact ids (`View.resolve` finds them). An agent's changeset sets no tombstones: deciding is the person's.
    Raises `UnknownMemory`.
    """
    memories = [_memory(view, name) for name in ids]
    moves: list[Change] = [MoveMemory(memory.id, "trashed", memory.sha or None) for memory in memories]
    if agent is None:
        moves += stones(learnt(view, memories), millis(), reason or "forgotten")
    return Changeset(tuple(moves), reason or f"forget {_named(memories)}", origin, agent)


def restore_memory(view: View, ids: Sequence[str], origin: Origin = "screen", agent: str | None = None) -> Changeset:
    """The changeset that brings memories back from trash or archive and lifts the tombstones that forgetting set."""
    memories = [_memory(view, name) for name in ids]
    changes: list[Change] = [MoveMemory(memory.id, "live", memory.sha or None) for memory in memories]
    if agent is None:
        changes += lifted(view, learnt(view, memories))
    return Changeset(tuple(changes), f"restore {_named(memories)}", origin, agent)


def remember(
    view: View,
    fields: Mapping[str, Any],
    *,
    origin: Origin = "screen",
    agent: str | None = None,
    allow_secrets: bool = False,
) -> Changeset:
    """The changeset of `store.remember`, today.

    A person who saves a text by hand that was rejected or forgotten lifts its tombstones, those of its other wordings
    included, and what waits for a decision with the same text is decided by it (`spec/extraction.md` §24.4).
    """
    changeset = remembered(view, fields, today(), agent=agent, origin=origin, allow_secrets=allow_secrets)
    if agent is not None:
        return changeset
    said, project = str(fields.get("statement", "")), str(fields.get("project") or "")
    same = [gap for gap in _known_as(view, gap_id(said)) if project in ("", gap.project)]
    made = [change for change in changeset.changes if isinstance(change, PutMemory)]
    retired = [_retired(gap, made[0].key) for gap in same if made and gap.state != "covered"]
    return replace(
        changeset, changes=(*changeset.changes, *retired, *lifted(view, _stones_of(view, said, project, same)))
    )


def _known_as(view: View, identity: str) -> list[Gap]:
    """The pending and settled facts of every project that answer to an identity."""
    found = [
        read_gap(key, row)
        for key, row in view.rows("gaps").items()
        if key.rpartition("|")[2] == identity or identity in items(row, "aliases")
    ]
    return [gap for gap in found if gap is not None]


def _retired(gap: Gap, key: str) -> PutRow:
    """The row of a fact that the person has just saved; whatever was added to it meanwhile stays."""
    now = millis()
    fields = {
        "state": "covered",
        "covered": True,
        "coveredAt": now,
        "coveredBy": "human",
        "approvedBy": "human",
        "updatedAt": now,
        "memory": NewId(key),
        **dict.fromkeys(("postponed", "postponedUntil", "rejectedAt", "rejectReason")),
    }
    return PutRow("gaps", gap.key, fields)


def _stones_of(view: View, said: str, project: str, same: Sequence[Gap]) -> list[str]:
    """Keys of the tombstones of a text: in its project and everywhere; in every project when it is of none."""
    names = {gap_id(said), *(name for gap in same for name in gap.identities)}
    keys = [key for key in view.rows("tombstones") if key.rpartition("|")[2] in names]
    profile = [row.key for row in all_profile(view) if row.value == said]
    return profile + [key for key in keys if project in ("", key.rpartition("|")[0]) or key.startswith("|")]


def follow(view: View, change: MoveMemory, now: int, why: str) -> tuple[Change, ...]:
    """What goes with a memory that is moved: tombstones when it is forgotten, their end when it comes back."""
    memory = view.memories.get(change.id)
    if memory is None or change.state == "archived":
        return ()
    keys = learnt(view, [memory])
    return stones(keys, now, why) if change.state == "trashed" else lifted(view, keys)


def learnt(view: View, memories: Sequence[Memory]) -> tuple[str, ...]:
    """Keys of the identities under which these memories were learnt; none for what a person wrote by hand."""
    ids = {memory.id for memory in memories}
    keys = [
        gap_key(gap.project, name)
        for gap in all_gaps(view)
        if gap.memory in ids and gap.covered_by != "bank"
        for name in gap.identities
    ]
    keys += [row.key for row in all_profile(view) if row.memory in ids]
    keys += [
        gap_key(memory.project, gap_id(memory.statement))
        for memory in memories
        if memory.source == SOURCE or memory.evidence
    ]
    return tuple(dict.fromkeys(keys))


def stones(keys: Iterable[str], now: int, why: str) -> tuple[PutRow, ...]:
    """Tombstones for these identities; `now` is milliseconds."""
    return tuple(PutRow("tombstones", key, {"at": now, "why": why}) for key in keys)


def lifted(view: View, keys: Iterable[str]) -> tuple[DropRow, ...]:
    """The end of those tombstones that are there."""
    there = view.rows("tombstones")
    return tuple(DropRow("tombstones", key) for key in dict.fromkeys(keys) if key in there)


def _memory(view: View, name: str) -> Memory:
    memory = view.memories.get(name)
    if memory is None:
        raise unknown_memory(name)
    return memory


def _named(memories: Sequence[Memory]) -> str:
    return called(memories[0].id) if len(memories) == 1 else f"{len(memories)} memories"
