"""Gemini CLI sessions (`spec/formats.md` §4): JSON lines that edit the conversation, older documents, checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from pipeline.formats.content import clip, mapping, string
from pipeline.formats.documents import Member
from pipeline.formats.gemini_projects import project_of
from pipeline.formats.gemini_words import SNAPSHOT, acknowledges, words
from pipeline.formats.lines import NOT_OBJECT, Item
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, bounded
from store.errors import BadInput

NAME = "gemini-cli"
STREAMED = frozenset({"messages", "history"})
REWOUND = "rewound"
BOUNDARY = "compression boundary"
REPEATED = "repeated after a compression"

_ABOUT = frozenset({"sessionId", "projectHash", "startTime", "kind", "toolCall"})
_AHEAD = {"": 1, "history": 1, "messages": 2}
"""What the place of an entry is short of its seq. A message of an older file has the line that it gets, behind one
about the session, when the tool carries that on as lines: then a run goes on where one over the older file ended.
"""
_PERSONS = frozenset({Author.TYPED, Author.COMMAND})


@dataclass(slots=True)
class _Message:
    """A message as it stands now: where it came first, what it says, and what became of it."""

    seq: int
    ref: str
    turns: list[Turn]
    abandoned: bool = False
    inherited: bool = False

    def typed(self) -> tuple[str, ...]:
        """What the person typed in it."""
        return tuple(turn.text for turn in self.turns if turn.author is Author.TYPED)


@dataclass(slots=True)
class _Reading:
    """What has been gathered; `live` are the messages that the tool would still send, by id, in their order."""

    frame: Frame
    messages: list[_Message] = field(default_factory=list)
    live: dict[str, _Message] = field(default_factory=dict)
    compactions: list[int] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    directories: dict[str, None] = field(default_factory=dict)


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of JSON lines. Damaged lines are in its `damage`; nothing is raised for them."""
    reading = _Reading(Frame(source))
    for item in reading.frame.records(items):
        _record(reading, item.data, item.line)
    return (_session(reading),)


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The one session of an older file (one object), or of a checkpoint (`history`, or a list of its entries).

    Raises `BadInput` for a restore point of a tool, which is no transcript.
    """
    reading = _Reading(Frame(source))
    for part in parts:
        if isinstance(part, Damage):
            reading.frame.note(part)
        elif part.index is None:
            _describe(reading, {part.key: part.value})
        elif not isinstance(part.value, dict):
            reading.frame.damaged(Damage(part.index + 1, 0, NOT_OBJECT))
        elif part.key in _AHEAD:
            _message(reading, part.value, part.index + _AHEAD[part.key], f"[{part.index}]")
    if "toolCall" in reading.about:
        raise BadInput(f"{source.path} is a restore point of Gemini CLI, not a transcript; give a file of its chats.")
    return (_session(reading),)


def _record(reading: _Reading, data: dict[str, Any], line: int) -> None:
    """A line: what it does is told by its keys, in the order in which the tool asks for them."""
    ref = f"line {line}"
    if isinstance(data.get("$rewindTo"), str):
        _rewind(reading, data["$rewindTo"])
    elif isinstance(data.get("id"), str) or string(data.get("type")):
        _message(reading, data, line, ref)
    elif "$set" in data:
        changed = mapping(data["$set"])
        _describe(reading, changed)
        if isinstance(changed.get("messages"), list):
            _replace(reading, changed["messages"], line, ref)
        if title := string(changed.get("summary")):
            _mark(reading, Turn(line, ref, Author.SUMMARY, clip(title), None, True, "title"))
    else:
        _describe(reading, data)
        for message in data["messages"] if isinstance(data.get("messages"), list) else []:
            if isinstance(message, dict):
                _message(reading, message, line, ref)


def _describe(reading: _Reading, data: dict[str, Any]) -> None:
    """What is told of the session itself: the first that is told stays."""
    for key, value in data.items():
        if key in _ABOUT:
            reading.about.setdefault(key, value)
    listed = data.get("directories")
    reading.directories |= dict.fromkeys(filter(None, map(string, listed if isinstance(listed, list) else [])))


def _message(reading: _Reading, data: dict[str, Any], seq: int, place: str) -> None:
    """Takes a message: at the end, or in the place of the one with its id."""
    ref = string(data.get("id")) or place
    before = reading.live.get(ref)
    message = _Message(seq if before is None else before.seq, ref, [])
    at, doubtful = reading.frame.time(data.get("timestamp"))
    for suffix, said in words(data, reading.frame.source.table):
        if said.text.strip():
            turn = Turn(message.seq, f"{ref}{suffix}", said.author, bounded(said), at, doubtful, said.reason)
            message.turns.append(turn)
    if before is not None:
        before.turns = message.turns
        return
    _acknowledge(reading, acknowledges(data))
    reading.messages.append(message)
    reading.live[ref] = message


def _mark(reading: _Reading, turn: Turn) -> None:
    """Takes a turn that is no message, so that nothing rewinds or replaces it."""
    reading.messages.append(_Message(turn.seq, turn.ref, [turn]))


def _acknowledge(reading: _Reading, told: str) -> None:
    """Makes of the message before what the tool's own answer says it is, whatever stands in it."""
    last = next(reversed(reading.live.values()), None)
    if not told or last is None:
        return
    author, reason = (Author.SUMMARY, SNAPSHOT) if told == "summary" else (Author.INJECTED, "session context")
    last.turns = [
        replace(turn, author=author, reason=reason, text=clip(turn.text)) if turn.author in _PERSONS else turn
        for turn in last.turns
    ]


def _rewind(reading: _Reading, target: str) -> None:
    """Abandons a message and all that follow it; everything when there is no such message."""
    known = target in reading.live
    while reading.live:
        ref, message = reading.live.popitem()
        message.abandoned = True
        if known and ref == target:
            return


def _replace(reading: _Reading, messages: list[Any], line: int, ref: str) -> None:
    """A compression: `messages` are now the conversation. What is no longer in it was said all the same."""
    reading.compactions.append(line)
    _mark(reading, Turn(line, ref, Author.INJECTED, "", None, True, BOUNDARY))
    before, reading.live = reading.live, {}
    for place, data in enumerate(messages):
        if not isinstance(data, dict):
            reading.frame.damaged(Damage(line, 0, NOT_OBJECT))
            continue
        name = string(data.get("id")) or f"{ref} [{place}]"
        if name in before:
            _acknowledge(reading, acknowledges(data))
            reading.live[name] = before.pop(name)
        else:
            _message(reading, data, line, name)
    _mark_repeated(list(before.values()), list(reading.live.values()))


def _mark_repeated(dropped: list[_Message], kept: list[_Message]) -> None:
    """Marks what the tool wrote down once more behind its summary as copied: it was said where it stood before."""
    told: dict[tuple[str, ...], int] = {}
    for message in dropped:
        told[message.typed()] = told.get(message.typed(), 0) + 1
    summary = next((place for place, message in enumerate(kept) if _is_summary(message)), len(kept))
    for message in kept[summary + 1 :]:
        said = message.typed()
        if said and told.get(said, 0) > 0 and message.seq >= kept[summary].seq:
            told[said] -= 1
            message.inherited = True


def _is_summary(message: _Message) -> bool:
    return any(turn.author is Author.SUMMARY for turn in message.turns)


def _session(reading: _Reading) -> Session:
    frame, about = reading.frame, reading.about
    source = frame.source
    folder = source.path.parent
    nested = folder.parent.name == "chats" and folder.name != "chats"
    subagent = about.get("kind") == "subagent" or nested
    parent = folder.name if nested else ""
    own = clip(string(about.get("sessionId")), 200) or _stem(source)
    started = frame.time(about.get("startTime"))[0] if frame.started is None else frame.started
    return Session(
        format=NAME,
        id=f"{parent}:{own}" if parent else own,
        path=str(source.path),
        turns=tuple(_turns(reading, subagent)),
        project=project_of(source.path, string(about.get("projectHash")), reading.directories),
        started=started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=subagent,
        parent=parent,
        read_to=frame.read_to,
    )


def _stem(source: Source) -> str:
    """The name of a file without a session id; of a checkpoint with its project's, as two may have the same."""
    stem, folder = unquote(source.stem, errors="replace"), source.path.parent.name
    return f"{folder}:{stem}" if stem.startswith("checkpoint-") and folder else stem


def _turns(reading: _Reading, subagent: bool) -> Iterator[Turn]:
    for message in reading.messages:
        for turn in message.turns:
            reason = turn.reason or (REWOUND if message.abandoned else REPEATED if message.inherited else "")
            told = replace(turn, reason=reason, abandoned=message.abandoned, inherited=message.inherited)
            yield _of_an_agent(told) if subagent else told


def _of_an_agent(turn: Turn) -> Turn:
    if turn.author in _PERSONS:
        return replace(turn, author=Author.OTHER_AGENT, reason="sub-agent prompt", text=clip(turn.text))
    if turn.author is Author.MODEL:
        return replace(turn, author=Author.OTHER_AGENT, reason="sub-agent report", text=clip(turn.text))
    return turn
