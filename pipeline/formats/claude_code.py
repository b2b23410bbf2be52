"""Claude Code transcripts (`spec/formats.md` §2.1): one JSON object a line, most of role "user" not typed by anyone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.formats.branches import Node, abandoned
from pipeline.formats.claude_answers import Call, call_of, words_of
from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, mapping, string, text_of
from pipeline.formats.copies import CHANGED, Seen
from pipeline.formats.envelopes import pieces
from pipeline.formats.lines import Item, Record
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, project_of

NAME = "claude-code"
TYPES = frozenset(
    {
        *("user", "assistant", "system", "summary", "attachment", "queue-operation", "progress", "last-prompt"),
        *("file-history-snapshot", "custom-title", "ai-title", "permission-mode", "pr-link"),
    }
)
"""Record types by which the format is recognised (`spec/formats.md` §2.1)."""

_BARE_COMMAND = re.compile(r"/[\w:-]+")


@dataclass(slots=True)
class _Reading:
    """What has been gathered while the records go by."""

    frame: Frame
    turns: list[Turn] = field(default_factory=list)
    compactions: list[int] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    calls: dict[str, Call] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    """Assistant message id to the place of its turn: several lines may be one message."""
    nodes: dict[str, Node] = field(default_factory=dict)
    last: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    session: list[str] = field(default_factory=list)
    """The session id that each turn's record carries."""
    cwd: str = ""
    branch: str = ""
    spoken: int = 0
    """Records of a conversation, and how many of them belong to a sub-agent."""
    foreign: int = 0
    agent: str = ""
    boundary: bool = False


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of a transcript. Damaged lines are in its `damage`; nothing is raised for them."""
    reading = _Reading(Frame(source))
    for item in items:
        if isinstance(item, Record):
            _record(reading, item)
        else:
            reading.frame.note(item)
    return (_session(reading),)


def _record(reading: _Reading, record: Record) -> None:
    data = record.data
    kind = string(data.get("type"))
    _about(reading, data)
    said = _READERS[kind](reading, data) if kind in _READERS else []
    if kind == "system" and data.get("subtype") == "compact_boundary":
        _mark_compaction(reading, record, boundary=True)
    if kind in {"user", "assistant"} and data.get("isCompactSummary"):
        _mark_compaction(reading, record, boundary=False)
    _grow_tree(reading, data, kind, said)
    if kind == "assistant" and (message := string(mapping(data.get("message")).get("id"))):
        said = _continue_message(reading, record, message, said)
    _keep(reading, record, said)


def _about(reading: _Reading, data: dict[str, Any]) -> None:
    if session := string(data.get("sessionId")):
        reading.ids.setdefault(session, session)
    reading.cwd = reading.cwd or string(data.get("cwd"))
    reading.branch = reading.branch or string(data.get("gitBranch"))
    if data.get("type") in {"user", "assistant"}:
        reading.spoken += 1
        reading.foreign += _of_an_agent(reading, data)
        reading.agent = reading.agent or string(data.get("agentId"))


def _of_an_agent(reading: _Reading, data: dict[str, Any]) -> bool:
    """Whether a record belongs to a sub-agent (rule 1)."""
    named = reading.frame.source.path.name.startswith("agent-")
    return bool(named or data.get("isSidechain") or data.get("agentId"))


def _mark_compaction(reading: _Reading, record: Record, *, boundary: bool) -> None:
    """One mark a compaction: at its boundary, or at the summary where older versions wrote no boundary."""
    if boundary or not reading.boundary:
        reading.compactions.append(record.line)
    reading.boundary = boundary


def _grow_tree(reading: _Reading, data: dict[str, Any], kind: str, said: list[Words]) -> None:
    uuid = string(data.get("uuid"))
    if not uuid or uuid in reading.nodes:
        return
    parent = string(data.get("parentUuid")) or string(data.get("logicalParentUuid"))
    prompt = kind == "user" and any(words.author in {Author.TYPED, Author.COMMAND} for words in said)
    reading.nodes[uuid] = Node(parent, prompt)
    if kind in {"user", "assistant"} and not _of_an_agent(reading, data):
        reading.last = uuid


def _continue_message(reading: _Reading, record: Record, message: str, said: list[Words]) -> list[Words]:
    """Joins the text of a streamed message to what earlier lines said of it; gives back what is not its text.

    A line may repeat the message so far, then the longest text wins, or bring its next block.
    """
    text = "\n".join(words.text for words in said if words.author is Author.MODEL)
    place = reading.messages.get(message)
    if not text or place is None:
        if text:
            reading.messages[message] = len(reading.turns)
        return said
    before = reading.turns[place]
    if text not in before.text:
        joined = text if before.text in text else f"{before.text}\n{text}"
        reading.turns[place] = replace(before, text=clip(joined, KEPT_OF_MODEL))
    return [words for words in said if words.author is not Author.MODEL]


def _keep(reading: _Reading, record: Record, said: list[Words]) -> None:
    uuid = string(record.data.get("uuid"))
    if uuid and said:
        told = reading.seen.tell(uuid, tuple((words.author, words.text) for words in said))
        if told == "same":
            return
        if told == "changed":
            reading.frame.damaged(Damage(record.line, record.offset, CHANGED))
    at, doubtful = reading.frame.time(record.data.get("timestamp"))
    for words in said:
        ref = uuid or f"line {record.line}"
        turn = Turn(record.line, ref, words.author, bounded(words), at, doubtful, words.reason, question=words.question)
        reading.turns.append(turn)
        reading.session.append(reading.ids.get(string(record.data.get("sessionId")), ""))


def _user(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    """The rules for `user` records, in their order."""
    message = mapping(data.get("message"))
    content = message.get("content")
    apart = _set_apart(reading, data, string(message.get("role")))
    said: list[Words] = []
    results = [block for block in blocks(content) if block.get("type") == "tool_result"]
    for block in blocks(content):
        kind = block.get("type")
        if kind == "text":
            said.extend(_text(reading, block, apart))
        elif kind == "tool_result":
            said.extend(_result(reading, data, block, alone=len(results) == 1 and apart is None))
        elif kind == "document":
            data_of = string(mapping(block.get("source")).get("data"))
            plain = mapping(block.get("source")).get("type") == "text"
            said.append(Words(Author.DOCUMENT, data_of if plain else "", "document"))
    return said


def _set_apart(reading: _Reading, data: dict[str, Any], role: str) -> tuple[Author, str] | None:
    """The author that the record's own fields give to all of its text, None when the text itself must be asked."""
    origin = string(mapping(data.get("origin")).get("kind"))
    if _of_an_agent(reading, data):
        return Author.OTHER_AGENT, "sub-agent prompt"
    if data.get("isCompactSummary"):
        return Author.SUMMARY, "compact summary"
    if data.get("isMeta") or data.get("isVisibleInTranscriptOnly") or data.get("promptSource") == "system":
        return Author.INJECTED, "added by the harness"
    if origin not in {"", "human"}:
        return Author.OTHER_AGENT if origin == "peer" else Author.INJECTED, f"origin {origin}"
    if role not in {"", "user"}:
        return Author.INJECTED, f"role {role}"
    if data.get("toolUseResult") is not None and isinstance(mapping(data.get("message")).get("content"), str):
        return Author.TOOL, "tool_result"
    return None


def _text(reading: _Reading, block: dict[str, Any], apart: tuple[Author, str] | None) -> list[Words]:
    text = string(block.get("text"))
    split = pieces(text, reading.frame.source.table)
    if apart is None:
        return [Words(piece.author, piece.text, piece.reason) for piece in split]
    author, reason = apart
    named = split[0].reason if split and author is Author.INJECTED else ""
    return [Words(author, text.strip(), named or reason)] if text.strip() else []


def _result(reading: _Reading, data: dict[str, Any], block: dict[str, Any], *, alone: bool) -> list[Words]:
    call = reading.calls.pop(string(block.get("tool_use_id")), None)
    if not alone and _set_apart(reading, data, "") is not None:
        return [Words(Author.TOOL, text_of(block.get("content")), "tool_result")]
    outcome = data.get("toolUseResult") if alone else None
    return words_of(block, call, outcome, data.get("toolDenialKind"), reading.frame.source.table)


def _assistant(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    content = mapping(data.get("message")).get("content")
    author, reason = Author.MODEL, ""
    if _of_an_agent(reading, data):
        author, reason = Author.OTHER_AGENT, "sub-agent report"
    elif data.get("isCompactSummary"):
        author, reason = Author.SUMMARY, "compact summary"
    elif data.get("isApiErrorMessage"):
        author, reason = Author.INJECTED, "error of the service"
    text = text_of(content)
    said = [Words(author, clip(text, KEPT_OF_MODEL), reason)] if text else []
    for block in blocks(content):
        if block.get("type") == "tool_use":
            call = call_of(block)
            if identity := string(block.get("id")):
                reading.calls[identity] = call
            said.append(Words(Author.TOOL, call.shown, "tool call"))
    return said


def _system(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    subtype = string(data.get("subtype"))
    if subtype == "compact_boundary":
        return [Words(Author.INJECTED, string(data.get("content")), "compact boundary")]
    if subtype == "local_command":
        return [Words(Author.INJECTED, string(data.get("content")), "local command")]
    return []


def _summary(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    text = string(data.get("summary"))
    return [Words(Author.SUMMARY, text, "title")] if text else []


def _attachment(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    """Text that was typed while the agent worked, or a note of the harness."""
    inner = mapping(data.get("attachment"))
    if inner.get("type") != "queued_command":
        return [Words(Author.INJECTED, string(inner.get("type")), "attachment of another type")]
    apart = _set_apart(reading, data, "") or _set_apart(reading, inner, "")
    mode = inner.get("commandMode")
    if apart is None and mode not in {None, "prompt"}:
        apart = (Author.COMMAND, "shell passthrough") if mode == "bash" else (Author.INJECTED, "queued by the harness")
    texts = [block for block in blocks(inner.get("prompt")) if block.get("type") == "text"]
    said = [words for block in texts for words in _text(reading, block, apart)]
    return [
        replace(words, author=Author.COMMAND, reason="slash command")
        if words.author is Author.TYPED and _BARE_COMMAND.fullmatch(words.text)
        else words
        for words in said
    ]


_READERS: dict[str, Callable[[_Reading, dict[str, Any]], list[Words]]] = {
    "user": _user,
    "assistant": _assistant,
    "system": _system,
    "summary": _summary,
    "attachment": _attachment,
}


def _session(reading: _Reading) -> Session:
    frame, stem = reading.frame, reading.frame.source.stem
    own = stem if stem in reading.ids else next(iter(reading.ids), stem)
    subagent = stem.startswith("agent-") or (reading.spoken > 0 and reading.foreign == reading.spoken)
    copied_from = _parent(reading, own) if not subagent else own
    left = abandoned(reading.nodes, reading.last)
    turns = (
        replace(turn, abandoned=turn.ref in left, inherited=inherited)
        for turn, inherited in zip(reading.turns, _inherited(reading, own), strict=True)
    )
    project, worktree = project_of(reading.cwd)
    return Session(
        format=NAME,
        id=f"{own}:{stem if stem.startswith('agent-') else f'agent-{reading.agent}'}" if subagent else own,
        path=str(frame.source.path),
        turns=tuple(turns),
        project=project,
        branch=worktree or reading.branch,
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=subagent,
        parent=copied_from,
        read_to=frame.read_to,
    )


def _inherited(reading: _Reading, own: str) -> list[bool]:
    """Which turns a resumed or forked session copied: those ahead of its own records that carry another session's id.

    Only where the file's name says which session is its own; otherwise nothing is claimed, so that nothing is lost.
    """
    first = reading.session.index(own) if own in reading.session and own == reading.frame.source.stem else 0
    return [place < first and session not in {"", own} for place, session in enumerate(reading.session)]


def _parent(reading: _Reading, own: str) -> str:
    copied = (session for session, flag in zip(reading.session, _inherited(reading, own), strict=True) if flag)
    return next(copied, "")
