"""What a failed file operation means to a person: `OSError` becomes a `StorageFailure` here and nowhere else."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from store.errors import StorageFailure


class Missing(StorageFailure):
    """The file or folder is not there."""


class Exists(StorageFailure):
    """Something of that name is there already; nothing was overwritten."""


class Refused(StorageFailure):
    """The system does not let us: no permission, or a read-only file system (EACCES, EPERM, EROFS)."""


class NoSpace(StorageFailure):
    """The disk or the quota is full."""


class SyncFailed(StorageFailure):
    """A sync failed: what is on the disk is unknown; never retry on the same file (`storage.md` §5.4)."""


def failure(error: OSError, doing: str, path: str | os.PathLike[str]) -> StorageFailure:
    """The sentence for an operation that failed; `doing` is a participle: read, written, moved …"""
    place = os.fsdecode(path).encode("utf-8", "replace").decode("utf-8")
    if error.errno == errno.ENOENT and doing == "made":
        return Missing(f"Nothing can be made at {place}; choose another folder.")
    if error.errno == errno.ENOENT:
        return Missing(f"{place} is not there; check the path, or look again after the other program has finished.")
    if error.errno == errno.EEXIST:
        return Exists(f"{place} exists already and is not overwritten; choose another name.")
    if error.errno == errno.EROFS:
        return Refused(f"{place} could not be {doing}: the file system is read-only; make it writable and try again.")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return Refused(f"{place} could not be {doing}: permission denied; change its permissions and try again.")
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return NoSpace(f"{place} could not be {doing}: there is no space left; free some and try again.")
    reason = (error.strerror or type(error).__name__).lower()
    kind = SyncFailed if doing == "synced" else StorageFailure
    return kind(f"{place} could not be {doing}: {reason}; check the disk and try again.")


@contextmanager
def told(doing: str, path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an `OSError` of the block into its `StorageFailure`; a failed sync is always `SyncFailed`."""
    try:
        yield
    except OSError as error:
        found = failure(error, doing, path)
        if doing == "synced" and not isinstance(found, SyncFailed):
            found = SyncFailed(str(found))
        raise found from error
