"""The parent's side of the process in which litellm lives: started at first use, shared by threads."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import IO, Any, cast

from pipeline.reply import ModelProblem, Reply

START_SECONDS = 180.0
"""How long the child may take to import litellm on a slow disk."""
GRACE_SECONDS = 2.0
"""How much longer than its own limit a call may stay silent before the child counts as dead."""
STEP_SECONDS = 0.05
"""How often a waiting call looks whether it was cancelled."""

Message = dict[str, Any]
STOPPED = ModelProblem("aborted", "The call was stopped.")
ENDED: Message = {"problem": "provider", "message": "The model process ended; run again."}


class _Child:
    """One process and the calls that wait for it."""

    def __init__(self) -> None:
        self.answers: dict[str, queue.Queue[Message]] = {}
        self.ready = threading.Event()
        self._sending = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.litellm_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            bufsize=1,
        )
        self._input, self._output = cast(IO[str], self.process.stdin), cast(IO[str], self.process.stdout)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def _listen(self) -> None:
        for line in self._output:
            message = json.loads(line)
            if message.get("ready"):
                self.ready.set()
            elif waiting := self.answers.get(message["id"]):
                waiting.put(message)
        self.process.wait()  # its output ends a moment before it does, and a call in between must not take it
        self.ready.set()
        for waiting in list(self.answers.values()):
            waiting.put(ENDED)

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one line; to a process that is gone it is lost, and the listener answers for it."""
        with self._sending:
            try:
                self._input.write(json.dumps(message) + "\n")
                self._input.flush()
            except (BrokenPipeError, ValueError):
                self.ready.set()


class Worker:
    """The current child; a dead one is replaced by the next call."""

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._lock = threading.Lock()

    def child(self) -> _Child:
        """The running child, started when there is none."""
        with self._lock:
            if self._child is None or not self._child.alive:
                self._child = _Child()
            return self._child

    def call(self, request: Mapping[str, Any], cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        """Send one request (`pipeline/litellm_worker.py`) and wait for its answer, its limit in seconds or a cancel."""
        child = self.child()
        name = uuid.uuid4().hex
        answers = child.answers[name] = queue.Queue()
        try:
            problem = _await_start(child, cancelled)
            if problem is not None:
                return problem
            child.send({**request, "id": name})
            return _await_answer(child, name, answers, float(request["timeout"]), cancelled)
        finally:
            child.answers.pop(name, None)

    def close(self) -> None:
        """End the child; a later call starts a new one."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.process.kill()
            child.process.wait()


def _await_start(child: _Child, cancelled: Callable[[], bool]) -> ModelProblem | None:
    deadline = time.monotonic() + START_SECONDS
    while not child.ready.wait(STEP_SECONDS):
        if cancelled():
            return STOPPED
        if time.monotonic() > deadline:
            return ModelProblem("configuration", "Model access does not start; reinstall Memdesk and try again.")
    return None


def _await_answer(
    child: _Child, name: str, answers: queue.Queue[Message], timeout: float, cancelled: Callable[[], bool]
) -> Reply | ModelProblem:
    deadline = time.monotonic() + timeout + GRACE_SECONDS
    while time.monotonic() < deadline:
        try:
            message = answers.get(timeout=STEP_SECONDS)
        except queue.Empty:
            if cancelled():
                child.send({"cancel": name})
                return STOPPED
            if not child.alive and answers.empty():
                return _outcome(ENDED)
            continue
        if "waiting" in message:
            deadline += message["waiting"]
            continue
        return _outcome(message)
    child.send({"cancel": name})
    return ModelProblem("timeout", f"The model did not answer within {timeout:g} s.")


def _outcome(message: Message) -> Reply | ModelProblem:
    used = {name: message.get(name) for name in ("tokens_in", "tokens_out", "cost")}
    seconds = message.get("seconds", 0.0)
    if "problem" in message:
        return ModelProblem(message["problem"], message["message"], **used, seconds=seconds)
    return Reply(message["text"], **used, seconds=seconds)
