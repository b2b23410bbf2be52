"""All that a person should see of a proposal before deciding: what it rests on, resembles, would change and lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pipeline.extract.facets.times import read_time, time_text
from pipeline.extract.profile.portrait import confirmed, portrait
from pipeline.formats.session import Author
from pipeline.rehearsal import Rehearsal
from pipeline.reply import never
from pipeline.review.decide import TEXTS, approve
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.nearby import Neighbour
from pipeline.review.source import Excerpt, Sources
from pipeline.review.waiting import Waiting, resemblances
from store.access import path_owner
from store.called import called
from store.changes import Changeset, MoveMemory, PutMemory
from store.errors import MemdeskError
from store.memory import Memory, Quote
from store.secret import secrets_among
from store.view import View

LONGEST_NAME = 60
"""Characters of a subject inside a sentence."""
Verdict = Literal["good", "bad", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked just now, and what came of it in words."""

    verdict: Verdict
    words: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found out about one proposal; `plan` is what approval would commit, None when it would be refused.

    `portrait` is what a prompt would say of the person afterwards, for what is about them (`spec/memora.md` §7.5).
    """

    item: Waiting
    revision: int
    plan: Changeset | None = None
    refusal: str = ""
    resembles: tuple[Neighbour, ...] = ()
    excerpts: Mapping[Quote, Excerpt] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    portrait: str = ""


def inspect(
    view: View,
    item: Waiting,
    sources: Sources,
    *,
    also: Sequence[Quote] = (),
    cancelled: Callable[[], bool] = never,
) -> Inspection:
    """Look at a proposal from all sides; reads its transcripts, so it is for a thread.

    `also` are quotes of proposals that will be looked at next. Raises `Cancelled` when `cancelled` says so.
    """
    found, missing = sources.look(view, item.quotes, also, cancelled)
    plan, refusal = _plan(view, item)
    checks = (*_quote_checks(item, found, missing), *_memory_checks(view, item), *_text_checks(item))
    near, said = resemblances(view, item), _portrait(view, item, plan)
    return Inspection(item, view.revision, plan, refusal, near, found, checks, said)


def _portrait(view: View, item: Waiting, plan: Changeset | None) -> str:
    if item.table != "profile" or plan is None:
        return ""
    after = Rehearsal(view)
    after.commit(plan)
    return portrait(confirmed(after.view()), "en" if item.statement.isascii() else "zh")


def _plan(view: View, item: Waiting) -> tuple[Changeset | None, str]:
    if item.state in ("rejected", "archived"):
        return None, ""
    try:
        return approve(view, item), ""
    except MemdeskError as error:
        return None, str(error)


def _quote_checks(item: Waiting, found: Mapping[Quote, Excerpt], missing: str) -> list[Check]:
    quotes = {quote for quote in item.quotes if quote.format != AUDITED}
    if len(quotes) < len(set(item.quotes)):
        return [Check("unknown", "the words are a line of a text that was audited; who wrote them is not known")]
    if not quotes:
        by = item.by or "nobody"
        return [Check("unknown", f"no words of yours support it, {by} says so")] if item.table == "proposals" else []
    checks = []
    if found:
        what = "the quote is in the source" if len(found) == 1 else f"{len(found)} quotes are in their sources"
        checks.append(Check("good", f"{what}, word for word"))
        authors = {excerpt.turn.author for excerpt in found.values()}
        how = " and ".join("chosen" if one is Author.CHOSEN else "typed" for one in sorted(authors))
        checks.append(Check("good", f"{how} by you, not by a tool, a document or a summary"))
    if len(found) < len(quotes):
        lost = len(quotes) - len(found)
        what = "the quote" if lost == len(quotes) == 1 else f"{lost} of {len(quotes)} quotes"
        checks.append(Check("unknown", f"{what} cannot be looked up: {missing}"))
    return checks


def _text_checks(item: Waiting) -> list[Check]:
    texts = [str(item.fields.get(name) or "") for name in TEXTS]
    if kinds := secrets_among(texts):
        return [Check("bad", f"looks like it holds a secret ({', '.join(kinds)}); edit it out")]
    return [Check("good", "no secret found")] if any(texts) else []


def _memory_checks(view: View, item: Waiting) -> list[Check]:
    """What stands against it in the bank as it is now."""
    checks = []
    old = view.memories.get(item.conflict) if item.conflict else None
    if old is not None:
        checks.append(Check("bad", f"contradicts {_name(old)}, which is live{_told_apart(item, old)}"))
    if item.conflict in view.setting_files:
        checks.append(Check("bad", f"replaces {item.conflict}; keep both writes it beside"))
    for change in item.changes:
        if not isinstance(change, PutMemory | MoveMemory) or change.id is None or change.id == item.conflict:
            continue
        memory = view.memories.get(change.id)
        if memory is None:
            checks.append(Check("bad", "the memory that it is about is gone"))
        elif memory.immutable:
            checks.append(Check("bad", f"{_name(memory)} is protected"))
        elif change.base is not None and change.base != memory.sha:
            checks.append(Check("bad", f"{_name(memory)} was changed since this was proposed"))
    return checks


def _told_apart(item: Waiting, old: Memory) -> str:
    """Which of two facts that contradict each other was said later, where both say when (`spec/extraction.md` §25)."""
    mine, theirs = read_time(item.observed), read_time(old.observed)
    if mine is None or theirs is None:
        return ""
    if mine == theirs:
        return " and was said at the same time"
    return f" and was said {'before' if theirs < mine else 'after'} this, on {time_text(theirs)[:10]}"


def _name(memory: Memory) -> str:
    """Type and subject, and of a private memory its owner; file names are numbered anew in each owner's folder."""
    subject = " ".join(memory.subject.split())[:LONGEST_NAME]
    owner = path_owner(memory.path) or memory.owner
    if not subject:
        return called(memory.id)
    return f"{memory.type} {subject} of {owner}" if memory.scope == "private" and owner else f"{memory.type} {subject}"
