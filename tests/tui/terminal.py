"""Memdesk in a real pseudo-terminal: started, typed at, read, ended."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[@-Z\\-_=>])")


class Terminal:
    """A child process with a terminal of `columns` by `rows` of its own."""

    def __init__(
        self, argv: Sequence[str], *, columns: int = 80, rows: int = 24, env: Mapping[str, str] | None = None
    ) -> None:
        self.output = b""
        self.started = time.perf_counter()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))  # before anyone asks for it
            os.environ.update(env or {})
            os.environ.setdefault("TERM", "xterm-256color")
            os.execvpe(argv[0], list(argv), dict(os.environ))  # without what readline put into the environment

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)

    code: int | None = None

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self.master, keys.encode())

    def close(self) -> None:
        """Close the window: nobody reads or writes there any more."""
        nobody = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nobody, self.master)
        os.close(nobody)

    def text(self) -> str:
        """Everything written so far, without its control sequences."""
        return CONTROL.sub(b"", self.output).decode("utf-8", "replace")

    def read(self, seconds: float) -> bool:
        """Take in what is written within `seconds`; False when nothing was or the child ended."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def wait_for(self, words: str, seconds: float) -> float:
        """Read until `words` were written; seconds since the start. Raises `AssertionError` after `seconds`."""
        end = time.perf_counter() + seconds
        while words not in self.text():
            if not self.read(max(0.0, min(0.2, end - time.perf_counter()))) and time.perf_counter() > end:
                raise AssertionError(
                    f"{words!r} did not appear within {seconds:g} s; the terminal shows:\n{self.text()[-2000:]}"
                )
        return time.perf_counter() - self.started

    def wait(self, seconds: float) -> int:
        """Wait until the child ends by itself; its exit code. Raises `AssertionError` after `seconds`."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                return self.code
        raise AssertionError(f"it did not end within {seconds:g} s")


MEMDESK = (sys.executable, "-m", "tui")
