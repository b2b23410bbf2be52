"""The context pack: what an agent is given at the start of its work, line by line, with every decision on the way.

Pure: it takes a view, a request and a provider's answers, and writes nothing (`spec/context.md`, part A; ctx-D01). What
stands in it, and in what order, says its layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter

from pipeline.context.budget import Bar, Line, Writer, places
from pipeline.context.draft import Attempt, Draft, Dropped, Tried
from pipeline.context.focus import FocusHit
from pipeline.context.layouts import sections
from pipeline.context.layouts.chat import Message
from pipeline.context.layouts.layout import Choice, Every, Layout, SectionRule, Words, Written
from pipeline.context.layouts.memora import MEMORA
from pipeline.context.layouts.yotta import YOTTA
from pipeline.context.opening import Opening, opened
from pipeline.context.profile import Profile
from pipeline.context.provider.exchange import removed_by
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.request import Request, check
from pipeline.context.standing import Standing, is_protected, stand
from pipeline.measure import units
from store.memory import Memory
from store.view import View

SECTION = attrgetter("section")
LAYOUTS = {layout.name: layout for layout in (YOTTA, MEMORA)}


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the pack: lines `first` to `last` (exclusive), and the units used before and after it."""

    key: str
    first: int
    last: int
    used_before: int
    used_after: int

    @property
    def units(self) -> int:
        """What the section takes, headings and blank lines included."""
        return self.used_after - self.used_before


@dataclass(frozen=True)
class Pack:
    """A pack and how it came about. `lines` carry the memory they show; `trace` is what `--explain` prints."""

    view: View = field(repr=False)
    request: Request
    hook: HookResult | None
    standing: Standing = field(repr=False)
    lines: tuple[Line, ...]
    attempts: tuple[Attempt, ...]
    trace: tuple[str, ...]
    profile: Profile
    hits: tuple[FocusHit, ...]
    removed: frozenset[str]
    """Files that the hook takes out."""
    paging: PagingResult | None = None
    paged: frozenset[str] = frozenset()
    """Files that paging takes out."""
    order: tuple[str, ...] = ()
    """Files that paging puts first."""
    messages: tuple[Message, ...] = ()
    """What a layout of messages sends; none in a document."""
    dropped: tuple[Dropped, ...] = ()
    """What besides memories would have been in a chat."""
    whys: Mapping[str, str] = field(default_factory=dict)
    """Why a setting file stands in a chat, by its path."""
    opening: Opening = field(repr=False, kw_only=True)
    """What it begins with, shared by all packs that begin alike."""

    @property
    def layout(self) -> Layout:
        """What says which sections there are."""
        return LAYOUTS[self.request.layout]

    @property
    def budget(self) -> int:
        """The budget that holds, 0 for none."""
        return max(self.layout.budget_of(self.request.budget), 0)

    @cached_property
    def text(self) -> str:
        """The Markdown text, without a final line break."""
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def bar(self) -> Bar:
        """What each part takes of the budget."""
        sizes = dict.fromkeys(self.layout.parts, 0)
        for section in self.sections:
            sizes[self.layout.part_of[section.key]] += section.units
        return Bar(max(self.budget, 0), sizes)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections in order; key "0" is the title with the hook's status line."""
        found: list[Section] = []
        first = 0
        for key, group in groupby(self.lines, key=SECTION):
            lines = list(group)
            start, end = lines[0].used_before, lines[-1].used_before + lines[-1].units
            found.append(Section(key, first, first + len(lines), start, end))
            first += len(lines)
        return tuple(found)

    @cached_property
    def included(self) -> tuple[str, ...]:
        """Ids of the memories that got a place, in order: in the yotta layout, those of sections 2.5 to 4."""
        return included(self.attempts)

    @cached_property
    def places(self) -> dict[str, str]:
        """The first section that shows each memory."""
        return places(self.lines)

    @property
    def used(self) -> tuple[str, ...]:
        """Ids of the memories that count as used when the pack is real (§12): those included, but for the profile."""
        facts = {attempt.memory.id for attempt in self.attempts if attempt.reason == "confirmed_fact"}
        return tuple(id for id in self.included if id not in facts)

    def allowed(self, memory: Memory) -> bool:
        """Whether hook and paging leave the memory in; protected ones always stay (ctx-D24)."""
        out = memory.path in self.removed or memory.path in self.paged
        return not out or is_protected(memory, self.request.shown)

    @property
    def chosen_units(self) -> int:
        """Units of the lines that competed and got in, without line breaks (`used` of the block in §22)."""
        return sum(attempt.chars for attempt in self.attempts if attempt.outcome == "included")


def assemble(view: View, request: Request, hook: HookResult | None = None, paging: PagingResult | None = None) -> Pack:
    """Build the pack of `request` over `view`, with the answers of the hook and of paging applied (None: not asked).

    Raises `NotPermitted` without an identity, `BadInput` for a bad year or limit (`request.check`).
    """
    check(request)
    layout = LAYOUTS[request.layout]
    draft = _begun(view, request, hook, paging)
    opening = opened(draft, lambda draft: _write(draft, layout.opening))
    _write(draft, layout.sections[len(layout.opening) :])
    if layout.cut is not None:
        layout.cut(draft)
    return Pack(
        view=view,
        request=request,
        hook=hook,
        standing=draft.standing,
        lines=tuple(draft.writer.lines),
        attempts=tuple(draft.attempts),
        trace=tuple(draft.traced),
        profile=draft.profile,
        hits=draft.hits,
        removed=removed_by(hook),
        paging=paging,
        paged=removed_by(paging),
        order=draft.order,
        messages=draft.messages,
        dropped=tuple(draft.dropped),
        whys=draft.whys,
        opening=opening,
    )


def included(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """Ids of the memories that got a place."""
    return tuple(attempt.memory.id for attempt in attempts if attempt.outcome == "included")


def tries(pack: Pack, budget: int) -> Sequence[Attempt]:
    """What would come of every try with another budget, without writing the rest of the pack."""
    layout, request = pack.layout, replace(pack.request, budget=budget)
    if layout.is_chat:  # whole messages are taken away
        return assemble(pack.view, request, pack.hook, pack.paging).attempts
    draft = _begun(pack.view, request, pack.hook, pack.paging)
    draft.writer = pack.opening.writer.again(budget)
    _write(draft, layout.competing)
    return draft.attempts


def _begun(view: View, request: Request, hook: HookResult | None, paging: PagingResult | None) -> Draft:
    """An empty draft with what hook and paging decided."""
    layout = LAYOUTS[request.layout]
    writer = Writer(layout.budget_of(request.budget), layout.measure)
    draft = Draft(view, request, hook, paging, stand(view, request), writer)
    draft.removed = removed_by(hook) | removed_by(paging)
    draft.order = paging.order if paging is not None and paging.applied else ()
    draft.trace += [sections.hook_trace(hook)] if hook is not None and hook.shows else []
    draft.trace += [sections.paging_trace(paging)] if paging is not None and paging.shows else []
    return draft


def _write(draft: Draft, rules: Iterable[SectionRule]) -> None:
    """Write sections as their rules say."""
    for rule in rules:
        if isinstance(rule, Words):
            draft.write(rule.key, rule.said(draft))
        elif isinstance(rule, Written):
            rule.write(draft)
        elif isinstance(rule, Choice):
            _choose(draft, rule)
        else:
            _show_every(draft, rule)


def _choose(draft: Draft, rule: Choice) -> None:
    chosen = rule.choose(draft)
    if chosen is None:
        return
    if rule.message:
        draft.writer.begin(rule.key, rule.message)
    draft.write(rule.key, rule.head)
    for rank, (memory, score) in enumerate(chosen.tries, 1):
        draft.attempts.append(_attempt(draft, rule, memory, rank, score))
    if not chosen.tries and not chosen.silent:
        draft.write(rule.key, rule.empty)
    draft.write(rule.key, rule.foot)


def _attempt(draft: Draft, rule: Choice, memory: Memory, rank: int, score: float | None) -> Attempt:
    line, used = rule.line(memory), draft.writer.used
    size = draft.writer.measure.size(line)
    outcome: Tried = "included"
    missing = enough = 0
    if LAYOUTS[draft.request.layout].by_path and memory.path in draft.shown:
        outcome = "duplicate"
    elif missing := _over(draft, rule, line):
        outcome = "block_full"
    elif missing := draft.writer.shortfall(size) if rule.refuses else 0:
        outcome, enough = "budget", used + size
    else:
        draft.writer.add(rule.key, line, memory.id)
        draft.shown.add(memory.path)
    return Attempt(memory, rule.key, rank, rule.reason, outcome, size, used, missing, enough, score)


def _over(draft: Draft, rule: Choice, line: str) -> int:
    """By how many characters a section with one more line is over its cap, the lines refused before it counted."""
    if not rule.cap:
        return 0
    head = sum(units(text) + 1 for text in rule.head)
    size = draft.filled.get(rule.key, head) + units(line)
    draft.filled[rule.key] = size + 1
    return max(size - rule.cap, 0)


def _show_every(draft: Draft, rule: Every) -> None:
    memories: Sequence[Memory] = rule.memories(draft.standing)
    draft.write(rule.key, rule.head)
    for memory in memories:
        draft.writer.add(rule.key, rule.line(memory), memory.id)
    draft.write(rule.key, () if memories else rule.empty)
    draft.write(rule.key, rule.foot)


def without_hook(pack: Pack) -> Pack:
    """The pack as it would be had no provider been there, for the hook or for paging; the pack itself when none was."""
    told = (pack.hook, pack.paging)
    if not any(one is not None and one.shows for one in told):
        return pack
    return assemble(pack.view, pack.request)


def without_paging(pack: Pack) -> Pack:
    """The pack with the hook as it was and without paging; the pack itself when nobody paged it."""
    if pack.paging is None or not pack.paging.shows:
        return pack
    return assemble(pack.view, pack.request, pack.hook)
