"""Gemini CLI's private memory of each project, and the queue of what it wants to remember (`spec/formats.md` §4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.context.loaded.loaded import Loaded, Loss, Piece, Why, cite
from pipeline.context.loaded.reading import OUTSIDE, Read, Room, entries, is_folder, is_link, read
from pipeline.context.loaded.unread import damage, large

NAME = "gemini-memory"
INBOX = ".inbox"
QUEUES = ("private", "global")
MOST = 1_000


def gemini_memory(folder: Path) -> Loaded | None:
    """The memories below Gemini CLI's own folder, each for its project alone; None where there are none.

    Patches in the queue are shown, and never applied.
    """
    room = Room()
    memories = [memory for memory in _folders(folder / "tmp") if is_folder(memory) and not is_link(memory)]
    found = [(memory, read(path, memory, room)) for memory in memories for path in _files(memory, ".md")]
    waiting = [(memory, read(path, memory, room)) for memory in memories for path in _queued(memory)]
    if not found and not waiting:
        return None
    pieces = [_piece(folder, one, "loaded in its own project") for _, one in found]
    pieces += [_piece(folder, one, "waits for your decision in Gemini CLI") for _, one in waiting]
    losses = [loss for _, one in found for loss in damage(NAME, one, _name(folder, one))]
    losses += [_waits(one, _name(folder, one)) for _, one in waiting]
    notes = tuple(large(*(one for _, one in (*found, *waiting))))
    title = "Gemini CLI's memory of each project"
    return Loaded(NAME, "Gemini CLI", title, folder, pieces=tuple(pieces), losses=tuple(losses), notes=notes)


def _folders(tmp: Path) -> Iterator[Path]:
    return (tmp / one.name / "memory" for one in entries(tmp, MOST) if one.is_dir(follow_symlinks=False))


def _queued(memory: Path) -> Iterator[Path]:
    for queue in QUEUES:
        yield from _files(memory / INBOX / queue, ".patch")


def _files(folder: Path, ending: str) -> Iterator[Path]:
    return (folder / one.name for one in entries(folder, MOST) if one.name.endswith(ending))


def _name(folder: Path, one: Read) -> str:
    return one.path.relative_to(folder).as_posix()


def _piece(folder: Path, one: Read, reason: str) -> Piece:
    outcome: Why = "on_demand" if not one.fault else "unlooked" if one.fault == OUTSIDE else "unreadable"
    span = (min(1, one.last), one.last, one.size)
    return Piece(one.path, _name(folder, one), *span, "bytes", outcome, one.fault or reason)


def _waits(one: Read, name: str) -> Loss:
    added = [(number, line) for number, line in enumerate(one.lines, 1) if line[:1] == "+" and line[:3] != "+++"]
    told, more = cite(one.path, name, added)
    todo = "Accept or refuse it in Gemini CLI; Memdesk shows the queue and never applies it."
    return Loss("unread", NAME, "a memory waits for your decision", todo, one.path, name, lines=told, more=more)
