"""The only door to a language model: one protocol, with `litellm` in a child process and `offline` rules behind it.

A door is asked stage by stage (`decisions.md` §5.2): the litellm door renders the prompt files, the offline door
(`pipeline/extract/offline/door.py`) applies its rules; both answers pass the same parser and the same admission.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.reply import ModelProblem, Reply
from pipeline.worker import Worker

if TYPE_CHECKING:
    from pipeline.extract.stages import Canonicalize, Localize, Propose, Question, Reflect, StageInput


SMALL_WINDOW = 5
"""Messages per call for small models (`decisions.md` §5.2)."""

LOCAL_PROVIDERS = frozenset({"ollama", "ollama_chat", "lm_studio", "llamafile", "docker_model_runner"})
"""litellm's names for programs that serve models on the machine that they are called from, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A litellm model string, its server (None: the provider's own), and the most seconds and tokens of a call.

    `small` models are asked about a few messages at a time, statement by statement.
    """

    model: str
    api_base: str | None = None
    timeout: float = 60.0
    max_tokens: int = 4096
    small: bool = False


def runs_here(model: str, api_base: str | None) -> bool:
    """Whether a model is served by this machine: its server's address is a loopback one, or its provider is such."""
    if api_base is None:
        return model.partition("/")[0] in LOCAL_PROVIDERS
    host = urlsplit(api_base if "//" in api_base else f"//{api_base}").hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


class LitellmDoor:
    """A model of any provider that litellm knows, behind the stages of extraction. Threads may share it."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.name = settings.model
        self._worker = Worker()

    @property
    def window_messages(self) -> int | None:
        """Messages per call that the model can answer for; None: as many as the person's settings say."""
        return SMALL_WINDOW if self.settings.small else None

    @property
    def reflects(self) -> bool:
        """Whether it is asked for insights too: what a small one makes of a conversation is not worth its time."""
        return not self.settings.small

    def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""
        return self._ask(question, cancelled)

    def localize(self, question: Localize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""
        return self._ask(question, cancelled)

    def canonicalize(self, question: Canonicalize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""
        return self._ask(question, cancelled)

    def reflect(self, question: Reflect, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """What do these records show, and what could be kept in the settings?"""
        return self._ask(question, cancelled)

    def close(self) -> None:
        """End the child process, if one was started."""
        self._worker.close()

    def _ask(self, question: Question, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        from pipeline.extract.prompts import by_statement, prompt

        if self.settings.small and by_statement.takes(question):
            said, wanted = by_statement.messages(question), by_statement.schema(question)
            unwrap: Callable[[str], str] = partial(by_statement.unwrap, question)
        else:
            said, wanted, unwrap = prompt.messages(question), prompt.schema(question), prompt.unwrap
        request = {
            "model": self.settings.model,
            "api_base": self.settings.api_base,
            "messages": said,
            "schema": wanted,
            "timeout": self.settings.timeout,
            "max_tokens": self.settings.max_tokens,
        }
        answer = self._worker.call(request, cancelled)
        return answer if isinstance(answer, ModelProblem) else replace(answer, text=unwrap(answer.text))


class OfflineDoor:
    """Honest rules in place of a model: no key, no network, nothing leaves the machine."""

    name = "offline"
    free = True
    """Nobody is asked and nothing costs."""
    rules = True
    """No model answers, so that there are no calls and no tokens to speak of."""

    @property
    def window_messages(self) -> int:
        """Messages per call that keep an answer within its ten findings."""
        from pipeline.extract.offline.door import WINDOW_MESSAGES

        return WINDOW_MESSAGES

    def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""
        return self._answer(question)

    def localize(self, question: Localize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""
        return self._answer(question)

    def canonicalize(self, question: Canonicalize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""
        return self._answer(question)

    def close(self) -> None:
        """Nothing is open."""

    def _answer(self, question: StageInput) -> Reply:
        from pipeline.extract.offline.door import answer

        return Reply(answer(question), 0, 0, 0.0)


def open_door(settings: ModelSettings | None) -> LitellmDoor | OfflineDoor:
    """The door to the model that the settings name; without one, the offline rules."""
    return LitellmDoor(settings) if settings else OfflineDoor()
