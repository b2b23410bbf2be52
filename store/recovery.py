"""After a crash: finish what was committed, keep what others wrote, clean up what never happened (`storage.md` §7)."""

from __future__ import annotations

from pathlib import Path

from store.errors import StorageFailure
from store.frames import FileOp
from store.objects import sha_of
from store.publish import TAKEN_OUT, Displaced, Tell, is_temporary, publish
from store.state import State
from store.vault.disk import Disk, Missing


def judge(state: State, path: str, data: bytes | None) -> str:
    """What a file that the ledger speaks of is, by its bytes (None: no file):

    `ours`: the newest committed state; `behind`: an earlier one, ours is still to be written; `edited`: somebody else
    wrote it, after ours or where nothing of ours is at stake; `lost`: somebody wrote it before ours ever got there.
    """
    sha = None if data is None else sha_of(data)
    known = state.live.get(path)
    if known is None or known.newest.seen:
        return "edited" if path in state.known and state.known[path] != sha else "ours"
    if sha == known.newest.new:
        return "ours"
    if sha in known.states:
        return "behind"
    return "edited" if _holds(state, known.newest, data) else "lost"


def _holds(state: State, op: FileOp, theirs: bytes | None) -> bool:
    """Whether a foreign text was written over ours: it has every line that we added, or ours was nothing to keep.

    While our prepared copy still lies there, ours was never put into place.
    """
    if op.data is None or theirs is None:
        return True
    if op.tmp and sha_on_disk(state.disk, (state.root / op.path).with_name(op.tmp)) == op.new:
        return False
    before = state.bytes_of(op.old) if op.old is not None else None
    added = set(op.data.splitlines()) - set((before or b"").splitlines())
    return added <= set(theirs.splitlines())


def sha_on_disk(disk: Disk, path: Path) -> str | None:
    """The hash of a file's bytes, None when there is no file."""
    data = _bytes(disk, path)
    return None if data is None else sha_of(data)


def _bytes(disk: Disk, path: Path) -> bytes | None:
    try:
        return disk.read(path)
    except Missing:
        return None


def redo(state: State, tell: Tell) -> tuple[str, ...]:
    """Bring every live path to the newest committed state; the lock is held. Returns the paths that were redone.

    A file that is in no state of ours was edited by somebody since: theirs stays, ours is told as displaced. Raises
    `StorageFailure` when the disk refuses; the frames then stay live.
    """
    redone = []
    for path, known in state.live.items():
        if known.newest.seen:
            continue
        data = _bytes(state.disk, state.root / path)
        stands = judge(state, path, data)
        if stands == "behind":
            actual = None if data is None else sha_of(data)
            publish(state.disk, state.root, _from(known.newest, actual), tell)
            redone.append(path)
        elif stands == "lost" and known.newest.data is not None:
            why = "another program changed the file before our change was finished"
            tell(Displaced(path, known.newest.data, True, why))
        _clear_copy(state, known.newest, tell)
    return tuple(redone)


def _from(op: FileOp, actual: str | None) -> FileOp:
    """The operation as it starts from what is there now, which is one of our own earlier states."""
    return FileOp(op.path, actual, op.new, op.data, op.tmp, op.mode, op.folder)


def _clear_copy(state: State, op: FileOp, tell: Tell) -> None:
    """Delete a prepared copy that has done its work; what an exchange took out and nobody looked at is told first."""
    if op.tmp:
        _drop_copy(state, op.path, (state.root / op.path).with_name(op.tmp), tell)


def _drop_copy(state: State, path: str, copy: Path, tell: Tell) -> None:
    try:
        data = state.disk.read(copy)
    except Missing:
        return
    known = state.live.get(path)
    sha = sha_of(data)
    if (known is None or sha not in known.states) and state.bytes_of(sha) is None:
        tell(Displaced(path, data, False, "another program changed the file at the same moment"))
    state.disk.unlink(copy)


def leftovers(disk: Disk, root: Path) -> list[Path]:
    """Prepared copies anywhere in the folders that memories lie in; the caller holds the lock and owns none of them."""
    found: list[Path] = []
    folders = [root / name for name in ("facts", "private", ".archive", ".trash", "settings")]
    while folders:
        folder = folders.pop()
        for entry in disk.scandir(folder):
            if entry.is_folder and not entry.is_link:
                folders.append(folder / entry.name)
            elif is_temporary(entry.name):
                found.append(folder / entry.name)
    return found


def clean(state: State, tell: Tell) -> int:
    """Delete copies that no live frame names; the lock is held. Returns how many.

    A copy that was only prepared never happened and goes; what was taken out of the way is told if it is unknown.
    """
    named = {known.newest.tmp for known in state.live.values()}
    count = 0
    for path in leftovers(state.disk, state.root):
        if path.name in named:
            continue
        try:
            if TAKEN_OUT in path.name:
                _drop_copy(state, _target(state, path), path, tell)
            count += state.disk.unlink(path) or TAKEN_OUT in path.name
        except StorageFailure:
            continue
    return count


def _target(state: State, copy: Path) -> str:
    """The bank-relative path that a copy was taken from."""
    name = copy.name[1:].rsplit(TAKEN_OUT, 1)[0]
    return copy.with_name(name).relative_to(state.root).as_posix()
