"""The pack as plain values: what `context --json` prints, with `--explain` or without (`spec/context.md` §13, G)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pipeline.context.assembled import as_messages, as_values
from pipeline.context.draft import Attempt
from pipeline.context.fate import Fate
from pipeline.context.fates import Fates
from pipeline.context.needs import needs
from pipeline.context.pack import Pack
from pipeline.context.provider.answer import CAUSES
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.whatif import More, budget_ended, next_with_budget, status_cost
from pipeline.measure import round3

SCHEMA = 1
STEPS = 12
"""Larger budgets that are looked at to say exactly which one takes a refused memory."""


def refused() -> dict[str, Any]:
    """What `context --json` prints when there is no pack: no bank, no identity, a bad year."""
    return {"schema": SCHEMA, "hook": None}


def report(pack: Pack) -> dict[str, Any]:
    """Exactly the three keys of `spec/context.md` §13; between them the block of paging where it was asked (§22).

    A layout of messages also says its name, its unit and the messages themselves.
    """
    paging = {} if pack.paging is None else {"paging": paging_block(pack, pack.paging)}
    chat = {"layout": pack.layout.name, "unit": pack.layout.measure.word, "messages": as_messages(pack)}
    told = {"schema": SCHEMA, "hook": hook_block(pack.hook), **paging, "text": pack.text}
    return told | (chat if pack.messages else {})


def explained(pack: Pack) -> dict[str, Any]:
    """The report with every decision, the budget, the provider and what a whitelist hid (`decisions.md` §5.6)."""
    fates, more = Fates(pack), next_with_budget(pack, STEPS)
    return {
        **report(pack),
        "schemaVersion": SCHEMA,
        "decisions": {
            "counts": {"live": fates.counts.live, **fates.counts.outcomes, **fates.counts.unseen},
            "items": [decision(fates, fate, more) for fate in fates],
        },
        **({"segments": as_values(pack)} if pack.messages else {}),
        "budget": budget_block(pack),
        "provider": provider_block(pack),
        **({} if pack.paging is None else {"paging_provider": _asked(pack.paging, pack)}),
        "hidden": list(pack.hook.hidden) if pack.hook else [],
    }


def hook_block(hook: HookResult | None) -> dict[str, Any]:
    """The block HOOK of §13; a pack that was made without asking has the status `not_requested`."""
    return {
        "status": hook.status if hook else "not_requested",
        "provider_id": hook.provider if hook else "",
        "applied": bool(hook and hook.applied),
        "evicted": list(hook.evicted) if hook else [],
        "dropped": [dropped.name for dropped in hook.dropped] if hook else [],
        "note": hook.note if hook else "",
    }


def paging_block(pack: Pack, paging: PagingResult) -> dict[str, Any]:
    """The block of §22; `dropped` are the files that it takes out, `used` the units of the lines that got in."""
    return {
        "status": paging.status,
        "provider_id": paging.provider,
        "applied": paging.applied,
        "dropped": list(paging.drop),
        "ordered": list(paging.order),
        "truncated": paging.truncated,
        "budget": max(pack.request.budget, 0),
        "used": pack.chosen_units,
        "note": paging.note,
    }


def decision(fates: Fates, fate: Fate, more: Sequence[More] = ()) -> dict[str, Any]:
    """One decision record (part G); what does not apply is left out. `more` as in `needs`: what it would take."""
    memory, wanting = fate.memory, needs(fates, fate, more)
    always = {
        "id": memory.id,
        "file": memory.path,
        "type": memory.type,
        "subject": memory.subject,
        "chars": fate.chars,
        "outcome": fate.outcome,
    }
    rest = {
        "root": fate.root,
        "owner": fate.owner,
        "section": fate.section,
        "rank": fate.rank,
        "reason": fate.reason,
        "moved_up": fate.moved_up,
        "paging": fate.paged,
        "used_before": fate.used_before,
        "shortfall": fate.shortfall,
        "needs_limit": fate.needs_limit,
        "needs": {key: value for key, value in asdict(wanting).items() if value not in ("", None)} if wanting else None,
        "unsent": fate.unsent,
        "duplicate_of": fate.duplicate_of,
        "differs": fate.differs,
        "also_visible_in": list(fates.also_visible_in(fate)),
        "attempts": [_attempt(attempt) for attempt in fate.attempts],
    }
    said = {key: value for key, value in rest.items() if value}
    return always | said | ({"sent": fate.sent} if fate.sent is not None else {}) | {"scores": _scores(fates, fate)}


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "section": attempt.section,
        "rank": attempt.rank,
        "outcome": attempt.outcome,
        "used_before": attempt.used_before,
        "shortfall": attempt.shortfall,
    }


def _scores(fates: Fates, fate: Fate) -> dict[str, Any]:
    scores = fates.scores(fate.memory)
    found = {"recall": round3(scores.recall), "recall_scale": scores.scale} if scores.recall is not None else {}
    parts = {"value": round3(scores.value), "importance": round3(scores.importance)}
    return {**found, **parts, "utility": asdict(scores.utility)}


def budget_block(pack: Pack) -> dict[str, Any]:
    """The budget bar, where the budget ended, and what more of it would add."""
    bar = pack.bar
    return {
        "limit": bar.budget,
        "used": bar.used,
        "free": bar.free,
        "over": bar.over,
        "parts": dict(bar.parts),
        "ended_at": budget_ended(pack),
        "next": [asdict(more) for more in next_with_budget(pack)],
    }


def provider_block(pack: Pack) -> dict[str, Any] | None:
    """What the provider pane shows; None when no provider was asked for."""
    return None if pack.hook is None else _asked(pack.hook, pack)


def _asked(told: Exchange, pack: Pack) -> dict[str, Any]:
    return {**exchange_block(told), "status_line": asdict(status_cost(pack))}


def exchange_block(told: Exchange) -> dict[str, Any]:
    """One call as plain values; never what was sent, only which files were."""
    return {
        "state": told.configuration.state,
        "reason": told.configuration.reason,
        "config": str(told.configuration.path),
        "status": told.status,
        "duration_ms": told.duration_ms,
        "timeout_ms": told.timeout_ms,
        "bytes_out": told.bytes_out,
        "stderr": list(told.stderr),
        "sent": len(told.sent),
        "private": list(told.private),
        "cut": list(told.cut),
        "truncated": told.truncated,
        "dropped": [{"name": one.name, "cause": one.cause, "why": CAUSES[one.cause]} for one in told.dropped],
        "invalid": list(told.invalid),
        "ignored": list(told.ignored),
    }
