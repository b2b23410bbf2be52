"""Answers of a model on a cassette: replayed from a file, for tests and demos (`spec/extraction.md` §24.5).

One JSON object a line: `{"stage", "text" or "answer", "key"?, "tokens_in"?, "tokens_out"?, "cost"?}`. A line with a key
answers the question of that key, as often as it is asked; lines without one, as a person writes them, answer their
stage in order, each once. A recorded cassette holds a person's words and is for its owner alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from pipeline.extract.evidence import compact_json, rendered, utf8
from pipeline.extract.stages import Canonicalize, Localize, Propose, Question, Reflect
from pipeline.model import LitellmDoor, OfflineDoor
from pipeline.reply import ModelProblem, Reply
from pipeline.run import Cancelled, reflected, reflects
from store.errors import BadInput

LARGEST = 64 << 20
"""Bytes of the largest cassette that is read."""
STAGES = ("proposal", "localized", "canonicalize", "reflect")
_MISSING = "The cassette holds no answer to this call; record it again from the same transcript."


class CassetteDoor:
    """A model door that replays a cassette: no key, no network, the same answers each time."""

    free = True
    """Nobody is asked and nothing costs."""

    def __init__(self, path: Path) -> None:
        self.name = f"cassette {path.name}"
        self._by_key: dict[str, Reply] = {}
        self._in_order: dict[str, deque[Reply]] = {stage: deque() for stage in STAGES}
        self._lock = Lock()
        self._reflects = False
        for number, line in enumerate(_lines(path), 1):
            self._take_in(line, f"{path} line {number}")

    def propose(self, question: Propose, cancelled: Cancelled) -> Reply | ModelProblem:
        """The answer to a proposal."""
        return self._answer(question)

    def localize(self, question: Localize, cancelled: Cancelled) -> Reply | ModelProblem:
        """The answer to a localized proposal."""
        return self._answer(question)

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled) -> Reply | ModelProblem:
        """The verdicts on candidates."""
        return self._answer(question)

    @property
    def reflects(self) -> bool:
        """Whether the cassette was recorded with insights switched on."""
        return self._reflects

    def reflect(self, question: Reflect, cancelled: Cancelled) -> Reply | ModelProblem:
        """The insights and suggestions."""
        return self._answer(question)

    def close(self) -> None:
        """Nothing is open."""

    def _answer(self, question: Question) -> Reply | ModelProblem:
        with self._lock:
            if (known := self._by_key.get(question_key(question))) is not None:
                return known
            line = self._in_order[stage_of(question)]
            return line.popleft() if line else ModelProblem("configuration", _MISSING)

    def _take_in(self, line: str, where: str) -> None:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or entry.get("stage") not in STAGES:
            raise BadInput(f"{where} is no answer of a cassette: it needs a stage, and a text or an answer.")
        text = entry.get("text", compact_json(entry["answer"]) if "answer" in entry else None)
        if not isinstance(text, str):
            raise BadInput(f"{where} has neither a text nor an answer.")
        self._reflects |= entry["stage"] == "reflect"
        reply = Reply(text, *(_number(entry.get(name)) for name in ("tokens_in", "tokens_out", "cost")))
        if isinstance(key := entry.get("key"), str):
            self._by_key[key] = reply
        else:
            self._in_order[entry["stage"]].append(reply)


class RecordingDoor:
    """Another door, whose answers are kept on a cassette line by line; problems are not.

    `keep` puts one line away, or raises `OSError`: who asks for the recording says where.
    """

    def __init__(self, door: LitellmDoor | OfflineDoor, keep: Callable[[str], None]) -> None:
        self._door, self._keep, self._lock = door, keep, Lock()
        self.name = str(getattr(door, "name", ""))
        self.window_messages: Any = getattr(door, "window_messages", None)
        self.reflects = reflects(door)

    def propose(self, question: Propose, cancelled: Cancelled) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""
        return self._kept(question, self._door.propose(question, cancelled))

    def localize(self, question: Localize, cancelled: Cancelled) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""
        return self._kept(question, self._door.localize(question, cancelled))

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""
        return self._kept(question, self._door.canonicalize(question, cancelled))

    def reflect(self, question: Reflect, cancelled: Cancelled) -> Reply | ModelProblem:
        """What do these records show, and what could be kept in the settings?"""
        return self._kept(question, reflected(question, self._door, cancelled))

    def close(self) -> None:
        """Close the door that is recorded."""
        self._door.close()

    def _kept(self, question: Question, reply: Reply | ModelProblem) -> Reply | ModelProblem:
        if isinstance(reply, Reply):
            entry: dict[str, Any] = {"stage": stage_of(question), "key": question_key(question), "text": reply.text}
            entry |= {"tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out, "cost": reply.cost}
            try:
                with self._lock:
                    self._keep(json.dumps({name: value for name, value in entry.items() if value is not None}))
            except OSError as fault:
                return ModelProblem("configuration", f"The cassette cannot be written: {fault.strerror}.")
        return reply


def stage_of(question: Question) -> str:
    """The name of a question's stage."""
    if isinstance(question, Canonicalize):
        return "canonicalize"
    if isinstance(question, Reflect):
        return "reflect"
    return "localized" if isinstance(question, Localize) else "proposal"


def question_key(question: Question) -> str:
    """The identity of a question: what it asks about, whenever it is asked and whatever else waits in the ledger."""
    asked: Mapping[str, Any] = {"stage": stage_of(question), "repair": question.repair and question.repair.wrong}
    if isinstance(question, Canonicalize):
        quotes = [[[one.source_ref, one.quote] for one in candidate.evidence] for candidate in question.candidates]
        asked = {**asked, "candidates": quotes}
    else:
        asked = {**asked, "records": [rendered(record) for record in question.records]}
    return hashlib.sha256(utf8(compact_json(asked))).hexdigest()[:32]


def _lines(path: Path) -> list[str]:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device might never come to an end
            raise BadInput(f"{path} is no file; give the path of a recorded cassette.")
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path} is too large for a cassette.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise BadInput(f"The cassette {path} cannot be read; give the path of a recorded one.") from fault
    return [line for line in text.split("\n") if line.strip()]


def _number(value: object) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
