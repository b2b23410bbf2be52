"""Ends a program with everything that it started, also what made a session of its own (ctx-D07).

Linux only: elsewhere the process group is all that can be found. What remains alive on Linux is a process that did
three things before the kill: it lost its parent, left the session, and let go of all three pipes. Nothing tells it
from a server that the provider started on purpose, which the protocol allows (`spec/context.md` §20).
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
ROUNDS = 8
"""Looks at the processes before the kill; what is found is stopped at once, so one or two are usual."""


class Process(NamedTuple):
    """A running process as `/proc/PID/stat` tells it; `started` in clock ticks since the machine came up."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def started(pid: int) -> int:
    """When a process was started, in clock ticks; 0 where that cannot be told."""
    process = _process(str(pid))
    return process.started if process is not None else 0


def end(leader: int, since: int, pipes: Set[int]) -> None:
    """Kill the program that leads the group `leader`, its group and session, and all that descend from them.

    `since` is when the program was started, `pipes` the inodes of its three pipes: whoever else holds one is of the
    family, whatever it calls itself. The leader must not have been reaped, so that its number cannot be another's.
    """

    def find(running: Mapping[int, Process]) -> set[int]:
        own = {one.pid for one in running.values() if one.started >= since and leader in {one.group, one.session}}
        return {leader} | own | holders(running, since, pipes)

    found = _stop(find)
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    _send({leader, *found}, signal.SIGKILL)


def end_holders(since: int, pipes: Set[int]) -> None:
    """Kill what still holds a pipe of a program that has ended, with its descendants; others of its family may stay."""
    _send(_stop(lambda running: holders(running, since, pipes)), signal.SIGKILL)


def _stop(find: Callable[[Mapping[int, Process]], set[int]]) -> set[int]:
    """Find processes with their descendants, and stop them: one that runs could start another during the kill."""
    found: set[int] = set()
    for _ in range(ROUNDS):
        running = {process.pid: process for process in processes()}
        new = _with_descendants(running, find(running) | found) - found
        if not new:
            break
        _send(new, signal.SIGSTOP)
        found |= new
    return found


def holders(running: Mapping[int, Process], since: int, pipes: Set[int]) -> set[int]:
    """The processes, not older than `since`, that have one of the pipes open; never this one."""
    own = os.getpid()
    names = {f"pipe:[{inode}]" for inode in pipes}
    # Our own other children hold them for an instant, before they become a program: they are not of the family.
    others = (one for one in running.values() if one.started >= since and own not in {one.pid, one.parent})
    return {one.pid for one in others if _holds(one.pid, names)}


def _with_descendants(running: Mapping[int, Process], members: Set[int]) -> set[int]:
    found, new = set(members), set(members)
    while new:
        new = {one.pid for one in running.values() if one.parent in new} - found
        found |= new
    return found


def _holds(pid: int, names: Set[str]) -> bool:
    try:
        return any(_target(handle) in names for handle in (PROC / str(pid) / "fd").iterdir())
    except OSError:  # gone, or of another user
        return False


def _target(handle: Path) -> str:
    try:
        return str(handle.readlink())
    except OSError:
        return ""


def processes() -> Iterator[Process]:
    """Every process of the machine that is not dead; nothing where there is no `/proc`."""
    try:
        names = [entry.name for entry in PROC.iterdir()]
    except OSError:
        return
    for name in names:
        process = _process(name) if name.isdigit() else None
        if process is not None:
            yield process


def _process(name: str) -> Process | None:
    try:
        told = (PROC / name / "stat").read_bytes()
    except OSError:
        return None
    # The name of the program stands in brackets and may hold anything, brackets too.
    state, *rest = told[told.rindex(b")") + 2 :].split()
    if state in {b"Z", b"X"}:
        return None
    return Process(int(name), int(rest[0]), int(rest[1]), int(rest[2]), int(rest[18]))


def _send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
