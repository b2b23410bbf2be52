"""Words for what a run plans, what calls used and what became of each fact: the same on screen and command line."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.extract.effects import Fate
from pipeline.preview import Plan
from pipeline.usage import Usage
from tui.literal import count

REASONS: Mapping[str, str] = {
    "not_verbatim": "quote is not in the source",
    "short_quote": "quote is too short to prove anything",
    "unknown_source": "quote names no message of yours",
    "masked_quote": "quote touches a secret",
    "empty": "says nothing",
    "secret": "looks like a secret",
    "rejected": "its quotes do not support it",
    "suppressed": "you rejected it before",
    "refused": "the bank refused it",
}
"""Why a proposed fact fell out (`pipeline.extract.admission`, `pipeline.extraction.OUT`)."""
SHORT = 0.1
"""Seconds under which a time is not told more exactly."""
FATES: Mapping[str, tuple[str, str, str]] = {
    "admitted": ("+", "", "admitted"),
    "ready": ("+", "$text-success", "ready"),
    "stored": ("+", "$text-success", "stored"),
    "profile": ("+", "$text-success", "profile"),
    "deferred": ("~", "$text-accent", "deferred"),
    "duplicate": ("=", "$text-muted", "duplicate"),
    "suppressed": ("x", "$text-warning", "suppressed"),
    "bad quote": ("x", "$text-warning", "bad quote"),
    "secret": ("x", "$text-error", "secret"),
    "rejected": ("x", "$text-warning", "rejected"),
    "refused": ("!", "$text-warning", "refused"),
}
"""Sign, style and word of what became of one proposed fact."""


def fate_words(fate: Fate) -> str:
    """What became of a proposed fact: `deferred 1/2`, `bad quote`."""
    return f"deferred {fate.have}/{fate.need}" if fate.outcome == "deferred" and fate.need else FATES[fate.outcome][2]


def reason_words(fate: Fate) -> str:
    """Why, where the fate alone does not say it."""
    if fate.outcome == "bad quote":
        return REASONS.get(fate.reason, fate.reason)
    return "" if fate.outcome in ("admitted", "deferred", "stored") else REASONS.get(fate.outcome, fate.reason)


def usage_words(usage: Usage) -> str:
    """`1,204 tokens in, 310 out, $0.0040`, and what of it nobody knows."""
    return ", ".join(filter(None, (token_words(usage), cost_words(usage))))


def token_words(usage: Usage) -> str:
    """Tokens in and out; of calls that did not say it, that they did not."""
    if usage.calls and usage.uncounted == usage.calls:
        return "tokens unknown"
    known = f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out" if usage.tokens_in or usage.tokens_out else ""
    return f"{known} and {count(usage.uncounted, 'call')} uncounted" if usage.uncounted else known


def cost_words(usage: Usage) -> str:
    """Dollars; `cost unknown` where no price is known, "" for calls that cost nothing."""
    if usage.calls and usage.unpriced == usage.calls:
        return "cost unknown"
    known = _dollars(usage.cost)
    return f"{known or '$0'} and {count(usage.unpriced, 'call')} of unknown cost" if usage.unpriced else known


def _dollars(cost: float) -> str:
    if 0 < cost < 0.0001:
        return "under $0.0001"
    return f"${cost:.4f}" if 0 < cost < 0.1 else f"${cost:,.2f}" if cost else ""


def call_words(usage: Usage) -> str:
    """The figures of one call, for a line of the log."""
    seconds = f"{usage.seconds:.1f} s" if usage.seconds else ""
    return ", ".join(filter(None, (token_words(usage), cost_words(usage), seconds)))


def rules_words(seconds: float) -> str:
    """Who answered where no model did, and how long the run took."""
    return f"the rules, in {seconds:.1f} s" if seconds >= SHORT else f"the rules, in under {SHORT} s"


def plan_words(plan: Plan) -> str:
    """The figures of a plan in a line: `2 windows, 14 messages, 4 to 6 calls, about 3,400 tokens`; rules only read."""
    if not plan.calling:
        return f"{'' if plan.rules else 'no call: '}nothing of yours is left to evaluate"
    likely, most = plan.calls
    calls = "" if plan.rules else f", {likely} to {most} calls, about {plan.tokens:,} tokens"
    masked = f", {count(plan.masked, 'secret')} masked" if plan.masked else ""
    more = ", and more in a later run" if plan.more else ""
    return f"{count(plan.calling, 'window')}, {count(plan.messages, 'message')} of yours{calls}{masked}{more}"
