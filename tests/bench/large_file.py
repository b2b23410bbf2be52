"""A Claude Code transcript of any size: a long agentic session with prompts, answers, tool calls and their output."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from pipeline.measure import units

SEED = 20_261_130
SESSION = str(UUID(int=0x8F2E7D109C4B4D3AB5E60A1B2C3D4E5F, version=4))
LONGEST = 800_000
"""Characters of the longest tool output: escaped, and with what surrounds it, a line stays below 1 MB."""
_FACTS = (
    "We decided to use PostgreSQL {n} for service {n}, nothing else.",
    "I prefer short answers with the command first, step {n}.",
    "Never push to the branch release-{n} without asking me.",
    "Please remember that the staging host {n} is rebuilt every night.",
    "我们决定用 Redis {n} 做缓存，不要再换。",
)
_ASKS = (
    "Why does the test in module {n} fail? Look at the log first.",
    "Now do the same for module {n}, and keep the old name as an alias.",
    "看一下第 {n} 个用例为什么慢，先不要改代码。",
    "That is not what I meant: only the header of part {n}.",
)
_WORDS = (
    *("the", "worker", "retries", "when", "a", "lease", "expires", "before", "its", "batch", "is", "acknowledged;"),
    *("return", "None", "self.queue", "assert", '"value"', "C:\\temp\\build", "=>", "{", "}", "café", "缓存", "…"),
)


def write(path: Path, size: int) -> int:
    """Write a transcript of at least `size` bytes, by at most one exchange more; the number of its lines."""
    made, lines = 0, 0
    records = _Session(random.Random(SEED)).records()
    with path.open("wb") as file:
        while made < size:
            made, lines = made + file.write(_line(next(records))), lines + 1
    return lines


def grow(path: Path, messages: int) -> None:
    """Let the person say something more, as many times."""
    session = _Session(random.Random(SEED + 1))
    with path.open("ab") as file:
        for number in range(messages):
            file.write(_line(session.prompt(f"One more thing, number {number}: keep the port at 8443.")))


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Session:
    """The records of an endless session, the same for every run."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._parent: str | None = None
        self._at = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
        words = [chance.choice(_WORDS) for _ in range(400_000)]
        lines = [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]
        self._text = "\n".join(lines)
        self._output = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, 1))

    def records(self) -> Iterator[dict[str, Any]]:
        """Exchange after exchange."""
        number = 0
        while True:
            number += 1
            yield from self._exchange(number)

    def prompt(self, text: str) -> dict[str, Any]:
        """A message that a person typed."""
        return self._record("user", {"role": "user", "content": text}, permissionMode="default")

    def _exchange(self, number: int) -> Iterator[dict[str, Any]]:
        """A prompt, and ten to forty rounds of an agent with its tools."""
        yield {"type": "file-history-snapshot", "messageId": self._id(), "snapshot": {"trackedFileBackups": {}}}
        prompt = self._chance.choice(_FACTS if number % 4 == 0 else _ASKS).format(n=number)
        yield self.prompt(prompt)
        for _ in range(self._chance.randint(10, 40)):
            yield from self._round()
        yield self._said(f"msg_{self._id()}", {"type": "text", "text": self._some(self._text, 300, 4_000)})
        yield self._record("system", None, subtype="turn_duration", durationMs=self._chance.randint(10_000, 900_000))

    def _round(self) -> Iterator[dict[str, Any]]:
        """What the model thinks and says, its call, and what comes back: most outputs are short, a few very long."""
        message, call = f"msg_{self._id()}", f"toolu_{self._id()}"
        if self._chance.random() < 0.5:
            yield self._said(message, {"type": "thinking", "thinking": self._some(self._text, 100, 2_000)})
        if self._chance.random() < 0.4:
            yield self._said(message, {"type": "text", "text": self._some(self._text, 40, 800)})
        given = {"command": self._some(self._text, 20, 300).replace("\n", " "), "description": "Look"}
        yield self._said(message, {"type": "tool_use", "id": call, "name": "Bash", "input": given})
        if self._chance.random() < 0.2:
            yield self._record("progress", None, data={"type": "hook_progress", "hookEvent": "PreToolUse"})
        output = self._tool_output()
        block = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}
        told = {"stdout": output if len(output) < 30_000 else "", "stderr": "", "interrupted": False}
        yield self._record("user", {"role": "user", "content": [block]}, toolUseResult=told)

    def _tool_output(self) -> str:
        chance = self._chance.random()
        if chance < 0.80:
            return self._some(self._output, 20, 3_000)
        if chance < 0.995:
            return self._some(self._output, 3_000, 30_000)
        return self._some(self._output, 100_000, LONGEST)

    def _some(self, text: str, least: int, most: int) -> str:
        """A piece of the text."""
        length = self._chance.randint(least, most)
        at = self._chance.randrange(len(text) - length)
        return text[at : at + length]

    def _said(self, message: str, block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 4, "cache_read_input_tokens": 48_211, "output_tokens": units(str(block)) // 4}
        body = {"id": message, "type": "message", "role": "assistant", "model": "claude", "content": [block]}
        return self._record("assistant", body | {"stop_reason": None, "usage": usage}, requestId=f"req_{message[4:]}")

    def _record(self, kind: str, message: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
        own = self._id()
        self._at += timedelta(milliseconds=self._chance.randint(50, 9_000))
        head = {"parentUuid": self._parent, "isSidechain": False, "userType": "external", "cwd": "/home/ada/work/api"}
        head |= {"sessionId": SESSION, "version": "2.1.20", "gitBranch": "main", "type": kind}
        body = {"message": message} if message is not None else {}
        self._parent = own
        time = self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return head | body | more | {"uuid": own, "timestamp": time}

    def _id(self) -> str:
        return str(UUID(int=self._chance.getrandbits(128), version=4))
