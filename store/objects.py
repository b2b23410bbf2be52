"""Bytes of memories by SHA-256: what undo and the differences in the history read (`decisions.md` §4.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from store.errors import StorageFailure
from store.frames import Frame
from store.vault.disk import Disk, Exists, Missing

FOLDER = "objects"


def sha_of(data: bytes) -> str:
    """The name under which bytes are kept."""
    return hashlib.sha256(data).hexdigest()


def object_file(ledger: Path, sha: str) -> Path:
    """Where the bytes of a hash lie."""
    return ledger / FOLDER / sha[:2] / sha[2:]


def in_frames(frames: Iterable[Frame]) -> dict[str, bytes]:
    """The bytes that frames carry, before and after, by hash."""
    found: dict[str, bytes] = {}
    for frame in frames:
        for op in frame.files:
            if op.data is not None and op.new is not None:
                found[op.new] = op.data
            if op.was is not None and op.old is not None:
                found[op.old] = op.was
    return found


def store(disk: Disk, ledger: Path, blobs: dict[str, bytes]) -> None:
    """Put bytes under their hashes, durably; what is there already is left alone."""
    for sha, data in blobs.items():
        path = object_file(ledger, sha)
        if disk.signature(path) is not None:
            continue
        disk.mkdir(path.parent, 0o700)
        try:
            disk.write_new(path, data, 0o600)
        except Exists:
            continue
    for folder in {object_file(ledger, sha).parent for sha in blobs}:
        disk.sync_dir(folder)


def read(disk: Disk, ledger: Path, sha: str) -> bytes | None:
    """The bytes of a hash, or None when they are not kept or no longer what their name says."""
    try:
        data = disk.read(object_file(ledger, sha))
    except (Missing, StorageFailure):
        return None
    return data if sha_of(data) == sha else None
