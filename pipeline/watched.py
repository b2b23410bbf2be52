"""A model door that tells what it is asked and what it answers, and that a person can stop in two ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pipeline.extract.stages import Canonicalize, Localize, Propose
from pipeline.reply import ModelProblem, Reply
from pipeline.run import Cancelled, Door


@dataclass(frozen=True, slots=True)
class Asked:
    """A call begins: its stage, and how many messages or candidates it is about."""

    stage: str
    size: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A call came back with an answer: what it used, as far as the model says so."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0


class WatchedDoor:
    """Another door, watched.

    `stopped` ends the call that is under way. What the run itself is cancelled by only keeps the next call from being
    made, so that stopping can wait for an answer that is already being paid for.
    """

    def __init__(self, door: Door, tell: Callable[[Asked | Answered], None], stopped: Cancelled) -> None:
        self._door, self._tell, self._stopped = door, tell, stopped
        self.name = str(getattr(door, "name", ""))
        self.window_messages: Any = getattr(door, "window_messages", None)

    def propose(self, question: Propose, cancelled: Cancelled) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""
        self._tell(Asked("propose", len(question.records)))
        return self._answered(self._door.propose(question, self._stopped))

    def localize(self, question: Localize, cancelled: Cancelled) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""
        self._tell(Asked("look up", len(question.records)))
        return self._answered(self._door.localize(question, self._stopped))

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""
        self._tell(Asked("canonicalize", len(question.candidates)))
        return self._answered(self._door.canonicalize(question, self._stopped))

    def _answered(self, answer: Reply | ModelProblem) -> Reply | ModelProblem:
        if isinstance(answer, Reply):
            counted = [number for number in (answer.tokens_in, answer.tokens_out) if number is not None]
            self._tell(Answered(sum(counted) if counted else None, answer.cost, answer.seconds))
        return answer
