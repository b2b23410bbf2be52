"""The only door to a language model: one protocol, with `litellm` in a child process and `offline` rules behind it.

A door is asked stage by stage (`decisions.md` §5.2): the litellm door renders the prompt files, the offline door
applies its rules; both answers pass the same parser and the same admission.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ProblemKind = Literal["aborted", "timeout", "configuration", "provider"]

START_SECONDS = 60.0
"""How long the child may take to import litellm on a slow disk."""
GRACE_SECONDS = 2.0
"""How much longer than its own limit a call may stay silent before the child counts as dead."""
STEP_SECONDS = 0.05
"""How often a waiting call looks whether it was cancelled."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer: its raw text, tokens in and out, cost in dollars (None: unknown), duration in seconds."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelProblem:
    """Why there is no answer: the error class of `spec/extraction.md` §13 and one sentence for a person."""

    kind: ProblemKind
    message: str


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model to call: a litellm model string, its server (None: the provider's own), seconds and tokens at most."""

    model: str
    api_base: str | None = None
    timeout: float = 60.0
    max_tokens: int = 4096


def never() -> bool:
    """The cancel check of a call that nobody can cancel."""
    return False


class Worker:
    """The child process that holds litellm: started at first use, shared by threads, ended by `close`."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None
        self._answers: dict[str, queue.Queue[dict[str, Any]]] = {}
        self._ready = threading.Event()
        self._lock = threading.Lock()

    def _start(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._ready.clear()
                self._child = subprocess.Popen(
                    [sys.executable, "-m", "pipeline.litellm_worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    encoding="utf-8",
                    bufsize=1,
                )
                threading.Thread(target=self._listen, args=(self._child,), daemon=True).start()
            return self._child

    def _listen(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        for line in child.stdout:
            message = json.loads(line)
            if message.get("ready"):
                self._ready.set()
            elif waiting := self._answers.get(message["id"]):
                waiting.put(message)
        self._ready.set()
        for waiting in list(self._answers.values()):
            waiting.put({"problem": "provider", "message": "The model process ended; run again."})

    def _send(self, child: subprocess.Popen[str], message: Mapping[str, Any]) -> None:
        assert child.stdin is not None
        with self._lock:
            try:
                child.stdin.write(json.dumps(message) + "\n")
                child.stdin.flush()
            except (BrokenPipeError, ValueError):
                return  # the child is gone; its listener has already answered for it

    def call(self, request: Mapping[str, Any], cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """Send one request (`pipeline/litellm_worker.py`) and wait for its answer, its limit or a cancel."""
        child = self._start()
        name = uuid.uuid4().hex
        answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._answers[name] = answers
        try:
            deadline = time.monotonic() + START_SECONDS
            while not self._ready.wait(STEP_SECONDS):
                if cancelled():
                    return ModelProblem("aborted", "The call was stopped.")
                if time.monotonic() > deadline:
                    return ModelProblem(
                        "configuration", "Model access does not start; reinstall Memdesk and try again."
                    )
            self._send(child, {**request, "id": name})
            return self._wait(child, name, answers, float(request["timeout"]), cancelled)
        finally:
            self._answers.pop(name, None)

    def _wait(
        self,
        child: subprocess.Popen[str],
        name: str,
        answers: queue.Queue[dict[str, Any]],
        timeout: float,
        cancelled: Callable[[], bool],
    ) -> Reply | ModelProblem:
        deadline = time.monotonic() + timeout + GRACE_SECONDS
        while time.monotonic() < deadline:
            try:
                message = answers.get(timeout=STEP_SECONDS)
            except queue.Empty:
                if cancelled():
                    self._send(child, {"cancel": name})
                    return ModelProblem("aborted", "The call was stopped.")
                if child.poll() is not None and answers.empty():
                    return ModelProblem("provider", "The model process ended; run again.")
                continue
            if "waiting" not in message:
                return _outcome(message)
        self._send(child, {"cancel": name})
        return ModelProblem("timeout", f"The model did not answer within {timeout:g} s.")

    def close(self) -> None:
        """End the child; a later call starts a new one."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()


def _outcome(message: Mapping[str, Any]) -> Reply | ModelProblem:
    if "problem" in message:
        return ModelProblem(message["problem"], message["message"])
    return Reply(
        message["text"],
        message.get("tokens_in"),
        message.get("tokens_out"),
        message.get("cost"),
        message.get("seconds", 0.0),
    )
