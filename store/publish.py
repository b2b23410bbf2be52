"""From the commit point to the files: prepared copies before it, exchanged into place after it (`storage.md` §5–6)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from store.errors import StorageFailure
from store.frames import FileOp
from store.objects import sha_of
from store.vault.disk import Disk, Exists, Missing

NEW_MODE = 0o644
TEMPORARY = ".tmp"
TAKEN_OUT = ".out"
LONGEST = 255
"""Bytes that a file name may have."""


@dataclass(frozen=True, slots=True)
class Displaced:
    """A text that had to give way at a path: another program's (`theirs`), or ours that found the place taken."""

    path: str
    data: bytes
    ours: bool
    why: str


Tell = Callable[[Displaced], None]


def is_temporary(name: str) -> bool:
    """Whether a file name is one of our prepared copies: `.<name>.<8 hex>.tmp`."""
    stem = name.removesuffix(TEMPORARY)
    mark = stem.rpartition(".")[2]
    return name.startswith(".") and stem != name and len(mark) == 8 and set(mark) <= set("0123456789abcdef")


def temporary_for(path: str) -> str:
    """A fresh name for the prepared copy of a path, without its folder."""
    return _fresh(path, "")


def aside_for(path: str) -> str:
    """A fresh name for what is taken out of the way; cleaning up never deletes a text of another program there."""
    return _fresh(path, TAKEN_OUT)


def _fresh(path: str, mark: str) -> str:
    """A name beside the path's own that no file system finds too long."""
    end = f"{mark}.{secrets.token_hex(4)}{TEMPORARY}"
    name = path.rpartition("/")[2].encode()[: LONGEST - len(end) - 1].decode("utf-8", "ignore")
    return f".{name}{end}"


def prepare(disk: Disk, root: Path, ops: Sequence[FileOp]) -> tuple[FileOp, ...]:
    """Write and sync the copies that will be put into place; on any error none is left and nothing has happened."""
    ready: list[FileOp] = []
    try:
        for op in ops:
            if not op.seen:
                _refuse_links(root, root / op.path)
            ready.append(_prepared(disk, root, op) if op.data is not None and not op.seen else op)
    except StorageFailure:
        discard(disk, root, ready)
        raise
    return tuple(ready)


def _refuse_links(root: Path, target: Path) -> None:
    """A link is neither replaced by a file nor taken away, since undo could not make it again."""
    if target.is_symlink():
        raise StorageFailure(f"{target} is a symbolic link; change the file that it points at.")
    if not os.path.realpath(target.parent).startswith(os.path.realpath(root) + os.sep):
        raise StorageFailure(f"{target.parent} leads out of the bank by a link; nothing is written there.")


def _prepared(disk: Disk, root: Path, op: FileOp) -> FileOp:
    target = root / op.path
    kept_mode = disk.mode(target)
    disk.mkdir(target.parent)
    named = replace(op, tmp=temporary_for(op.path), mode=NEW_MODE if kept_mode is None else kept_mode)
    temporary = target.with_name(named.tmp)
    disk.write_new(temporary, op.data or b"", named.mode)
    if kept_mode is not None and disk.mode(temporary) != kept_mode:
        try:
            disk.chmod(temporary, kept_mode)
        except StorageFailure:
            disk.unlink(temporary)
            raise
    return named


def discard(disk: Disk, root: Path, ops: Sequence[FileOp]) -> None:
    """Delete prepared copies of a commit that did not happen; one that cannot be deleted is cleaned up later."""
    for op in ops:
        if op.tmp:
            try:
                disk.unlink((root / op.path).with_name(op.tmp))
            except StorageFailure:
                continue


def publish(disk: Disk, root: Path, op: FileOp, tell: Tell) -> None:
    """Bring one path to the state that the committed frame says. Raises `StorageFailure` when the disk refuses."""
    if op.seen:
        return
    if op.new is None:
        _remove(disk, root, op, tell)
    elif op.old is None:
        _add(disk, root, op, tell)
    else:
        _exchange(disk, root, op, tell)


def _source(disk: Disk, root: Path, op: FileOp) -> Path:
    """The prepared copy; made anew from the frame when it is gone or not what the frame says (`storage.md` §7)."""
    temporary = (root / op.path).with_name(op.tmp or temporary_for(op.path))
    try:
        if sha_of(disk.read(temporary)) == op.new:
            return temporary
        disk.unlink(temporary)
    except Missing:
        disk.mkdir(temporary.parent)
    disk.write_new(temporary, op.data or b"", op.mode)
    return temporary


def _add(disk: Disk, root: Path, op: FileOp, tell: Tell) -> None:
    target, source = root / op.path, _source(disk, root, op)
    try:
        disk.move_new(source, target)
    except Exists:
        disk.unlink(source)
        if sha_of(disk.read(target)) != op.new:
            why = "another program made a file of the same name at the same moment"
            tell(Displaced(op.path, op.data or b"", True, why))


def _exchange(disk: Disk, root: Path, op: FileOp, tell: Tell) -> None:
    target, source = root / op.path, _source(disk, root, op)
    try:
        swapped = disk.exchange(source, target)
    except Missing:
        disk.move_new(source, target)
        return
    if swapped:
        _examine(disk, source, op, tell)


def _remove(disk: Disk, root: Path, op: FileOp, tell: Tell) -> None:
    target = root / op.path
    aside = target.with_name(aside_for(op.path))
    try:
        disk.move_new(target, aside)
    except Missing:
        return
    _examine(disk, aside, op, tell)


def _examine(disk: Disk, came_out: Path, op: FileOp, tell: Tell) -> None:
    """Look at what lay at the target: if it is not what the edit started from, it is kept, never dropped."""
    before = None
    while (signature := disk.signature(came_out)) != before:
        # Somebody may still be writing into the file that we took out of the way: look until it stands still.
        before = signature
        data = disk.read(came_out)
        if sha_of(data) not in {op.old, op.new}:
            tell(Displaced(op.path, data, False, "another program changed the file at the same moment"))
    disk.unlink(came_out)
