"""OpenClaw sessions (`spec/formats.md` §14): a tree of entries, and messages that went through a gateway."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from pipeline.formats.branches import ABANDONED as LEFT
from pipeline.formats.branches import Tree
from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, compact, mapping, string, text_of
from pipeline.formats.copies import Seen, is_repeated
from pipeline.formats.lines import Item, Record
from pipeline.formats.numbers import Numbers
from pipeline.formats.openclaw_gateway import SUBAGENT_MARKS, words_of
from pipeline.formats.session import Author, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, project_of
from pipeline.formats.turns import ABANDONED, TurnLog

NAME = "openclaw"

_PROVENANCE = {"inter_session": "inter-session message", "internal_system": "written by the system"}
_SUMMARIES = {"compaction": "compaction", "branch_summary": "summary of a branch"}
_SUMMARY_ROLES = {"compactionSummary": "compaction", "branchSummary": "summary of a branch"}


class _Reading:
    """What has been gathered while the entries go by."""

    def __init__(self, source: Source) -> None:
        self.frame = Frame(source)
        self.header: dict[str, Any] = {}
        self.turns = TurnLog()
        self.compactions: list[int] = []
        ids = Numbers()
        self.seen, self.tree = Seen(ids), Tree(ids)
        self.entries = array("i")
        """The entry of each turn by its number in the tree, -1 for one without an id."""
        self.spoken = self.subagent = False


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of a file. Damaged lines are in its `damage`; nothing is raised for them."""
    reading = _Reading(source)
    for item in reading.frame.records(items):
        if item.data.get("type") == "session":
            reading.header = reading.header or item.data
        else:
            _entry(reading, item)
    return (_session(reading),)


def _entry(reading: _Reading, record: Record) -> None:
    data = record.data
    said = list(_words(reading, data))
    if data.get("type") == "compaction":
        reading.compactions.append(record.line)
    number = _grow_tree(reading, data, said)
    identity = string(data.get("id"))
    if is_repeated(reading.seen, reading.frame, identity, said, line=record.line, offset=record.offset):
        return
    at, doubtful = reading.frame.time(data.get("timestamp") or mapping(data.get("message")).get("timestamp"))
    for words in said:
        ref = identity or f"line {record.line}"
        if words.text or words.reason:
            reading.turns.append(Turn(record.line, ref, words.author, bounded(words), at, doubtful, words.reason))
            reading.entries.append(number)


def _grow_tree(reading: _Reading, data: dict[str, Any], said: list[Words]) -> int:
    """The number of an entry in the tree, -1 for one without an id; the live branch leads to the last entry."""
    identity = string(data.get("id"))
    if not identity:
        return -1
    prompt = any(words.author in {Author.TYPED, Author.COMMAND} for words in said)
    number = reading.tree.add(identity, string(data.get("parentId")), prompt=prompt)
    if number is not None:
        reading.tree.last = number
    return reading.tree.number(identity)


def _words(reading: _Reading, data: dict[str, Any]) -> Iterator[Words]:
    kind = string(data.get("type"))
    if kind == "message":
        yield from _message(reading, mapping(data.get("message")))
    elif kind in _SUMMARIES:
        yield Words(Author.SUMMARY, clip(string(data.get("summary")), KEPT_OF_MODEL), _SUMMARIES[kind])
    elif kind == "custom_message":
        yield Words(Author.INJECTED, text_of(data.get("content")), "message of an extension")


def _message(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    role, content = string(message.get("role")), message.get("content")
    if role == "user":
        yield from _user(reading, message)
    elif role == "assistant":
        yield from _assistant(reading, content)
    elif role in {"toolResult", "tool"}:
        yield Words(Author.TOOL, text_of(content), "tool result")
    elif role == "bashExecution":
        yield Words(Author.COMMAND, clip(string(message.get("command"))), "shell command")
        yield Words(Author.TOOL, string(message.get("output")), "shell command output")
    elif role in _SUMMARY_ROLES:
        yield Words(Author.SUMMARY, clip(string(message.get("summary")), KEPT_OF_MODEL), _SUMMARY_ROLES[role])
    else:
        yield Words(Author.INJECTED, text_of(content), f"{clip(role, 40) or 'no'} role")


def _user(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    """A message of role user: where it came from decides first, then what the gateway wrote into it."""
    texts = [string(block.get("text")) for block in blocks(message.get("content")) if block.get("type") == "text"]
    if not reading.spoken:
        reading.spoken = True
        reading.subagent = any(mark in text for text in texts[:1] for mark in SUBAGENT_MARKS)
    told = message.get("provenance")
    kind = string(mapping(told).get("kind"))
    if reading.subagent:
        yield Words(Author.OTHER_AGENT, "\n".join(texts), "sub-agent prompt")
    elif told is not None and kind != "external_user":
        yield Words(Author.INJECTED, "\n".join(texts), _PROVENANCE.get(kind, "of another origin"))
    else:
        for text in texts:
            yield from words_of(text, reading.frame.source.table)


def _assistant(reading: _Reading, content: Any) -> Iterator[Words]:
    if text := text_of(content):
        author, reason = (Author.OTHER_AGENT, "sub-agent report") if reading.subagent else (Author.MODEL, "")
        yield Words(author, clip(text, KEPT_OF_MODEL), reason)
    for block in blocks(content):
        if string(block.get("type")) in {"toolCall", "toolUse", "tool_use"}:
            called = compact(block.get("arguments", block.get("input")))
            yield Words(Author.TOOL, f"{string(block.get('name'))} {called}".strip(), "tool call")


def _session(reading: _Reading) -> Session:
    frame, header = reading.frame, reading.header
    project, worktree = project_of(string(header.get("cwd")))
    places = reading.tree.places(frame.source.go_on)
    for place, number in enumerate(reading.entries):
        if number >= 0 and places[number] == LEFT:
            reading.turns.mark(place, ABANDONED)
    frame.time(header.get("timestamp"))
    return Session(
        format=NAME,
        id=string(header.get("id")) or frame.source.stem,
        path=str(frame.source.path),
        turns=reading.turns.sealed(),
        project=project,
        branch=worktree,
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=reading.subagent,
        parent=_parent(header),
        read_to=frame.read_to,
    )


def _parent(header: dict[str, Any]) -> str:
    """The session that this one was branched from: its header names the file."""
    return PurePath(string(header.get("parentSession")).replace("\\", "/")).name.removesuffix(".jsonl")
