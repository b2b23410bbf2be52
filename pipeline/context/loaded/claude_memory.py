"""Claude Code's auto memory: the beginning of an index is loaded, files on demand (`spec/formats.md` §2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pipeline.context.loaded.claude_folder import INDEX, NAME, Folder, read_folder
from pipeline.context.loaded.claude_links import dead, links, pointed, relative_path
from pipeline.context.loaded.loaded import Limit, Link, Loaded, Loss, Piece, Statement, Why, cite, counted
from pipeline.context.loaded.markdown import front, spoken, statements, targets, without_comments
from pipeline.context.loaded.places import Places, shown
from pipeline.context.loaded.reading import OUTSIDE, Read, Room, inside, there
from pipeline.context.loaded.unread import damage, large, unread

MOST_LINES = 200
MOST_BYTES = 25_000
"""Of the index so much is loaded, whichever ends first; the cut falls between two lines (§2.2)."""
LIMITS = (Limit(INDEX, MOST_LINES, "lines"), Limit(INDEX, MOST_BYTES, "bytes"))
MOST_FILES, MOST_LINKS = 2_000, 10_000
NOT_POINTED = f"no line of {INDEX} points to it"


def claude_memory(folder: Path, places: Places, project: Path | None = None, room: Room | None = None) -> Loaded:
    """What Claude Code loads of a memory folder, and what of it stays unseen.

    `project` is whose memory it is; `room` bounds what is looked into, over several folders.
    """
    found = read_folder(folder, room or Room(), MOST_FILES)
    loaded = whole_lines(found.index)
    every = tuple(islice(links(found), MOST_LINKS))
    by_index = pointed(every)
    pieces = _index_pieces(found, loaded)
    others = {link.leads: link.name for link in every if link.name not in (INDEX, link.leads)}
    topics = found.topics.items()
    pieces += [_topic(one, name, by_index.get(name), others.get(name, ""), loaded) for name, one in topics]
    losses = [*_cut(found, loaded), *dead(every), *_unread(found, pieces, by_index, loaded)]
    notes = (
        [] if found.complete else [f"{found.label} holds more files than the first {len(found.topics):,} looked at."]
    )
    notes += [f"Only the first {MOST_LINKS:,} links were looked at."] if len(every) == MOST_LINKS else []
    notes += large(found.index, *found.topics.values())
    title = "Claude Code's auto memory"
    return Loaded(
        *(NAME, "Claude Code", title, folder, LIMITS, tuple(pieces), every, tuple(losses)),
        statements=tuple(_said(found, loaded)),
        notes=tuple(notes),
        project=project or _slug_folder(folder, places),
    )


def _slug_folder(folder: Path, places: Places) -> Path | None:
    """The folder that stands for the project, where Claude Code keeps one; two memories are never one context."""
    return folder.parent if folder.name == "memory" or inside(folder, places.projects) else folder


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
            about.setdefault(target.line, relative_path(target.text, Path()) or "")
    for one in statements(spoken(lines), found.index.path, INDEX):
        yield replace(one, of=about.get(one.line, ""))
    for name, topic in found.topics.items():
        start = front(topic.lines)[1]
        yield from (replace(one, of=name) for one in statements(spoken(topic.lines), topic.path, name, start))
