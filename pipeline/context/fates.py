"""What became of every memory of the bank, and why: one record each, made on demand (`spec/context.md`, part G)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, overload

from pipeline.context.budget import ENTRY, Line
from pipeline.context.draft import Attempt
from pipeline.context.entrance import Entrance, entrances, focus_rank
from pipeline.context.fate import Counts, Fate, Outcome, Paged, Scores, Unseen, Unsent
from pipeline.context.pack import Pack, without_hook, without_paging
from pipeline.context.provider import paged
from pipeline.context.standing import is_protected, is_self_profile, is_summary
from pipeline.recall.scores import backfill_score, breakdown, importance
from store.errors import UnknownMemory
from store.memory import Memory

LEAST_TRACE = 6
"""Shorter statements are not looked for inside other texts: they would be found anywhere."""


class Placed(NamedTuple):
    """Where a memory stands that is always shown."""

    section: str
    rank: int
    line: Line


class Fates(Sequence[Fate]):
    """The records of a pack in its own order: sections 2.5 to 4, 5, 6, then what stood outside every list.

    The head is a few rows; the long tail (over the limit) is walked only as far as it is looked at.
    """

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._attempts = _by_id(pack.attempts)
        self._tail: list[Memory] = []
        self._entrance: dict[str, Entrance] = {}
        self._walk = entrances(pack)

    def __len__(self) -> int:
        return len(self.pack.standing.eligible)

    @overload
    def __getitem__(self, index: int) -> Fate: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Fate]: ...
    def __getitem__(self, index: int | slice) -> Fate | Sequence[Fate]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._record(self.memory_at(at))

    def memory_at(self, index: int) -> Memory:
        """The memory of a row, without its record."""
        head = self.head
        if index < len(head):
            return head[index]
        while len(self._tail) <= index - len(head):
            self._step()
        return self._tail[index - len(head)]

    def of(self, memory_id: str) -> Fate:
        """The record of one memory. Raises `UnknownMemory` for one that the reader may not be told about."""
        memory = self.pack.standing.by_id.get(memory_id)
        if memory is None:
            raise UnknownMemory(f"This pack knows no memory {memory_id!r}; use an id that `memdesk list` prints.")
        return self._record(memory)

    @cached_property
    def unhooked(self) -> Pack:
        """The pack without hook and paging."""
        return without_hook(self.pack)

    @cached_property
    def unpaged(self) -> Pack:
        """The pack without paging."""
        return without_paging(self.pack)

    @cached_property
    def head(self) -> tuple[Memory, ...]:
        """The memories of every row before the long tail, in order."""
        rows: dict[str, Memory] = {memory.id: memory for memory in self._placed()}
        standing = self.pack.standing
        always = (standing.by_id[id] for id in self._always)
        summaries = standing.summaries if self.pack.layout.most_summaries else ()
        for memory in (*always, *self._removed, *self._twins, *summaries):
            rows.setdefault(memory.id, memory)
        return tuple(rows.values())

    @cached_property
    def counts(self) -> Counts:
        """The counts of the outcomes; they add up to the bank's live memories."""
        standing = self.pack.standing
        found: Counter[Outcome] = Counter(dict.fromkeys(self.pack.layout.outcomes, 0))
        found.update(self.outcome(memory) for memory in self.head)
        tail = len(self) - len(self.head)
        found["over_limit"] += self.over
        if tail > self.over:
            found["unmatched"] += tail - self.over
        unseen: dict[Unseen, int] = {
            "unreadable": standing.unreadable,
            "outside_year": standing.outside_year,
            "other_project": standing.other_project,
            "not_indexed": standing.not_indexed,
        }
        return Counts(found, unseen, len(self.moved_up), standing.live)

    @cached_property
    def over(self) -> int:
        """How many rows behind the head a larger limit would let in; those come first, the unmatched ones follow."""
        every = self.pack.layout.takes_all
        return len(self) - len(self.head) if every else len(self._reachable - self._heads)

    @cached_property
    def moved_up(self) -> frozenset[str]:
        """Ids that stand in a section, or an earlier one, because the hook made room."""
        if not self.pack.removed:
            return frozenset()
        before, after = _sections(self.unhooked), _sections(self.unpaged)
        order = self.pack.layout.order
        return frozenset(name for name, at in after.items() if order[at] < order.get(before.get(name, ""), len(order)))

    @cached_property
    def repaged(self) -> Mapping[str, Paged]:
        """What paging did to each memory that it took out, let in, left without room, or put in another place."""
        if self.unpaged is self.pack:
            return {}
        before, after = _places(self.unpaged), _places(self.pack)
        found: dict[str, Paged] = dict.fromkeys(after.keys() - before.keys(), "entered")
        found |= dict.fromkeys(before.keys() - after.keys(), "left")
        for id in before.keys() & after.keys():
            named = self.pack.standing.by_id[id].path in self.pack.order
            if before[id][0] != after[id][0] or (named and before[id] != after[id]):
                found[id] = "moved"
        out = (memory for memory in self._removed if self.outcome(memory) == "paged_out")
        found |= {memory.id: "dropped" for memory in out}
        return {id: what for id, what in found.items() if id not in self._always}

    def outcome(self, memory: Memory) -> Outcome:
        """The outcome of a memory, the first that fits (`spec/context.md`, part G)."""
        if memory.id in self._always:
            return "always"
        if not self.pack.allowed(memory):
            if memory.path in self.pack.paged - self.pack.removed:
                return "paged_out"
            return "evicted" if memory.path in self._evicted else "unlisted"
        results = {attempt.outcome for attempt in self._attempts.get(memory.id, ())}
        order: tuple[Outcome, ...] = ("included", "duplicate", "budget", "block_full")
        for result in order:
            if result in results:
                return result
        if memory.id in self._twin_ids:
            return "duplicate"
        if memory.id in self._summary_rank:
            return "over_limit" if self._summary_place(memory) else "summary_overflow"
        return "over_limit" if self.pack.layout.takes_all or memory.id in self._reachable else "unmatched"

    def also_visible_in(self, fate: Fate) -> tuple[str, ...]:
        """Other places of the pack where the memory's text still shows: sections, or `summary of ID`."""
        memory = fate.memory
        shown = [attempt.section for attempt in fate.attempts if attempt.outcome == "included"]
        shown += [self._always[memory.id].section] if memory.id in self._always else []
        shown += ["1"] if "1" in self.pack.layout.order and is_self_profile(memory, self.pack.request.shown) else []
        if len(memory.statement) >= LEAST_TRACE:
            shown += [self.pack.layout.profile] if memory.statement in self.pack.profile.text else []
            shown += [f"summary of {other.id}" for other in self._bodies if memory.statement in other.body]
        own = fate.section if fate.stands else ""
        return tuple(dict.fromkeys(place for place in shown if place != own))

    def scores(self, memory: Memory) -> Scores:
        """What orders the memory, in parts."""
        today, lives = self.pack.request.today, self.pack.request.half_lives
        hit = next((hit for hit in self.pack.hits if hit.memory.id == memory.id), None)
        value, parts = backfill_score(memory, today, lives), breakdown(memory, today, lives)
        made = Scores(value, importance(memory, today), parts)
        return replace(made, recall=hit.score, scale=hit.scale, terms=hit.why) if hit else made

    @cached_property
    def _reachable(self) -> frozenset[str]:
        """Where only what is found gets in: the memories that were found and that the hook leaves in."""
        return frozenset(hit.memory.id for hit in self.pack.hits if self.pack.allowed(hit.memory))

    @cached_property
    def _evicted(self) -> frozenset[str]:
        return frozenset(self.pack.hook.evicted) if self.pack.hook else frozenset()

    @cached_property
    def _sent(self) -> frozenset[str]:
        return frozenset(self.pack.hook.sent) if self.pack.hook else frozenset()

    @cached_property
    def _removed(self) -> tuple[Memory, ...]:
        hook, paging = self.pack.hook, self.pack.paging
        files = dict.fromkeys((*hook.evicted, *hook.hidden) if hook else ())
        files |= dict.fromkeys(paging.drop if paging else ())
        found = (memory for file in files for memory in self.pack.standing.at(file))
        return tuple(memory for memory in found if not self.pack.allowed(memory))

    @cached_property
    def _twins(self) -> tuple[Memory, ...]:
        """Memories of the other root whose file is already shown: no limit would let them in."""
        shown = {attempt.memory.path for attempt in self.pack.attempts if attempt.outcome == "included"}
        twins = self.pack.standing.twins if self.pack.layout.by_path else {}
        both = (memory for path in shown if path in twins for memory in twins[path])
        return tuple(memory for memory in both if memory.id not in self._attempts)

    @cached_property
    def _twin_ids(self) -> frozenset[str]:
        return frozenset(memory.id for memory in self._twins)

    @cached_property
    def _summary_rank(self) -> dict[str, int]:
        if not self.pack.layout.most_summaries:
            return {}
        left = filter(self.pack.allowed, paged.summaries(self.pack.standing, self.pack.order))
        return {memory.id: rank for rank, memory in enumerate(left, 1)}

    def _summary_place(self, memory: Memory) -> tuple[int, str, int] | None:
        """The limit that a summary needs, and its place then: among the first three, or as an answer to the focus."""
        rank = self._summary_rank.get(memory.id, 0)
        found = [(rank, "2.5", rank)] if 0 < rank <= self.pack.layout.most_summaries else []
        hits = enumerate(self.pack.hits, 1) if rank else ()
        asked = [at for at, hit in hits if hit.memory.id == memory.id]
        found += [(at, "2.6", focus_rank(self.pack, memory, at)) for at in asked]
        return min(found, default=None)

    @cached_property
    def _bodies(self) -> tuple[Memory, ...]:
        shown = (attempt.memory for attempt in self.pack.attempts if attempt.outcome == "included")
        return tuple(memory for memory in shown if is_summary(memory))

    def _placed(self) -> list[Memory]:
        """The memories of sections 2.5 to 4 in their order, those that were taken out where they would be."""
        rows = [(self._where(attempt), 1, attempt.memory) for attempt in self.pack.attempts]
        if self.pack.removed:
            gone = (attempt for attempt in self.unhooked.attempts if attempt.memory.path in self.pack.removed)
            rows += [(self._where(attempt), 0, attempt.memory) for attempt in gone]
        if self.pack.paged:
            gone = (attempt for attempt in self.unpaged.attempts if attempt.memory.path in self.pack.paged)
            rows += [(self._where(attempt), 0, attempt.memory) for attempt in gone]
        rows.sort(key=lambda row: row[:2])
        return [memory for *_, memory in rows if memory.id not in self._always]

    def _step(self) -> bool:
        """Take one more memory from the walk, into the tail if it is no row of the head; False at the end."""
        entrance = next(self._walk, None)
        if entrance is None:
            return self._finish()
        memory = entrance.memory
        if memory.id not in self._entrance:
            self._entrance[memory.id] = entrance
            if memory.id not in self._heads:
                self._tail.append(memory)
        return True

    def _finish(self) -> bool:
        """At the end of the walk the tail also takes what no limit lets in, once."""
        if len(self._tail) < len(self) - len(self.head):
            standing = self.pack.standing
            self._tail += [m for m in standing.recency if m.id not in self._entrance and m.id not in self._heads]
        return False

    @cached_property
    def _heads(self) -> frozenset[str]:
        return frozenset(memory.id for memory in self.head)

    def _entrance_of(self, memory: Memory) -> Entrance | None:
        while memory.id not in self._entrance and self._step():
            pass
        return self._entrance.get(memory.id)

    def _where(self, attempt: Attempt) -> tuple[int, int]:
        return self.pack.layout.order[attempt.section], attempt.rank

    @cached_property
    def _always(self) -> dict[str, Placed]:
        """Where every memory stands that the layout always shows."""
        if not self.pack.layout.always:
            return {}
        lines = {(line.section, line.entry): line for line in filter(ENTRY, self.pack.lines)}
        return {
            memory.id: Placed(rule.key, rank, lines[rule.key, memory.id])
            for rule in self.pack.layout.always
            for rank, memory in enumerate(rule.memories(self.pack.standing), 1)
        }

    def _record(self, memory: Memory) -> Fate:
        outcome = self.outcome(memory)
        attempts = self._attempts.get(memory.id, ())
        base = Fate(memory, outcome, attempts=attempts, chars=self._size(memory))
        if outcome == "always":
            section, rank, line = self._always[memory.id]
            size, used = self.pack.layout.measure.size(line.text), line.used_before
            made = replace(base, section=section, rank=rank, reason="always", used_before=used, chars=size)
        elif outcome in {"evicted", "unlisted"}:
            made = self._tried(base, _by_id(self.unhooked.attempts).get(memory.id, ()))
        elif outcome == "paged_out":
            made = self._tried(base, _by_id(self.unpaged.attempts).get(memory.id, ()))
        elif attempts:
            made = self._tried(base, attempts)
        else:
            made = self._left_out(base)
        return self._with_hook(replace(made, paged=self.repaged.get(memory.id, "")))

    def _size(self, memory: Memory) -> int:
        """The size of the memory's line, tried or not."""
        tried = self._attempts.get(memory.id, ())
        layout = self.pack.layout
        return tried[0].chars if tried else layout.measure.size(layout.choices[0].line(memory))

    def _tried(self, fate: Fate, attempts: Sequence[Attempt]) -> Fate:
        """The record with the place of its best attempt: the one that was accepted, else the first."""
        if not attempts:
            return fate
        best = next((attempt for attempt in attempts if attempt.outcome == "included"), attempts[0])
        made = replace(
            fate,
            section=best.section,
            rank=best.rank,
            reason=best.reason,
            used_before=best.used_before,
            shortfall=best.shortfall,
        )
        return self._twin(made) if fate.outcome == "duplicate" else made

    def _left_out(self, fate: Fate) -> Fate:
        memory = fate.memory
        if fate.outcome == "duplicate":
            return self._twin(fate)
        if memory.id in self._summary_rank:
            place = self._summary_place(memory) or (None, "2.5", self._summary_rank[memory.id])
            return replace(fate, needs_limit=place[0], section=place[1], rank=place[2])
        entrance = self._entrance_of(memory)
        if entrance is None:
            return fate
        needs = max(entrance.limit, self.pack.request.limit + 1)
        return replace(fate, section=entrance.section, rank=entrance.rank, needs_limit=needs)

    def _twin(self, fate: Fate) -> Fate:
        """The record with the memory of the other root that is shown in its place."""
        memory = fate.memory
        others = (other for other in self.pack.standing.at(memory.path) if other.id != memory.id)
        other = next((other for other in others if self.outcome(other) in {"included", "always"}), None)
        if other is None:
            return fate
        differs = (other.subject, other.statement) != (memory.subject, memory.statement)
        return replace(fate, duplicate_of=other.id, differs=differs)

    def _with_hook(self, fate: Fate) -> Fate:
        hook, memory = self.pack.hook, fate.memory
        if hook is None or hook.configuration.provider is None:
            return fate
        sent = memory.path in self._sent
        unsent: Unsent = ""
        if not sent:
            protected = is_protected(memory, self.pack.request.shown)
            unsent = "protected" if protected else "beyond_500" if hook.truncated else "not_asked"
        return replace(fate, sent=sent, unsent=unsent, moved_up=memory.id in self.moved_up)


def _by_id(attempts: Sequence[Attempt]) -> dict[str, tuple[Attempt, ...]]:
    found: dict[str, tuple[Attempt, ...]] = {}
    for attempt in attempts:
        found[attempt.memory.id] = (*found.get(attempt.memory.id, ()), attempt)
    return found


def _places(pack: Pack) -> dict[str, tuple[str, int]]:
    """The first section in which each memory stands, and its place in the list."""
    found: dict[str, tuple[str, int]] = {}
    for attempt in pack.attempts:
        if attempt.outcome == "included":
            found.setdefault(attempt.memory.id, (attempt.section, attempt.rank))
    return found


def _sections(pack: Pack) -> dict[str, str]:
    """The first section in which each memory stands."""
    return {id: section for id, (section, _) in _places(pack).items()}
