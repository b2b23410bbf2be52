"""Writing transcripts for tests: records as the tools write them, and the person's words as they were read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pipeline.formats.envelopes import load
from pipeline.formats.lines import Item, records, split
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from pipeline.formats.source import Source

DATA = Path(__file__).parents[2] / "data"
NOW = "2026-11-30T10:00:00+00:00"
NOW_MS = 1_796_032_800_000


def source(name: str = "s1.jsonl") -> Source:
    return Source(Path(name), load(), NOW_MS)


def dump(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def user(content: Any, uuid: str = "", parent: str | None = None, **more: Any) -> dict[str, Any]:
    """A `user` record of Claude Code in session s1."""
    base = {"type": "user", "sessionId": "s1", "timestamp": "2026-05-01T10:00:00Z", "parentUuid": parent}
    named = {"uuid": uuid} if uuid else {}
    return base | named | {"message": {"role": "user", "content": content}} | more


def assistant(content: Any, uuid: str = "", parent: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content} | ({"id": more.pop("message")} if "message" in more else {})
    return user(content, uuid, parent) | {"type": "assistant", "message": message} | more


def result(text: Any, call: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": text} | more


def called(name: str, given: Any, call: str = "t1") -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": call, "name": name, "input": given}]


def only(read: Callable[[Iterable[Item], Source], tuple[Session, ...]], data: bytes, name: str) -> Session:
    """The one session of a file of lines."""
    (session,) = read(records(split([data])), source(name))
    return session


def words(session: Session) -> list[tuple[str, str]]:
    """What the person wrote, with its record references."""
    return [(turn.ref, turn.text) for turn in session.turns if turn.author in EVIDENCE_AUTHORS]


def texts(session: Session) -> list[str]:
    return [text for _, text in words(session)]


def authors(session: Session) -> list[tuple[str, str]]:
    return [(turn.author.value, turn.text) for turn in session.turns]
