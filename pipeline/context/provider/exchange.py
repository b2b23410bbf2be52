"""One question to a provider and what came of it: the document that is sent, the call, and the line that it leaves.

Shared by the hook and by paging (`spec/context.md` §19–§22).
"""

from __future__ import annotations

import json
import logging
import os
import threading
import traceback
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.context.provider.answer import Answer, Cause, Dropped, Status, Verdict, classify, variant_of
from pipeline.context.provider.configuration import Configuration, Provider
from pipeline.context.provider.process import Run, environment, run
from pipeline.context.request import Request
from pipeline.context.standing import is_protected, stand
from pipeline.measure import cut_units, units
from store import clock
from store.access import path_owner
from store.memory import Memory
from store.view import View

LOG = logging.getLogger("memdesk")
MOST_CANDIDATES = 500
LONGEST_STATEMENT = 2000
"""UTF-16 units of a statement that are sent, cut on a whole character (`spec/context.md` §19, ctx-D22)."""
AUDIT_FILE = "provider-audit.jsonl"
UNSHOWN = frozenset({"not_installed", "not_requested", "cancelled"})
"""What leaves no status line: there is no provider, it was not to be asked, or the question was taken back."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call, everything that a screen shows of it whatever was asked.

    `sent`, `private` and `cut` are the files (bank-relative paths) of the request, those of them that are private, and
    those whose statement was cut. `request` is the text that went to the program. `dropped` are names of the answer
    that were not accepted, `removed` the files that it takes out. `asked` is what the answer belongs to.
    """

    status: Status
    configuration: Configuration
    provider: str = ""
    note: str = ""
    applied: bool = False
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
    asked: tuple[Any, ...] = ()
    removed: frozenset[str] = field(default=frozenset())

    @property
    def shows(self) -> bool:
        """Whether the pack has a status line for it."""
        return self.status not in UNSHOWN


def removed_by(told: Exchange | None) -> frozenset[str]:
    """The files that an answer takes out of a pack; none where none was applied."""
    return told.removed if told is not None and told.applied else frozenset()


@dataclass(frozen=True, slots=True)
class Question:
    """A request as it is sent: its text, and the candidates in the order in which they stand in it."""

    capability: str
    text: str
    candidates: tuple[Memory, ...]
    truncated: bool

    @property
    def files(self) -> list[str]:
        """The files that are sent."""
        return [memory.path for memory in self.candidates]


def unasked(configuration: Configuration) -> dict[str, Any]:
    """The fields of an exchange without a provider to ask: none is installed, or the configuration is broken."""
    broken = configuration.state == "error"
    note = configuration.reason if broken else ""
    return {"status": "error" if broken else "not_installed", "configuration": configuration, "note": note}


def broken_off(configuration: Configuration, provider: Provider, error: Exception) -> dict[str, Any]:
    """The fields of an exchange that our own code broke off; the log has the place, and no value (§21)."""
    name = type(error).__name__
    LOG.error("unexpected %s while a provider was asked\n%s", name, "".join(traceback.format_tb(error.__traceback__)))
    note = f"Memdesk itself failed while it asked the provider ({name})."
    return {"status": "error", "configuration": configuration, "provider": provider.id, "note": note}


def first_candidates(memories: Iterable[Memory]) -> tuple[tuple[Memory, ...], bool]:
    """The memories that are sent of those that may be, and whether there were more."""
    found = tuple(islice(memories, MOST_CANDIDATES + 1))
    return found[:MOST_CANDIDATES], len(found) > MOST_CANDIDATES


def candidate(memory: Memory) -> dict[str, Any]:
    """A memory as it is sent: six fields, no tags, scores or sizes (§19)."""
    return {
        "file": memory.path,
        "type": memory.type,
        "subject": memory.subject,
        "statement": cut_units(memory.statement, LONGEST_STATEMENT),
        "created": memory.created,
        "updated": memory.updated,
    }


def document(capability: str, payload: Mapping[str, Any]) -> str:
    """The text of a question; each has an id of its own."""
    body = {"schema": 1, "capability": capability, "request_id": str(uuid.uuid4()), "payload": payload}
    return json.dumps(body, ensure_ascii=False)


def call(
    provider: Provider, home: Path, question: Question, cancel: threading.Event | None = None
) -> tuple[Answer, Run]:
    """Ask, and leave one line in the provider home's audit file. Returns within the time-out plus 500 ms."""
    stdin = question.text.encode("utf-8", "replace")
    went = run(provider.command, home, environment(home), stdin=stdin, timeout_ms=provider.timeout_ms, cancel=cancel)
    answer = classify(went)
    append_audit(home, audit_line(question.capability, provider, answer, went))
    return answer, went


def fields_of(
    configuration: Configuration, provider: Provider, question: Question, went: Run, *, answer: Answer, verdict: Verdict
) -> dict[str, Any]:
    """The fields of an exchange that do not depend on what was asked for."""
    memories = question.candidates
    return {
        "status": answer.status,
        "configuration": configuration,
        "provider": provider.id,
        "note": verdict.note,
        "applied": verdict.applied,
        "dropped": verdict.dropped,
        "invalid": verdict.invalid,
        "ignored": verdict.ignored,
        "sent": tuple(question.files),
        "private": tuple(memory.path for memory in memories if _is_private(memory)),
        "cut": tuple(memory.path for memory in memories if units(memory.statement) > LONGEST_STATEMENT),
        "truncated": question.truncated,
        "request": question.text,
        "duration_ms": went.duration_ms,
        "timeout_ms": provider.timeout_ms,
        "bytes_out": answer.bytes_out,
        "stderr": tuple(went.stderr.decode("utf-8", "replace").splitlines()),
    }


def _is_private(memory: Memory) -> bool:
    return memory.scope == "private" or bool(path_owner(memory.path))


def causes(view: View, request: Request, evicted: frozenset[str] = frozenset()) -> Callable[[str], Cause]:
    """Why a name that was not sent is not accepted; looks through the bank at the first such name only.

    `evicted` are the files that another answer has taken out already.
    """
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
        if name in evicted:
            return "evicted"
        return "beyond_500" if name in eligible else "left_out"

    return cause


def inputs_of(view: View, request: Request) -> tuple[Any, ...]:
    """What a question depends on; an answer to other ones is stale."""
    years = tuple(sorted(request.years))
    return (request.agent, request.shown, request.focus, request.budget, years, request.project, view.revision)


def audit_line(capability: str, provider: Provider, answer: Answer, went: Run) -> Mapping[str, object]:
    """The line that a call leaves: never payload, names, note or message (`spec/context.md` §21)."""
    return {
        "schema": 1,
        "ts": clock.stamp(),
        "capability": capability,
        "provider_id": provider.id,
        "status": answer.status,
        "duration_ms": went.duration_ms,
        "bytes_out": answer.bytes_out,
    }


def append_audit(home: Path, told: Mapping[str, object]) -> bool:
    """Append one line; a home that refuses it is left alone, as the protocol says (False)."""
    line = json.dumps(told, ensure_ascii=False) + "\n"
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
