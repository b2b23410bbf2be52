"""How the memories of a view stand before any choice: who may be shown, in which orders, and who is protected.

Everything here depends on the view, the reader, the filters and the day only, so it is computed once per view and
kept for as long as the view lives: changing budget, limit, focus or hook costs a pack its heads, not the bank. After a
change to a few memories it is carried on from the view before (`decisions.md` §5.5).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from pipeline.context.ordered import exchanged
from pipeline.context.request import Request
from pipeline.measure import days
from pipeline.recall.scores import backfill_score
from store.access import Reader, may_read
from store.changes import Row
from store.joined import split_id
from store.layered import Layered
from store.memory import SELF_PROFILE_SUBJECT, Memory
from store.usage import TABLE, with_usage
from store.view import View

PROTECTED = frozenset({"BOUND", "COMMIT"})
ARCHIVE_AFTER_DAYS = 180
"""Days after which a memory counts as old: the pack advises to archive it (`spec/context.md` §10)."""
KEPT_PER_VIEW = 16
"""Computed things that are kept for each view: a few readers, filters and focuses."""
KEPT_BANKS = 3
"""Banks whose scores and standings are kept from one view to the next."""
CARRIED = 64
"""Memories that may have changed for a standing to be carried on rather than made anew."""


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
    return memory.source == "consolidate" or ("summary" in memory.tags and "consolidate" in memory.tags)


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
    return per_view(view, key, lambda: _carried_or_made(view, request, (view.root, *key)))


def private_of(view: View, owner: str) -> tuple[Memory, ...]:
    """The live memories in the private folder of `owner`, in path order; of the user's bank in a joined view (§1)."""
    return per_view(view, ("private", owner), lambda: tuple(_private_of(view, owner)))


def _private_of(view: View, owner: str) -> list[Memory]:
    prefix = f"private/{owner}/"
    own = [memory for memory in view.live if memory.path.startswith(prefix) and root_of(memory) != "project"]
    return sorted(_with_usage(view, own), key=lambda memory: memory.path)


@dataclass(frozen=True, slots=True)
class _Last:
    """The standing of the last view that was asked for, and what of the view it came from."""

    memories: Layered[str, Memory]
    usage: Layered[str, Row]
    grants: Mapping[str, tuple[str, ...]]
    standing: Standing


_lasts: OrderedDict[tuple[Any, ...], _Last] = OrderedDict()


def _carried_or_made(view: View, request: Request, key: tuple[Any, ...]) -> Standing:
    with _lock:
        last = _lasts.pop(key, None)
    standing = (None if last is None else _carried(last, view, request)) or _stand(view, request)
    with _lock:
        _lasts[key] = _Last(view.memories, view.rows(TABLE), view.grants, standing)
        while len(_lasts) > KEPT_BANKS:
            _lasts.popitem(last=False)
    return standing


def _carried(last: _Last, view: View, request: Request) -> Standing | None:
    """The standing after a few changes; None when it is to be made anew."""
    if last.grants != view.grants or last.memories.parts()[0] is not view.memories.parts()[0]:
        return None
    usage, reader = view.rows(TABLE), view.reader(request.agent)
    found = chain(view.memories.changed(last.memories), usage.changed(last.usage))
    ids = tuple(islice(dict.fromkeys(found), CARRIED + 1))
    if len(ids) > CARRIED:
        return None
    kinds: Counter[str] = Counter()
    come = []
    for id in ids:
        kinds[_kind(last.memories.get(id), reader, request)] -= 1
        memory = view.memories.get(id)
        kinds[kind := _kind(memory, reader, request)] += 1
        if memory is not None and kind == "eligible":
            come.append(with_usage(memory, usage.get(id)))
    gone = [last.standing.by_id[id] for id in ids if id in last.standing.by_id]
    before = replace(
        last.standing,
        live=len(view.live),
        unreadable=last.standing.unreadable + kinds["unreadable"],
        outside_year=last.standing.outside_year + kinds["outside_year"],
        other_project=last.standing.other_project + kinds["other_project"],
        not_indexed=_not_indexed(view),
    )
    return _exchanged(before, gone, come, request)


def _exchanged(before: Standing, gone: list[Memory], come: list[Memory], request: Request) -> Standing | None:
    """The standing with some memories for others."""
    plain = list(filter(_is_plain, come))
    scores = _without(before.scores, (memory.id for memory in gone))
    scores |= {memory.id: backfill_score(memory, request.today, request.half_lives) for memory in plain}
    lists: dict[str, Any] = {}
    for name, holds, was, now in (
        ("eligible", _any, _first_made, _first_made),
        ("recency", _any, _newer, _newer),
        ("plain", _is_plain, _newer, _newer),
        ("valued", _is_plain, _worthier(before.scores), _worthier(scores)),
        ("summaries", is_summary, _newer, _newer),
        ("bounds", _is_bound, _newer, _newer),
        ("commits", _is_commit, _newer, _newer),
    ):
        done = exchanged(getattr(before, name), filter(holds, gone), filter(holds, come), was, now)
        if done is None:
            return None
        lists[name] = done
    older = sum(_is_old(memory, request.today) for memory in come) - sum(_is_old(m, request.today) for m in gone)
    return replace(
        before,
        **lists,
        old=before.old + older,
        scores=scores,
        by_id=_without(before.by_id, (memory.id for memory in gone)) | {memory.id: memory for memory in come},
        by_path=_without(before.by_path, (memory.path for memory in gone)) | {memory.path: memory for memory in come},
    )


def _without(known: Mapping[str, T], names: Iterable[str]) -> dict[str, T]:
    """A copy without some names."""
    rest = dict(known)
    for name in names:
        rest.pop(name, None)
    return rest


def _kind(memory: Memory | None, reader: Reader, request: Request) -> str:
    """`eligible`, or why a live memory is left out; "" for one that is not live."""
    if memory is None or memory.state != "live":
        return ""
    if not (_is_open(memory) or may_read(memory, reader)):
        return "unreadable"
    if not _of_years([memory], request.years, request.today):
        return "outside_year"
    return "eligible" if _is_asked(memory, request.project) else "other_project"


def _any(memory: Memory) -> bool:
    return True


def _is_plain(memory: Memory) -> bool:
    return memory.type not in PROTECTED and not is_summary(memory)


def _is_bound(memory: Memory) -> bool:
    return memory.type == "BOUND"


def _is_commit(memory: Memory) -> bool:
    return memory.type == "COMMIT"


def _first_made(one: Memory, other: Memory) -> bool:
    """Original order."""
    return one.ordinal < other.ordinal


def _newer(one: Memory, other: Memory) -> bool:
    """Recency order, as `newest_first`."""
    dates = last_change(one), last_change(other)
    if dates[0] != dates[1]:
        return dates[0] > dates[1]
    if one.access_count != other.access_count:
        return one.access_count > other.access_count
    return one.ordinal < other.ordinal


def _worthier(scores: Mapping[str, float]) -> Callable[[Memory, Memory], bool]:
    """The order of section 4."""

    def precedes(one: Memory, other: Memory) -> bool:
        mine, its = scores[one.id], scores[other.id]
        return mine > its if mine != its else one.ordinal < other.ordinal

    return precedes


def _not_indexed(view: View) -> int:
    return sum(problem.path.endswith((".md", ".md.enc")) for problem in view.problems)


def _is_old(memory: Memory, today: str) -> bool:
    return _age(memory.created[:10], today) > ARCHIVE_AFTER_DAYS


def _stand(view: View, request: Request) -> Standing:
    reader, today = view.reader(request.agent), request.today
    readable = [memory for memory in view.live if _is_open(memory) or may_read(memory, reader)]
    in_year = _of_years(readable, request.years, today)
    asked = [memory for memory in in_year if _is_asked(memory, request.project)]
    eligible = _with_usage(view, asked)
    recency = newest_first(eligible)
    plain = [memory for memory in recency if _is_plain(memory)]
    scores = _scores(view.root, plain, request)
    return Standing(
        eligible=tuple(eligible),
        recency=tuple(recency),
        plain=tuple(plain),
        valued=tuple(sorted((m for m in eligible if m.id in scores), key=lambda m: scores[m.id], reverse=True)),
        summaries=tuple(filter(is_summary, recency)),
        bounds=tuple(filter(_is_bound, recency)),
        commits=tuple(filter(_is_commit, recency)),
        live=len(view.live),
        unreadable=len(view.live) - len(readable),
        outside_year=len(readable) - len(in_year),
        other_project=len(in_year) - len(asked),
        not_indexed=_not_indexed(view),
        old=sum(_is_old(memory, today) for memory in eligible),
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
