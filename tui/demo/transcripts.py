"""Writes the demo's conversations as the files that real tools leave behind."""

from __future__ import annotations

import json
import os
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

STEP = timedelta(minutes=2)
"""Time between two turns."""
NAMES = uuid.UUID("4b6f2f0e-7f0c-4a35-9a58-2c1d1f7a9e10")
"""Namespace of the record ids, so that every demo has the same ones."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation: where it was written, when it began, and who said what."""

    name: str
    format: str
    id: str
    project: str
    path: Path
    began: datetime
    turns: tuple[tuple[str, str], ...]
    read: bool

    def at(self, turn: int) -> datetime:
        """When a turn was said."""
        return self.began + STEP * turn

    def ref(self, turn: int) -> str:
        """The record id of a turn, as a reader of this format reports it."""
        return str(uuid.uuid5(NAMES, f"{self.name}:{turn}"))


def write_transcripts(folder: Path, now: datetime) -> tuple[Talk, ...]:
    """Write every conversation of `transcripts.toml` below `folder`, dated back from `now`."""
    table = tomllib.loads((files("tui.demo") / "transcripts.toml").read_text(encoding="utf-8"))
    talks = tuple(_talk(folder, entry, now) for entry in table["transcript"])
    for talk in talks:
        talk.path.parent.mkdir(parents=True, exist_ok=True)
        talk.path.write_text(WRITERS[talk.format](talk), encoding="utf-8")
        ended = talk.at(len(talk.turns)).timestamp()
        os.utime(talk.path, (ended, ended))
    return talks


def _talk(folder: Path, entry: Mapping[str, Any], now: datetime) -> Talk:
    places = {
        "claude-code": Path("claude", "projects", entry.get("folder", ""), f"{entry['id']}.jsonl"),
        "openai": Path("exports", f"{entry['name']}.json"),
        "dsh": Path("dsh", "sessions", entry.get("folder", ""), entry["id"], "session.jsonl"),
    }
    turns = tuple((who, text) for who, text in entry["turns"])
    began = now - timedelta(days=entry["days"], hours=1) - STEP * len(turns)
    path = folder / places[entry["format"]]
    return Talk(
        entry["name"], entry["format"], entry["id"], entry["project"], path, began, turns, entry.get("read", False)
    )


def _lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _claude_record(talk: Talk, number: int) -> dict[str, Any]:
    who, text = talk.turns[number]
    record: dict[str, Any] = {
        "parentUuid": talk.ref(number - 1) if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": talk.project,
        "sessionId": talk.id,
        "version": "2.1.210",
        "gitBranch": "main",
        "type": "assistant" if who == "agent" else "user",
        "uuid": talk.ref(number),
        "timestamp": talk.at(number).isoformat(timespec="milliseconds"),
    }
    content: Any = text
    if who == "agent":
        content = [{"type": "text", "text": text}]
    elif who == "tool":
        content = [{"type": "tool_result", "tool_use_id": f"toolu_{number:02d}", "content": text}]
    elif who == "command":
        content = f"<command-name>{text}</command-name>\n<command-message>{text[1:]}</command-message>"
    message: dict[str, Any] = {"role": record["type"], "content": content}
    if who == "agent":
        message |= {"id": f"msg_{number:04d}", "type": "message", "model": "demo"}
    return record | {"message": message}


def claude_code(talk: Talk) -> str:
    """A Claude Code transcript (`spec/formats.md` §2.1)."""
    return _lines(_claude_record(talk, number) for number in range(len(talk.turns)))


def openai_messages(talk: Talk) -> str:
    """A list of OpenAI-style messages (`spec/formats.md` §8)."""
    roles = {"you": "user", "agent": "assistant", "injected": "system", "tool": "tool"}
    messages = [{"role": roles[who], "content": text} for who, text in talk.turns]
    return json.dumps(messages, ensure_ascii=False, indent=1) + "\n"


def _dsh_event(talk: Talk, number: int) -> dict[str, Any]:
    who, text = talk.turns[number]
    blocks = [{"type": "text", "text": text}]
    event = {"seq": number, "time": int(talk.at(number).timestamp() * 1000)}
    if who == "agent":
        return event | {"type": "assistant/message", "data": {"message": {"role": "assistant", "content": blocks}}}
    if who == "tool":
        return event | {
            "type": "tool/result",
            "data": {"message": {"content": [{"type": "tool_result", "result": text}]}},
        }
    kind = "user" if who == "you" else "agent-instructions"
    data = {"role": "user", "content": blocks, "source": {"kind": kind}, "id": talk.ref(number)}
    return event | {"type": "user/message", "data": data}


def dsh(talk: Talk) -> str:
    """A DSH session (`spec/formats.md` §9)."""
    header = {
        "type": "session",
        "version": 0,
        "id": talk.id,
        "createdAt": int(talk.began.timestamp() * 1000),
        "cwd": talk.project,
        "delegationDepth": 0,
    }
    return _lines([header, *(_dsh_event(talk, number) for number in range(len(talk.turns)))])


WRITERS = {"claude-code": claude_code, "openai": openai_messages, "dsh": dsh}
