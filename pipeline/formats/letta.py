"""Letta agent files (`spec/formats.md` §10): each agent's messages, in which role user often holds an event in JSON.

Only messages are read. Blocks are memory and no conversation; the source code of tools is never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, mapping, parsed, string, text_of
from pipeline.formats.copies import Seen, is_repeated
from pipeline.formats.documents import Member, members
from pipeline.formats.envelopes import DOUBTFUL
from pipeline.formats.lines import NOT_OBJECT
from pipeline.formats.openai import tool_calls
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, told_apart, words_in
from pipeline.formats.turns import TurnLog

NAME = "letta"
STREAMED = frozenset({"agents", "messages", "tools", "blocks", "files", "sources", "core_memory"})
"""Lists whose members come one by one: those that are read, and those that may be large and are left out."""
NESTED = 3
"""How often a file may be a JSON string that holds the JSON of an agent file (`spec/formats.md` §10)."""

_EVENTS = {"heartbeat": "heartbeat event", "login": "login event", "system_alert": "system alert"}
_BROKEN_EVENT = re.compile(r'\{\s*"type"\s*:\s*"(?:user_message|heartbeat|login|system_alert)"')
_HIDDEN = "prior messages"
_FROM_AGENT = "[Incoming message from agent"


@dataclass(slots=True)
class _Reading:
    """One agent while its messages go by. `apart` says why nobody typed under role user, "" where somebody did."""

    frame: Frame
    name: str = ""
    apart: str = ""
    turns: TurnLog = field(default_factory=TurnLog)
    compactions: list[int] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The sessions of an agent file, one for each agent: named by the file, and where it holds several by the agent.

    The ids in an agent file (`agent-0`, `message-1`) are counted anew in each file, so they name nothing outside it.
    """
    flat = _Reading(Frame(source))
    agents: list[_Reading] = []
    for part in _unwrapped(parts):
        if isinstance(part, Damage):
            flat.frame.damaged(part)
        elif part.key == "agent_type" and part.index is None:
            flat.apart = _apart(part.value)
        elif part.key in {"", "agents"} and part.index is not None:
            _agent(agents, part, source)
        elif part.key == "messages" and part.index is not None:
            _message(flat, part.value, part.index)
    told = [flat, *agents] if flat.turns or flat.frame.damages or not agents else agents
    stem = source.stem.removesuffix(".af")
    names = [stem if reading is flat or len(agents) == 1 else f"{stem}:{reading.name}" for reading in told]
    return tuple(_session(reading, name) for reading, name in zip(told, told_apart(names), strict=True))


def _unwrapped(parts: Iterable[Member | Damage], depth: int = 0) -> Iterator[Member | Damage]:
    """The parts of the document, or of the one in the string that it is."""
    for part in parts:
        if isinstance(part, Member) and (part.key, part.index) == ("", None) and isinstance(part.value, str):
            if depth < NESTED:
                yield from _unwrapped(members(iter((part.value.encode(),)), STREAMED), depth + 1)
        else:
            yield part


def _agent(agents: list[_Reading], part: Member, source: Source) -> None:
    reading = _Reading(Frame(source), f"[{part.index}]")
    agents.append(reading)
    if not isinstance(part.value, dict):
        reading.frame.damaged(Damage((part.index or 0) + 1, 0, NOT_OBJECT))
        return
    reading.name = string(part.value.get("id")) or reading.name
    reading.apart = _apart(part.value.get("agent_type"))
    listed = part.value.get("messages")
    for index, message in enumerate(listed if isinstance(listed, list) else []):
        _message(reading, message, index)


def _apart(kind: Any) -> str:
    """Agents that think while nobody talks to them are given what others said."""
    return "prompt of another agent" if "sleeptime" in string(kind) else ""


def _message(reading: _Reading, message: Any, index: int) -> None:
    if not isinstance(message, dict):
        reading.frame.damaged(Damage(index + 1, 0, NOT_OBJECT))
        return
    said = [words for words in _words(reading, message) if words.text or words.reason]
    identity = string(message.get("id"))
    if is_repeated(reading.seen, reading.frame, identity, said, line=index + 1):
        return
    if any(words.author is Author.SUMMARY for words in said):
        reading.compactions.append(index + 1)
    at, doubtful = reading.frame.time(message.get("created_at"))
    for words in said:
        ref = identity or f"[{index}]"
        reading.turns.append(Turn(index + 1, ref, words.author, bounded(words), at, doubtful, words.reason))


def _words(reading: _Reading, message: dict[str, Any]) -> Iterator[Words]:
    role, content = string(message.get("role")), message.get("content") or message.get("text")
    if role == "user":
        yield from _user(reading, message, content)
    elif role == "assistant":
        yield Words(Author.MODEL, clip(text_of(content), KEPT_OF_MODEL))
        yield from tool_calls(message)
    elif role in {"tool", "function"}:
        yield Words(Author.TOOL, text_of(content), "tool result")
    elif role == "summary":
        yield Words(Author.SUMMARY, clip(text_of(content), KEPT_OF_MODEL), "compaction")
    else:
        yield Words(Author.INJECTED, text_of(content), clip(role, 40) or "no role")


def _user(reading: _Reading, message: dict[str, Any], content: Any) -> Iterator[Words]:
    """A message of role user: of another agent, an event, or what a person wrote, plain or as the event that it was."""
    apart = "message of another agent" if string(message.get("sender_id")).startswith("agent-") else reading.apart
    for block in blocks(content):
        text = string(block.get("text")) if block.get("type") == "text" else ""
        event = _event(text)
        if apart:
            yield Words(Author.OTHER_AGENT, text, apart)
        elif event is not None:
            yield from _told(reading, event, text)
        elif _BROKEN_EVENT.match(text.lstrip()):
            yield Words(Author.INJECTED, text, f"{DOUBTFUL}: an event that is not complete")
        else:
            yield from _typed(reading, text)


def _event(text: str) -> dict[str, Any] | None:
    """The event that a text is as a whole: JSON with a known type, or with any type and the time of its writing."""
    found = mapping(parsed(text)) if text.lstrip().startswith("{") else {}
    kind = found.get("type")
    known = isinstance(kind, str) and (kind in _EVENTS or kind == "user_message" or "time" in found)
    return found if known else None


def _told(reading: _Reading, event: dict[str, Any], text: str) -> Iterator[Words]:
    kind, message = string(event.get("type")), event.get("message")
    if kind == "user_message":
        yield from _typed(reading, string(message))
    elif kind == "system_alert" and _HIDDEN in string(message) and "summary" in string(message):
        yield Words(Author.SUMMARY, clip(string(message), KEPT_OF_MODEL), "compaction")
    else:
        yield Words(Author.INJECTED, text, _EVENTS.get(kind, f"{clip(kind, 40)} event"))


def _typed(reading: _Reading, text: str) -> Iterator[Words]:
    if text.lstrip().startswith(_FROM_AGENT):
        yield Words(Author.OTHER_AGENT, text, "message of another agent")
    else:
        yield from words_in(text, reading.frame.source.table)


def _session(reading: _Reading, name: str) -> Session:
    frame = reading.frame
    return Session(
        format=NAME,
        id=name,
        path=str(frame.source.path),
        turns=reading.turns.sealed(),
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=bool(reading.apart),
    )
