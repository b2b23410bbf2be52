"""Runs one provider process: no shell, its own process group, one deadline for everything (`spec/context.md` §19).

Nothing here can hang: the pipes are never waited for one by one, and at the deadline the program is ended with
everything that it started (`family.py` says what may remain) and its pipes are let go, whoever may still hold the
other end (ctx-D06, D07, D08).
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, cast

from pipeline.context.provider import family
from store import clock

STDOUT_CAP = 262_144
"""Bytes of an answer; one more is an error (`spec/context.md` §19)."""
STDERR_KEPT = 8192
"""Bytes of diagnostics that are kept; the rest is drained (ctx-D08)."""
PASSED = (
    *("PATH", "Path", "PATHEXT", "SystemRoot", "windir", "COMSPEC", "ComSpec", "TEMP", "TMP"),
    *("HOME", "USERPROFILE", "LANG", "LC_ALL"),
    *("YOTTA_LICENSE_HOME", "YOTTA_LICENSE_KEYS_DIR", "YOTTA_LICENSE_BASE_URL", "YOTTA_LICENSE_SERVER_ID"),
    clock.FIXED,
)
"""The only variables that a provider sees (`spec/context.md` §19), and the stopped clock (`decisions.md` §3.9)."""
CHUNK = 65_536
CANCEL_SLICE, EXIT_SLICE, REAP = 0.025, 0.004, 0.25
"""Seconds: between looks at the cancel flag, between looks for the exit, and for a killed process to be gone."""


@dataclass(frozen=True, slots=True)
class Run:
    """How it went. `code` is the exit code, negative for a signal; `stdout` ends at the cap plus one byte."""

    end: Literal["ended", "not_started", "timeout", "too_much", "cancelled"]
    duration_ms: int = 0
    code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    reason: str = ""


@dataclass(slots=True)
class _Pipes:
    """The three pipes of a child while it runs."""

    selector: selectors.BaseSelector
    pending: memoryview
    cap: int
    """Bytes of stdout that are taken; one more ends the program."""
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)
    answering: bool = True
    """Whether stdout is still open."""
    complaining: bool = True
    """Whether stderr is still open: after the end of the program by something that it left behind."""
    inodes: set[int] = field(default_factory=set)
    """What the three pipes are called by the system: whoever holds one belongs to the program."""


def environment(home: Path, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment that a provider gets: a short list, and its own home."""
    source = os.environ if environ is None else environ
    passed = {name: source[name] for name in PASSED if name in source}
    return {**passed, "YOTTA_PROVIDER_HOME": str(home)}


def run(
    command: Sequence[str],
    home: Path,
    env: Mapping[str, str],
    *,
    stdin: bytes,
    timeout_ms: int,
    cancel: threading.Event | None = None,
    cap: int = STDOUT_CAP,
) -> Run:
    """Run `command` in `home`, give it `stdin`, and return what it said within `timeout_ms` (plus at most 500 ms).

    Blocking, for a worker thread; setting `cancel` ends it early; `cap` is how many bytes it may say. Never raises for
    anything the program does.
    """
    started = time.monotonic()
    deadline = started + timeout_ms / 1000
    if os.name == "nt":
        return Run("not_started", reason="providers run on Linux and macOS only")
    try:
        child = _start(command, home, env)
    except (OSError, ValueError) as error:
        return Run("not_started", _since(started), reason=_os_code(error))
    since = family.started(child.pid)
    with selectors.DefaultSelector() as selector:
        pipes = _Pipes(selector, memoryview(stdin), cap)
        _register(child, pipes)
        try:
            end = _serve(child, pipes, deadline, cancel)
        except BaseException:  # whoever interrupts the wait leaves nothing running behind
            family.end(child.pid, since, pipes.inodes)
            raise
        if end != "ended":
            family.end(child.pid, since, pipes.inodes)
        elif pipes.complaining:
            family.end_holders(since, pipes.inodes)
        _let_go(pipes)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(0 if end == "ended" else REAP)
    return Run(end, _since(started), child.returncode or 0, bytes(pipes.out), bytes(pipes.err))


def _since(started: float) -> int:
    """Milliseconds since `started`; 0 under a stopped clock, so that pictures of a run are alike."""
    return 0 if os.environ.get(clock.FIXED) else round((time.monotonic() - started) * 1000)


def _os_code(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    return errno.errorcode.get(number, str(number)) if number else type(error).__name__


def _start(command: Sequence[str], home: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return _spawn(list(command), home, env)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
    # An executable text without a first line that names its interpreter is the shell's (`spec/context.md` §20).
    found = command[0] if "/" in command[0] else shutil.which(command[0], path=env.get("PATH")) or command[0]
    return _spawn(["/bin/sh", found, *command[1:]], home, env)


def _spawn(command: list[str], home: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, bufsize=0, cwd=home, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )


def _register(child: subprocess.Popen[bytes], pipes: _Pipes) -> None:
    for pipe, event, name in (
        (child.stdin, selectors.EVENT_WRITE, "in"),
        (child.stdout, selectors.EVENT_READ, "out"),
        (child.stderr, selectors.EVENT_READ, "err"),
    ):
        stream = cast(IO[bytes], pipe)
        os.set_blocking(stream.fileno(), False)
        pipes.inodes.add(os.fstat(stream.fileno()).st_ino)
        pipes.selector.register(stream, event, name)


def _serve(
    child: subprocess.Popen[bytes], pipes: _Pipes, deadline: float, cancel: threading.Event | None
) -> Literal["ended", "timeout", "too_much", "cancelled"]:
    """Move bytes until the program has ended and its stdout is closed, or something is too long or too much."""
    while True:
        if len(pipes.out) > pipes.cap:
            return "too_much"
        if not pipes.answering and child.poll() is not None:
            while _move(pipes, 0) and time.monotonic() < deadline:
                pass
            return "ended"
        if cancel is not None and cancel.is_set():
            return "cancelled"
        left = deadline - time.monotonic()
        if left <= 0:
            return "timeout"
        slice_ = CANCEL_SLICE if pipes.answering else EXIT_SLICE
        _move(pipes, min(left, slice_))


def _move(pipes: _Pipes, wait: float) -> bool:
    """Move what can be moved now; whether there was anything."""
    ready = pipes.selector.select(wait)
    for key, _ in ready:
        if key.data == "in":
            _write(pipes, key)
        else:
            _read(pipes, key)
    return bool(ready)


def _write(pipes: _Pipes, key: selectors.SelectorKey) -> None:
    try:
        pipes.pending = pipes.pending[os.write(key.fd, pipes.pending[:CHUNK]) :]
    except BlockingIOError:
        return
    except OSError:  # the program does not care for the rest: no failure (ctx-D06)
        pipes.pending = memoryview(b"")
    if not pipes.pending:
        _close(pipes, key)


def _read(pipes: _Pipes, key: selectors.SelectorKey) -> None:
    try:
        data = os.read(key.fd, CHUNK)
    except BlockingIOError:
        return
    except OSError:
        data = b""
    if not data:
        pipes.answering = pipes.answering and key.data != "out"
        pipes.complaining = pipes.complaining and key.data != "err"
        _close(pipes, key)
    elif key.data == "out":
        pipes.out += data[: pipes.cap + 1 - len(pipes.out)]
    else:
        pipes.err += data[: STDERR_KEPT - len(pipes.err)]


def _close(pipes: _Pipes, key: selectors.SelectorKey) -> None:
    pipes.selector.unregister(key.fileobj)
    cast(IO[bytes], key.fileobj).close()


def _let_go(pipes: _Pipes) -> None:
    for key in list(pipes.selector.get_map().values()):
        _close(pipes, key)
