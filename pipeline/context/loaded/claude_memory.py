"""Claude Code's auto memory: the beginning of an index is loaded, files on demand (`spec/formats.md` §2.2)."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pipeline.context.loaded.loaded import Limit, Link, Loaded, Loss, Piece, State, Statement, Why, cite, counted
from pipeline.context.loaded.markdown import Target, front, spoken, statements, targets, without_comments
from pipeline.context.loaded.places import Places, shown
from pipeline.context.loaded.reading import OUTSIDE, Read, Room, inside, read, there, walk
from pipeline.context.loaded.unread import damage, large, unread

NAME = "claude-memory"
INDEX = "MEMORY.md"
MOST_LINES = 200
MOST_BYTES = 25_000
"""Of the index so much is loaded, whichever ends first; the cut falls between two lines (§2.2)."""
LIMITS = (Limit(INDEX, MOST_LINES, "lines"), Limit(INDEX, MOST_BYTES, "bytes"))
MOST_FILES, MOST_LINKS = 2_000, 10_000
NOT_POINTED = f"no line of {INDEX} points to it"


@dataclass(frozen=True, slots=True)
class Folder:
    """The memory folder as it was read: the index, the other files by their name, and who they say they are."""

    path: Path
    label: str
    index: Read
    topics: Mapping[str, Read]
    complete: bool

    @property
    def names(self) -> dict[str, str]:
        """The files by what `[[…]]` may call them: the name in the front matter, or that of the file."""
        named = {_plain(Path(name).stem): name for name in self.topics}
        return named | {_plain(front(one.lines)[0].get("name", "") or name): name for name, one in self.topics.items()}


def claude_memory(folder: Path, places: Places, project: Path | None = None, room: Room | None = None) -> Loaded:
    """What Claude Code loads of a memory folder, and what of it stays unseen.

    `project` is whose memory it is; `room` bounds what is looked into, over several folders.
    """
    found = _folder(folder, room or Room())
    loaded = whole_lines(found.index)
    links = tuple(islice(_links(found), MOST_LINKS))
    pointed = _pointed(links)
    pieces = _index_pieces(found, loaded)
    others = {link.leads: link.name for link in links if link.name not in (INDEX, link.leads)}
    pieces += [_topic(one, name, pointed.get(name), others.get(name, ""), loaded) for name, one in found.topics.items()]
    losses = [*_cut(found, loaded), *_dead(links), *_unread(found, pieces, pointed, loaded)]
    notes = (
        [] if found.complete else [f"{found.label} holds more files than the first {len(found.topics):,} looked at."]
    )
    notes += [f"Only the first {MOST_LINKS:,} links were looked at."] if len(links) == MOST_LINKS else []
    notes += large(found.index, *found.topics.values())
    title = "Claude Code's auto memory"
    return Loaded(
        *(NAME, "Claude Code", title, folder, LIMITS, tuple(pieces), links, tuple(losses)),
        statements=tuple(_said(found, loaded)),
        notes=tuple(notes),
        project=project or _slug_folder(folder, places),
    )


def _slug_folder(folder: Path, places: Places) -> Path | None:
    """The folder that stands for the project, where Claude Code keeps one; two memories are never one context."""
    return folder.parent if folder.name == "memory" or inside(folder, places.projects) else folder


def _folder(folder: Path, room: Room) -> Folder:
    listed = walk(folder, (".md",), most=MOST_FILES)
    topics = {path.relative_to(folder).as_posix(): path for path in listed.files if path != folder / INDEX}
    read_all = {name: read(path, folder, room) for name, path in topics.items()}
    return Folder(folder, str(folder), read(folder / INDEX, folder), read_all, listed.complete)


def _all(found: Folder) -> Iterable[Read]:
    return (found.index, *found.topics.values())


def whole_lines(index: Read) -> int:
    """How many lines of an index are loaded whole: the first 200, and no more bytes than fit (§2.2)."""
    used = -1
    for number, line in enumerate(index.raw[:MOST_LINES]):
        used += len(line) + 1
        if used > MOST_BYTES:
            return number
    return min(len(index.raw), MOST_LINES, index.last)


def _reason(index: Read, loaded: int) -> tuple[Why, str]:
    if loaded >= MOST_LINES:
        return "over_limit", f"past the first {MOST_LINES} lines"
    return "budget", f"past the first {MOST_BYTES:,} bytes"


def _index_pieces(found: Folder, loaded: int) -> list[Piece]:
    index = found.index
    if index.fault:
        missing = (
            "there is no index: Claude Code loads nothing of this folder" if not there(index.path) else index.fault
        )
        return [Piece(index.path, INDEX, 0, 0, 0, "bytes", "unreadable", missing)]
    sizes = [len(line) + 1 for line in index.raw]
    first = Piece(index.path, INDEX, min(1, loaded), loaded, sum(sizes[:loaded]), "bytes", "always", "loaded at start")
    if loaded >= index.last:
        return [first]
    kept = first if loaded else replace(first, first=1, last=1, size=MOST_BYTES, reason="cut in the middle of the line")
    size = index.size - kept.size
    outcome, why = _reason(index, loaded)
    return [kept, Piece(index.path, INDEX, loaded + 1, index.last, size, "bytes", outcome, why)]


def _cut(found: Folder, loaded: int) -> list[Loss]:
    index = found.index
    if index.fault or loaded >= index.last:
        return []
    number, first = index.last - loaded, loaded + 1
    lines = [(at, index.lines[at - 1]) for at in range(first, min(index.last, len(index.lines)) + 1)]
    told, more = cite(index.path, INDEX, lines)
    many = counted(number, "line is", "lines are")
    title = f"{'' if index.counted else 'at least '}{many} never loaded: {_reason(index, loaded)[1]}"
    todo = "Shorten the index: one line a memory, merge or drop old ones, and put what matters most first."
    more += max(0, index.last - len(index.lines))
    return [Loss("cut", NAME, title, todo, index.path, INDEX, first, index.last, told, more)]


# --- links


def _links(found: Folder) -> Iterable[Link]:
    names, folded = found.names, {_composed(name).casefold(): name for name in found.topics}
    for name, one in ((INDEX, found.index), *found.topics.items()):
        for target in targets(without_comments(one.lines)[0]):
            if target.kind == "name":
                state, leads, words = _named(target.text, names)
            else:
                state, leads, words = _leads(found, target, Path(name).parent, folded)
            yield Link(one.path, name, target.line, target.text, state, one.lines[target.line - 1], words, leads)


def _named(text: str, names: Mapping[str, str]) -> tuple[State, str, str]:
    """Which file a `[[name]]` means."""
    name = names.get(_plain(text), "")
    return ("found", name, "") if name or text == INDEX else ("missing", "", "no memory has this name")


def _leads(found: Folder, target: Target, beside: Path, folded: Mapping[str, str]) -> tuple[State, str, str]:
    """Where a link leads. What lies outside the folder is never looked at, not even whether it is there."""
    if target.external:
        return "external", "", "leads to the web"
    relative = _relative(target.text.partition("#")[0].partition("?")[0], beside)
    if relative is None or (there(found.path / relative) and _out(found.path / relative, found.path)):
        return "outside", "", OUTSIDE
    if relative in found.topics:
        return "found", relative, ""
    if (other := folded.get(_composed(relative).casefold())) is not None:
        same = _composed(other) == _composed(relative) and there(found.path / relative)
        return ("found", other, "") if same else ("case", other, f"the file is called {other}")
    return ("found", "", "") if there(found.path / relative) else ("missing", "", "there is no such file")


def _relative(path: str, beside: Path) -> str | None:
    """A link's path below the folder, lexically; None for one that climbs out, or is absolute."""
    if path.startswith(("/", "~", "\\")) or "\0" in path:
        return None
    plain = Path(os.path.normpath(beside / path)).as_posix()
    return None if plain == ".." or plain.startswith("../") else "" if plain == "." else plain


def _out(path: Path, folder: Path) -> bool:
    return not inside(Path(os.path.realpath(path)), Path(os.path.realpath(folder)))


def _composed(name: str) -> str:
    """A name in one form: some systems write an accent as a letter of its own."""
    return unicodedata.normalize("NFC", name)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


def _pointed(links: Sequence[Link]) -> dict[str, Link]:
    """The files that the index points to, each with the first line that does; one in other letters comes last."""
    found: dict[str, Link] = {}
    for link in sorted(links, key=lambda link: link.state == "case"):
        if link.name == INDEX and link.leads:
            found.setdefault(link.leads, link)
    return found


def _dead(links: Sequence[Link]) -> Iterable[Loss]:
    todos = {
        "missing": "Write the file again, or take the link out.",
        "case": "Write the name as the file has it: on other machines the link leads nowhere.",
        "outside": "Keep memories inside the folder; a link that climbs out can lead an agent anywhere.",
    }
    for link in links:
        if link.state in todos:
            told, _ = cite(link.file, link.name, [(link.line, link.text)])
            title = f"{link.target}: {link.words}"
            yield Loss("link", NAME, title, todos[link.state], link.file, link.name, link.line, link.line, told)


# --- files that no line points to


def _topic(one: Read, name: str, link: Link | None, other: str, loaded: int) -> Piece:
    """A file besides the index: `link` is the line of the index that points to it, `other` another file that does."""
    outcome: Why = "not_indexed"
    if one.fault:
        outcome, reason = ("unlooked" if one.fault == OUTSIDE else "unreadable"), one.fault
    elif link is None:
        reason = f"{NOT_POINTED}; {other} does" if other else NOT_POINTED
    elif link.line > loaded:
        reason = f"only line {link.line} of {INDEX} points to it, and that is cut"
    elif link.state == "case":
        reason = f"{INDEX} points to it in other letters: {link.target}"
    else:
        outcome, reason = "on_demand", "read when Claude Code asks for it"
    return Piece(one.path, name, min(1, one.last), one.last, one.size, "bytes", outcome, reason)


def _unread(found: Folder, pieces: Sequence[Piece], pointed: Mapping[str, Link], loaded: int) -> Iterable[Loss]:
    for one in _all(found):
        yield from damage(NAME, one, shown(one.path, found.path, found.path))
    if not there(found.index.path):
        if found.topics:
            todo = f"Write {INDEX} with a line for each file; Claude Code finds its memories by it alone."
            many = counted(len(found.topics), "file is", "files are")
            title = f"there is no {INDEX}: {many} never found"
            yield Loss("unread", NAME, title, todo, found.index.path, INDEX)
        return
    for piece in pieces:
        if piece.reason.startswith(NOT_POINTED):
            todo = f"Add a line to {INDEX}: - [Title]({piece.name}) and what it is about."
            yield unread(NAME, found.topics[piece.name], piece.name, piece.reason, todo)
    below = sorted({(link.line, link.text) for link in pointed.values() if link.line > loaded})
    if below:
        told, more = cite(found.index.path, INDEX, below)
        many = counted(len(below), "memory file is", "memory files are")
        title = f"{many} pointed to only by lines that are cut"
        todo = "Shorten the index above them; the files themselves are never found otherwise."
        yield Loss("unread", NAME, title, todo, found.index.path, INDEX, told[0].line, told[-1].line, told, more)


# --- what it says


def _said(found: Folder, loaded: int) -> Iterable[Statement]:
    about: dict[int, str] = {}
    lines = found.index.lines[:loaded]
    for target in targets(without_comments(lines)[0]):
        if target.kind == "link" and not target.external:
            about.setdefault(target.line, _relative(target.text, Path()) or "")
    for one in statements(spoken(lines), found.index.path, INDEX):
        yield replace(one, of=about.get(one.line, ""))
    for name, topic in found.topics.items():
        start = front(topic.lines)[1]
        yield from (replace(one, of=name) for one in statements(spoken(topic.lines), topic.path, name, start))
