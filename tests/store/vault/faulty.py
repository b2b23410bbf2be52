"""Disks that fail on purpose: at the k-th call, with half a buffer written, or by dying there."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

from store.vault.disk import Disk, Name


class Killed(BaseException):
    """The process died here: nothing after it runs, nothing is cleaned up."""


@dataclass
class FaultyDisk(Disk):
    """Fails at call number `at` (0-based) among `calls` (all when empty): with `error`, or dies when it is None.

    `half`: a failing write puts half of its buffer on the disk first. `seen` names every counted call. `forever`:
    each later call fails too. `now` fixes the clock that modification times are compared with.
    """

    at: int = -1
    error: int | None = errno.EIO
    calls: frozenset[str] = frozenset()
    half: bool = False
    forever: bool = False
    now: int | None = None
    seen: list[str] = field(default_factory=list)

    def step(self, call: str, path: Name) -> None:
        if self.calls and call not in self.calls:
            return
        self.seen.append(call)
        if self._due() and not (self.half and call == "write"):
            self._fail(path)

    def write(self, handle: int, data: memoryview) -> int:
        if self.half and self._due() and self.seen and self.seen[-1] == "write":
            os.write(handle, data[: len(data) // 2])
            self._fail("half")
        return super().write(handle, data)

    def time_ns(self) -> int:
        return super().time_ns() if self.now is None else self.now

    def _due(self) -> bool:
        number = len(self.seen) - 1
        return self.at >= 0 and (number == self.at or (self.forever and number > self.at))

    def _fail(self, path: Name) -> None:
        if self.error is None:
            raise Killed(os.fspath(path))
        raise OSError(self.error, os.strerror(self.error), os.fspath(path))
