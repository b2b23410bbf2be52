"""From a changeset to what it does: texts, moves, rows, checked and compared; nothing is written (`storage.md` §5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from store import guard, kept
from store.access import path_owner
from store.called import called
from store.changes import Changeset, DropRow, MoveMemory, NewId, PutMemory, PutRow, PutSettingFile
from store.draft import Draft, Plan, open_draft
from store.errors import BadInput, Conflict, unknown_memory
from store.ledger import check_revision
from store.memory import DEFAULT_SCOPES, Memory
from store.objects import sha_of
from store.setting_files import plan_setting
from store.state import State
from store.vault import entry, layout
from store.vault.front import is_open
from store.vault.merge import Clash, merge

COUNTERS = frozenset({"access_count", "last_accessed", "hit_days", "hit_queries"})
"""Fields that a use moves; they do not count as an update (`spec/bank.md` §10.6)."""
MERGED = "Joined with an edit of {name} made meanwhile."


def new_plan(state: State, now: datetime, at: str) -> Plan:
    """An empty plan that starts from what is known now; `at` is the instant as the history tells it."""
    return Plan(state, at, now.date().isoformat(), layout.stamp(now), state.numbers)


def plan_changes(plan: Plan, changeset: Changeset) -> None:
    """Work out every change of a changeset. Raises what a commit raises; then nothing has happened."""
    guard.check_agent(changeset, plan.state.setting("agents_write") is True)
    for change in changeset.changes:
        if isinstance(change, PutMemory):
            _put(plan, changeset, change)
        elif isinstance(change, MoveMemory):
            _move(plan, changeset, change)
        elif isinstance(change, PutSettingFile):
            plan_setting(plan, changeset, change)
    rows = [change for change in changeset.changes if isinstance(change, PutRow | DropRow)]
    guard.check_rows(changeset, ((row.table, row.key) for row in rows))
    for row in rows:
        plan.rows.append(_resolved(plan, changeset, row))


def _resolved(plan: Plan, changeset: Changeset, row: PutRow | DropRow) -> PutRow | DropRow:
    """A row change with the ids that new memories were given, its revision and its text checked."""
    before = plan.state.rows(row.table).get(row.key)
    check_revision(before, row)
    if isinstance(row, DropRow):
        return DropRow(row.table, row.key)
    fields = {name: _with_ids(plan, value) for name, value in row.fields.items()}
    guard.check_secrets(changeset, "\n".join(guard.texts(before or {})), "\n".join(guard.texts(fields)))
    return PutRow(row.table, row.key, fields)


def _with_ids(plan: Plan, value: Any) -> Any:
    if isinstance(value, NewId):
        if value.key not in plan.keys:
            raise BadInput(f"The change speaks of a new memory {value.key!r} that it does not make.")
        return plan.keys[value.key]
    if isinstance(value, Mapping):
        return {key: _with_ids(plan, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_ids(plan, item) for item in value]
    return value


def _draft(plan: Plan, changeset: Changeset, id: str) -> Draft:
    """The draft of a memory that the changeset's identity may change."""
    memory = plan.state.memories.get(id)
    if memory is not None:
        guard.check_reach(memory, changeset.agent, plan.state.grants)
    draft = open_draft(plan, id) if memory is not None or id in plan.drafts else None
    if draft is None or draft.data is None:
        raise unknown_memory(id, changeset.agent)
    return draft


def parsed(draft: Draft) -> Memory:
    """What a draft's text says now."""
    path = draft.path or draft.id
    return entry.parse(draft.data or b"", id=draft.id, path=path, state=layout.state_of(path))


def _words(memory: Memory) -> str:
    """The text of a memory that people and models write, for the secret check."""
    extra = (value for _, value in memory.extra)
    parts = (memory.subject, memory.statement, memory.body, " ".join(memory.tags), memory.source, memory.label, *extra)
    return "\n".join(part for part in parts if part)


def _put(plan: Plan, changeset: Changeset, change: PutMemory) -> None:
    if change.id is None:
        _make(plan, changeset, change)
        return
    draft = _draft(plan, changeset, change.id)
    before = parsed(draft)
    guard.check_unprotected(before, None if change.text is not None else change.fields)
    if change.text is None:
        _check_kind(before, change.fields)
    source = draft.data or b""
    draft.data = _edited(plan, draft, change)
    after = parsed(draft)
    guard.check_secrets(changeset, _words(before), _words(after))
    if (after.type, _owner_in(draft.data)) != (before.type, _owner_in(source)):
        _relocate(plan, changeset, draft, after)
    if change.key:
        plan.keys[change.key] = draft.id


def _check_kind(before: Memory, fields: Mapping[str, Any]) -> None:
    if {"type", "scope"} & fields.keys():
        kind = str(fields.get("type") or before.type)
        guard.check_kind(kind, str(fields.get("scope") or ""))


def _make(plan: Plan, changeset: Changeset, change: PutMemory) -> None:
    """A new memory: its kind, its owner, a name never given before, its text."""
    if change.text is not None:
        fields: dict[str, Any] = {"created": plan.today}
        memory = entry.parse(_text(change.text), id="", path="")
        kind, owner, created = memory.type, memory.owner, memory.created or plan.today
    else:
        fields = {"created": plan.today, **change.fields}
        kind, created = str(fields.get("type", "")), str(fields["created"])
        owner = str(fields.get("owner") or "")
        guard.check_kind(kind, str(fields.get("scope") or ""))
    owner = owner or changeset.agent or ""
    if owner and "owner" not in fields:
        fields["owner"] = owner
    path = _fresh_path(plan, kind, owner, created[:10])
    guard.check_path(path, changeset.agent)
    data = _text(change.text) if change.text is not None else entry.render(fields)
    draft = Draft(path, None, None, path, data)
    guard.check_secrets(changeset, "", _words(parsed(draft)))
    plan.drafts[path] = draft
    plan.given.add(path)
    plan.numbers = plan.numbers.with_path(path)
    if change.key:
        plan.keys[change.key] = path


def _fresh_path(plan: Plan, kind: str, owner: str, day: str) -> str:
    """A path that no file has and no file ever had (bank-D06), also where another engine has just made one."""
    while True:
        path = layout.new_path(kind, owner, day, plan.numbers)
        if not plan.taken(path) and path not in plan.state.rows("aliases"):
            return path
        plan.numbers = plan.numbers.with_path(path)


def _text(text: str) -> bytes:
    """The bytes of a whole text that replaces a file. Raises `BadInput` for one that no file should be."""
    if not text.strip():
        raise BadInput("The text is empty; forget the memory instead, or leave the text as it was.")
    if is_open(text):
        raise BadInput("The front matter is never closed; add a line --- after it.")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise BadInput("The text holds half a character; clean it and try again.") from error


def _relocate(plan: Plan, changeset: Changeset, draft: Draft, after: Memory) -> None:
    """Move a live memory whose type or owner has become another to where such memories lie."""
    path = draft.path or ""
    if layout.state_of(path) != "live" or not after.has_front_matter:
        return
    owner = _owner_in(draft.data or b"") or path_owner(path)
    folder = layout.type_folder(after.type, owner)
    if path.startswith(f"{folder}/"):
        return
    fields = {"scope": DEFAULT_SCOPES[after.type], **({"owner": owner} if owner else {})}
    draft.data = entry.edit(draft.data or b"", fields)
    day = after.created[:10] if len(after.created) >= 10 else plan.today
    fresh = _fresh_path(plan, after.type, owner, day)
    guard.check_path(fresh, changeset.agent)
    plan.move(draft, fresh)


def _owner_in(data: bytes) -> str:
    """The owner that a text names itself, whatever folder it lies in."""
    return entry.parse(data, id="", path="").owner


def _edited(plan: Plan, draft: Draft, change: PutMemory) -> bytes:
    """The draft's text after an edit, joined with what others changed since the edit started (`storage.md` §6)."""
    current = draft.data or b""
    base = current if change.base in {None, sha_of(current)} else plan.state.bytes_of(str(change.base))
    updated = "" if change.fields.keys() <= COUNTERS else plan.today
    if change.text is None and base is None:
        return _by_fields(plan, draft, change, updated)
    start = base if base is not None else b""
    ours = _text(change.text) if change.text is not None else entry.edit(start, change.fields, updated=updated)
    if base == current:
        return ours
    merged = merge(start, ours, current) if base is not None else Clash()
    if isinstance(merged, Clash):
        raise _conflict(plan, draft, ours, merged.message)
    plan.notes.append(MERGED.format(name=called(draft.id)))
    return merged


def _by_fields(plan: Plan, draft: Draft, change: PutMemory, updated: str) -> bytes:
    """An edit of fields whose base text is gone: it holds when nobody else changed these fields since."""
    current = draft.data or b""
    ours = entry.edit(current, change.fields, updated=updated)
    base = plan.state.replaced.get(str(change.base))
    now = parsed(draft)
    if base is None or any(_value(base, name) != _value(now, name) for name in change.fields):
        raise _conflict(plan, draft, ours, "it was changed since you opened it")
    plan.notes.append(MERGED.format(name=called(draft.id)))
    return ours


def _value(memory: Memory, name: str) -> Any:
    return getattr(memory, name) if hasattr(memory, name) else dict(memory.extra).get(name)


def _conflict(plan: Plan, draft: Draft, ours: bytes, why: str) -> Conflict:
    """Both texts are kept: theirs in the file, ours aside."""
    state, current = plan.state, draft.data or b""
    path = draft.path or draft.id
    kept.keep(state.disk, state.ledger, ours, id=draft.id, path=path, at=plan.at, side="ours", why=why.rstrip("."))
    message = f"{called(draft.id)} was changed meanwhile: {why.rstrip('.')}. Your text is kept aside."
    return Conflict(message, ours.decode("utf-8", "replace"), current.decode("utf-8", "replace"))


def _move(plan: Plan, changeset: Changeset, change: MoveMemory) -> None:
    draft = _draft(plan, changeset, change.id)
    before = parsed(draft)
    if change.base is not None and change.base != sha_of(draft.data or b""):
        raise _conflict(plan, draft, draft.data_before or b"", "it was changed since you looked at it")
    if before.state == change.state:
        return
    guard.check_leaving(before, change.state, changeset.agent)
    path = _place(plan, draft, change)
    guard.check_path(path, changeset.agent)
    plan.move(draft, path)


def _place(plan: Plan, draft: Draft, change: MoveMemory) -> str:
    """Where a memory goes; restoring never overwrites (`spec/bank.md` §14.1, bank-D23, D39)."""
    path = draft.path or draft.id
    if change.state == "live":
        known = plan.state.rows("aliases").get(path, {})
        target = str(known.get("from") or layout.made_at(path))
    elif change.state == "archived":
        target = layout.archive_path(path)
    else:
        target = layout.trash_path(path, plan.trash)
    found = layout.unused(target, plan.taken)
    if change.state != "live" and layout.made_at(found) != layout.made_at(path):
        plan.aliases[found] = {"from": layout.made_at(path)}
    return found
