"""Transcripts whose fields a table names (`[format.NAME.fields]`): own formats, and logs of typed prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, clip, mapping, string, text_of
from pipeline.formats.documents import Member
from pipeline.formats.envelopes import pieces
from pipeline.formats.lines import NOT_OBJECT, Item
from pipeline.formats.session import Author, Damage, Session
from pipeline.formats.source import Frame, Source, Words
from pipeline.formats.table import Fields
from pipeline.formats.talk import Conversation

BLOCKS = frozenset({"text", "input_text", "output_text"})
NAME_LIMIT = 200
"""Characters of a session's name."""


@dataclass(slots=True)
class _Reading(Conversation):
    """One session while its records go by."""

    project: str = ""
    loose: bool = False
    """Whether no record names the session, so that it is called by its file."""


class _Readings(dict[str, _Reading]):
    """The sessions of a file, in the order in which they begin; the first keeps what is damaged in the file."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source, self.frame = source, Frame(source)

    def of(self, named: str, loose: str) -> _Reading:
        """The session that a record names, else the one that is called `loose`, by the file."""
        name = named or loose
        if name not in self:
            self[name] = _Reading(Frame(self.source) if self else self.frame, name, loose=not named)
        return self[name]


def read(format: str, fields: Fields, items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The sessions of JSON lines: each line is a record, or holds a conversation under `fields.messages`.

    Records belong to the session that `fields.session` names; those that name none to one a project, or to the file's.
    """
    found = _Readings(source)
    for item in found.frame.records(items):
        if fields.messages and isinstance(listed := _at(item.data, fields.messages), list):
            name, loose = _session_name(fields, item.data), f"{source.stem}:line {item.line}"
            for index, record in enumerate(listed):
                place = f"line {item.line} [{index}]"
                _record(fields, found, record, _Where(index + 1, place, item.offset, name, loose, item.data))
        else:
            _record(fields, found, item.data, _Where(item.line, f"line {item.line}", item.offset))
    return _sessions(format, found)


def read_document(format: str, fields: Fields, parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The sessions of one JSON document: a list of records, or an object that holds it under `fields.messages`."""
    found = _Readings(source)
    about: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, Damage):
            found.frame.note(part)
        elif part.index is None:
            about[part.key] = part.value
        elif part.key in {"", fields.messages}:
            where = _Where(part.index + 1, f"[{part.index}]", 0, _session_name(fields, about), around=about)
            _record(fields, found, part.value, where)
    return _sessions(format, found)


@dataclass(frozen=True, slots=True)
class _Where:
    """The place of a record, and what stands round it: the session's own name, what it is called without one,
    and the object that it lies in."""

    seq: int
    place: str
    offset: int
    session: str = ""
    loose: str = ""
    around: Mapping[str, Any] = field(default_factory=dict)


def _record(fields: Fields, found: _Readings, data: Any, where: _Where) -> None:
    if not isinstance(data, dict):
        found.frame.damaged(Damage(where.seq, where.offset, NOT_OBJECT))
        return
    project = string(_at(data, fields.project)) or string(_at(where.around, fields.project))
    named = _session_name(fields, data) or where.session
    loose = f"{found.source.stem}:{project}" if fields.session and project else found.source.stem
    reading = found.of(named, where.loose or loose)
    reading.project = reading.project or project
    said = [words for words in _words(fields, data, found.source) if words.text]
    identity = _name(_at(data, fields.id))
    time = _at(data, fields.time)
    reading.say(said, identity, seq=where.seq, place=where.place, offset=where.offset, time=time)


def _words(fields: Fields, data: Mapping[str, Any], source: Source) -> Iterator[Words]:
    """Text under a role of the person is theirs once the envelopes are off; any other role never is."""
    text = text_of(_at(data, fields.text), kinds=BLOCKS)
    role = string(_at(data, fields.role))
    if fields.role and role not in fields.person:
        if role in fields.model:
            yield Words(Author.MODEL, clip(text, KEPT_OF_MODEL))
        else:
            yield Words(Author.TOOL if role in fields.tool else Author.INJECTED, text, clip(role, 40) or "no role")
        return
    for piece in pieces(text, source.table):
        if piece.author is Author.TYPED and piece.text.startswith(fields.commands):
            yield Words(Author.COMMAND, piece.text, "slash command")
        else:
            yield Words(piece.author, piece.text, piece.reason)


def _session_name(fields: Fields, data: Mapping[str, Any]) -> str:
    return _name(_at(data, fields.session))


def _name(value: Any) -> str:
    """A name, also when it is written as a whole number."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return clip(str(value) if number else string(value), NAME_LIMIT)


def _at(data: Mapping[str, Any], path: str) -> Any:
    """The value under a dotted name; None when there is none, or no name."""
    if not path:
        return None
    if path in data:
        return data[path]
    value: Any = data
    for part in path.split("."):
        value = mapping(value).get(part)
    return value


def _sessions(format: str, found: _Readings) -> tuple[Session, ...]:
    if not found:
        found.of("", found.source.stem)
    return tuple(_session(format, reading, found) for reading in found.values())


def _session(format: str, reading: _Reading, found: _Readings) -> Session:
    frame = reading.frame
    return Session(
        format=format,
        id=reading.id,
        path=str(found.source.path),
        place=found.source.place if reading.loose else "",
        turns=reading.turns.sealed(),
        project=reading.project,
        started=frame.started,
        ended=frame.ended,
        damage=frame.report(),
        read_to=found.frame.read_to,
    )
