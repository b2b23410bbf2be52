"""OpenAI-style messages (`spec/formats.md` §8): a list, an object with `messages`, lines of either, Responses items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, compact, mapping, string, text_of
from pipeline.formats.documents import Member
from pipeline.formats.lines import NOT_OBJECT, Item, Record
from pipeline.formats.session import Author, Damage, Session
from pipeline.formats.source import Frame, Source, Words, told_apart, words_in
from pipeline.formats.talk import Conversation

NAME = "openai"
ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning", "custom_tool_call_output"})
"""Responses items by which the format is recognised when they carry no role."""
STREAMED = frozenset({"messages"})

_TYPED_BLOCKS = frozenset({"text", "input_text"})
_MODEL_BLOCKS = frozenset({"text", "output_text"})
_TIMES = ("created_at", "timestamp", "create_time")
_NAMES = ("id", "conversation_id", "session_id", "session")


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The sessions of JSON lines: bare messages are one session together, a line with `messages` is one of its own.

    The file name is the session, with the conversation's own name or its line behind it where a line is a conversation.
    """
    loose = Conversation(Frame(source), source.stem)
    own: list[Conversation] = []
    for item in loose.frame.records(items):
        if isinstance(messages := item.data.get("messages"), list):
            own.append(_conversation(source, item, messages))
        else:
            _message(loose, item.data, item.line, f"line {item.line}", item.offset)
    if not own:
        return (_session(loose),)
    for reading, name in zip(own, told_apart(reading.id for reading in own), strict=True):
        reading.id = name
    lines = tuple(_session(reading, loose.frame.read_to) for reading in own)
    return (_session(loose), *lines) if loose.turns or loose.frame.damages else lines


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The session of one JSON document, a list of messages or an object with `messages`, member by member."""
    reading = Conversation(Frame(source), source.stem)
    for part in parts:
        if isinstance(part, Damage):
            reading.frame.note(part)
        elif part.index is None:
            continue
        elif isinstance(part.value, dict):
            _message(reading, part.value, part.index + 1, f"[{part.index}]", 0)
        else:
            reading.frame.damaged(Damage(part.index + 1, 0, NOT_OBJECT))
    return (_session(reading),)


def _conversation(source: Source, record: Record, messages: list[Any]) -> Conversation:
    named = _name(record.data) or _name(mapping(record.data.get("metadata"))) or f"line {record.line}"
    reading = Conversation(Frame(source), f"{source.stem}:{named}")
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            _message(reading, message, index + 1, f"line {record.line} [{index}]", record.offset)
        else:
            reading.frame.damaged(Damage(record.line, record.offset, NOT_OBJECT))
    return reading


def _name(data: dict[str, Any]) -> str:
    return next((clip(name, 200) for key in _NAMES if (name := string(data.get(key)))), "")


def _message(reading: Conversation, message: dict[str, Any], seq: int, place: str, offset: int) -> None:
    said = list(_words(reading, message))
    identity = string(message.get("id"))
    time = next((message[key] for key in _TIMES if key in message), None)
    reading.say(said, identity, seq=seq, place=place, offset=offset, time=time)


def _words(reading: Conversation, message: dict[str, Any]) -> Iterator[Words]:
    """Typed is role user, string content or `text`/`input_text` items; everything else is told by role and type."""
    told, role, content = message.get("type"), string(message.get("role")), message.get("content")
    kind = "message" if told is None else string(told)
    if kind in {"function_call", "custom_tool_call"}:
        called = message.get("arguments", message.get("input"))
        yield Words(Author.TOOL, f"{string(message.get('name'))} {compact(called)}".strip(), "tool call")
    elif kind != "message" or role in {"tool", "function"} or message.get("tool_call_id") is not None:
        text = text_of(message.get("output", content), kinds=_TYPED_BLOCKS | _MODEL_BLOCKS)
        if kind != "reasoning":
            yield Words(Author.TOOL, text, "tool")
    elif role == "user":
        yield from _user(reading, content)
    elif role == "assistant":
        yield from _assistant(message)
    else:
        yield Words(Author.INJECTED, text_of(content, kinds=_TYPED_BLOCKS), clip(role, 40) or "no role")


def _user(reading: Conversation, content: Any) -> Iterator[Words]:
    for block in blocks(content):
        kind, text = string(block.get("type")), string(block.get("text"))
        if kind in _TYPED_BLOCKS:
            yield from words_in(text, reading.frame.source.table)
        elif kind in {"output_text", "refusal"}:
            yield Words(Author.MODEL, text, "words of the model under role user")


def _assistant(message: dict[str, Any]) -> Iterator[Words]:
    if text := text_of(message.get("content"), kinds=_MODEL_BLOCKS):
        yield Words(Author.MODEL, clip(text, KEPT_OF_MODEL))
    yield from tool_calls(message)


def tool_calls(message: dict[str, Any]) -> Iterator[Words]:
    """The tools that a message of a model calls, as this style has them."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        called = mapping(mapping(call).get("function"))
        yield Words(
            Author.TOOL, f"{string(called.get('name'))} {compact(called.get('arguments'))}".strip(), "tool call"
        )


def _session(reading: Conversation, read_to: int | None = None) -> Session:
    frame = reading.frame
    return Session(
        format=NAME,
        id=reading.id,
        path=str(frame.source.path),
        place=frame.source.place,
        turns=reading.turns.sealed(),
        started=frame.started,
        ended=frame.ended,
        damage=frame.report(),
        read_to=frame.read_to if read_to is None else read_to,
    )
