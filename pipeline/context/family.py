"""Ends a program with everything that it started, also what made a session of its own (ctx-D07).

Linux only: elsewhere the process group is all that can be found. What remains alive on Linux is a process that did
three things before the kill: it lost its parent, left the session, and let go of all three pipes. Nothing tells it
from a server that the provider started on purpose, which the protocol allows (`spec/context.md` §20).
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Set
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


def end(leader: int, pipes: Set[int]) -> None:
    """Kill the program that leads the group `leader`, its group and session, and all that descend from them.

    `pipes` are the inodes of its three pipes: whoever else holds one is of the family, whatever it calls itself. The
    leader must not have been reaped, so that its number cannot be another's. Each process found is stopped first,
    because one that runs could start another while the rest is killed.
    """
    found: set[int] = set()
    for _ in range(ROUNDS):
        new = family(leader, pipes, found) - found
        if not new:
            break
        _send(new, signal.SIGSTOP)
        found |= new
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    _send({leader, *found}, signal.SIGKILL)


def family(leader: int, pipes: Set[int], known: Iterable[int] = ()) -> set[int]:
    """The numbers of all processes that belong to the program `leader`; those `known` to belong are not forgotten."""
    running = {process.pid: process for process in processes()}
    if leader not in running:
        return set()
    since = running[leader].started
    later = [one for one in running.values() if one.started >= since and one.pid != os.getpid()]
    members = {leader, *known}
    members |= {one.pid for one in later if leader in {one.group, one.session} or _holds(one, pipes)}
    return members | _descendants(running, members)


def _descendants(running: Mapping[int, Process], members: Set[int]) -> set[int]:
    found: set[int] = set()
    new = set(members)
    while new:
        new = {one.pid for one in running.values() if one.parent in new} - found - members
        found |= new
    return found


def _holds(process: Process, pipes: Set[int]) -> bool:
    """Whether a process has one of the pipes open. Our own children do for an instant, before they become a program."""
    if process.parent == os.getpid():
        return False
    names = {f"pipe:[{inode}]" for inode in pipes}
    try:
        return any(_target(handle) in names for handle in (PROC / str(process.pid) / "fd").iterdir())
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
