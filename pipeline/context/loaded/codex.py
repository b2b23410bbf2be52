"""Codex's memories: a summary that is always loaded, and what is searched (`spec/formats.md` §3.2)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pipeline.context.loaded.loaded import Link, Loaded, Loss, Piece, State, Statement, Why, cite
from pipeline.context.loaded.markdown import spoken, statements
from pipeline.context.loaded.reading import OUTSIDE, Read, Room, read, there, walk
from pipeline.context.loaded.unread import damage, large

NAME = "codex-memories"
SUMMARY, SEARCHED, RAW = "memory_summary.md", "MEMORY.md", "raw_memories.md"
ROLLOUTS, SKILLS = "rollout_summaries", "skills"
MARK = "v1"
"""The first line of the summary, exactly."""
MOST_FILES = 2_000
_ROLLOUT = re.compile(r"^\s*[-*]\s+(rollout_summaries/[^\s()]+)")
_REASONS: Mapping[str, tuple[Why, str]] = {
    SUMMARY: ("always", "always loaded"),
    SEARCHED: ("on_demand", "searched when the summary points to it"),
    RAW: ("on_demand", "what the memories are made from"),
}


def codex_memories(folder: Path) -> Loaded:
    """What Codex loads of its memories folder: the summary whole, everything else only when it looks for it."""
    listed = walk(folder, (".md",), most=MOST_FILES)
    room = Room()
    named = {name: read(folder / name, folder) for name in (SUMMARY, SEARCHED)}
    for path in listed.files:
        named.setdefault(path.relative_to(folder).as_posix(), read(path, folder, room))
    order = [SUMMARY, SEARCHED, RAW, *sorted(name for name in named if name not in _REASONS)]
    pieces = [
        _piece(name, named[name]) for name in order if name in named and (name == SUMMARY or there(named[name].path))
    ]
    links = tuple(_links(folder, named[SEARCHED]))
    notes = [] if listed.complete else [f"{folder} holds more files than the first {len(listed.files):,} looked at."]
    return Loaded(
        *(NAME, "Codex", "Codex's memories", folder),
        pieces=tuple(pieces),
        links=links,
        losses=tuple(_losses(named, links)),
        statements=tuple(_said(named)),
        notes=(*notes, *large(*named.values())),
    )


def _piece(name: str, one: Read) -> Piece:
    outcome, reason = _REASONS.get(name, _others(name))
    if one.fault:
        missing = "it is not there: nothing of the folder is loaded"
        outcome = "unlooked" if one.fault == OUTSIDE else "unreadable"
        reason = one.fault if there(one.path) else missing
    return Piece(one.path, name, min(1, one.last), one.last, one.size, "bytes", outcome, reason)


def _others(name: str) -> tuple[Why, str]:
    top = name.partition("/")[0]
    words = {ROLLOUTS: "what the memories are made from", SKILLS: "read when the skill is used"}
    return "on_demand", words.get(top, "read when Codex asks for it")


def _links(folder: Path, searched: Read) -> Iterator[Link]:
    """The rollout summaries that the tasks of `MEMORY.md` rest on."""
    for number, line in enumerate(searched.lines, 1):
        if (found := _ROLLOUT.match(line)) is not None:
            path = os.path.normpath(found[1])
            state: State = "found" if there(folder / path) else "missing"
            if path.startswith(".."):
                state = "outside"
            words = {"missing": "the summary of that session is gone", "outside": OUTSIDE}.get(state, "")
            yield Link(searched.path, SEARCHED, number, found[1], state, line, words)


def _losses(named: Mapping[str, Read], links: Iterable[Link]) -> Iterator[Loss]:
    for link in links:
        if link.state != "found":
            told, _ = cite(link.file, link.name, [(link.line, link.text)])
            title, todo = f"{link.target}: {link.words}", "What this task says rests on nothing any more: check it."
            yield Loss("link", NAME, title, todo, link.file, link.name, link.line, link.line, told)
    for name, one in named.items():
        yield from damage(NAME, one, name)
    summary = named[SUMMARY]
    if not there(summary.path):
        todo = "Let Codex write it again; until then it begins without any of these memories."
        yield Loss("unread", NAME, f"there is no {SUMMARY}: nothing is loaded at start", todo, summary.path, SUMMARY)
    elif not summary.fault and (not summary.raw or summary.raw[0].removesuffix(b"\r") != MARK.encode()):
        told, _ = cite(summary.path, SUMMARY, list(enumerate(summary.lines[:1], 1)))
        title = f"the first line is not exactly {MARK}, by which Codex knows its summary"
        todo = f"Make {MARK} the first line, or let Codex write the file again."
        yield Loss("unread", NAME, title, todo, summary.path, SUMMARY, 1, 1, told)


def _said(named: Mapping[str, Read]) -> Iterator[Statement]:
    """The summary alone: `MEMORY.md` says the same at length, by design."""
    summary = named[SUMMARY]
    return statements(spoken(summary.lines), summary.path, SUMMARY, 1)
