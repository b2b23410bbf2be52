"""Codex CLI rollouts (`spec/formats.md` §3.1): lines with a payload each, and every prompt in two of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.formats.codex_forks import Lineage
from pipeline.formats.codex_prompts import Prompts
from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, compact, mapping, parsed, string, text_of
from pipeline.formats.copies import Seen, is_repeated
from pipeline.formats.envelopes import DOUBTFUL, pieces
from pipeline.formats.lines import Item, Record
from pipeline.formats.session import Author, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, project_of
from pipeline.formats.turns import INHERITED, TurnLog

NAME = "codex"
QUESTION_TOOL = "request_user_input"

_TEXTS = frozenset({"input_text", "output_text", "text"})
_CALLS = frozenset(
    {
        *("function_call", "custom_tool_call", "local_shell_call", "web_search_call"),
        *("tool_search_call", "image_generation_call"),
    }
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output", "web_search_output"})
ITEMS = _CALLS | _OUTPUTS | {"message", "reasoning", "agent_message", "compaction"}
"""Types of items that stand by themselves in a line of the first generation, whose payload was the whole line."""

_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})
_IMAGE_MARK = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")
_SHELL = re.compile(r"<command>(.*?)</command>", re.IGNORECASE | re.DOTALL)
_CWD = re.compile(r"<cwd>([^<>]+)</cwd>")
_NOTE = "user_note:"
_UNPAIRED = f"{DOUBTFUL}: its parts are not told apart"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that was put to the person; the answer to a secret one is not kept."""

    text: str
    secret: bool


@dataclass(slots=True)
class _Reading:
    """What has been gathered while the lines go by."""

    frame: Frame
    turns: TurnLog
    prompts: Prompts
    lineage: Lineage
    compactions: list[int] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    calls: dict[str, dict[str, _Asked]] = field(default_factory=dict)
    """Calls of the question tool that wait for their output, each with its questions by id."""
    cwd: str = ""
    told_cwd: str = ""
    """The folder that an environment note names, for rollouts whose header names none."""


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of a rollout. Damaged lines are in its `damage`; nothing is raised for them."""
    turns = TurnLog()
    reading = _Reading(Frame(source), turns, Prompts(turns), Lineage(source.now))
    for item in reading.frame.records(items):
        _record(reading, item)
    return (_session(reading),)


def _record(reading: _Reading, record: Record) -> None:
    kind, payload = _unwrapped(record.data)
    if kind == "session_meta":
        reading.lineage.header(payload)
    reading.lineage.line(record.data.get("timestamp"), len(reading.turns))
    reader = _READERS.get(kind)
    if reader is not None:
        reader(reading, record, payload)


def _unwrapped(data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type and the payload of a line; the first generation had neither, and its header no type."""
    if "payload" in data:
        return string(data.get("type")), mapping(data["payload"])
    if string(data.get("type")) in ITEMS or (data.get("type") is None and "role" in data):
        return "response_item", data
    header = data.get("type") is None and "record_type" not in data and "id" in data and "timestamp" in data
    return ("session_meta", data) if header else ("", {})


def _context(reading: _Reading, record: Record, payload: dict[str, Any]) -> None:
    reading.cwd = reading.cwd or string(payload.get("cwd"))
    reading.lineage.context(payload.get("turn_id"), len(reading.turns))


def _compacted(reading: _Reading, record: Record, payload: dict[str, Any]) -> None:
    """A compaction; the messages in its `replacement_history` repeat earlier ones and are part of the summary."""
    reading.compactions.append(record.line)
    summary = Words(Author.SUMMARY, clip(string(payload.get("message")), KEPT_OF_MODEL), "compaction")
    _add(reading, record, payload, [summary])
    _answered(reading)


def _event(reading: _Reading, record: Record, payload: dict[str, Any]) -> None:
    kind, item = string(payload.get("type")), mapping(payload.get("item"))
    text = ""
    if kind == "user_message":
        text = string(payload.get("message"))
    elif kind == "item_completed" and string(item.get("type")) in {"UserMessage", "user_message"}:
        text = text_of(item.get("content"))
    elif kind == "thread_rolled_back" and isinstance(count := payload.get("num_turns"), int):
        reading.prompts.rolled_back(count)
    elif kind in _ENDS:
        _answered(reading)
        if kind == "turn_aborted":
            reading.prompts.aborted()
    if text and not _spawned(reading):
        reading.prompts.event(_turns(reading, record, {}, _split(reading, text)))


def _item(reading: _Reading, record: Record, payload: dict[str, Any]) -> None:
    """An item of the conversation with the model. Very short ones of role and content have no type."""
    kind = payload.get("type")
    if (kind is None or kind == "message") and payload.get("role") == "user":
        _user(reading, record, payload)
        return
    said = list(_other(reading, string(kind), payload))
    if _told_before(reading, record, payload, said):
        return
    _add(reading, record, payload, said)
    if string(payload.get("role")) not in {"developer", "system"}:
        _answered(reading)


def _user(reading: _Reading, record: Record, payload: dict[str, Any]) -> None:
    said = _whole_message(list(_typed(reading, payload)))
    if _told_before(reading, record, payload, said):
        return
    aborted = any(words.reason == "abort marker" for words in said)
    reading.prompts.message(_turns(reading, record, payload, said), text_of(payload.get("content"), kinds=_TEXTS))
    if aborted:
        _answered(reading)
        reading.prompts.aborted()


def _typed(reading: _Reading, payload: dict[str, Any]) -> Iterator[Words]:
    """A message of role user, each content item judged alone (rules 1, 2 and 6)."""
    content = payload.get("content")
    if spawned := _spawned(reading):
        yield Words(Author.OTHER_AGENT, text_of(content, kinds=_TEXTS), spawned)
        return
    items = list(blocks(content))
    pictures = any(item.get("type") == "input_image" for item in items)
    for item, kind in zip(items, _kinds(payload, len(items)), strict=True):
        text = string(item.get("text"))
        if item.get("type") == "output_text":
            yield Words(Author.MODEL, text, "words of the model under role user")
        elif string(item.get("type")) not in _TEXTS or (pictures and _IMAGE_MARK.fullmatch(text)):
            continue
        elif kind is not None and not kind.startswith("user."):
            yield Words(Author.INJECTED, text, kind)
        else:
            yield from _split(reading, text)


def _kinds(payload: dict[str, Any], count: int) -> list[str | None]:
    """What the record itself says of each content item; None where it says nothing.

    Where the kinds do not pair up with the items none of these is known to be typed, unless all are.
    """
    told = mapping(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
    if not isinstance(told, list) or not told:
        return [None] * count
    kinds = [clip(string(kind), 60) for kind in told]
    if len(kinds) == count:
        return list(kinds)
    return ["user." if all(kind.startswith("user.") for kind in kinds) else _UNPAIRED] * count


def _split(reading: _Reading, text: str) -> list[Words]:
    said: list[Words] = []
    for piece in pieces(text, reading.frame.source.table):
        words = Words(piece.author, piece.text, piece.reason)
        if piece.author is Author.SUMMARY:
            words = replace(words, reason="summary")
        elif piece.name == "user_shell_command":
            command = _SHELL.search(piece.text)
            words = replace(words, text=command[1].strip() if command else clip(piece.text))
        elif piece.name == "environment_context" and (folder := _CWD.search(piece.text)):
            reading.told_cwd = reading.told_cwd or folder[1].strip()
        said.append(words)
    return said


def _whole_message(said: list[Words]) -> list[Words]:
    """A message that was injected whole as one piece, named by its first part: they were written as one."""
    if len(said) < 2 or any(words.author is not Author.INJECTED for words in said):
        return said
    if any(words.reason.startswith(DOUBTFUL) for words in said):
        return said
    return [replace(said[0], text="\n".join(words.text for words in said))]


def _other(reading: _Reading, kind: str, payload: dict[str, Any]) -> Iterator[Words]:
    """Everything but messages of role user: of the model, of tools, of other agents."""
    spawned = bool(_spawned(reading))
    if kind in _CALLS:
        yield _call(reading, payload)
    elif kind in _OUTPUTS:
        yield from _output(reading, payload)
    elif kind == "agent_message":
        yield Words(Author.OTHER_AGENT, clip(text_of(payload.get("content"), kinds=_TEXTS)), "message of another agent")
    elif kind in {"", "message"}:
        role, text = string(payload.get("role")), text_of(payload.get("content"), kinds=_TEXTS)
        if role == "assistant":
            author, reason = (Author.OTHER_AGENT, "sub-agent report") if spawned else (Author.MODEL, "")
            yield Words(author, clip(text, KEPT_OF_MODEL), reason)
        else:
            yield Words(Author.INJECTED, text, f"{clip(role, 40) or 'no'} role")


def _call(reading: _Reading, payload: dict[str, Any]) -> Words:
    name, given = string(payload.get("name")), payload.get("arguments", payload.get("input", payload.get("action")))
    if name == QUESTION_TOOL and not payload.get("namespace") and (call := string(payload.get("call_id"))):
        listed = mapping(parsed(given)).get("questions")
        asked = [mapping(item) for item in (listed if isinstance(listed, list) else [])]
        reading.calls[call] = {
            string(item.get("id")): _Asked(string(item.get("question")), bool(item.get("isSecret"))) for item in asked
        }
    return Words(Author.TOOL, f"{name} {compact(given)}".strip(), "tool call")


def _output(reading: _Reading, payload: dict[str, Any]) -> Iterator[Words]:
    """The output of a tool; that of the question tool holds the person's answers (rule 5)."""
    output = payload.get("output")
    asked = reading.calls.pop(string(payload.get("call_id")), None)
    answers = mapping(mapping(parsed(output)).get("answers")) if asked else {}
    found = [words for name, answer in answers.items() for words in _answer((asked or {}).get(name), answer)]
    if found and not _spawned(reading):
        yield from found
    elif any(item.secret for item in (asked or {}).values()):
        yield Words(Author.TOOL, "", "tool result; the answer to a secret question is not kept")
    else:
        text = text_of(mapping(output).get("content", output), kinds=_TEXTS)
        yield Words(Author.TOOL, clip(text), "tool result")


def _answer(asked: _Asked | None, answer: Any) -> Iterator[Words]:
    if asked is None or asked.secret:
        return
    given = mapping(answer).get("answers", answer)
    parts = [part.strip() for part in (given if isinstance(given, list) else [given]) if isinstance(part, str)]
    chosen = ", ".join(part for part in parts if part and not part.startswith(_NOTE))
    notes = [part.removeprefix(_NOTE).strip() for part in parts if part.startswith(_NOTE)]
    for text in (chosen, *notes):
        if text:
            yield Words(Author.CHOSEN, text, question=clip(asked.text))


def _spawned(reading: _Reading) -> str:
    """Why nothing in this rollout was typed by a person (rule 6); "" where it was."""
    meta = reading.lineage.meta
    source = mapping(meta.get("source"))
    if source.get("subagent") or meta.get("source") == "subagent":
        return "session_meta.source.subagent is set"
    if source.get("internal"):
        return "session_meta.source.internal is set"
    if meta.get("thread_source") == "subagent":
        return "session_meta.thread_source is subagent"
    return "session_meta.parent_thread_id is set" if meta.get("parent_thread_id") else ""


def _answered(reading: _Reading) -> None:
    reading.prompts.answered()
    reading.lineage.answered(len(reading.turns))


def _told_before(reading: _Reading, record: Record, payload: dict[str, Any], said: list[Words]) -> bool:
    """Whether a record with an id of its own repeats an earlier one; warns when it has another text."""
    identity = string(payload.get("id"))
    return is_repeated(reading.seen, reading.frame, identity, said, line=record.line, offset=record.offset)


def _add(reading: _Reading, record: Record, payload: dict[str, Any], said: list[Words]) -> None:
    for turn in _turns(reading, record, payload, said):
        reading.turns.append(turn)


def _turns(reading: _Reading, record: Record, payload: dict[str, Any], said: list[Words]) -> list[Turn]:
    at, doubtful = reading.frame.time(record.data.get("timestamp"))
    ref = string(payload.get("id")) or f"line {record.line}"
    copied = reading.lineage.copied_line(record.data)
    return [
        Turn(
            *(record.line, ref, words.author, bounded(words), at, doubtful, words.reason),
            question=words.question,
            inherited=copied,
        )
        for words in said
        if words.text or words.reason
    ]


_READERS: dict[str, Callable[[_Reading, Record, dict[str, Any]], None]] = {
    "response_item": _item,
    "event_msg": _event,
    "turn_context": _context,
    "compacted": _compacted,
}


def _session(reading: _Reading) -> Session:
    frame, lineage, turns = reading.frame, reading.lineage, reading.turns
    for place in range(lineage.inherited(len(turns))):
        turns.mark(place, INHERITED)
    project, worktree = project_of(string(lineage.meta.get("cwd")) or reading.cwd or reading.told_cwd)
    frame.time(lineage.meta.get("timestamp"))
    return Session(
        format=NAME,
        id=_identity(reading),
        path=str(frame.source.path),
        turns=turns.sealed(),
        project=project,
        branch=worktree or string(mapping(lineage.meta.get("git")).get("branch")),
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=bool(_spawned(reading)),
        parent=lineage.parent,
        read_to=frame.read_to,
    )


def _identity(reading: _Reading) -> str:
    """The id in the header; a sub-agent that only names the session that it serves has one of its own behind it."""
    stem, meta = reading.frame.source.stem, reading.lineage.meta
    if _spawned(reading) and not string(meta.get("id")) and reading.lineage.id:
        return f"{reading.lineage.id}:{stem}"
    return reading.lineage.id or stem
