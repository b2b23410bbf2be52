"""Starts the rebuild of the search index in a process of its own, which ends with this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What keeps the child's matrix library to one thread, however it was built."""


class Rebuilding:
    """A rebuild under way. `end` it before leaving; killed, it leaves the index as it was."""

    def __init__(self, roots: Sequence[Path], *, vectors: bool) -> None:
        self._last: Mapping[str, Any] = {"stage": "starting"}
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "pipeline.recall.rebuild", "--attached"),
                *(("--vectors",) if vectors else ()),
                *("--", *map(str, roots)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def progress(self) -> Mapping[str, Any]:
        """What it told last: `{"stage", "done", "of"}` (`pipeline/recall/rebuild.py`)."""
        return self._last

    @property
    def problem(self) -> str:
        """Why it failed, as a sentence; "" while it runs, when it is done, and when it was ended."""
        return str(self._last.get("message", ""))

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._process.poll() is not None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for its end, at most so many seconds; whether it has ended and everything that it told is known."""
        self._listener.join(timeout)
        return not self._listener.is_alive()

    def end(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.wait()
        self._listener.join()
        cast(IO[str], self._process.stdin).close()

    def _listen(self) -> None:
        with cast(IO[str], self._process.stdout) as lines:
            for line in lines:
                self._last = json.loads(line)
        self._process.wait()


def start_rebuild(roots: Sequence[Path], *, vectors: bool = False) -> Rebuilding:
    """Rebuild the index of one bank, or of two read together (project first), without waiting for it.

    With `vectors` also what has no vector of the encoder that the person's settings name.
    """
    return Rebuilding([root.absolute() for root in roots], vectors=vectors)
