"""The context pack: what an agent is given at the start of its work, line by line, with every decision on the way.

Pure: it takes a view, a request and the hook's answer, and writes nothing (`spec/context.md`, part A; ctx-D01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice
from typing import Literal

from pipeline.context import sections
from pipeline.context.budget import Bar, Line, Writer, bar, entry_line, one_line
from pipeline.context.focus import FocusHit, focus_hits
from pipeline.context.hook import HookResult
from pipeline.context.profile import Profile, for_pack, identity
from pipeline.context.request import Request, check
from pipeline.context.standing import Standing, is_protected, last_change, stand
from pipeline.measure import number_text, round3, units
from store.memory import Memory
from store.view import View

MOST_SUMMARIES = 3
Reason = Literal["summary_priority", "focus_match", "recent_corridor", "high_value_backfill"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to put a memory into a section: its place in the section's list and what came of it.

    `chars` are the units of its line, `used_before` the units of all lines before it, `score` the one that the
    section orders by (recall for 2.6, half importance and half utility for 4).
    """

    memory: Memory
    section: str
    rank: int
    reason: Reason
    outcome: Literal["included", "duplicate", "budget"] = "included"
    chars: int = 0
    used_before: int = 0
    shortfall: int = 0
    score: float | None = None

    @property
    def trace(self) -> str:
        """Its line of the trace (`spec/context.md` §11)."""
        path = one_line(self.memory.path)
        if self.outcome == "included":
            score = (
                f" score: {number_text(round3(self.score))}"
                if self.reason == "focus_match" and self.score is not None
                else ""
            )
            return f"[included] {path} reason: {self.reason}{score}"
        return f"[dropped] {path} reason: {'duplicate' if self.outcome == 'duplicate' else 'budget_exceeded'}"


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

    @cached_property
    def text(self) -> str:
        """The Markdown text, without a final line break."""
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def bar(self) -> Bar:
        """What each part takes of the budget."""
        return bar(self.lines, self.request.budget)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections in order; key "0" is the title with the hook's status line."""
        found: list[Section] = []
        first = 0
        for key, group in groupby(self.lines, key=lambda line: line.section):
            lines = list(group)
            start, end = lines[0].used_before, lines[-1].used_before + lines[-1].units
            found.append(Section(key, first, first + len(lines), start, end))
            first += len(lines)
        return tuple(found)

    @cached_property
    def included(self) -> tuple[str, ...]:
        """Ids of the memories in sections 2.5 to 4, in order: what counts as used when the pack is real (§12)."""
        return tuple(attempt.memory.id for attempt in self.attempts if attempt.outcome == "included")

    def allowed(self, memory: Memory) -> bool:
        """Whether the hook leaves the memory in; protected ones always stay (ctx-D24)."""
        return memory.path not in self.removed or is_protected(memory, self.request.shown)


def assemble(view: View, request: Request, hook: HookResult | None = None, *, status: bool = True) -> Pack:
    """Build the pack of `request` over `view`, with the hook's answer applied (None: without a hook).

    `status` False leaves the hook's status line out, to see what the line costs (ctx-D12). Raises `NotPermitted`
    without an identity, `BadInput` for a bad year or limit (`request.check`).
    """
    check(request)
    draft = _Draft(view, request, hook, stand(view, request), Writer(request.budget))
    _opening(draft, status)
    _profile(draft)
    _entries(draft)
    _closing(draft)
    return Pack(
        view=view,
        request=request,
        hook=hook,
        standing=draft.standing,
        lines=tuple(draft.writer.lines),
        attempts=tuple(draft.attempts),
        trace=tuple(draft.trace),
        profile=draft.profile,
        hits=draft.hits,
        removed=draft.removed,
    )


@dataclass(slots=True)
class _Draft:
    """A pack while it is written."""

    view: View
    request: Request
    hook: HookResult | None
    standing: Standing
    writer: Writer
    attempts: list[Attempt] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    profile: Profile = field(default_factory=lambda: Profile("", "none"))
    hits: tuple[FocusHit, ...] = ()
    removed: frozenset[str] = frozenset()

    def allowed(self, memory: Memory) -> bool:
        return memory.path not in self.removed or is_protected(memory, self.request.shown)

    def write(self, section: str, lines: Iterable[str]) -> None:
        for line in lines:
            self.writer.add(section, line)


def _opening(draft: _Draft, status: bool) -> None:
    """Title, status line, identity and access rules."""
    draft.write("0", (sections.TITLE, ""))
    if draft.hook is not None and draft.hook.shows:
        draft.write("0", (sections.status_line(draft.hook), "") if status else ())
        draft.trace.append(sections.hook_trace(draft.hook))
        draft.removed = draft.hook.removed if draft.hook.applied else frozenset()
    known = [f"- {key}: {value}" for key, value in identity(draft.view, draft.request)]
    draft.write("1", (sections.HEADINGS["1"], "", f"- agent_id: {one_line(draft.request.shown)}", *known, ""))
    draft.write("1.5", (sections.HEADINGS["1.5"], "", *sections.RULES, ""))


def _profile(draft: _Draft) -> None:
    applied = draft.hook is not None and draft.hook.applied
    made = draft.profile = for_pack(draft.view, draft.request, draft.allowed if applied else None)
    if made.replaced:
        draft.trace.append("[profile] source: live reason: memory.hook")
    remark = [sections.GENERATED_REMARK, ""] if made.source == "generated" else []
    content = [*remark, *sections.fenced(made.text)] if made.text else [sections.EMPTY["2"]]
    draft.write("2", (sections.HEADINGS["2"], "", *content, ""))


def _entries(draft: _Draft) -> None:
    """Sections 2.5, 2.6, 3 and 4: the dynamic ones (`spec/context.md` §4–§7)."""
    limit, standing = draft.request.limit, draft.standing
    summaries = _first(standing.summaries, min(MOST_SUMMARIES, limit), draft.allowed)
    _section(draft, "2.5", "summary_priority", [(memory, None) for memory in summaries])
    if draft.request.focus.strip():
        draft.hits = focus_hits(draft.view, draft.request)
        left = [(hit.memory, hit.score) for hit in draft.hits[:limit] if draft.allowed(hit.memory)]
        _section(draft, "2.6", "focus_match", left, silent=bool(draft.hits))
    _section(draft, "3", "recent_corridor", [(memory, None) for memory in _unseen(draft, standing.plain)])
    best = [(memory, standing.scores[memory.id]) for memory in _unseen(draft, standing.valued)]
    _section(draft, "4", "high_value_backfill", best)


def _first(memories: Sequence[Memory], count: int, wanted: Callable[[Memory], bool]) -> list[Memory]:
    return list(islice(filter(wanted, memories), count))


def _unseen(draft: _Draft, memories: Sequence[Memory]) -> list[Memory]:
    """The first memories, as many as the limit, that are not shown yet and that the hook leaves in."""
    shown = frozenset(draft.shown)
    return _first(memories, draft.request.limit, lambda memory: memory.path not in shown and draft.allowed(memory))


def _section(
    draft: _Draft, key: str, reason: Reason, chosen: Sequence[tuple[Memory, float | None]], silent: bool = False
) -> None:
    """Write a dynamic section; `silent` leaves an empty one without its placeholder."""
    draft.write(key, (sections.HEADINGS[key], ""))
    for rank, (memory, score) in enumerate(chosen, 1):
        attempt = _attempt(draft, Attempt(memory, key, rank, reason, score=score))
        draft.attempts.append(attempt)
        draft.trace.append(attempt.trace)
    if not chosen and not silent:
        draft.write(key, (sections.EMPTY[key],))
    draft.write(key, ("",))


def _attempt(draft: _Draft, attempt: Attempt) -> Attempt:
    memory, line = attempt.memory, entry_line(attempt.memory)
    attempt = replace(attempt, chars=units(line), used_before=draft.writer.used)
    if memory.path in draft.shown:
        return replace(attempt, outcome="duplicate")
    # Summaries are counted but never refused (`spec/context.md` §4).
    missing = 0 if attempt.section == "2.5" else draft.writer.shortfall(line)
    if missing:
        return replace(attempt, outcome="budget", shortfall=missing)
    draft.writer.add(attempt.section, line, memory.id)
    draft.shown.add(memory.path)
    return attempt


def _closing(draft: _Draft) -> None:
    """Sections 5 to 8 and the doctor's notices: always complete (`spec/context.md` §4, §10)."""
    standing, today = draft.standing, draft.request.today
    _reminders(draft, "5", standing.bounds)
    _reminders(draft, "6", standing.commits)
    newest = max(map(last_change, standing.commits), default=None)
    draft.write("7", (sections.HEADINGS["7"], "", *sections.CONTRACT, "", sections.commit_line(newest, today)))
    if standing.old:
        draft.write("7", (sections.archive_line(standing.old),))
    if draft.request.explain:
        draft.write("8", (sections.HEADINGS["8"], "", *(draft.trace or [sections.EMPTY["8"]]), ""))
    if draft.request.notices:
        draft.write("notices", ("", sections.HEADINGS["notices"], "", *_notices(draft.request)))


def _reminders(draft: _Draft, key: str, memories: Sequence[Memory]) -> None:
    draft.write(key, (sections.HEADINGS[key], ""))
    for memory in memories:
        draft.writer.add(key, sections.reminder_line(memory), memory.id)
    if not memories:
        draft.write(key, (sections.EMPTY[key],))
    draft.write(key, ("",))


def _notices(request: Request) -> list[str]:
    critical = [f"- [严重] {one_line(notice.text)}" for notice in request.notices if notice.critical]
    warnings = [f"- [警告] {one_line(notice.text)}" for notice in request.notices if not notice.critical]
    locked = ["- 存在严重问题：破坏性写入已锁定。"] if critical else []
    return [*critical, *warnings, *locked]


def without_hook(pack: Pack) -> Pack:
    """The pack as it would be had no provider been there; the pack itself when none was."""
    if pack.hook is None or not pack.hook.shows:
        return pack
    return assemble(pack.view, pack.request, None)
