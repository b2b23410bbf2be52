"""Claude.ai exports (`spec/formats.md` §7): conversations as lists of messages, attachments beside their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, compact, mapping, string, text_of
from pipeline.formats.documents import Member
from pipeline.formats.envelopes import DOUBTFUL, Table
from pipeline.formats.exports import conversations, span
from pipeline.formats.lines import NOT_OBJECT
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, words_in

NAME = "claude-ai"
MARK = "chat_messages"
"""The key by which a conversation is recognised (`spec/formats.md` §15)."""
STREAMED: frozenset[str] = frozenset()
ATTACHED = "attachment text"

_UNSPOKEN = frozenset({"thinking", "redacted_thinking", "token_budget"})


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The sessions of an export: one per conversation that holds a message. Damage is reported, never raised."""
    return conversations(parts, source, NAME, MARK, _session)


def _session(conversation: dict[str, Any], source: Source) -> Session:
    frame = Frame(source)
    turns = tuple(_turns(conversation.get(MARK), frame))
    started, ended = span(frame, conversation.get("created_at"), conversation.get("updated_at"))
    return Session(
        format=NAME,
        id=clip(string(conversation.get("uuid")), 200),
        path=str(source.path),
        turns=turns,
        project=_project(conversation),
        started=started,
        ended=ended,
        damage=frame.report(),
    )


def _project(conversation: dict[str, Any]) -> str:
    """The project of the service that the conversation was held in, by its name where that stands there."""
    project = mapping(conversation.get("project"))
    return clip(string(project.get("name")) or string(conversation.get("project_uuid")), 200)


def _turns(messages: Any, frame: Frame) -> Iterator[Turn]:
    """The turns of the messages; `seq` counts these."""
    for seq, message in enumerate(messages if isinstance(messages, list) else (), start=1):
        if not isinstance(message, dict):
            frame.damaged(Damage(seq, 0, NOT_OBJECT))
            continue
        ref = string(message.get("uuid")) or f"[{seq - 1}]"
        at, doubtful = frame.time(message.get("created_at"))
        for words in _words(message, frame.source.table):
            if words.text.strip():
                yield Turn(seq, ref, words.author, bounded(words), at, doubtful, words.reason)
        for name, text in _attached(message):
            yield Turn(seq, f"{ref} {name}", Author.DOCUMENT, clip(text), at, doubtful, ATTACHED)


def _words(message: dict[str, Any], table: Table) -> Iterator[Words]:
    sender, content = string(message.get("sender")), message.get("content")
    older = not isinstance(content, list) or not content
    for block in blocks(string(message.get("text")) if older else content):
        kind = string(block.get("type"))
        if kind in {"tool_use", "tool_result"}:
            yield _tool(kind, block)
        elif sender == "human":
            yield from _human(kind, string(block.get("text")), table)
        elif sender != "assistant":
            yield Words(Author.INJECTED, string(block.get("text")), clip(sender, 40) or "no sender")
        elif kind not in _UNSPOKEN:
            yield Words(Author.MODEL, clip(string(block.get("text")), KEPT_OF_MODEL))


def _human(kind: str, text: str, table: Table) -> Iterator[Words]:
    """What stands under the person's name: text blocks are theirs, of any other nobody can say who wrote it."""
    if kind != "text":
        yield Words(Author.INJECTED, text, f"{DOUBTFUL}: {clip(kind, 40) or 'no type'}")
    else:
        yield from words_in(text, table)


def _tool(kind: str, block: dict[str, Any]) -> Words:
    if kind == "tool_use":
        return Words(Author.TOOL, f"{string(block.get('name'))} {compact(block.get('input'))}".strip(), "tool call")
    return Words(Author.TOOL, text_of(block.get("content")), "tool_result")


def _attached(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of the attachments, each with the name that a reference to it ends with."""
    listed = message.get("attachments")
    for place, attachment in enumerate(listed if isinstance(listed, list) else (), start=1):
        if text := string(mapping(attachment).get("extracted_content")):
            yield "attachment" if place == 1 else f"attachment {place}", text
