"""Words of the Sessions screen: durations, reasons, stages, a bar of text."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.extract.effects import Fate
from pipeline.extraction import ExtractReport
from pipeline.formats.session import Author
from pipeline.usage import Usage
from tui.text import count

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
WAITS: Mapping[str, str] = {
    "ready": "ready for review",
    "deferred": "seen in one session only",
    "profile": "of the profile",
    "duplicate": "in the bank already",
    "stored": "stored",
}
"""What became of the others."""
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
AUTHORS: Mapping[Author, str] = {
    Author.TYPED: "typed by you",
    Author.CHOSEN: "chosen by you",
    Author.MODEL: "model",
    Author.TOOL: "tools",
    Author.COMMAND: "commands",
    Author.INJECTED: "injected",
    Author.DOCUMENT: "documents",
    Author.OTHER_AGENT: "other agents",
    Author.SUMMARY: "summaries",
}


def duration(seconds: int) -> str:
    """`12 s`, `1 min 12 s`, `1 h 4 min`."""
    minutes, rest = divmod(max(0, seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


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
    known = f"${usage.cost:.4f}" if 0 < usage.cost < 0.1 else f"${usage.cost:,.2f}" if usage.cost else ""
    return f"{known or '$0'} and {count(usage.unpriced, 'call')} of unknown cost" if usage.unpriced else known


def call_words(usage: Usage) -> str:
    """The figures of one call, for a line of the log."""
    seconds = f"{usage.seconds:.1f} s" if usage.seconds else ""
    return ", ".join(filter(None, (token_words(usage), cost_words(usage), seconds)))


def size(number: int) -> str:
    """`812 bytes`, `14 KiB`, `3.2 MiB`."""
    if number < 1024:
        return count(number, "byte")
    kib = number / 1024
    return f"{kib:,.0f} KiB" if kib < 1024 else f"{kib / 1024:,.1f} MiB"


def bar(done: float, cells: int) -> str:
    """A bar that reads the same without colour: `[####....]  50 %`."""
    room, done = max(8, cells - 9), min(1.0, max(0.0, done))
    full = round(room * done)
    return f"[{'#' * full}{'.' * (room - full)}]  {100 * done:.0f} %"


def counted(numbers: Mapping[str, int], words: Mapping[str, str]) -> list[tuple[int, str]]:
    """Numbers with their words, the largest first."""
    pairs = [(number, words.get(name, name)) for name, number in numbers.items() if number]
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1]))


def outcome(name: str, report: ExtractReport) -> str:
    """One sentence about a run that ended."""
    sessions = report.sessions
    problem = next((one.problem for one in sessions if one.problem), "")
    if problem:
        return f"{name} failed: {problem}"
    if sessions and all(one.state == "left alone" for one in sessions):
        return f"{name} is left alone: a sub-agent's session holds no words of yours."
    found = waiting(report)
    if report.dry_run:
        return f"{name}, dry run: {found or 'nothing durable said'}; nothing was kept."
    if all(one.state == "nothing new" for one in sessions):
        return f"{name}: nothing new since the last run."
    known = sum(one.kept for one in sessions)
    return f"{name} settled: {found or (count(known, 'fact') + ' known before' if known else 'nothing durable said')}."


def waiting(report: ExtractReport) -> str:
    """`4 facts wait for review, 2 seen once`, "" when there is none; of a dry run what would be."""
    ready = sum(one.counted for one in report.proposals)
    once = len(report.proposals) - ready
    verbs = ("fact would wait", "facts would wait") if report.dry_run else ("fact waits", "facts wait")
    parts = [count(ready, *verbs) + " for review"] if ready else []
    parts += [f"{count(once, 'fact')} seen once" if not parts else f"{once:,} seen once"] if once else []
    return ", ".join(parts)
