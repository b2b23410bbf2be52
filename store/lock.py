"""The writer lock: one process and one thread at a time writes to a bank (`storage.md` §5, "Locking")."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import Busy, StorageFailure, folder_gone

if TYPE_CHECKING:
    from filelock import FileLock

TIMEOUT = 10.0
"""Seconds that a writer waits for the lock before it gives up (`storage.md` §5)."""
POLL = 0.005
NAME_LENGTH = 100


def holder() -> str:
    """How this process is named to others: `host:pid`."""
    return f"{socket.gethostname()}:{os.getpid()}"


class WriterLock:
    """The lock of one ledger folder. The file is made once and never deleted or replaced.

    The lock object is kept as long as this one lives: a collected one would let a second writer in. `threads` guards
    the state within this process; it is never held while waiting for another process.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self._holder = folder / "lock-holder"
        self.threads = threading.RLock()
        self._writers = threading.RLock()
        self._depth = 0
        self._file: FileLock | None = None

    @contextmanager
    def held(self, timeout: float = TIMEOUT) -> Iterator[None]:
        """Hold the lock; the same thread may take it again. Raises `Busy` with the holder after `timeout` seconds."""
        started = time.monotonic()
        if not self._writers.acquire(timeout=timeout):
            raise Busy("This program is still writing to the bank; try again in a moment.")
        try:
            if self._depth == 0:
                self._take(max(0.0, timeout - (time.monotonic() - started)))
            self._depth += 1
            try:
                with self.threads:
                    yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._file is not None:
                    self._file.release()
        finally:
            self._writers.release()

    def _take(self, timeout: float) -> None:
        from filelock import FileLock, Timeout

        if not self.path.parent.is_dir():  # the lock would make it
            raise folder_gone(self.path.parent)
        if self._file is None:
            self._file = FileLock(self.path, thread_local=False, mode=0o600)
        try:
            self._file.acquire(timeout=timeout, poll_interval=POLL)
        except Timeout as error:
            raise Busy(f"{self._named()} is writing to this bank; try again in a moment.") from error
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise StorageFailure(f"The lock {self.path} cannot be taken: {reason}; check the folder.") from error
        with contextlib.suppress(OSError):  # the name only helps who waits
            handle = os.open(self._holder, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.write(
                    handle, holder().ljust(NAME_LENGTH).encode()[:NAME_LENGTH]
                )  # in place: truncating costs a flush
            finally:
                os.close(handle)

    def _named(self) -> str:
        try:
            name = self._holder.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            name = ""
        host, _, pid = name.rpartition(":")
        return f"Process {pid} on {host}" if host and pid.isdigit() else "Another program"
