"""The hook: which memories a provider takes out of a pack before it is made (`spec/context.md`, part C)."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from pipeline.context.provider.answer import Answer, HookVerdict, apply
from pipeline.context.provider.configuration import HOOK, Configuration, Provider, read_configuration
from pipeline.context.provider.exchange import (
    Exchange,
    Question,
    broken_off,
    call,
    candidate,
    causes,
    document,
    fields_of,
    first_candidates,
    inputs_of,
    unasked,
)
from pipeline.context.request import Request, check
from pipeline.context.standing import is_protected, stand
from store.view import View


@dataclass(frozen=True, slots=True)
class HookResult(Exchange):
    """One call of the hook. `evicted` and `hidden` are files: named to go, and absent from the whitelist (ctx-D02)."""

    evicted: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def question(view: View, request: Request) -> Question:
    """The document for the provider: readable memories but the protected ones, newest first, at most 500 (§19)."""
    newest = stand(view, request).recency
    memories, truncated = first_candidates(one for one in newest if not is_protected(one, request.shown))
    payload = {
        "agent": request.shown,
        "budget": request.budget,
        "focus": request.focus,
        "truncated": truncated,
        "candidates": [candidate(memory) for memory in memories],
    }
    return Question(HOOK, document(HOOK, payload), memories, truncated)


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
        return HookResult(**unasked(configuration))
    try:
        return _asked(view, request, configuration, provider, cancel)
    except Exception as error:  # what fails in our own code leaves the pack whole, too (§21)
        return HookResult(**broken_off(configuration, provider, error))


def _asked(
    view: View, request: Request, configuration: Configuration, provider: Provider, cancel: threading.Event | None
) -> HookResult:
    asked = question(view, request)
    answer, went = call(provider, configuration.home, asked, cancel)
    verdict = _verdict(answer, asked, view, request)
    return HookResult(
        evicted=verdict.evicted,
        hidden=verdict.hidden,
        removed=frozenset((*verdict.evicted, *verdict.hidden)),
        asked=inputs_of(view, request),
        **fields_of(configuration, provider, asked, went, answer=answer, verdict=verdict),
    )


def _verdict(answer: Answer, asked: Question, view: View, request: Request) -> HookVerdict:
    if answer.status != "active":
        return HookVerdict(note=answer.note)
    return apply(answer.data, asked.files, asked.truncated, causes(view, request))


def is_stale(result: HookResult, view: View, request: Request) -> bool:
    """Whether an answer was given to another question than `request` over `view` would ask."""
    return bool(result.sent) and result.asked != inputs_of(view, request)
