"""A model door that lets so many calls through at the same time and makes the others wait."""

from __future__ import annotations

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

from pipeline.extract.stages import Canonicalize, Localize, Propose, Reflect
from pipeline.reply import ModelProblem, Reply
from pipeline.run import Cancelled, Door, by_rules, reflected, reflects

STEP_SECONDS = 0.05
"""How often a call that waits for its turn looks whether it was cancelled."""


class BoundedDoor:
    """Another door, with at most `most` calls under way; a call that waits can be cancelled like one that runs."""

    def __init__(self, door: Door, most: int) -> None:
        self._door, self._room = door, BoundedSemaphore(max(1, most))
        self.name = str(getattr(door, "name", ""))
        self.window_messages: Any = getattr(door, "window_messages", None)
        self.rules, self.reflects = by_rules(door), reflects(door)

    def propose(self, question: Propose, cancelled: Cancelled) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""
        return self._in_turn(lambda: self._door.propose(question, cancelled), cancelled)

    def localize(self, question: Localize, cancelled: Cancelled) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""
        return self._in_turn(lambda: self._door.localize(question, cancelled), cancelled)

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""
        return self._in_turn(lambda: self._door.canonicalize(question, cancelled), cancelled)

    def reflect(self, question: Reflect, cancelled: Cancelled) -> Reply | ModelProblem:
        """What do these records show, and what could be kept in the settings?"""
        return self._in_turn(lambda: reflected(question, self._door, cancelled), cancelled)

    def _in_turn(self, call: Callable[[], Reply | ModelProblem], cancelled: Cancelled) -> Reply | ModelProblem:
        while not self._room.acquire(timeout=STEP_SECONDS):
            if cancelled():
                return ModelProblem("aborted", "The call was stopped.")
        try:
            return call()
        finally:
            self._room.release()
