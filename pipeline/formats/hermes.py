"""Hermes sessions (`spec/formats.md` §14): OpenAI-style messages in lines, in a document, or in a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.formats import database
from pipeline.formats import hermes_database as tables
from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, compact, mapping, parsed, string, text_of
from pipeline.formats.documents import Member
from pipeline.formats.hermes_words import is_summary, words_of
from pipeline.formats.lines import NOT_OBJECT, Item, Record
from pipeline.formats.openai import tool_calls
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, project_of
from pipeline.formats.turns import TurnLog

NAME = "hermes"
STREAMED = frozenset({"messages"})
"""The list of a document whose members are read one by one."""

_PREFIX = "session_"
_TEXTS = frozenset({"text", "input_text", "output_text"})
_RESTARTED = frozenset({"compression", "branched", "session_reset", "session_switch", "idle", "daily", "suspended"})
"""How a session ends that goes on in one that names it as its parent; other children are of sub-agents."""
_OWN_CHILDREN = ("_branched_from", "_reset_from")


class _Reading:
    """One session while its messages go by."""

    def __init__(self, source: Source, id: str) -> None:
        self.frame = Frame(source)
        self.id = id
        self.about: dict[str, Any] = {}
        """What its header, its document or its row says of it."""
        self.spawned: tuple[Author, str] | None = None
        """Who wrote under role user, where it was no person."""
        self.parent = ""
        self.turns = TurnLog()
        self.compactions: list[int] = []
        self.typed: set[int] = set()
        """Hashes of what was typed: a compaction repeats the message that it is merged into."""


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The session of JSON lines, or the sessions of an export with one in each line. Nothing is raised for damage."""
    loose = _Reading(source, source.stem.removeprefix(_PREFIX))
    own: list[Session] = []
    for item in loose.frame.records(items):
        if isinstance(messages := item.data.get("messages"), list):
            own.append(_exported(source, item, messages))
        else:
            _message(loose, item.data, item.line, f"line {item.line}")
    whole = _session(loose)
    return (whole, *own) if whole.turns or whole.damage or not own else tuple(own)


def _exported(source: Source, record: Record, messages: list[Any]) -> Session:
    named = string(record.data.get("session_id")) or string(record.data.get("id")) or f"line {record.line}"
    reading = _Reading(source, named)
    _header(reading, {key: value for key, value in record.data.items() if key != "messages"})
    if _delegated(record.data):
        reading.spawned = Author.OTHER_AGENT, "sub-agent prompt"
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            _message(reading, message, index + 1, f"line {record.line} [{index}]")
        else:
            reading.frame.damaged(Damage(record.line, record.offset, NOT_OBJECT))
    return _session(reading)


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The session of one JSON document, a list of messages or an object with `messages`, member by member."""
    reading = _Reading(source, source.stem.removeprefix(_PREFIX))
    for part in parts:
        if isinstance(part, Damage):
            reading.frame.damaged(part)
        elif part.index is None:
            _header(reading, {part.key: part.value})
        elif isinstance(part.value, dict):
            _message(reading, part.value, part.index + 1, f"[{part.index}]")
        else:
            reading.frame.damaged(Damage(part.index + 1, 0, NOT_OBJECT))
    return (_session(reading),)


def read_path(
    path: Path, source: Source, progress: Callable[[int], None] | None, cancelled: Callable[[], bool] | None
) -> tuple[Session, ...]:
    """The sessions of a `state.db` that hold messages, in the order in which they were begun.

    `progress` is told the bytes of the file that stand for the sessions read so far. Raises `StorageFailure`,
    `BadInput` and, when `cancelled` or the source says so, `Cancelled`.
    """
    source = source if cancelled is None else replace(source, cancelled=cancelled)

    def work(opened: sqlite3.Connection) -> tuple[Session, ...]:
        heads = {str(row["id"]): row for row in tables.heads(opened)}
        found: list[Session] = []
        for number, name in enumerate(heads, 1):
            source.go_on()
            reading = _stored(opened, name, heads, source)
            if reading.turns or reading.frame.damages:
                found.append(_session(reading))
            if progress is not None:
                progress(path.stat().st_size * number // len(heads))
        return tuple(found)

    return tables.read(path, work) or (_session(_Reading(source, source.stem)),)


def _stored(opened: sqlite3.Connection, name: str, heads: dict[str, dict[str, Any]], source: Source) -> _Reading:
    reading = _Reading(source, name)
    _header(reading, heads[name])
    _place(reading, heads[name], heads)
    _rows(reading, opened, source)
    return reading


def _place(reading: _Reading, row: dict[str, Any], heads: dict[str, dict[str, Any]]) -> None:
    """Whose session it is: a child of a session that did not go on in it was begun by an agent."""
    reading.parent = string(row.get("parent_session_id"))
    config = mapping(row.get("model_config"))
    ended = heads.get(reading.parent, {}).get("end_reason")
    goes_on = string(ended) in _RESTARTED or any(key in config for key in _OWN_CHILDREN)
    if _delegated(row) or (reading.parent and not goes_on):
        reading.spawned = Author.OTHER_AGENT, "sub-agent prompt"


def _delegated(row: dict[str, Any]) -> bool:
    config = mapping(parsed(row.get("model_config")))
    return "_delegate_from" in config or row.get("source") in ("subagent", "tool")


def _rows(reading: _Reading, opened: sqlite3.Connection, source: Source) -> None:
    """The messages of a session in a database: what a compaction wrote again counts once, what was undone is abandoned.

    A session that goes on from another begins with what it copied from it.
    """
    met: set[int] = set()
    try:
        before = {_same(row) for row in tables.messages(opened, reading.parent)} if reading.parent else set()
        copying = bool(before)
        for row in tables.messages(opened, reading.id):
            source.go_on()
            undone = row.get("active") == 0 and not row.get("compacted")
            told = hash((_same(row), row.get("timestamp")))
            if told in met:
                continue
            if not undone:
                met.add(told)
            copied = copying and _same(row) in before
            copying = copying and (copied or row.get("role") != "user" or is_summary(_text(row)))
            number = row["id"] if isinstance(row.get("id"), int) else len(reading.turns) + 1
            _message(reading, row, number, f"seq {number}", abandoned=undone, inherited=copied)
    except database.FAULTS as error:
        if not database.is_damage(error):
            raise
        reading.frame.damaged(Damage(0, 0, f"the database cannot be read any further ({error})"))


def _same(row: dict[str, Any]) -> int:
    return hash((row.get("role"), compact(row.get("content"), KEPT_OF_MODEL), compact(row.get("tool_calls"))))


def _header(reading: _Reading, about: dict[str, Any]) -> None:
    if "session_id" not in reading.about and (named := string(about.get("session_id"))):
        reading.id = named
    reading.about = about | reading.about
    if "cron" in (about.get("platform"), about.get("source")) or reading.id.startswith("cron_"):
        reading.spawned = Author.INJECTED, "prompt from the scheduler"


def _message(
    reading: _Reading, message: dict[str, Any], seq: int, ref: str, *, abandoned: bool = False, inherited: bool = False
) -> None:
    if message.get("role") == "session_meta":
        _header(reading, message)
        return
    if message.get("role") in ("user", "assistant") and is_summary(_text(message)):
        reading.compactions.append(seq)
    at, doubtful = reading.frame.time(message.get("timestamp"))
    for words in _words(reading, message):
        if words.text or words.reason:
            turn = Turn(seq, ref, words.author, bounded(words), at, doubtful, words.reason)
            reading.turns.append(_marked(turn, abandoned, inherited))


def _marked(turn: Turn, abandoned: bool, inherited: bool) -> Turn:
    if not (abandoned or inherited):
        return turn
    kept = (turn.seq, turn.ref, turn.author, turn.text, turn.at, turn.doubtful_time, turn.reason)
    return Turn(*kept, abandoned=abandoned, inherited=inherited)


def _words(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    role, content = string(message.get("role")), message.get("content")
    if role == "user":
        yield from _user(reading, message)
    elif role == "assistant":
        yield from _assistant(reading, message)
    elif role in {"tool", "function"}:
        yield Words(Author.TOOL, text_of(content, kinds=_TEXTS), "tool result")
    else:
        yield Words(Author.INJECTED, text_of(content, kinds=_TEXTS), f"{clip(role, 40) or 'no'} role")


def _user(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    """A message of role user: what its fields say of it decides first, then what Hermes wrote into it."""
    parts = (block for block in blocks(message.get("content")) if string(block.get("type")) in _TEXTS)
    texts = [string(block.get("text")) for block in parts]
    apart = reading.spawned or _set_apart(message)
    if apart is not None:
        yield Words(apart[0], "\n".join(texts), apart[1])
        return
    for text in texts:
        merged = is_summary(text)
        for words in words_of(text, reading.frame.source.table):
            if words.author is not Author.TYPED:
                yield words
                continue
            told = hash(" ".join(words.text.split()))
            again = merged and told in reading.typed
            reading.typed.add(told)
            yield Words(Author.SUMMARY, words.text, "compaction") if again else words


def _set_apart(message: dict[str, Any]) -> tuple[Author, str] | None:
    if message.get("mirror"):
        return Author.INJECTED, "mirrored from another session"
    if message.get("observed"):
        return Author.DOCUMENT, "message of others"
    if message.get("display_kind"):
        return Author.INJECTED, "note of the system"
    if message.get("_compressed_summary") and not is_summary(_text(message)):
        return Author.SUMMARY, "compaction"
    return None


def _assistant(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    if text := _text(message):
        author, reason = (Author.SUMMARY, "compaction") if is_summary(text) else (Author.MODEL, "")
        if reading.spawned is not None and reading.spawned[0] is Author.OTHER_AGENT:
            author, reason = Author.OTHER_AGENT, "sub-agent report"
        yield Words(author, clip(text, KEPT_OF_MODEL), reason)
    yield from tool_calls(message)


def _text(message: dict[str, Any]) -> str:
    return text_of(message.get("content"), kinds=_TEXTS)


def _session(reading: _Reading) -> Session:
    frame, about = reading.frame, reading.about
    for key in ("started_at", "session_start"):
        frame.time(about.get(key))
    project, worktree = project_of(string(about.get("cwd")) or string(about.get("git_repo_root")))
    return Session(
        format=NAME,
        id=reading.id,
        path=str(frame.source.path),
        turns=reading.turns.sealed(),
        project=project,
        branch=worktree or string(about.get("git_branch")),
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=reading.spawned is not None and reading.spawned[0] is Author.OTHER_AGENT,
        parent=reading.parent or string(about.get("parent_session_id")),
        read_to=frame.read_to,
    )
