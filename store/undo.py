"""Taking a change back, or doing it again: by memory and by field, never over what came later (`decisions.md` §4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from store import guard
from store.called import called
from store.changes import Committed, DropRow, FileEffect, Origin, PutRow, RowEffect
from store.commit import parsed
from store.draft import Draft, Plan, open_draft
from store.errors import BadInput, Changed, Conflict, NotPermitted
from store.ledger import fields_of
from store.objects import sha_of
from store.transaction import YOU, Story
from store.vault import layout
from store.vault.front import decode, split
from store.vault.merge import Clash, merge

STAMPS = frozenset({"updatedAt", "coveredAt"})
"""Fields of a row that bookkeeping moves whenever it touches the row."""


def inverse(change: Committed) -> Committed:
    """The change with before and after exchanged: what undoing it has to bring about."""
    files = tuple(
        FileEffect(e.id, e.path_after, e.path_before, e.sha_after, e.sha_before, e.state_after, e.state_before)
        for e in reversed(change.files)
    )
    rows = tuple(RowEffect(e.table, e.key, e.after, e.before, e.exists, e.existed) for e in reversed(change.rows))
    return Committed(change.number, change.at, change.reason, change.origin, change.by, files, rows)


def next_undo(changes: Iterable[Committed]) -> Committed:
    """The newest change of this bank's own that stands; undoing and redoing are passed over. Raises `BadInput`."""
    for change in changes:
        if change.undoes is None and change.redoes is None and change.undone_by is None and change.origin != "outside":
            return change
    raise BadInput("There is nothing to undo.")


def next_redo(changes: Iterable[Committed]) -> Committed:
    """The change that was undone last, unless something new was committed since. Raises `BadInput`."""
    targets: dict[int, int] = {}
    wanted: int | None = None
    for change in changes:
        if wanted is None:
            if change.redoes is not None:
                targets[change.redoes] = change.number
            elif change.undoes is not None and change.undoes not in targets:
                wanted = change.undoes
            elif change.undoes is not None:
                targets.pop(change.undoes)
            elif change.origin != "outside":
                break
        elif change.number == wanted:
            return change
    raise BadInput("There is nothing to redo.")


def find(changes: Iterable[Committed], number: int) -> Committed:
    """A change by its number. Raises `BadInput`."""
    for change in changes:
        if change.number == number:
            return change
        if change.number < number:
            break
    raise BadInput(f"There is no change {number}; `memdesk log` lists them.")


def back(changes: Callable[[], Iterable[Committed]], number: int | None, origin: Origin) -> tuple[Committed, Story]:
    """What undoing has to bring about, and how it is told; undoing an undo does the change again.

    `changes` gives the history, newest first. Raises `BadInput`.
    """
    change = next_undo(changes()) if number is None else find(changes(), number)
    if change.undoes is not None:
        return _again(find(changes(), change.undoes), origin)
    if change.redoes is not None:
        change = find(changes(), change.redoes)
    if change.undone_by is not None:
        raise BadInput(f"Change {change.number} is undone already, by change {change.undone_by}.")
    return inverse(change), Story(f"undo: {change.reason}", origin, YOU, "undo", change.number, leaves=change.folders)


def forward(changes: Callable[[], Iterable[Committed]], origin: Origin) -> tuple[Committed, Story]:
    """What redoing has to bring about, and how it is told. Raises `BadInput`."""
    return _again(next_redo(changes()), origin)


def _again(change: Committed, origin: Origin) -> tuple[Committed, Story]:
    if change.undone_by is None:
        raise BadInput(f"Change {change.number} stands; there is nothing to do again.")
    return change, Story(f"redo: {change.reason}", origin, YOU, "redo", redoes=change.number)


def plan_return(plan: Plan, wanted: Committed, origin: Origin) -> None:
    """Work out how to bring about the after-side of `wanted` from what is there now.

    Raises `Conflict` when a text was changed since in a way that cannot be joined, `Changed` when a row was, and
    `BadInput` when the bytes are no longer kept.
    """
    guarded = [(effect.table, effect.key) for effect in wanted.rows]
    for table, key in guarded:
        if table == "settings" and key in guard.WORKBENCH_ONLY and origin not in {"screen", "library"}:
            raise NotPermitted(f"{key} is switched in the workbench only; open it and undo there.")
    again = [effect.id for effect in wanted.files if _return_file(plan, effect)]
    if again:
        who = called(again[0]) if len(again) == 1 else f"{len(again)} memories"
        plan.notes.append(f"{who} had been deleted by another program; made again.")
    for row in wanted.rows:
        plan.rows.append(_return_row(plan, row))


def _return_file(plan: Plan, effect: FileEffect) -> bool:
    """Bring one file back; whether it had to be made again, though the change had left it there."""
    draft = open_draft(plan, effect.id)
    if draft is None:
        return _bring_back(plan, effect)
    if effect.sha_after is None or effect.path_after is None:
        _take_away(plan, draft, effect)
    else:
        _put_back(plan, draft, effect)
    return False


def _bring_back(plan: Plan, effect: FileEffect) -> bool:
    """Make a file again that is not there; nothing is overwritten, and what another program did is told (§4.4)."""
    if effect.sha_after is None or effect.path_after is None:
        return False
    data = _bytes(plan, effect.sha_after, effect.id)
    path = layout.unused(effect.path_after, plan.taken)
    draft = Draft(effect.id, None, None, None, data)
    plan.drafts[effect.id] = draft
    plan.move(draft, path)
    return effect.sha_before is not None


def _take_away(plan: Plan, draft: Draft, effect: FileEffect) -> None:
    """Delete a file that the change had made, if nobody worked on it since."""
    if draft.data is not None and sha_of(draft.data) != effect.sha_before:
        raise _since(draft, b"", effect.id)
    _check_protected(draft, None)
    draft.path, draft.data = None, None


def _put_back(plan: Plan, draft: Draft, effect: FileEffect) -> None:
    """Bring a memory back to a path and a text; what others changed since in other places stays."""
    if effect.sha_before != effect.sha_after:
        data = _text(plan, draft, effect)
        _check_protected(draft, data)
        draft.data = data
    if effect.path_after not in {effect.path_before, draft.path}:
        if draft.path != effect.path_before:
            raise Changed(f"{called(effect.id)} was moved since; undo that first.")
        plan.move(draft, layout.unused(effect.path_after or "", plan.taken))


def _text(plan: Plan, draft: Draft, effect: FileEffect) -> bytes:
    current = draft.data or b""
    wanted = _bytes(plan, effect.sha_after or "", effect.id)
    if sha_of(current) in {effect.sha_before, effect.sha_after}:
        return wanted
    base = _bytes(plan, effect.sha_before or "", effect.id)
    merged = merge(base, wanted, current)
    if isinstance(merged, Clash) or _bodies_differ(base, wanted, current):
        raise _since(draft, wanted, effect.id)
    plan.notes.append(f"Joined with a later edit of {called(effect.id)}.")
    return merged


def _bodies_differ(base: bytes, wanted: bytes, current: bytes) -> bool:
    """Whether both sides changed the body: it is taken back as a whole or not at all (`decisions.md` §4.4)."""
    bodies = [split(decode(data, "surrogateescape")).body.replace("\r\n", "\n") for data in (base, wanted, current)]
    return bodies[1] not in {bodies[0], bodies[2]} and bodies[2] != bodies[0]


def _check_protected(draft: Draft, wanted: bytes | None) -> None:
    """A protected memory changes back only when that is what takes the protection away."""
    now = parsed(draft)
    stays = wanted is None or parsed(Draft(draft.id, None, None, draft.path, wanted)).immutable
    if now.immutable and stays and (wanted is None or draft.origin is not None):
        raise NotPermitted(f"{now.name} is protected; press p, or run `memdesk edit {now.id} --unprotect`, first.")


def _bytes(plan: Plan, sha: str, id: str) -> bytes:
    data = plan.state.bytes_of(sha)
    if data is None:
        data = next((d.data for d in plan.drafts.values() if d.data is not None and sha_of(d.data) == sha), None)
    if data is None:
        raise BadInput(
            f"The earlier text of {called(id)} is not kept, because another program wrote it; nothing changed."
        )
    return data


def _since(draft: Draft, wanted: bytes, id: str) -> Conflict:
    message = f"{called(id)} was changed since in the same place; take that change back first, or edit it by hand."
    return Conflict(message, wanted.decode("utf-8", "replace"), (draft.data or b"").decode("utf-8", "replace"))


def _return_row(plan: Plan, effect: RowEffect) -> PutRow | DropRow:
    """Only the fields of the change go back; one that was changed again since is not touched over (§4.1).

    A time alone is no decision: a session that says the same once more moves it, and leaves no change to undo first.
    """
    current = plan.state.rows(effect.table).get(effect.key)
    present = fields_of(current)
    for name in (effect.before.keys() | effect.after.keys()) - STAMPS:
        if present.get(name) not in (effect.before.get(name), effect.after.get(name)):
            raise Changed("Something that this change decided was decided again since; undo the later change first.")
    if not effect.exists and not present.keys() - effect.before.keys():
        return DropRow(effect.table, effect.key)
    fields = {name: effect.after.get(name) for name in effect.before.keys() | effect.after.keys()}
    return PutRow(effect.table, effect.key, fields)
