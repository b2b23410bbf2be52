"""The words of the Context screen: why a memory stands where it does, and what its place is called."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.context.fate import Fate, Unsent
from pipeline.context.pack import Pack
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from tui.text import one_line

SECTIONS: Mapping[str, str] = {
    "0": "title",
    "1": "identity",
    "1.5": "rules",
    "2": "profile",
    "2.5": "long-term summaries",
    "2.6": "the task",
    "3": "the newest",
    "4": "the most valuable of the rest",
    "5": "boundaries",
    "6": "commitments",
    "7": "closing",
    "8": "the trace",
    "notices": "notices",
    "persona": "persona",
    "affect": "mood",
    "bootstrap": "rules",
    "tools": "closing and tools",
    "summary": "summary of what was cut",
    "conversation": "conversation",
    "placeholder": "what was cut",
    "recent": "last rounds",
    "skill": "skill",
    "recall": "what comes to mind",
    "input": "the user's words",
}
"""What each section of a pack holds."""
PLACES: Mapping[str, str] = {"profile": "prof", "recall": "mem"}
"""Names of sections as the column of places has room for them; numbers are their own."""
FIXED: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "yotta": (("0", "1", "1.5", "2"), "1-2", "identity, rules, profile"),
    "memora": (
        (
            "persona",
            "affect",
            "bootstrap",
            "tools",
            "summary",
            "conversation",
            "placeholder",
            "recent",
            "skill",
            "input",
        ),
        "chat",
        "persona, rules, conversation, skill, input",
    ),
}
"""By layout: the sections without memories that open the list as one row, its place, and its words."""
CHARS: Mapping[str, str] = {"characters": "chars"}
"""Units as a narrow place has room for them."""

REASONS: Mapping[str, str] = {
    "summary_priority": "a long-term summary",
    "focus_match": "it answers to the focus",
    "recent_corridor": "it is among the newest",
    "high_value_backfill": "it is worth more than what is left",
    "confirmed_fact": "it says what was confirmed about the person",
}
SHORT_REASONS: Mapping[str, str] = {
    "summary_priority": "summary",
    "focus_match": "focus",
    "recent_corridor": "newest",
    "high_value_backfill": "value",
    "confirmed_fact": "confirmed",
}
PAGED: Mapping[str, str] = {"entered": "in by paging", "moved": "put here by paging"}
UNSENT: Mapping[Unsent, str] = {
    "protected": "never sent: it is protected",
    "beyond_500": "not sent: at most 500 are",
    "not_asked": "not sent",
}
UNSEEN: Mapping[str, str] = {
    "unreadable": "private to others",
    "outside_year": "not of the year asked for",
    "other_project": "of another project",
    "not_indexed": "could not be read",
}
"""Live memories without a record, and files that are no memories, as counts."""
UNSEEN_SENTENCES: Mapping[str, str] = {
    "unreadable": "They are private to others, and nobody granted them to this agent. Only their number is shown.",
    "outside_year": "They were made in another year than the one asked for.",
    "other_project": "They belong to another project than the one asked for.",
    "not_indexed": "These files could not be read as memories; ! in Bank says why. They are not in the total.",
}
STATUSES: Mapping[str, str] = {
    "active": "answered",
    "license_required": "it needs a licence",
    "timeout": "it ran out of time",
    "invalid_output": "its answer was no answer",
    "error": "it failed",
    "cancelled": "the question was taken back",
    "not_installed": "none is installed",
    "not_requested": "it was not to be asked",
}
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(rank: int) -> str:
    """`first`, `second`, ... `number 12`."""
    return ORDINALS[rank] if 0 < rank < len(ORDINALS) else f"number {rank:,}"


def provider_name(hook: HookResult | None) -> str:
    """The provider as a row names it."""
    name = one_line(hook.provider, 40) if hook is not None else ""
    return name or "the hook"


def why(fate: Fate, hook: HookResult | None, unused: HookResult | None = None) -> str:
    """The right end of a row: the reason in two or three words. `unused` is an answer that is not applied."""
    if unused is not None and fate.memory.path in unused.removed:
        return f"{provider_name(unused)} takes it"
    if fate.outcome == "evicted":
        return f"by {provider_name(hook)}"
    if fate.outcome == "unlisted":
        return "not on its list"
    if fate.outcome == "paged_out":
        return "by paging"
    if fate.outcome == "duplicate":
        return "in the other bank" if fate.duplicate_of else f"shown in {shown_in(fate)}"
    if fate.outcome == "budget":
        return f"{fate.shortfall:,} short"
    if fate.outcome == "over_limit":
        return f"needs limit {fate.needs_limit:,}" if fate.needs_limit else "no limit lets it in"
    if fate.outcome == "summary_overflow":
        return "three summaries go in"
    if fate.outcome == "block_full":
        return f"{fate.shortfall:,} too much"
    if fate.outcome == "unmatched":
        return "the focus finds it not"
    if fate.paged in PAGED:
        return PAGED[fate.paged]
    return "moved up" if fate.moved_up else SHORT_REASONS.get(fate.reason, "")


def taken(pack: Pack) -> str:
    """What hook and paging took out of a pack, in a few words; that they were not asked, or failed."""
    hook, paging = pack.hook, pack.paging
    if hook is None:
        said = "hook not asked"
    elif not hook.shows:
        said = "no hook"
    else:
        said = f"hook took out {len(pack.removed):,}" if hook.status == "active" else "hook failed"
    if paging is None or not paging.shows:
        return said
    first = f", put {len(pack.order):,} first" if pack.order else ""
    return f"{said}, paging {len(pack.paged):,}{first}" if paging.status == "active" else f"{said}, paging failed"


def unit_word(pack: Pack) -> str:
    """The unit in which a pack is counted, as a narrow place has room for it."""
    word = pack.layout.measure.word
    return CHARS.get(word, word)


def shown_in(fate: Fate) -> str:
    """The section that shows a duplicate already."""
    return next((attempt.section for attempt in fate.attempts if attempt.outcome == "included"), "2.5")


def failure(told: Exchange) -> str:
    """A sentence for a provider that did nothing although it is there; "" when it did what it should."""
    if told.status == "active" or not told.shows:
        return ""
    note = one_line(told.note, 200) or STATUSES[told.status].capitalize()
    end = "" if note.endswith((".", "!", "?", "。")) else "."
    said = f"The provider needs a licence: {note}" if told.status == "license_required" else note
    return f"{said}{end} The pack is whole without it."
