"""Asking the provider: the request it gets, its answer, and the line that it leaves (`spec/context.md`, part C)."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.context.answer import Answer, Cause, Dropped, Status, Verdict, apply, classify, variant_of
from pipeline.context.process import Run, environment, run
from pipeline.context.provider import CAPABILITY, Configuration, Provider, read_configuration
from pipeline.context.request import Request, check
from pipeline.context.standing import is_protected, stand
from pipeline.measure import cut_units, units
from store import clock
from store.access import path_owner
from store.memory import Memory
from store.view import View

MOST_CANDIDATES = 500
LONGEST_STATEMENT = 2000
"""UTF-16 units of a statement that are sent, cut on a whole character (`spec/context.md` §19, ctx-D22)."""
AUDIT_FILE = "provider-audit.jsonl"

Asked = tuple[str, str, str, int, tuple[str, ...], str, int]


@dataclass(frozen=True, slots=True)
class HookResult:
    """One call of the hook, everything that a screen shows of it.

    `evicted` and `hidden` are files (bank-relative paths); `removed` is both. `sent`, `private` and `cut` are the
    files of the request, those of them that are private, and those whose statement was cut. `request` is the text
    that went to the program. `asked` is what the answer belongs to (see `is_stale`).
    """

    status: Status
    configuration: Configuration
    provider: str = ""
    note: str = ""
    applied: bool = False
    evicted: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    invalid: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    truncated: bool = False
    request: str = ""
    duration_ms: int = 0
    timeout_ms: int = 0
    bytes_out: int = 0
    stderr: tuple[str, ...] = ()
    asked: Asked = ("", "", "", 0, (), "", 0)
    removed: frozenset[str] = field(default=frozenset())

    @property
    def shows(self) -> bool:
        """Whether the pack has a status line: not without a provider, nor when the question was taken back."""
        return self.status not in {"not_installed", "cancelled"}


@dataclass(frozen=True, slots=True)
class Question:
    """A request as it is sent: its text, and the candidates in the order in which they stand in it."""

    text: str
    candidates: tuple[Memory, ...]
    truncated: bool


def question(view: View, request: Request) -> Question:
    """The document for the provider: readable memories but the protected ones, newest first, at most 500 (§19)."""
    standing = stand(view, request)
    eligible = (memory for memory in standing.recency if not is_protected(memory, request.shown))
    candidates = tuple(islice(eligible, MOST_CANDIDATES + 1))
    truncated = len(candidates) > MOST_CANDIDATES
    candidates = candidates[:MOST_CANDIDATES]
    payload = {
        "agent": request.shown,
        "budget": request.budget,
        "focus": request.focus,
        "truncated": truncated,
        "candidates": [_candidate(memory) for memory in candidates],
    }
    document = {"schema": 1, "capability": CAPABILITY, "request_id": str(uuid.uuid4()), "payload": payload}
    return Question(json.dumps(document, ensure_ascii=False), candidates, truncated)


def _candidate(memory: Memory) -> dict[str, str]:
    return {
        "file": memory.path,
        "type": memory.type,
        "subject": memory.subject,
        "statement": cut_units(memory.statement, LONGEST_STATEMENT),
        "created": memory.created,
        "updated": memory.updated,
    }


def ask(view: View, request: Request, home: Path | None = None, cancel: threading.Event | None = None) -> HookResult:
    """Ask the configured provider about the pack of `request`; blocking, for a worker thread.

    Reads `provider.json` anew. Whatever the program does, this returns within its time-out plus 500 ms; setting
    `cancel` ends it with the status `cancelled`. Whenever a process was started (or could not be), one line is
    appended to the provider home's audit file. Raises only what `check` raises.
    """
    check(request)
    configuration = read_configuration(home)
    provider = configuration.provider
    if provider is None:
        broken = configuration.state == "error"
        return HookResult(
            "error" if broken else "not_installed", configuration, note=configuration.reason if broken else ""
        )
    asked = question(view, request)
    went = _call(provider, configuration.home, asked, cancel)
    answer = classify(went)
    _append_audit(configuration.home, provider, answer, went)
    verdict = _verdict(answer, asked, view, request)
    rest: dict[str, Any] = {"status": answer.status, "bytes_out": answer.bytes_out, "asked": _asked(view, request)}
    rest |= {"provider": provider.id, "timeout_ms": provider.timeout_ms}
    return _result(configuration, asked, went, verdict, rest)


def _call(provider: Provider, home: Path, asked: Question, cancel: threading.Event | None) -> Run:
    stdin = asked.text.encode("utf-8", "replace")
    return run(provider.command, home, environment(home), stdin=stdin, timeout_ms=provider.timeout_ms, cancel=cancel)


def _verdict(answer: Answer, asked: Question, view: View, request: Request) -> Verdict:
    if answer.status != "active":
        return Verdict(note=answer.note)
    sent = [memory.path for memory in asked.candidates]
    return apply(answer.data, sent, asked.truncated, _causes(view, request))


def _causes(view: View, request: Request) -> Callable[[str], Cause]:
    """Why a name that was not sent is not accepted; looks through the bank at the first such name only."""
    files: dict[str, Memory] = {}
    eligible: set[str] = set()

    def cause(name: str) -> Cause:
        if not files:
            files.update({memory.path: memory for memory in view.readable(request.agent)})
            eligible.update(memory.path for memory in stand(view, request).eligible)
        if name not in files:
            return variant_of(name, tuple(files))
        if is_protected(files[name], request.shown):
            return "protected"
        return "beyond_500" if name in eligible else "left_out"

    return cause


def _result(
    configuration: Configuration, asked: Question, went: Run, verdict: Verdict, rest: Mapping[str, Any]
) -> HookResult:
    long = (memory.path for memory in asked.candidates if units(memory.statement) > LONGEST_STATEMENT)
    return HookResult(
        configuration=configuration,
        note=verdict.note,
        applied=verdict.applied,
        evicted=verdict.evicted,
        hidden=verdict.hidden,
        dropped=verdict.dropped,
        invalid=verdict.invalid,
        ignored=verdict.ignored,
        sent=tuple(memory.path for memory in asked.candidates),
        private=tuple(memory.path for memory in asked.candidates if _is_private(memory)),
        cut=tuple(long),
        truncated=asked.truncated,
        request=asked.text,
        duration_ms=went.duration_ms,
        stderr=tuple(went.stderr.decode("utf-8", "replace").splitlines()),
        removed=frozenset((*verdict.evicted, *verdict.hidden)),
        **rest,
    )


def _is_private(memory: Memory) -> bool:
    return memory.scope == "private" or bool(path_owner(memory.path))


def _asked(view: View, request: Request) -> Asked:
    years = tuple(sorted(request.years))
    return (request.agent, request.shown, request.focus, request.budget, years, request.project, view.revision)


def is_stale(result: HookResult, view: View, request: Request) -> bool:
    """Whether an answer was given to another question than `request` over `view` would ask."""
    return bool(result.sent) and result.asked != _asked(view, request)


def audit_line(provider: Provider, answer: Answer, went: Run) -> Mapping[str, object]:
    """The line that a call leaves: never payload, names, note or message (`spec/context.md` §21)."""
    return {
        "schema": 1,
        "ts": clock.stamp(),
        "capability": CAPABILITY,
        "provider_id": provider.id,
        "status": answer.status,
        "duration_ms": went.duration_ms,
        "bytes_out": answer.bytes_out,
    }


def _append_audit(home: Path, provider: Provider, answer: Answer, went: Run) -> bool:
    """Append one line; a home that refuses it is left alone, as the protocol says (False)."""
    line = json.dumps(audit_line(provider, answer, went), ensure_ascii=False) + "\n"
    # Not blocking: a pipe of that name must not hold the call.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(home / AUDIT_FILE, flags, 0o600)
    except OSError:
        return False
    try:
        os.write(handle, line.encode("utf-8", "replace"))
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
