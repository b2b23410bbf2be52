"""Instruction files: the person's, those above, the nearest, `@path` expanded (`spec/formats.md` §13)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from pipeline.context.loaded.loaded import Limit, Link, Loaded, Loss, Piece, State, Statement, Why, cite, counted
from pipeline.context.loaded.markdown import Target, front, imports, spoken, statements, without_comments
from pipeline.context.loaded.places import Places, shown
from pipeline.context.loaded.reading import OUTSIDE, Read, Room, inside, is_file, is_link, read
from pipeline.context.loaded.tools import Source, Tool, own_sources, project_root, project_sources
from pipeline.context.loaded.unread import damage, large

DEEPEST_IMPORT = 5
MOST_FILES, MOST_IMPORTS = 500, 5_000
"""Files of one layout that are looked at, imports and all; and `@path`s that are looked for."""
TEXTS = frozenset({".md", ".mdc", ".markdown", ".txt"})
"""What a project's file may import from the home folder: a stranger's project could name a key there."""
AT_START, WHEN_THERE = "loaded at start", "read when the agent works in that folder"
CIRCLE = "imports itself through others, and is loaded once"


@dataclass(slots=True)
class Gathered:
    """What was found so far. `seen` are the real paths that are loaded already, each with its name."""

    tool: Tool
    places: Places
    base: Path
    pieces: list[Piece] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)
    room: Room = field(default_factory=Room)
    resolved: dict[Path, Path] = field(default_factory=dict)
    looked_for: int = 0
    reads: dict[Path, Read] = field(default_factory=dict)
    of_project: list[bool] = field(default_factory=list)

    def name(self, path: Path) -> str:
        """A file for people."""
        return shown(path, self.base, self.places.home)

    def real(self, path: Path) -> Path:
        """A path with its links resolved, each asked for once."""
        if path not in self.resolved:
            self.resolved[path] = Path(os.path.realpath(path))
        return self.resolved[path]

    def say(self, note: str) -> None:
        """Something that was too much to be looked at, once."""
        self.notes += [] if note in self.notes else [note]

    def add(self, piece: Piece, source: Source) -> None:
        """One more piece, and whether the project's limit counts it."""
        self.pieces.append(piece)
        self.of_project.append(source.of_project)


def instructions(tool: Tool, folder: Path | None, places: Places, below: Iterable[Path] = ()) -> Loaded | None:
    """What a tool loads for a folder (None: only what every project gets), or None when it loads nothing.

    `below` are files of the same names in folders under it, which are read later.
    """
    base = project_root(tool, folder, places) if folder is not None else places.home
    found = Gathered(tool, places, base)
    sources = list(own_sources(tool, places))
    mine = {source.path for source in sources}  # the home folder stands above most projects
    sources += [one for one in (project_sources(tool, folder, places) if folder else ()) if one.path not in mine]
    nested = [Source(path, base, WHEN_THERE) for path in sorted(below) if path.name in tool.names]
    if not any(source.of_project for source in sources) and not nested and folder is not None:
        return None
    for source in (*sources, *nested):
        _load(found, source, ())
    if not found.pieces:
        return None
    most = tool.most(places)
    if most:
        _cut_at(found, most)
    limits: tuple[Limit, ...] = (Limit("imports", DEEPEST_IMPORT, "deep"),) if tool.imports else ()
    limits += (Limit("the project's files together", most, "bytes"),) if most else ()
    return Loaded(
        *(tool.name, tool.agent, tool.title, base, limits),
        *(tuple(found.pieces), tuple(found.links), tuple(found.losses), tuple(found.statements)),
        notes=(*found.notes, *large(*found.reads.values())),
        project=folder,
    )


def _load(found: Gathered, source: Source, stack: tuple[Path, ...], via: str = "") -> None:
    """Take a file with all that it imports; `stack` are the files that led to it."""
    if len(found.seen) >= MOST_FILES:
        found.say(f"There are more instruction files than the first {MOST_FILES:,} looked at.")
        return
    one, name = read(source.path, source.within, found.room), found.name(source.path)
    real = os.path.realpath(source.path)
    if (before := found.seen.get(real)) is not None:
        found.add(_whole(one, name, "duplicate", f"loaded already, as {before}", via), source)
        return
    found.seen[real] = name
    outcome, reason = _standing(one, source, len(stack))
    found.losses += damage(found.tool.name, one, name)
    if outcome not in {"always", "on_demand"}:
        found.add(_whole(one, name, outcome, reason, via), source)
        if outcome == "over_limit":
            found.losses.append(_too_deep(found.tool.name, one, name, reason))
        return
    found.reads[source.path] = one
    plain, comments = without_comments(one.lines)
    if outcome == "on_demand":  # its comments are of no interest before it is loaded at all
        found.add(_whole(one, name, outcome, reason, via), source)
    for piece in _pieces(one, name, plain, comments) if outcome == "always" else ():
        found.add(
            replace(piece, reason=f"imported by {via}", via=via) if via and piece.fate == "loaded" else piece, source
        )
    start = front(one.lines)[1]
    said = statements(spoken(one.lines), source.path, name, start)
    found.statements += (replace(statement, later=bool(source.later)) for statement in said)
    if found.tool.imports:
        for target in imports(plain, start):
            _import(found, source, one, target, (*stack, source.path))


def _standing(one: Read, source: Source, depth: int) -> tuple[Why, str]:
    if one.fault:
        return ("unlooked" if one.fault == OUTSIDE else "unreadable"), one.fault
    if depth > DEEPEST_IMPORT:
        return "over_limit", f"imported {depth} deep, and at most {DEEPEST_IMPORT} are followed"
    if source.replaced:
        return "replaced", f"{source.replaced} beside it stands in its place"
    return ("on_demand", source.later) if source.later else ("always", AT_START)


def _whole(one: Read, name: str, outcome: Why, reason: str, via: str) -> Piece:
    return Piece(one.path, name, min(1, one.last), one.last, one.size, "bytes", outcome, reason, via)


def _too_deep(layout: str, one: Read, name: str, reason: str) -> Loss:
    told, more = cite(one.path, name, list(enumerate(one.lines, 1)))
    todo = "Import it from a file nearer to the top, or put its lines there."
    more += max(0, one.total - len(one.lines))
    many = counted(one.last, "line is", "lines are")
    return Loss("cut", layout, f"{many} never loaded: {reason}", todo, one.path, name, 1, one.last, told, more)


def _pieces(one: Read, name: str, plain: Sequence[str], comments: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """A file in stretches: what the agent gets, and between them the comments that stand on lines of their own."""
    inside_comment = {number for first, last in comments for number in range(first, last + 1)}
    silent = [number in inside_comment and not plain[number - 1].strip() for number in range(1, len(plain) + 1)]
    for quiet, group in groupby(range(1, len(one.raw) + 1), key=lambda number: silent[number - 1]):
        numbers = [number for number in group if quiet or number <= one.last]
        while numbers and not one.raw[numbers[0] - 1].strip():
            numbers.pop(0)
        if not numbers:
            continue
        size = sum(len(one.raw[number - 1]) + 1 for number in numbers)
        kind: tuple[Why, str] = ("for_people", "a comment is for people") if quiet else ("always", AT_START)
        yield Piece(one.path, name, numbers[0], numbers[-1], size, "bytes", *kind)


# --- imports


def _import(found: Gathered, source: Source, one: Read, target: Target, stack: tuple[Path, ...]) -> None:
    found.looked_for += 1
    if found.looked_for > MOST_IMPORTS:
        found.say(f"There are more imports than the first {MOST_IMPORTS:,} looked for.")
        return
    path, within = _where(found, source, target.text)
    state, words = _leads(found, path, within, stack)
    if state == "found" and source.of_project and within != source.within and path.suffix.casefold() not in TEXTS:
        state, words = "outside", "a file of yours that is no Markdown is not opened for a project"
    if state == "missing" and not _meant(target.text):
        return
    name = found.name(source.path)
    link = Link(source.path, name, target.line, target.text, state, one.lines[target.line - 1], words)
    found.links.append(link)
    if state == "found":
        _load(found, Source(path, within, source.later, of_project=source.of_project), stack, f"{name}:{target.line}")
    else:
        found.losses.append(_dead(found.tool.name, link))


def _where(found: Gathered, source: Source, text: str) -> tuple[Path, Path]:
    """The file that an import names, and how far it may lead: the project, or the home folder for `~`."""
    if text.startswith("~/"):
        return Path(os.path.normpath(found.places.home / text[2:])), found.places.home
    return Path(os.path.normpath(source.path.parent / text)), source.within


def _leads(found: Gathered, path: Path, within: Path, stack: tuple[Path, ...]) -> tuple[State, str]:
    """Where an import leads; what lies outside is not looked at."""
    if "\0" in str(path) or not inside(path, within) or not inside(found.real(path.parent), found.real(within)):
        return "outside", OUTSIDE
    if not is_file(path) and not is_link(path):
        return "missing", "there is no such file"
    if not inside(found.real(path), found.real(within)):
        return "outside", OUTSIDE
    if found.real(path) in map(found.real, stack):
        return "circle", CIRCLE
    return ("found", "") if is_file(path) else ("missing", "there is no such file")


def _meant(text: str) -> bool:
    """Whether a path that is not there was meant as one, and is not the name of a person, a decorator or a package."""
    last = text.rpartition("/")[2]
    return text.startswith(("./", "../", "~/", "/")) or bool(Path(last).suffix[1:].isalnum() and last[0] != ".")


def _dead(layout: str, link: Link) -> Loss:
    todos = {
        "missing": "Correct the path, take it out, or put `code` marks around what is no import.",
        "outside": "Bring the file into the project; Memdesk does not look there, and Claude Code asks first.",
        "circle": "Take one of the imports out.",
    }
    told, _ = cite(link.file, link.name, [(link.line, link.text)])
    title = f"@{link.target}: {link.words}"
    return Loss("link", layout, title, todos[link.state], link.file, link.name, link.line, link.line, told)


# --- the limit of all files together


def _cut_at(found: Gathered, most: int) -> None:
    """Cut what stands past a limit in bytes over the project's files, in loading order."""
    pieces: list[Piece] = []
    used = 0
    for piece, counts in zip(found.pieces, found.of_project, strict=True):
        if piece.outcome != "always" or not counts or used + piece.size <= most:
            pieces.append(piece)
            used += piece.size if piece.outcome == "always" and counts else 0
            continue
        kept, lost = _split(found.reads[piece.file], piece, most - used, most)
        pieces += [kept] if kept is not None else []
        pieces.append(lost)
        used = most
        lines = [(at, found.reads[piece.file].lines[at - 1]) for at in range(lost.first, lost.last + 1)]
        told, more = cite(piece.file, piece.name, lines)
        many = counted(len(lines), "line is", "lines are")
        todo = "Move what matters less to a file that is read when it is needed, or raise project_doc_max_bytes."
        title = f"{many} never loaded: {lost.reason}"
        span = (piece.file, piece.name, lost.first, lost.last)
        found.losses.append(Loss("cut", found.tool.name, title, todo, *span, told, more))
    found.pieces = pieces


def _split(one: Read, piece: Piece, room: int, most: int) -> tuple[Piece | None, Piece]:
    used, last = 0, piece.first - 1
    for number in range(piece.first, piece.last + 1):
        size = len(one.raw[number - 1]) + 1
        if used + size > room:
            break
        used, last = used + size, number
    reason = f"past {most:,} bytes of all files together"
    lost = replace(piece, first=last + 1, size=piece.size - used, outcome="budget", reason=reason)
    return (replace(piece, last=last, size=used) if last >= piece.first else None), lost
