"""The `.index.lock` directory that the yotta engine and Memdesk take round index writes (`spec/bank.md` §25.8)."""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from store.errors import Busy, StorageFailure

LOCK_NAME = ".index.lock"
STALE_AFTER = 10.0
"""Seconds after which a lock whose owner is gone or unknown may be taken (`decisions.md` §3.5)."""
_PAUSE = 0.02
_OWNER = "owner.json"


@contextmanager
def index_lock(root: Path, wait: float = 2.0) -> Iterator[None]:
    """Hold the index lock of a bank.

    `wait` is in seconds. Raises `Busy` when another program still holds the lock after that time.
    """
    lock = root / LOCK_NAME
    deadline = time.monotonic() + wait
    while not _take(lock):
        if time.monotonic() >= deadline:
            raise Busy(f"Another program is writing the index of {root}; try again in a moment.")
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        shutil.rmtree(lock, ignore_errors=True)


def _take(lock: Path) -> bool:
    try:
        lock.mkdir()
    except FileExistsError:
        _clear_stale(lock)
        return False
    except OSError as fault:
        raise StorageFailure(f"The index of {lock.parent} cannot be locked: {fault.strerror}.") from fault
    with suppress(OSError):  # a lock without its owner's name still locks
        (lock / _OWNER).write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8")
    return True


def _clear_stale(lock: Path) -> None:
    """Remove a lock that nobody holds any more; one that changed hands while we looked is put back."""
    try:
        seen = lock.stat()
        if time.time() - seen.st_mtime < STALE_AFTER or _owner_lives(lock):
            return
        aside = lock.with_name(f"{LOCK_NAME}.{uuid.uuid4().hex}")
        lock.rename(aside)
        if aside.stat().st_ino != seen.st_ino:
            aside.rename(lock)
            return
    except FileNotFoundError:
        return
    shutil.rmtree(aside, ignore_errors=True)


def _owner_lives(lock: Path) -> bool:
    """Whether the lock names a running process of this machine."""
    try:
        owner = json.loads((lock / _OWNER).read_bytes())
        if owner["host"] != socket.gethostname() or os.name == "nt":  # there, signal 0 is not harmless
            return False
        os.kill(int(owner["pid"]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True
