"""The one seam to the file system: every read and write of the store goes through a `Disk` (`decisions.md` §8.2)."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from pathlib import Path
from typing import NamedTuple

from store.errors import StorageFailure
from store.vault import exchange as renames
from store.vault.faults import Exists, Missing, NoSpace, Refused, SyncFailed, failure, told

__all__ = ["Disk", "Exists", "Found", "Missing", "NoSpace", "Refused", "Signature", "SyncFailed"]

Name = str | Path
BINARY: int = getattr(os, "O_BINARY", 0)
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
FULL_SYNC = 51
"""`F_FULLFSYNC`: macOS keeps plain `fsync` in the drive's cache."""
WINDOWS_PAUSES = (0.01, 0.05, 0.2, 0.5)
"""Seconds between tries while another Windows program holds the file (`storage.md` §5)."""


class Signature(NamedTuple):
    """What tells a changed file without reading it: inode, modification time in ns, size in bytes."""

    inode: int
    mtime_ns: int
    size: int


class Found(NamedTuple):
    """One name in a folder; a symbolic link is marked and described by what it points at.

    `signature` is there for regular files only: a pipe, a device or a dangling link has none.
    """

    name: str
    is_folder: bool
    is_link: bool
    signature: Signature | None


class Disk:
    """File operations, each as durable as it says; an `OSError` becomes a `StorageFailure` with one sentence.

    Tests override `step`, which stands before each system call, and `write`, the raw write, to inject faults.
    """

    def step(self, call: str, path: Name) -> None:
        """Stands before each system call: open, read, write, sync, truncate, rename, exchange, unlink, …"""

    def write(self, handle: int, data: memoryview) -> int:
        """The raw write; like the system's it may write less than it was given."""
        return os.write(handle, data)

    def time_ns(self) -> int:
        """The instant that modification times are compared with, in ns since 1970."""
        return time.time_ns()

    def read(self, path: Name) -> bytes:
        """The whole file. Raises `Missing`, `Refused`, `StorageFailure`."""
        try:
            self.step("read", path)
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - ten thousand times in a scan
                return file.read()
        except OSError as error:
            raise failure(error, "read", path) from error

    def write_new(self, path: Name, data: bytes, mode: int = 0o644) -> None:
        """Make a file that must not exist, with its bytes on the disk; half a file is never left behind.

        `mode` is masked by the umask. Raises `Exists`, `NoSpace`, `Refused`, `SyncFailed`.
        """
        with told("written", path):
            self.step("open", path)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY | NO_FOLLOW, mode)
        try:
            with told("written", path):
                self._write_all(handle, data, path)
            self._sync(handle, path)
        except StorageFailure:
            self._drop(path)
            raise
        finally:
            os.close(handle)

    def append(self, path: Name, data: bytes, mode: int = 0o600) -> int:
        """Add to the end of a file (made when missing) and sync its data; returns the length after it, in bytes.

        On a write error the file is cut back to what it was. Raises `NoSpace`, `Refused`, and `SyncFailed` when what
        is on the disk is unknown: then the caller must reopen and look.
        """
        with told("written", path):
            self.step("open", path)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY | NO_FOLLOW, mode)
        try:
            with told("examined", path):
                before = os.fstat(handle).st_size
            try:
                self._write_all(handle, data, path)
            except OSError as error:
                self._cut_back(handle, before, path)
                raise failure(error, "written", path) from error
            self._sync(handle, path, data_only=True)
            return before + len(data)
        finally:
            os.close(handle)

    def truncate(self, path: Name, length: int) -> None:
        """Cut a file to `length` bytes and sync it."""
        with told("cut", path):
            self.step("truncate", path)
            handle = os.open(path, os.O_WRONLY | BINARY | NO_FOLLOW)
        try:
            with told("cut", path):
                os.ftruncate(handle, length)
            self._sync(handle, path)
        finally:
            os.close(handle)

    def replace(self, source: Name, target: Name) -> None:
        """Rename over whatever `target` is, in one step."""
        with told("replaced", target):
            for pause in (*WINDOWS_PAUSES, None) if sys.platform == "win32" else (None,):
                self.step("rename", target)
                try:
                    os.replace(source, target)  # noqa: PTH105 - names may be plain strings
                except PermissionError:
                    if pause is None:
                        raise
                    time.sleep(pause)
                else:
                    return

    def move_new(self, source: Name, target: Name) -> None:
        """Rename without ever overwriting. Raises `Exists`, `Missing`."""
        with told("moved", target):
            self.step("rename", target)
            if renames.rename_new(os.fspath(source), os.fspath(target)):
                return
            if os.path.lexists(target):
                raise FileExistsError(17, "File exists", os.fspath(target))
        self.replace(source, target)

    def exchange(self, first: Name, second: Name) -> bool:
        """Swap two names in one step: what was `second` lies at `first` afterwards (`storage.md` §6).

        Returns False where the system has no exchange: then `first` replaced `second` and is gone.
        """
        with told("replaced", second):
            self.step("exchange", second)
            if renames.swap(os.fspath(first), os.fspath(second)):
                return True
        self.replace(first, second)
        return False

    def unlink(self, path: Name) -> bool:
        """Delete a file; True when there was one."""
        try:
            with told("deleted", path):
                self.step("unlink", path)
                os.unlink(path)  # noqa: PTH108 - names may be plain strings
        except Missing:
            return False
        return True

    def mkdir(self, path: Name, mode: int = 0o777) -> None:
        """Make a folder and its parents; no fault when it is there. Each new name is synced into its parent."""
        folder = Path(path)
        if _is_folder(folder):
            return
        if folder.parent != folder:
            self.mkdir(folder.parent, mode)
        try:
            with told("made", folder):
                self.step("mkdir", folder)
                folder.mkdir(mode)
        except Exists:
            if not _is_folder(folder):
                raise
            return
        self.sync_dir(folder.parent)

    def rmdir(self, path: Name) -> bool:
        """Take an empty folder away; False when it stays: something is in it, it is not there, or the disk refuses."""
        try:
            self.step("rmdir", path)
            os.rmdir(path)  # noqa: PTH106 - names may be plain strings
        except OSError:
            return False
        return True

    def sync_dir(self, path: Name) -> None:
        """Make the names in a folder durable; systems without such a thing pass."""
        if sys.platform == "win32":
            return
        with told("synced", path):
            self.step("open", path)
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._sync(handle, path)
        finally:
            os.close(handle)

    def signature(self, path: Name) -> Signature | None:
        """The signature of a file, links followed; None when there is none."""
        found = self._stat(path)
        return None if found is None else Signature(found.st_ino, found.st_mtime_ns, found.st_size)

    def mode(self, path: Name) -> int | None:
        """The permission bits of a file, to give to what replaces it; None when there is none."""
        found = self._stat(path)
        return None if found is None else stat.S_IMODE(found.st_mode)

    def chmod(self, path: Name, mode: int) -> None:
        """Set the permission bits exactly, whatever the umask."""
        with told("given its permissions", path):
            self.step("chmod", path)
            os.chmod(path, mode)  # noqa: PTH101 - names may be plain strings

    def scandir(self, path: Name) -> list[Found]:
        """The names in a folder in ascending byte order; a folder that is not there is empty."""
        try:
            with told("listed", path):
                self.step("scandir", path)
                with os.scandir(path) as entries:
                    found = [_found(entry) for entry in entries]
        except Missing:
            return []
        found.sort()
        return found

    def _stat(self, path: Name) -> os.stat_result | None:
        try:
            with told("examined", path):
                self.step("stat", path)
                return os.stat(path)  # noqa: PTH116 - names may be plain strings
        except Missing:
            return None

    def _write_all(self, handle: int, data: bytes, path: Name) -> None:
        rest = memoryview(data)
        while rest:
            self.step("write", path)
            rest = rest[self.write(handle, rest) :]

    def _sync(self, handle: int, path: Name, *, data_only: bool = False) -> None:
        with told("synced", path):
            self.step("sync", path)
            if sys.platform == "darwin":
                import fcntl

                fcntl.fcntl(handle, FULL_SYNC)
            elif data_only and hasattr(os, "fdatasync"):
                os.fdatasync(handle)
            else:
                os.fsync(handle)

    def _cut_back(self, handle: int, length: int, path: Name) -> None:
        """Take a half-written tail away; when even that fails nobody knows what is on the disk."""
        try:
            self.step("truncate", path)
            os.ftruncate(handle, length)
        except OSError as error:
            raise SyncFailed(
                f"{os.fspath(path)} was written in part; check the disk and open the bank again."
            ) from error

    def _drop(self, path: Name) -> None:
        with contextlib.suppress(OSError):
            self.step("unlink", path)
            os.unlink(path)  # noqa: PTH108 - names may be plain strings


def _is_folder(path: Path) -> bool:
    """Whether it is a folder; False where we may not look."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises there


def _found(entry: os.DirEntry[str]) -> Found:
    """One directory entry; what vanished or dangles has no signature."""
    link = entry.is_symlink()
    try:
        if entry.is_dir():
            return Found(entry.name, True, link, None)
        about = entry.stat()
    except OSError:
        return Found(entry.name, False, link, None)
    regular = stat.S_ISREG(about.st_mode)
    return Found(
        entry.name, False, link, Signature(about.st_ino, about.st_mtime_ns, about.st_size) if regular else None
    )
