"""The write protocol: what stands between a plan and a bank that has changed (`storage.md` §5).

Every function here runs while the writer lock is held. One journal frame is the commit point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from store import history, kept, outside
from store.called import called
from store.changes import Committed, DropRow, Event, Origin, PutRow
from store.clock import stamp
from store.draft import Plan, effects, file_ops, row_effects
from store.errors import BadInput, StorageFailure
from store.frames import FileOp, Frame
from store.ledger import row_ops
from store.lock import holder
from store.publish import Displaced, discard, prepare, publish
from store.setting_file import is_setting
from store.state import State
from store.vault.disk import Missing, SyncFailed

YOU = "you"
"""How the person stands in the history (`decisions.md` §1.1)."""
CHECKPOINT = 16
"""Frames with files after which the touched folders are synced (`storage.md` §5.8)."""


@dataclass(frozen=True, slots=True)
class Story:
    """How a commit stands in the history."""

    reason: str
    origin: Origin
    by: str
    tx: str = "commit"
    undoes: int | None = None
    redoes: int | None = None
    leaves: tuple[str, ...] = ()
    """Folders that are taken away afterwards where nothing is in them any more, the outer ones first."""


def set_aside(state: State, displaced: Displaced) -> Event:
    """Keep a displaced text and tell it as a conflict."""
    id = state.id_of(displaced.path)
    side: kept.Side = "ours" if displaced.ours else "theirs"
    kept.keep(
        state.disk,
        state.ledger,
        displaced.data,
        id=id,
        path=displaced.path,
        at=stamp(),
        side=side,
        why=displaced.why,
    )
    whose = "Your text" if displaced.ours else "The other text"
    return Event("conflict", (id,), (), f"{called(id)}: {displaced.why}. {whose} is kept aside; Health shows it.")


def execute(state: State, plan: Plan, story: Story, *, always: bool = False) -> tuple[Committed, list[Event]]:
    """Commit a plan: prepare, one frame, apply, publish. Raises `StorageFailure`; then nothing has happened, except
    after a failed sync, when the next write looks what became of it. `always` writes a row even for no effect."""
    files, rows = effects(plan), row_effects(plan)
    if not files and not rows and not always:
        note = (*plan.notes, "Nothing changed.")
        return Committed(0, plan.at, story.reason, story.origin, story.by, notes=note), []
    tell_outside(state, plan.at)
    number, ops = state.journal.last + 1, file_ops(plan)
    committed = Committed(
        number,
        plan.at,
        story.reason,
        story.origin,
        story.by,
        files,
        rows,
        story.undoes,
        None,
        story.redoes,
        tuple(plan.notes),
        _new_folders(state, ops),
    )
    changes = [*plan.rows, *(PutRow("aliases", path, fields) for path, fields in plan.aliases.items())]
    changes.append(PutRow(history.TABLE, str(number), history.to_row(committed)))
    frame = Frame(number, plan.at, holder(), story.tx, row_ops(state.tables, changes, number), (), state.done)
    frame = replace(frame, files=prepare(state.disk, state.root, ops))
    _append(state, frame)
    state.numbers = plan.numbers
    events = _apply(state, frame)
    for folder in reversed(story.leaves):
        state.disk.rmdir(state.root / folder)
    tables = tuple(dict.fromkeys(row.table for row in rows))
    events.append(Event("committed", committed.ids, tables, number=number))
    told = tuple(event.message for event in events if event.kind == "conflict")
    return replace(committed, notes=(*committed.notes, *told)), events


def _new_folders(state: State, ops: Iterable[FileOp]) -> tuple[str, ...]:
    """The folders that are not there yet for the setting files that a commit writes."""
    paths = (op.path for op in ops if op.new is not None and is_setting(op.path))
    above = (str(folder) for path in paths for folder in reversed(PurePosixPath(path).parents[:-1]))
    return tuple(folder for folder in dict.fromkeys(above) if state.disk.mode(state.root / folder) is None)


def record(state: State, rows: list[PutRow | DropRow], at: str) -> tuple[int, list[Event]]:
    """Commit row changes without a history row."""
    number = state.journal.last + 1
    ops = row_ops(state.tables, rows, number)
    if not ops:
        return state.journal.last, []
    frame = Frame(number, at, holder(), "record", ops, (), state.done)
    _append(state, frame)
    state.take_rows((frame,))
    state.revision += 1
    return number, [Event("recorded", (), tuple(dict.fromkeys(op.table for op in ops)), number=number)]


def tell_outside(state: State, at: str) -> int:
    """Write the history row of what other programs changed; the number of memories it tells."""
    frame = outside.frame(state, state.journal.last + 1, at, state.renamed)
    if frame is None:
        return 0
    _append(state, frame)
    state.take_rows((frame,))
    count = len(state.outside)
    state.outside.clear()
    state.renamed.clear()
    state.revision += 1
    return count


def _append(state: State, frame: Frame) -> None:
    """The commit point. When it fails the prepared copies go; after a failed sync they stay, for nobody knows."""
    try:
        state.journal.append(frame)
        state.seen = frame.n
    except SyncFailed as error:
        state.journal.forget()
        state.doubtful = True
        state.stuck = f"The disk did not confirm the last change: {error}"
        raise
    except (StorageFailure, TypeError) as error:
        discard(state.disk, state.root, frame.files)
        if isinstance(error, TypeError):
            raise BadInput(
                "The ledger cannot hold one of these values; use text, numbers, lists and objects."
            ) from error
        raise


def _apply(state: State, frame: Frame) -> list[Event]:
    """Show a committed frame, then put its files into place; a file that refuses is shown from the journal."""
    state.take_rows((frame,))
    state.revision += 1
    events: list[Event] = []
    for op in sorted(frame.files, key=lambda op: op.new is not None):
        state.show(op.path, op.data)
    for op in frame.files:
        try:
            publish(state.disk, state.root, op, lambda displaced: events.append(set_aside(state, displaced)))
        except StorageFailure as error:
            state.waiting[op.path] = op
            state.stuck = f"A change is committed but could not be written to its file yet: {error}"
            events.append(Event("notice", (), (), state.stuck))
        _settle(state, op)
    state.unsynced += bool(frame.files)
    if state.unsynced >= CHECKPOINT and not state.stuck:
        checkpoint(state)
    return events


def _settle(state: State, op: FileOp) -> None:
    """Note the signature of a file as it lies there now, so that the next scan does not take it for foreign."""
    seen = state.files.get(op.path)
    signature = state.disk.signature(state.root / op.path)
    if seen is not None and signature is not None:
        state.files[op.path] = replace(seen, signature=signature)


def checkpoint(state: State, *, note: bool = False) -> None:
    """Make the names of published files durable; from then on their redo texts are not needed (`storage.md` §5.8).

    The next frame says so; with `note` a frame of its own does.
    """
    if note:
        state.journal.note_begun()
    if not state.live or state.waiting:
        return
    for folder in {(state.root / path).parent for path in state.live}:
        try:
            state.disk.sync_dir(folder)
        except Missing:
            continue
    state.checked_in(state.journal.last)
    state.unsynced = 0
    if note:
        number = state.journal.last + 1
        _append(state, Frame(number, stamp(), holder(), "checkpoint", (), (), state.done))
        state.checked_in(number)
