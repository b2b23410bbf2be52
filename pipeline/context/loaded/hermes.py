"""Hermes's memory: two files of entries, each with a limit in characters (`spec/formats.md` §14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.context.loaded.loaded import Limit, Loaded, Loss, Piece, Statement, Why, cite, counted
from pipeline.context.loaded.places import hermes_limits
from pipeline.context.loaded.reading import OUTSIDE, Read, entries, read, there
from pipeline.context.loaded.unread import damage, large

NAME = "hermes"
FILES = ("MEMORY.md", "USER.md")
SEPARATOR = "§"
"""On a line of its own it stands between two entries."""
BETWEEN = len(f"\n{SEPARATOR}\n")
MOST_WAITING = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its text, its lines, and how many characters the file holds up to its end."""

    text: str
    first: int
    last: int
    end: int


def hermes(folder: Path) -> Loaded:
    """What Hermes loads of its memories folder, and which entries stand past the limits."""
    most = hermes_limits(folder.parent)
    limits = tuple(Limit(name, most[name], "characters") for name in FILES)
    found = {name: read(folder / name, folder) for name in FILES if there(folder / name)}
    split = {name: tuple(split_entries(one)) for name, one in found.items()}
    pieces = [piece for name, one in found.items() for piece in _pieces(one, name, split[name], most[name])]
    losses = [loss for name, one in found.items() for loss in _losses(one, name, split[name], most[name])]
    said = [Statement(entry.text, one.path, name, entry.first) for name, one in found.items() for entry in split[name]]
    return Loaded(
        *(NAME, "Hermes", "Hermes's memory", folder, limits, tuple(pieces)),
        losses=(*losses, *_waiting(folder.parent / "pending" / "memory")),
        statements=tuple(said),
        notes=tuple(large(*found.values())),
    )


def split_entries(one: Read) -> Iterator[Entry]:
    """The entries of a file; empty ones are none. Characters are counted as Hermes joins the entries again."""
    held: list[tuple[int, str]] = []
    end = -BETWEEN
    for number, line in [*enumerate(one.lines, 1), (0, SEPARATOR)]:
        if line.strip() != SEPARATOR:
            held.append((number, line))
            continue
        while held and not held[-1][1].strip():
            held.pop()
        while held and not held[0][1].strip():
            held.pop(0)
        if held:
            text = "\n".join(part for _, part in held).strip()
            end += BETWEEN + len(text)
            yield Entry(text, held[0][0], held[-1][0], end)
        held = []


def _pieces(one: Read, name: str, split: Sequence[Entry], most: int) -> Iterator[Piece]:
    if one.fault:
        outcome: Why = "unlooked" if one.fault == OUTSIDE else "unreadable"
        yield Piece(one.path, name, 0, 0, one.size, "characters", outcome, one.fault)
        return
    seen: dict[str, Entry] = {}
    for entry in split:
        outcome, reason = "always", "loaded at start"
        if (before := seen.setdefault(entry.text, entry)) is not entry:
            outcome, reason = "duplicate", f"the same as the entry in line {before.first}"
        elif entry.end > most:
            outcome, reason = "over_limit", f"past {most:,} characters"
        yield Piece(one.path, name, entry.first, entry.last, len(entry.text), "characters", outcome, reason)


def _losses(one: Read, name: str, split: Sequence[Entry], most: int) -> Iterator[Loss]:
    yield from damage(NAME, one, name)
    used = split[-1].end if split else 0
    past = [entry for entry in split if entry.end > most]
    if used < most or one.fault:
        return
    title = f"{name} is full: {used:,} of {most:,} characters"
    if past:
        entries_are = counted(len(past), "entry stands", "entries stand")
        title = f"{entries_are} past the limit: {used:,} of {most:,} characters"
    todo = "Hermes refuses every new entry until the file is shorter: merge or drop what is said twice or is old."
    lines = [(number, one.lines[number - 1]) for entry in past for number in range(entry.first, entry.last + 1)]
    told, more = cite(one.path, name, lines)
    first, last = (past[0].first, past[-1].last) if past else (0, 0)
    yield Loss("cut", NAME, title, todo, one.path, name, first, last, told, more)


def _waiting(folder: Path) -> Iterator[Loss]:
    """Writes that wait for a person: no session is told of them until then."""
    found = [entry.name for entry in entries(folder, MOST_WAITING) if entry.name.endswith(".json")]
    if found:
        many = counted(len(found), "staged entry waits", "staged entries wait")
        todo = "Approve or refuse them in Hermes; Memdesk does not touch them."
        yield Loss("unread", NAME, f"{many} for a decision", todo, folder, "pending/memory")
