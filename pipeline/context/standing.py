"""How the memories of a view stand before any choice: who may be shown, in which orders, and who is protected.

Everything here depends on the view, the reader, the filters and the day only, so it is computed once per view and
kept for as long as the view lives: changing budget, limit, focus or hook costs a pack its heads, not the bank.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from pipeline.context.request import Request
from pipeline.measure import days
from pipeline.recall.scores import backfill_score
from store.access import may_read
from store.joined import split_id
from store.memory import SELF_PROFILE_SUBJECT, Memory
from store.usage import TABLE, with_usage
from store.view import View

PROTECTED = frozenset({"BOUND", "COMMIT"})
ARCHIVE_AFTER_DAYS = 180
"""Days after which a memory counts as old: the pack advises to archive it (`spec/context.md` §10)."""
KEPT_PER_VIEW = 16
"""Computed things that are kept for each view: a few readers, filters and focuses."""
KEPT_BANKS = 3
"""Banks whose scores are kept from one view to the next."""


@dataclass(frozen=True)
class Standing:
    """The memories that a reader may be shown, in every order that a pack needs; the rest as counts.

    `eligible` is in original order, all other sequences newest first (`spec/context.md` §4), but `valued` by the
    score of section 4. `plain` and `valued` are what sections 3 and 4 choose from.
    """

    eligible: tuple[Memory, ...]
    recency: tuple[Memory, ...]
    plain: tuple[Memory, ...]
    valued: tuple[Memory, ...]
    summaries: tuple[Memory, ...]
    bounds: tuple[Memory, ...]
    commits: tuple[Memory, ...]
    live: int
    unreadable: int
    outside_year: int
    other_project: int
    not_indexed: int
    old: int
    """Eligible memories made more than 180 days ago, of every type."""
    scores: dict[str, float]
    by_id: dict[str, Memory]
    by_path: dict[str, Memory]
    twins: dict[str, tuple[Memory, ...]]
    """The memories of files that stand in both roots, by relative path."""

    def at(self, path: str) -> tuple[Memory, ...]:
        """The eligible memories whose file has that relative path: one of each root."""
        return self.twins.get(path) or ((self.by_path[path],) if path in self.by_path else ())


def root_of(memory: Memory) -> str:
    """The root that a memory of a joined view comes from, "" in the view of one bank (`decisions.md` §3.1)."""
    return split_id(memory.id)[0]


def is_summary(memory: Memory) -> bool:
    """A consolidated summary: by `source`, or by both tags (`spec/context.md` §4, ctx-D16)."""
    return memory.source == "consolidate" or {"consolidate", "summary"} <= set(memory.tags)


def is_self_profile(memory: Memory, owner: str) -> bool:
    """The PREF in which `owner` describes itself; no hook sees it or takes it out (`spec/context.md` §22)."""
    return (
        memory.subject == SELF_PROFILE_SUBJECT
        and memory.type == "PREF"
        and root_of(memory) != "project"
        and memory.path.startswith(f"private/{owner}/prefs/")
    )


def is_protected(memory: Memory, owner: str) -> bool:
    """Whether no hook may take the memory out of the pack of `owner`."""
    return memory.type in PROTECTED or is_self_profile(memory, owner)


def may_see_owner(view: View, agent: str, owner: str) -> bool:
    """Whether `agent` may read what is private to `owner`: its own, or by a grant to itself (ctx-D05)."""
    return owner == agent or owner in view.grants.get(agent, ())


_kept: WeakKeyDictionary[View, OrderedDict[tuple[Any, ...], Any]] = WeakKeyDictionary()
_lock = Lock()
T = TypeVar("T")


def per_view(view: View, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """`make()`, computed once for a view and a key; the latest `KEPT_PER_VIEW` of each view are kept."""
    with _lock:
        known = _kept.setdefault(view, OrderedDict())
        if key in known:
            known.move_to_end(key)
            return cast(T, known[key])
    made = make()
    with _lock:
        known[key] = made
        while len(known) > KEPT_PER_VIEW:
            known.popitem(last=False)
    return made


def stand(view: View, request: Request) -> Standing:
    """The standing of the view's memories for a request; kept per view."""
    years = tuple(sorted(request.years))
    key = ("standing", request.agent, years, request.project, request.today, request.lives)
    return per_view(view, key, lambda: _stand(view, request))


def private_of(view: View, owner: str) -> tuple[Memory, ...]:
    """The live memories in the private folder of `owner`, in path order; of the user's bank in a joined view (§1)."""
    return per_view(view, ("private", owner), lambda: tuple(_private_of(view, owner)))


def _private_of(view: View, owner: str) -> list[Memory]:
    prefix = f"private/{owner}/"
    own = [memory for memory in view.live if memory.path.startswith(prefix) and root_of(memory) != "project"]
    return sorted(_with_usage(view, own), key=lambda memory: memory.path)


def _stand(view: View, request: Request) -> Standing:
    reader, today = view.reader(request.agent), request.today
    readable = [memory for memory in view.live if _is_open(memory) or may_read(memory, reader)]
    in_year = _of_years(readable, request.years, today)
    asked = [memory for memory in in_year if _is_asked(memory, request.project)]
    eligible = _with_usage(view, asked)
    recency = newest_first(eligible)
    plain = [memory for memory in recency if memory.type not in PROTECTED and not is_summary(memory)]
    scores = _scores(view.root, plain, request)
    return Standing(
        eligible=tuple(eligible),
        recency=tuple(recency),
        plain=tuple(plain),
        valued=tuple(sorted((m for m in eligible if m.id in scores), key=lambda m: scores[m.id], reverse=True)),
        summaries=tuple(memory for memory in recency if is_summary(memory)),
        bounds=tuple(memory for memory in recency if memory.type == "BOUND"),
        commits=tuple(memory for memory in recency if memory.type == "COMMIT"),
        live=len(view.live),
        unreadable=len(view.live) - len(readable),
        outside_year=len(readable) - len(in_year),
        other_project=len(in_year) - len(asked),
        not_indexed=sum(problem.path.endswith((".md", ".md.enc")) for problem in view.problems),
        old=sum(_age(memory.created[:10], today) > ARCHIVE_AFTER_DAYS for memory in eligible),
        scores=scores,
        by_id={memory.id: memory for memory in eligible},
        by_path={memory.path: memory for memory in eligible},
        twins=_twins(eligible),
    )


_scored: OrderedDict[tuple[Any, ...], dict[str, tuple[Memory, float]]] = OrderedDict()


def _scores(root: str, memories: Sequence[Memory], request: Request) -> dict[str, float]:
    """The section-4 score of each memory. Those of the last view of the bank are used again for what did not change."""
    key = (root, request.today, request.lives)
    with _lock:
        known = _scored.pop(key, {})
    made = {memory.id: _score(memory, request, known.get(memory.id)) for memory in memories}
    with _lock:
        _scored[key] = made
        while len(_scored) > KEPT_BANKS:
            _scored.popitem(last=False)
    return {name: score for name, (_, score) in made.items()}


def _score(memory: Memory, request: Request, known: tuple[Memory, float] | None) -> tuple[Memory, float]:
    if known is not None and known[0] is memory:
        return known
    return memory, backfill_score(memory, request.today, request.half_lives)


def _is_open(memory: Memory) -> bool:
    """The quick way to the answer that `may_read` gives for the public memories of a bank."""
    return memory.scope == "public" and not memory.path.startswith("private/")


def _is_asked(memory: Memory, project: str) -> bool:
    """Memories of another project than the one asked for are left out (`decisions.md` §2.4)."""
    return not memory.project or not project or memory.project == project


def _of_years(memories: list[Memory], years: Sequence[str], today: str) -> list[Memory]:
    """The memories made in one of the years; one without a date counts as made this year (`spec/context.md` §2)."""
    if not years:
        return memories
    wanted = set(years)
    return [memory for memory in memories if (memory.created or today)[:4] in wanted]


def _with_usage(view: View, memories: list[Memory]) -> list[Memory]:
    """The memories with their total counters (`decisions.md` §2.7)."""
    rows = view.rows(TABLE)
    return (
        [with_usage(memory, rows[memory.id]) if memory.id in rows else memory for memory in memories]
        if rows
        else memories
    )


def newest_first(memories: Iterable[Memory]) -> list[Memory]:
    """Recency order: `updated` or `created` as text, then the access count, then original order (§4)."""
    ordered = sorted(memories, key=lambda memory: memory.access_count, reverse=True)
    ordered.sort(key=last_change, reverse=True)
    return ordered


def last_change(memory: Memory) -> str:
    """The text that recency compares."""
    return memory.updated or memory.created


@lru_cache(maxsize=65_536)
def _age(day: str, today: str) -> int:
    return days(day, today)


def _twins(memories: Sequence[Memory]) -> dict[str, tuple[Memory, ...]]:
    if not any(root_of(memory) == "project" for memory in memories[:1]):
        return {}
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.path, []).append(memory)
    return {path: tuple(pair) for path, pair in found.items() if len(pair) > 1}
