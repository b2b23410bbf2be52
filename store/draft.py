"""The states that a changeset's memories go through before anything is written (`storage.md` §5, steps 1 and 3)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from store import outside
from store.called import called
from store.changes import DropRow, FileEffect, PutRow, RowEffect
from store.errors import Changed
from store.frames import FileOp
from store.ledger import fields_of
from store.memory import Memory
from store.objects import sha_of
from store.setting_file import is_setting
from store.state import State
from store.vault import layout
from store.vault.front import decode, is_open
from store.vault.layout import Numbers

TRIES = 3
PAUSE = 0.05
"""Seconds between looks at a file that another program is still writing (`storage.md` §6, "Half-written files")."""


@dataclass(slots=True)
class Draft:
    """One memory within a changeset: where it lay and what it said, where it will lie and say (None: no file)."""

    id: str
    path_before: str | None
    data_before: bytes | None
    path: str | None
    data: bytes | None
    origin: Memory | None = None
    """The memory as it was when the changeset began."""

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return (self.path, self.data) != (self.path_before, self.data_before)


@dataclass(slots=True)
class Plan:
    """What a changeset will do, as far as it is worked out. Nothing of the bank changes while a plan is made."""

    state: State
    at: str
    today: str
    trash: str
    numbers: Numbers
    drafts: dict[str, Draft] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    rows: list[PutRow | DropRow] = field(default_factory=list)
    aliases: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    """Paths that this plan gives out."""

    def taken(self, path: str) -> bool:
        """Whether a new file may not get this path."""
        return path in self.given or self.state.occupied(path)

    def move(self, draft: Draft, path: str) -> None:
        """Put a draft at a new path, remembering under which id it is found there."""
        draft.path = path
        self.given.add(path)
        self.numbers = self.numbers.with_path(path)
        if layout.made_at(path) != draft.id:
            self.aliases.setdefault(path, {})["id"] = draft.id


def setting_draft(plan: Plan, path: str) -> Draft | None:
    """The draft of a setting file as it is now; None when there is none."""
    if path not in plan.drafts and (data := plan.state.current(path)) is not None:
        plan.drafts[path] = Draft(path, path, data, path, data)
    draft = plan.drafts.get(path)
    return draft if draft is not None and draft.data is not None else None


def open_draft(plan: Plan, id: str) -> Draft | None:
    """The draft of a memory, compared with its file as it is now; None for an unknown id.

    A file that another program changed is taken as it is now, and told. Raises `Changed` when it is gone or only
    half there.
    """
    if is_setting(id):
        return setting_draft(plan, id)
    if id in plan.drafts:
        return plan.drafts[id]
    memory = plan.state.memories.get(id)
    if memory is None:
        return None
    data = _settled(plan.state, memory)
    if sha_of(data) != memory.sha:
        outside.notice(plan.state, memory.path, data)
        memory = plan.state.memories.get(id, memory)
    draft = Draft(id, memory.path, data, memory.path, data, memory)
    plan.drafts[id] = draft
    return draft


def _settled(state: State, memory: Memory) -> bytes:
    """The file's bytes, once they are a whole file: half-written states are waited out, never written back."""
    for attempt in range(TRIES):
        data = state.current(memory.path)
        if data is not None and (sha_of(data) == memory.sha or _whole(state, memory.path, data, attempt)):
            return data
        if attempt < TRIES - 1:
            time.sleep(PAUSE)
    if data is None:
        raise Changed(f"{called(memory.id)} was deleted or moved by another program; look at the list again.")
    raise Changed(f"{called(memory.id)} is just being written by another program; try again in a moment.")


def _whole(state: State, path: str, data: bytes, attempt: int) -> bool:
    """Whether foreign bytes look like a file that nobody is writing any more."""
    if not data or b"\0" in data or is_open(decode(data, "replace")):
        return False
    signature = state.disk.signature(state.root / path)
    fresh = signature is not None and abs(state.disk.time_ns() - signature.mtime_ns) < PAUSE * 1e9
    return not fresh or attempt == TRIES - 1


def file_ops(plan: Plan) -> tuple[FileOp, ...]:
    """What has to happen at each path: new files and changed ones first, files that go last."""
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    for draft in plan.drafts.values():
        if draft.changed:
            for path, data in ((draft.path_before, draft.data_before), (draft.path, None)):
                if path is not None:
                    before[path] = data if data is not None else before.get(path)
                    after.setdefault(path, None)
    for draft in plan.drafts.values():
        if draft.changed and draft.path is not None:
            after[draft.path] = draft.data
    kept = {sha_of(data) for data in after.values() if data is not None}
    ops = []
    for path, data in after.items():
        was = before.get(path)
        old, new = (None if text is None else sha_of(text) for text in (was, data))
        if old != new:
            needed = was if old is not None and old not in kept and plan.state.bytes_kept(old) is None else None
            ops.append(FileOp(path, old, new, data, was=needed))
    return tuple(sorted(ops, key=lambda op: op.new is None))


def effects(plan: Plan) -> tuple[FileEffect, ...]:
    """What the plan does to each memory, for the history."""
    return tuple(
        FileEffect(
            draft.id,
            draft.path_before,
            draft.path,
            None if draft.data_before is None else sha_of(draft.data_before),
            None if draft.data is None else sha_of(draft.data),
            None if draft.path_before is None else layout.state_of(draft.path_before),
            None if draft.path is None else layout.state_of(draft.path),
        )
        for draft in plan.drafts.values()
        if draft.changed
    )


def row_effects(plan: Plan) -> tuple[RowEffect, ...]:
    """What the plan does to each row: only the fields that change, before and after."""
    start: dict[tuple[str, str], dict[str, object] | None] = {}
    now: dict[tuple[str, str], dict[str, object] | None] = {}
    for change in plan.rows:
        place = (change.table, change.key)
        if place not in now:
            row = plan.state.rows(change.table).get(change.key)
            start[place] = now[place] = None if row is None else fields_of(row)
        if isinstance(change, DropRow):
            now[place] = None
        else:
            merged = {**(now[place] or {}), **change.fields}
            now[place] = {name: value for name, value in merged.items() if value is not None}
    found = []
    for place, before in start.items():
        after = now[place]
        if before == after:
            continue
        names = [
            name for name in {**(before or {}), **(after or {})} if (before or {}).get(name) != (after or {}).get(name)
        ]
        old, new = ({name: side[name] for name in names if name in side} for side in (before or {}, after or {}))
        found.append(RowEffect(place[0], place[1], old, new, before is not None, after is not None))
    return tuple(found)
