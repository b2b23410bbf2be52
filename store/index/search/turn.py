"""One rebuild at a time: who comes second leaves it to the first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from store.errors import StorageFailure

NAME = "rebuilding"


@contextmanager
def turn(index: Path) -> Iterator[bool]:
    """Whether this process may rebuild what lies at `index` and beside it; the kernel ends the turn of a killed one.

    Raises `StorageFailure` when the cache folder refuses.
    """
    lock = FileLock(index.with_name(NAME), timeout=0)
    try:
        index.parent.mkdir(0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        yield False
        return
    except OSError as fault:
        raise StorageFailure(f"The cache folder {index.parent} cannot be written: {fault.strerror}.") from fault
    try:
        yield True
    finally:
        lock.release()
