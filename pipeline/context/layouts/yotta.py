"""The layout `yotta`: the pack of `spec/context.md`, part A, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipeline.context.budget import EXEMPT, entry_line, one_line
from pipeline.context.draft import Draft
from pipeline.context.focus import focus_hits
from pipeline.context.layouts import sections
from pipeline.context.layouts.layout import Choice, Chosen, Every, Layout, Words
from pipeline.context.profile import for_pack, identity
from pipeline.context.provider import paged
from pipeline.context.request import DEFAULT_LIMIT, Request
from pipeline.context.standing import last_change
from store.memory import Memory

MOST_SUMMARIES = 3


def _opening(draft: Draft) -> list[str]:
    """The title, and what hook and paging did."""
    told = sections.status_lines(draft.hook, draft.paging)
    return [sections.TITLE, "", *(part for line in told for part in (line, ""))]


def _identity(draft: Draft) -> list[str]:
    known = [f"- {key}: {value}" for key, value in identity(draft.view, draft.request)]
    return [sections.HEADINGS["1"], "", f"- agent_id: {one_line(draft.request.shown)}", *known, ""]


def _rules(draft: Draft) -> list[str]:
    return [sections.HEADINGS["1.5"], "", *sections.RULES, ""]


def _profile(draft: Draft) -> list[str]:
    reason = sections.live_reason(draft.hook, draft.paging)
    made = draft.profile = for_pack(draft.view, draft.request, draft.allowed if reason else None)
    if made.replaced:
        draft.trace.append(f"[profile] source: live reason: {reason}")
    remark = [sections.GENERATED_REMARK, ""] if made.source == "generated" else []
    content = [*remark, *sections.fenced(made.text)] if made.text else [sections.EMPTY["2"]]
    return [sections.HEADINGS["2"], "", *content, ""]


def _summaries(draft: Draft) -> Chosen:
    most = min(MOST_SUMMARIES, draft.request.limit)
    return _unscored(draft.first(paged.summaries(draft.standing, draft.order), most, lambda _: True))


def _focus(draft: Draft) -> Chosen | None:
    """Recall hits; nothing moves up into the place of one that the hook takes out (`decisions.md` §10.4)."""
    if not draft.request.focus.strip():
        return None
    draft.hits = focus_hits(draft.view, draft.request)
    found = paged.hits(draft.hits[: draft.request.limit], draft.order)
    left = [(hit.memory, hit.score) for hit in found if draft.allowed(hit.memory)]
    return Chosen(left, silent=bool(draft.hits))


def _newest(draft: Draft) -> Chosen:
    return _unscored(_unseen(draft, paged.newest(draft.standing, draft.order)))


def _most_valuable(draft: Draft) -> Chosen:
    best = _unseen(draft, paged.most_valuable(draft.standing, draft.order))
    return Chosen([(memory, draft.standing.scores[memory.id]) for memory in best])


def _unscored(memories: Sequence[Memory]) -> Chosen:
    return Chosen([(memory, None) for memory in memories])


def _unseen(draft: Draft, memories: Iterable[Memory]) -> Sequence[Memory]:
    """The first memories, as many as the limit, that are not shown yet and that hook and paging leave in."""
    shown = frozenset(draft.shown)
    return draft.first(memories, draft.request.limit, lambda memory: memory.path not in shown)


def _closing(draft: Draft) -> Iterator[str]:
    standing = draft.standing
    newest = max(map(last_change, standing.commits), default=None)
    yield from (sections.HEADINGS["7"], "", *sections.CONTRACT, "")
    yield sections.commit_line(newest, draft.request.today)
    if standing.old:
        yield sections.archive_line(standing.old)


def _trace(draft: Draft) -> list[str]:
    if not draft.request.explain:
        return []
    return [sections.HEADINGS["8"], "", *(draft.traced or [sections.EMPTY["8"]]), ""]


def _notices(draft: Draft) -> Iterable[str]:
    notices = draft.request.notices
    return ("", sections.HEADINGS["notices"], "", *_notice_lines(draft.request)) if notices else ()


def _notice_lines(request: Request) -> list[str]:
    critical = [f"- [严重] {one_line(notice.text)}" for notice in request.notices if notice.critical]
    warnings = [f"- [警告] {one_line(notice.text)}" for notice in request.notices if not notice.critical]
    locked = ["- 存在严重问题：破坏性写入已锁定。"] if critical else []
    return [*critical, *warnings, *locked]


def _around(key: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The lines before the memories of a section, those that stand for none, and those after them."""
    return (sections.HEADINGS[key], ""), (sections.EMPTY[key],), ("",)


YOTTA = Layout(
    name="yotta",
    sections=(
        Words("0", "fixed", _opening),
        Words("1", "fixed", _identity),
        Words("1.5", "fixed", _rules),
        Words("2", "profile", _profile),
        # Summaries are counted but never refused (`spec/context.md` §4).
        Choice("2.5", "summaries", "summary_priority", _summaries, entry_line, *_around("2.5"), refuses=False),
        Choice("2.6", "focus", "focus_match", _focus, entry_line, *_around("2.6")),
        Choice("3", "corridor", "recent_corridor", _newest, entry_line, *_around("3")),
        Choice("4", "backfill", "high_value_backfill", _most_valuable, entry_line, *_around("4")),
        Every("5", EXEMPT, lambda standing: standing.bounds, sections.reminder_line, *_around("5")),
        Every("6", EXEMPT, lambda standing: standing.commits, sections.reminder_line, *_around("6")),
        Words("7", EXEMPT, _closing),
        Words("8", EXEMPT, _trace),
        Words("notices", EXEMPT, _notices),
    ),
    limit=DEFAULT_LIMIT,
    most_summaries=MOST_SUMMARIES,
    parts=("fixed", "profile", "summaries", "focus", "corridor", "backfill", EXEMPT),
)
