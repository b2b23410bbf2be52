"""The pack as plain values: what `context --json` prints, with `--explain` or without (`spec/context.md` §13, G)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pipeline.context.answer import CAUSES
from pipeline.context.fate import Fate
from pipeline.context.fates import Fates
from pipeline.context.hook import HookResult
from pipeline.context.pack import Pack
from pipeline.context.whatif import budget_ended, next_with_budget, status_cost
from pipeline.measure import round3

SCHEMA = 1


def refused() -> dict[str, Any]:
    """What `context --json` prints when there is no pack: no bank, no identity, a bad year."""
    return {"schema": SCHEMA, "hook": None}


def report(pack: Pack) -> dict[str, Any]:
    """Exactly the three keys of `spec/context.md` §13."""
    return {"schema": SCHEMA, "hook": hook_block(pack.hook), "text": pack.text}


def explained(pack: Pack) -> dict[str, Any]:
    """The report with every decision, the budget, the provider and what a whitelist hid (`decisions.md` §5.6)."""
    fates = Fates(pack)
    return {
        **report(pack),
        "schemaVersion": SCHEMA,
        "decisions": {
            "counts": {"live": fates.counts.live, **fates.counts.outcomes, **fates.counts.unseen},
            "items": [decision(fates, fate) for fate in fates],
        },
        "budget": budget_block(pack),
        "provider": provider_block(pack),
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


def decision(fates: Fates, fate: Fate) -> dict[str, Any]:
    """One decision record (part G); what does not apply is left out."""
    memory = fate.memory
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
        "used_before": fate.used_before,
        "shortfall": fate.shortfall,
        "needs_limit": fate.needs_limit,
        "unsent": fate.unsent,
        "duplicate_of": fate.duplicate_of,
        "differs": fate.differs,
        "also_visible_in": list(fates.also_visible_in(fate)),
        "attempts": [_attempt(fate, at) for at in range(len(fate.attempts))],
    }
    said = {key: value for key, value in rest.items() if value}
    return always | said | ({"sent": fate.sent} if fate.sent is not None else {}) | {"scores": _scores(fates, fate)}


def _attempt(fate: Fate, at: int) -> dict[str, Any]:
    attempt = fate.attempts[at]
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
    hook = pack.hook
    if hook is None:
        return None
    cost = status_cost(pack)
    return {
        "state": hook.configuration.state,
        "reason": hook.configuration.reason,
        "config": str(hook.configuration.path),
        "status": hook.status,
        "duration_ms": hook.duration_ms,
        "timeout_ms": hook.timeout_ms,
        "bytes_out": hook.bytes_out,
        "stderr": list(hook.stderr),
        "sent": len(hook.sent),
        "private": list(hook.private),
        "cut": list(hook.cut),
        "truncated": hook.truncated,
        "dropped": [
            {"name": dropped.name, "cause": dropped.cause, "why": CAUSES[dropped.cause]} for dropped in hook.dropped
        ],
        "invalid": list(hook.invalid),
        "ignored": list(hook.ignored),
        "status_line": asdict(cost),
    }
