"""Paging: a provider says what of a pack with a budget goes, and what comes first (`spec/context.md` §22)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.context.budget import entry_line
from pipeline.context.pack import Pack, assemble
from pipeline.context.provider.answer import Answer
from pipeline.context.provider.configuration import PAGING, Configuration, Provider, read_configuration
from pipeline.context.provider.exchange import (
    Question,
    broken_off,
    call,
    candidate,
    causes,
    document,
    fields_of,
    first_candidates,
    inputs_of,
    removed_by,
    unasked,
)
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult, PagingVerdict, apply_paging
from pipeline.context.request import LAYOUTS, Request, check
from pipeline.context.standing import is_protected, is_self_profile, stand
from pipeline.measure import units
from store.view import View

PAGED_LAYOUT = LAYOUTS[0]
"""The layout whose sections the protocol names."""
PLANNED = {"2.5": "summary", "2.6": "focus", "3": "corridor", "4": "high_value"}
"""The names of the sections in a question."""


def question(view: View, request: Request, hook: HookResult | None = None) -> Question:
    """The document for the provider: what the hook leaves of its candidates, with their sizes and sections (§22).

    `sections` and `baseline_section` are the plan: what each section would list, the budget left aside.
    """
    planned = assemble(view, replace(request, budget=0, explain=False), hook)
    plan = plan_of(planned)
    place = {file: name for name, files in reversed(list(plan.items())) for file in files}
    shown, standing = request.shown, stand(view, request)
    left = (one for one in standing.recency if not is_protected(one, shown) and planned.allowed(one))
    memories, truncated = first_candidates(left)
    payload: dict[str, Any] = {
        "agent": shown,
        "budget": request.budget,
        "focus": request.focus,
        "truncated": truncated,
        "protected": [memory.path for memory in standing.eligible if is_self_profile(memory, shown)],
        "sections": plan,
        "candidates": [
            {
                **candidate(memory),
                "chars": units(entry_line(memory)),
                "baseline_section": place.get(memory.path, ""),
            }
            for memory in memories
        ],
    }
    return Question(PAGING, document(PAGING, payload), memories, truncated)


def plan_of(pack: Pack) -> Mapping[str, Sequence[str]]:
    """The files that a pack shows in each of the sections 2.5 to 4, by the names of the protocol."""
    plan: dict[str, list[str]] = {name: [] for name in PLANNED.values()}
    for attempt in pack.attempts:
        if attempt.outcome == "included" and attempt.section in PLANNED:
            plan[PLANNED[attempt.section]].append(attempt.memory.path)
    return plan


def page(
    view: View,
    request: Request,
    hook: HookResult | None = None,
    home: Path | None = None,
    cancel: threading.Event | None = None,
) -> PagingResult | None:
    """Ask the provider that declares paging about the pack that the hook left; blocking, for a worker thread.

    None when it is not to be asked: `request.paging` is False, or it is None and there is nobody to ask or no budget
    to page for. With True there is always a result, if only `not_requested` without a budget or for a chat. Time
    limits, audit line and `cancel` as for the hook. Raises only what `check` raises.
    """
    check(request)
    if request.paging is False:
        return None
    configuration = read_configuration(home, PAGING)
    pageable = request.budget > 0 and request.layout == PAGED_LAYOUT
    if request.paging is None and (configuration.provider is None or not pageable):
        return None
    if not pageable:
        return PagingResult("not_requested", configuration)
    provider = configuration.provider
    if provider is None:
        return PagingResult(**unasked(configuration), budget=request.budget)
    try:
        return _asked(view, request, hook, configuration, provider, cancel=cancel)
    except Exception as error:  # what fails in our own code leaves the pack whole, too (§21)
        return PagingResult(**broken_off(configuration, provider, error), budget=request.budget)


def _asked(
    view: View,
    request: Request,
    hook: HookResult | None,
    configuration: Configuration,
    provider: Provider,
    *,
    cancel: threading.Event | None,
) -> PagingResult:
    asked = question(view, request, hook)
    answer, went = call(provider, configuration.home, asked, cancel)
    verdict = _verdict(answer, asked, view, request, removed_by(hook))
    return PagingResult(
        drop=verdict.drop,
        order=verdict.order,
        removed=frozenset(verdict.drop),
        budget=request.budget,
        asked=_inputs(view, request, hook),
        **fields_of(configuration, provider, asked, went, answer=answer, verdict=verdict),
    )


def _verdict(answer: Answer, asked: Question, view: View, request: Request, evicted: frozenset[str]) -> PagingVerdict:
    if answer.status != "active":
        return PagingVerdict(note=answer.note)
    return apply_paging(answer.data, asked.files, asked.truncated, causes(view, request, evicted))


def _inputs(view: View, request: Request, hook: HookResult | None) -> tuple[Any, ...]:
    """Paging is also told the plan, which depends on the limit and on what the hook left."""
    return (*inputs_of(view, request), request.limit, removed_by(hook))


def is_stale(result: PagingResult, view: View, request: Request, hook: HookResult | None) -> bool:
    """Whether an answer was given to another question than would be asked now."""
    return bool(result.sent) and result.asked != _inputs(view, request, hook)
