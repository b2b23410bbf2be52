"""The one seam to the file system: every read and write of the store goes through a `Disk` (`decisions.md` §8.2)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from store.errors import StorageFailure


class Missing(StorageFailure):
    """The file or folder is not there."""


class Exists(StorageFailure):
    """Something of that name is there already; nothing was overwritten."""


class Refused(StorageFailure):
    """The system does not let us: no permission, or a read-only file system (EACCES, EPERM, EROFS)."""


class SyncFailed(StorageFailure):
    """A sync failed: what is on the disk is unknown; never retry on the same file (`storage.md` §5.4)."""


class Signature(NamedTuple):
    """What tells a changed file without reading it: inode, modification time in ns, size in bytes."""

    inode: int
    mtime_ns: int
    size: int


class Found(NamedTuple):
    """One name in a folder; a symbolic link is described by what it points at and marked. `signature` of files only."""

    name: str
    is_folder: bool
    is_link: bool
    signature: Signature | None


class Disk:
    """File operations, each durable as it says; an `OSError` becomes a `StorageFailure` with one sentence.

    Tests override `step` (called before each system call) and `write` (the raw write) to inject faults.
    """

    def step(self, call: str, path: Path) -> None: ...
    def write(self, handle: int, data: memoryview) -> int: ...
    def read(self, path: Path) -> bytes: ...
    def write_new(self, path: Path, data: bytes, mode: int = 0o644) -> None: ...
    def append(self, path: Path, data: bytes, mode: int = 0o600) -> int: ...
    def truncate(self, path: Path, length: int) -> None: ...
    def replace(self, source: Path, target: Path) -> None: ...
    def move_new(self, source: Path, target: Path) -> None:
        """Rename without ever overwriting: raises `Exists`."""

    def exchange(self, first: Path, second: Path) -> bool:
        """Swap two names atomically; True: swapped (what was `second` lies at `first`). False: the system has no
        exchange, `first` replaced `second` and is gone."""

    def link(self, source: Path, target: Path) -> None: ...
    def unlink(self, path: Path) -> bool:
        """True when there was a file to delete."""

    def mkdir(self, path: Path, mode: int = 0o777) -> None:
        """With parents; no fault when it is there; new folders are synced into their parents."""

    def rmdir(self, path: Path) -> bool:
        """Delete an empty folder; False when it is missing or not empty."""

    def sync_dir(self, path: Path) -> None: ...
    def sync_file(self, path: Path) -> None: ...
    def signature(self, path: Path) -> Signature | None: ...
    def mode(self, path: Path) -> int: ...
    def scandir(self, path: Path) -> list[Found]:
        """Names in a folder, in byte order; an absent folder is empty."""
