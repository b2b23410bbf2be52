"""Telling by its content what wrote a file (`spec/formats.md` §15); never by its name alone."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.formats import claude_code, dsh, openai
from pipeline.formats.content import mapping, string
from pipeline.formats.documents import Member, members
from pipeline.formats.lines import BOM, Record, chunks, glued, records, split
from pipeline.formats.session import Damage
from store.errors import BadInput, StorageFailure

HEAD = 1 << 20
"""Bytes of a file that are looked at."""
WHOLE_DOCUMENT = "document"
LINES = "lines"
EMPTY = "empty"
ZSTD = "zstd"

_LISTS = frozenset({"messages", "mapping", "chat_messages", "agents", "blocks", "results", "history"})
_READS = "Claude Code, DSH and OpenAI-style messages are read; name one with the format option if it is one of them."


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is: the reader's `format` ("" when there is none), its `shape`, and `what` it is, for people."""

    format: str
    what: str
    shape: str = LINES


_LINE_RULES: tuple[tuple[Callable[[dict[str, Any]], bool], Recognised], ...] = (
    (
        lambda data: data.get("type") == "session" and "version" in data and "delegationDepth" in data,
        Recognised(dsh.NAME, "a DSH session log"),
    ),
    (lambda data: data.get("type") == "session", Recognised("", "an OpenClaw session")),
    (lambda data: "payload" in data, Recognised("", "a Codex rollout")),
    (lambda data: bool({"$set", "$rewindTo", "projectHash"} & set(data)), Recognised("", "a Gemini CLI session")),
    (
        lambda data: ("sessionId" in data and "uuid" in data) or string(data.get("type")) in claude_code.TYPES,
        Recognised(claude_code.NAME, "a Claude Code transcript"),
    ),
    (lambda data: "entityType" in data or "relationType" in data, Recognised("", "an MCP memory file")),
    (lambda data: data.get("role") == "session_meta", Recognised("", "a Hermes session")),
    (
        lambda data: "messages" in data or "role" in data or string(data.get("type")) in openai.ITEMS,
        Recognised(openai.NAME, "OpenAI-style messages"),
    ),
)
"""The order of `spec/formats.md` §15 for JSON lines."""

_MAGIC = (
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"PK\x03\x04", "a zip archive; unpack it and give the file inside"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)


def detect(path: Path, told: str | None = None) -> Recognised:
    """What the file is, by its first `HEAD` bytes; `told` is a format that the person insists on.

    Raises `BadInput` with one sentence that names what it looks like when no reader is for it, `StorageFailure` when it
    cannot be opened.
    """
    head = _head(path)
    if head.startswith(dsh.ZSTD_MAGIC):
        return _compressed(head, path)
    lines = _as_lines(head, path)
    found = _empty(head) or (_by_lines(head) or _by_document(head) if lines else _by_document(head) or _by_lines(head))
    if told is not None and (found is None or found.format not in {told, EMPTY}):
        return Recognised(told, f"taken as {told}", LINES if lines or told != openai.NAME else WHOLE_DOCUMENT)
    if found is None or not found.format:
        raise BadInput(f"{path} looks like {found.what if found else _looks(head)}. {_READS}")
    return found


def _as_lines(head: bytes, path: Path) -> bool:
    """Whether to take a file as JSON lines rather than one document: its first line is JSON by itself.

    A single line is a document unless the file is called `.jsonl`: then more lines will follow.
    """
    first, newline, rest = head.lstrip(BOM + b"\x00 \t\r\n").partition(b"\n")
    more = bool(rest.strip()) or path.name.endswith(".jsonl")
    parsed = list(glued(first.strip(b"\x00 \t\r").decode("utf-8", "replace"))) if newline or len(head) < HEAD else []
    return more and bool(parsed) and isinstance(parsed[0][1], dict | list)


def _head(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise BadInput(f"{path} is no file; give the path of a transcript.")
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except OSError as error:
        raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check its permissions.") from error
    except ValueError as error:
        raise BadInput(f"{str(path)!r} is no path of a file; give the path of a transcript.") from error


def _empty(head: bytes) -> Recognised | None:
    blank = not head.removeprefix(BOM).strip()
    return Recognised(EMPTY, "an empty session", EMPTY) if blank else None


def _compressed(head: bytes, path: Path) -> Recognised:
    found = _by_lines(b"".join(_some(dsh.Frames(io.BytesIO(head)))))
    if found is None or found.format != dsh.NAME:
        raise BadInput(f"{path} is Zstandard data, but no DSH session log; unpack it first and give the file inside.")
    return Recognised(dsh.NAME, f"{found.what}, compressed", ZSTD)


def _some(frames: dsh.Frames) -> Iterator[bytes]:
    total = 0
    while total < HEAD and (piece := frames.read()):
        total += len(piece)
        yield piece


def _by_lines(head: bytes) -> Recognised | None:
    """The first record that a rule knows decides."""
    items = records(split(chunks(io.BytesIO(head))), lists=True)
    return next((found for item in items if isinstance(item, Record) and (found := _rule(item.data))), None)


def _rule(data: dict[str, Any]) -> Recognised | None:
    if set(data) == {"messages"}:
        return _listed(data["messages"])
    return next((found for holds, found in _LINE_RULES if holds(data)), None) or _of_keys(data)


def _listed(value: Any) -> Recognised | None:
    first = mapping(value[0]) if isinstance(value, list) and value else {}
    return _element(first) or Recognised(openai.NAME, "OpenAI-style messages")


def _element(first: dict[str, Any]) -> Recognised | None:
    """What a list is by its first element."""
    if "mapping" in first:
        return Recognised("", "a ChatGPT export")
    if "chat_messages" in first:
        return Recognised("", "a Claude.ai export")
    if "memory" in first:
        return Recognised("", "a mem0 export")
    if "parts" in first:
        return Recognised("", "a Gemini CLI checkpoint")
    return None


def _by_document(head: bytes) -> Recognised | None:
    """A JSON document that spans lines, or one line that is longer than the head."""
    keys: dict[str, Any] = {}
    for part in members(iter((head,)), _LISTS):
        if isinstance(part, Damage):
            continue
        if part.key == "" and part.index is not None:
            return _of_list(part)
        if part.key == "":
            return Recognised("", "a Letta agent file") if _is_letta(part.value) else None
        if part.index in {None, 0}:
            keys[part.key] = part.value
    return _of_keys(keys)


def _of_list(part: Member) -> Recognised | None:
    first = mapping(part.value)
    found = _element(first)
    if found is None and ("role" in first or string(first.get("type")) in openai.ITEMS):
        return Recognised(openai.NAME, "OpenAI-style messages", WHOLE_DOCUMENT)
    return found


def _is_letta(value: Any) -> bool:
    return isinstance(value, str) and '"agents"' in value and '"blocks"' in value


def _of_keys(keys: dict[str, Any]) -> Recognised | None:
    if "agents" in keys and "blocks" in keys:
        return Recognised("", "a Letta agent file")
    if "results" in keys or "memory" in keys:
        return Recognised("", "a mem0 export")
    if "projectHash" in keys and "messages" in keys:
        return Recognised("", "a Gemini CLI session")
    if "history" in keys:
        return Recognised("", "a Gemini CLI checkpoint")
    if "messages" in keys:
        return Recognised(openai.NAME, "OpenAI-style messages", WHOLE_DOCUMENT)
    return None


def _looks(head: bytes) -> str:
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    start = head.removeprefix(BOM).lstrip()
    if b"\x00" in head[:4096]:
        return "binary data"
    if start[:1] in {b"{", b"["}:
        return "JSON of no known transcript"
    if start[:3] == b"---" or start[:1] == b"#":
        return "Markdown, not a transcript"
    return "text, not a transcript"
