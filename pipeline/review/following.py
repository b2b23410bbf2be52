"""The queue of a bank that moves on: only what a commit touched is worked out again, whatever waits besides.

A person decides about thirty proposals in a minute, also among five thousand; the queue costs what changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.extract.ledger.gaps import FLOOR, MAX_AGE, Gap, read_gap
from pipeline.extract.profile.rows import ProfileRow, conflicting, read_profile, stored_field
from pipeline.review.proposals import read_proposal
from pipeline.review.setting import KIND as SUGGESTION
from pipeline.review.waiting import (
    EXPIRING,
    Counts,
    Waiting,
    gap_item,
    in_order,
    newest_first,
    profile_item,
    proposal_item,
)
from store.changes import MoveMemory, PutMemory, Row
from store.view import View

TABLES = ("gaps", "profile", "proposals")
GONE = ("rejected", "archived")
UNDECIDED = ("pending", "rejected")
"""States of profile facts that wait or can be brought back."""
MANY = 64
"""Changed rows from which a list is sorted anew instead of being mended."""

Place = tuple[str, str]
"""Table and key of a row."""
Field = tuple[str, str]
"""Category and slot of profile facts: what is said in one of them may contradict what else is."""
Order = Callable[[Waiting], Any]


@dataclass(frozen=True, slots=True)
class _Made:
    """What a row came to: its proposal (None: nothing waits there), what it was made from, and what it leans on.

    `sources` are compared by identity; `leans` are ids of memories that, changed, make it another proposal; `until`
    is the time (milliseconds) from which it is another one, None for never.
    """

    item: Waiting | None
    sources: tuple[object, ...] = ()
    leans: tuple[str, ...] = ()
    until: int | None = None


_NOTHING = _Made(None)


@dataclass(frozen=True, slots=True)
class Following:
    """The queue of one view. `waiting` ends with what was put off; `refused` can be restored, newest first."""

    view: View
    now: int
    waiting: tuple[Waiting, ...]
    refused: tuple[Waiting, ...]
    counts: Counts
    kinds: Mapping[str, int]
    """How many are ready, by kind, conflicts by themselves."""
    _made: Mapping[Place, _Made]
    _facts: Mapping[str, ProfileRow]
    _undecided: Mapping[Field, frozenset[str]]
    _held: Mapping[Field, frozenset[str]]
    _leaning: Mapping[str, frozenset[Place]]
    _until: int | None

    def item(self, table: str, key: str) -> Waiting | None:
        """The proposal of this row, None when nothing waits or was refused there."""
        return self._made.get((table, key), _NOTHING).item


def follow(view: View, now: int, before: Following | None = None) -> Following:
    """The queue of `view` as `queue` and `rejected` give it (without neighbours), going on from what `before` knew.

    `now` is milliseconds since 1970.
    """
    if before is None or not _comparable(view, now, before):
        before = Following(View.of(()), now, (), (), Counts(), {}, {}, {}, {}, {}, {}, None)
    work = _Work(view, now, before)
    work.follow()
    return work.done()


def _comparable(view: View, now: int, before: Following) -> bool:
    floor = "min_gap_evidence"
    return (
        before.now <= now
        and view.agents == before.view.agents
        and view.setting(floor, FLOOR) == before.view.setting(floor, FLOOR)
    )


class _Work:
    """One step from a queue to the next."""

    def __init__(self, view: View, now: int, before: Following) -> None:
        self.view, self.now, self.before = view, now, before
        self.made = dict(before._made)
        self.facts = dict(before._facts)
        self.undecided = dict(before._undecided)
        self.held = dict(before._held)
        self.leaning = dict(before._leaning)
        self.gone: list[Waiting] = []
        self.come: list[Waiting] = []

    def follow(self) -> None:
        """Work out every row that may be another one."""
        places = dict.fromkeys(self._touched())
        fields = {field for table, key in places if table == "profile" for field in self._take_fact(key)}
        fields |= set(self._said_otherwise())
        places |= {("profile", key): None for field in fields for key in self.undecided.get(field, ())}
        for place in places:
            self._work_out(place)

    def done(self) -> Following:
        """The queue as it is now."""
        waiting = _mended(self.before.waiting, self.gone, self.come, in_order, refused=False)
        refused = _mended(self.before.refused, self.gone, self.come, newest_first, refused=True)
        counts = _counted(self.before.counts, self.gone, self.come)
        times = [made.until for made in self.made.values() if made.until is not None] if self._is_due else []
        until = min(times, default=None) if self._is_due else self._sooner()
        kinds = counted_kinds(self.come, counted_kinds(self.gone, self.before.kinds, -1))
        made = (self.made, self.facts, self.undecided, self.held, self.leaning)
        return Following(self.view, self.now, waiting, refused, counts, kinds, *made, until)

    # --- what may be another one

    def _touched(self) -> Iterator[Place]:
        for table in TABLES:
            for key in self.view.rows(table).changed(self.before.view.rows(table)):
                yield table, key
        for id in self.view.memories.changed(self.before.view.memories) if self.leaning else ():
            yield from self.leaning.get(id, ())
        if self.view.setting_files is not self.before.view.setting_files:
            yield from (place for place, made in self.made.items() if made.item and made.item.kind == SUGGESTION)
        if self._is_due:
            yield from (place for place, made in self.made.items() if made.until is not None and made.until <= self.now)

    @property
    def _is_due(self) -> bool:
        """Whether time alone makes some row another one."""
        return self.before._until is not None and self.before._until <= self.now

    def _sooner(self) -> int | None:
        """When time makes the first row another one: no later than before."""
        new = [self.made[item.table, item.key].until for item in self.come]
        times = [time for time in (self.before._until, *new) if time is not None]
        return min(times, default=None)

    def _said_otherwise(self) -> Iterator[Field]:
        """Fields of which the bank's own memories about the person say something else."""
        for id in self.view.memories.changed(self.before.view.memories):
            for memory in (self.before.view.memories.get(id), self.view.memories.get(id)):
                if memory is not None and (field := stored_field(memory)) is not None:
                    yield field

    def _take_fact(self, key: str) -> Iterator[Field]:
        """Read a profile fact; the fields whose undecided facts may now be in another conflict."""
        row, old = self.view.rows("profile").get(key), self.facts.get(key)
        if old is not None and self._is_made_from("profile", key, row):
            yield old.category, old.slot  # only the memory that holds it is another one
            return
        new = read_profile(key, row) if row is not None else None
        for fact, there in ((old, False), (new, True)):
            if fact is None:
                continue
            index = self.undecided if fact.state in UNDECIDED else self.held
            field = (fact.category, fact.slot)
            index[field] = index.get(field, frozenset()) - {key} | ({key} if there else frozenset())
            if fact.state == "confirmed":
                yield field
        self.facts.pop(key, None)
        if new is not None:
            self.facts[key] = new

    def _is_made_from(self, table: str, key: str, row: Row | None) -> bool:
        sources = self.made.get((table, key), _NOTHING).sources
        return bool(sources) and sources[0] is row

    # --- what it comes to

    def _work_out(self, place: Place) -> None:
        table, key = place
        row = self.view.rows(table).get(key)
        old = self.made.get(place, _NOTHING)
        new = _NOTHING if row is None else self._made(table, key, row, old)
        if new is old:
            return
        if new is _NOTHING:
            self.made.pop(place, None)
        else:
            self.made[place] = new
        self._lean(place, old.leans, new.leans)
        self.gone += [old.item] if old.item is not None else []
        self.come += [new.item] if new.item is not None else []

    def _made(self, table: str, key: str, row: Row, old: _Made) -> _Made:
        if table == "gaps":
            return self._gap(key, row)
        return self._fact(key, row, old) if table == "profile" else self._proposal(key, row)

    def _gap(self, key: str, row: Row) -> _Made:
        gap = read_gap(key, row)
        if gap is None or gap.state == "covered":
            return _NOTHING
        return _Made(gap_item(self.view, gap, self.now), (row,), until=_until(gap, self.now))

    def _fact(self, key: str, row: Row, old: _Made) -> _Made:
        """A pending fact against the confirmed ones of its own field; one that is confirmed leans on its memory."""
        fact = self.facts.get(key)
        if fact is None:
            return _NOTHING
        if fact.state not in UNDECIDED:
            leans = (fact.memory,) if fact.memory else ()
            return old if self._is_made_from("profile", key, row) else _Made(None, (row,), leans)
        others = [self.facts[other] for other in sorted(self.held.get((fact.category, fact.slot), ()))]
        conflict = conflicting(self.view, others, fact)
        if self._is_made_from("profile", key, row) and old.sources[1:] and old.sources[1] == conflict:
            return old
        return _Made(profile_item(self.view, fact, conflict), (row, conflict))

    def _proposal(self, key: str, row: Row) -> _Made:
        proposal = read_proposal(key, row)
        if proposal is None or proposal.state == "approved":
            return _NOTHING
        item = proposal_item(self.view, proposal)
        touched = (change.id for change in item.changes if isinstance(change, PutMemory | MoveMemory))
        return _Made(item, (row,), tuple(id for id in touched if id is not None))

    def _lean(self, place: Place, old: Sequence[str], new: Sequence[str]) -> None:
        for id in set(old) - set(new):
            left = self.leaning.get(id, frozenset()) - {place}
            if left:
                self.leaning[id] = left
            else:
                self.leaning.pop(id, None)
        for id in set(new) - set(old):
            self.leaning[id] = self.leaning.get(id, frozenset()) | {place}


def _until(gap: Gap, now: int) -> int | None:
    """When time makes a pending fact another proposal: a sighting runs out, its end nears, it was put off till then."""
    times = [seen.at + MAX_AGE + 1 for seen in gap.sightings]
    times += [] if (expires := gap.expires_at()) is None else [expires - EXPIRING]
    times += [] if gap.postponed_until is None else [gap.postponed_until]
    return min((time for time in times if time > now), default=None)


def _mended(
    before: Sequence[Waiting], gone: Iterable[Waiting], come: Iterable[Waiting], order: Order, *, refused: bool
) -> tuple[Waiting, ...]:
    """A sorted list without what went and with what came."""
    out = [one for one in gone if (one.state in GONE) is refused]
    new = [one for one in come if (one.state in GONE) is refused]
    if not out and not new:
        return tuple(before)
    if len(out) + len(new) > MANY:
        lost = {id(one) for one in out}
        return tuple(sorted([*(one for one in before if id(one) not in lost), *new], key=order))
    rows = list(before)
    for one in out:
        at = bisect_left(rows, order(one), key=order)
        assert rows[at] is one, "the queue is sorted by this order"
        del rows[at]
    for one in new:
        rows.insert(bisect_left(rows, order(one), key=order), one)
    return tuple(rows)


def counted_kinds(items: Iterable[Waiting], before: Mapping[str, int] | None = None, step: int = 1) -> dict[str, int]:
    """How many of these are ready by kind, conflicts by themselves, added to `before` (or taken off, `step` -1)."""
    found = Counter(before or {})
    for one in items:
        if one.counted:
            found["conflict" if one.state == "conflict" else one.kind] += step
    return {kind: number for kind, number in found.most_common() if number}


def _count(waiting: Iterable[Waiting]) -> Counts:
    return Counts.of(one.state for one in waiting)


def _counted(before: Counts, gone: Iterable[Waiting], come: Iterable[Waiting]) -> Counts:
    """The counts without what went and with what came."""
    less, more = _count(gone), _count(come)
    return Counts(
        before.ready - less.ready + more.ready,
        before.conflicts - less.conflicts + more.conflicts,
        before.seen_once - less.seen_once + more.seen_once,
        before.postponed - less.postponed + more.postponed,
    )
