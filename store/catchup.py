"""What happened since we looked: frames of other processes, and commits that a crash left half in their files.

The ledger is read without the lock; what has to be finished is finished under it (`storage.md` §5.2, 7).
"""

from __future__ import annotations

from collections.abc import Iterable

from store import history, outside, recovery
from store.changes import Event
from store.errors import ReadOnly, StorageFailure
from store.frames import Frame
from store.state import State
from store.transaction import checkpoint, set_aside
from store.vault.disk import Missing
from store.vault.front import decode, is_open


def read_ledger(state: State) -> tuple[Frame, ...]:
    """Read the whole ledger into the state; the frames that it held in its journal."""
    loaded = state.journal.load()
    state.tables, state.blobs, state.live, state.known = loaded.tables, {}, {}, {}
    state.done = state.base = loaded.frames[0].n - 1 if loaded.frames else state.journal.last
    state.past_numbers = dict(loaded.numbers)
    state.take_texts(loaded.frames)
    for folder, number in loaded.numbers.items():
        state.numbers = state.numbers.with_path(f"{folder}/1970-01-01-{number:04d}.md")
    state.seen = state.journal.last
    return loaded.frames


def catch_up(state: State) -> list[Event]:
    """Take in what other processes committed since. Needs no lock; a torn tail is not there yet."""
    frames = state.journal.news()
    if frames is None:
        seen, known = state.seen, state.known
        rest = state.journal.rest()
        state.take_rows(rest)
        known = known | state.known
        frames = tuple(frame for frame in (*rest, *read_ledger(state)) if frame.n > seen)
        state.known = known | state.known
    else:
        state.take_rows(frames)
        state.seen = state.journal.last
    if not any(frame.ops or frame.files for frame in frames):
        return []
    state.revision += 1
    ids = _take_files(state, frames)
    tables = tuple(dict.fromkeys(op.table for frame in frames for op in frame.ops))
    return [Event("outside", ids, tables, "Another Memdesk changed this bank.")]


def _take_files(state: State, frames: Iterable[Frame]) -> tuple[str, ...]:
    """Show the files that another process's frames wrote; what is not in its file yet is shown from the journal."""
    frames = tuple(frames)
    paths = dict.fromkeys(op.path for frame in frames for op in frame.files if op.folder == "vault")
    before = {state.id_of(path) for path in paths}
    for path in sorted(paths, key=lambda path: state.known.get(path) is not None):
        show_path(state, path)
    for frame in frames:
        for row in frame.ops:
            if row.table == history.TABLE and row.row is not None:
                outside.told(state, history.from_row(row.row).files)
    return tuple(before | {state.id_of(path) for path in paths})


def show_path(state: State, path: str) -> None:
    """Show one path that the ledger speaks of: its file, or the journal's text while the file is behind.

    A file that is half there, or away, is left to the next scan.
    """
    try:
        data = state.disk.read(state.root / path)
    except Missing:
        data = None
    except StorageFailure:
        return
    state.waiting.pop(path, None)
    stands = recovery.judge(state, path, data)
    if stands == "behind":
        state.waiting[path] = state.live[path].newest
        data = state.waiting[path].data
    elif stands == "lost":
        state.lost.add(path)
    if stands in {"lost", "edited"}:
        if data and not is_open(decode(data, "replace")):
            outside.notice(state, path, data)
        return
    state.show(path, data, state.disk.signature(state.root / path))


def ready(state: State) -> list[Event]:
    """Bring the ledger and the files to the state of the last commit, whoever made it (`storage.md` §5.2, 7)."""
    events = catch_up(state)
    if state.journal.fault:
        raise ReadOnly(state.journal.fault)
    state.journal.cut_tail()
    if state.doubtful:
        state.journal.rewrite()
        state.doubtful = False
    if state.waiting or state.stuck or state.lost:
        events += recover(state)
    return events


def recover(state: State) -> list[Event]:
    """Finish commits whose files are not written yet; raises `ReadOnly` when the disk still refuses."""
    events: list[Event] = []
    try:
        redone = recovery.redo(state, lambda displaced: events.append(set_aside(state, displaced)))
        for path in {*redone, *state.waiting}:
            show_path(state, path)
        state.lost.clear()
        checkpoint(state, note=True)
    except StorageFailure as error:
        state.stuck = f"A change is committed but could not be written to its file yet: {error}"
        raise ReadOnly(state.stuck) from error
    state.stuck = ""
    state.revision += 1
    return events
