"""Which rows of an index pass what was typed besides its words: operators, places, phrases, words left out.

For every operator there is a column, made when it is first asked for and carried on while the bank changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.filtering.judging import (
    DATES,
    PLACE,
    READ,
    STATED,
    VALUES,
    bound,
    has,
    is_term,
    shown_day,
    stands,
    tokens,
)
from pipeline.recall.filtering.query import Phrase, Query
from store.index.search.doc import Quotes, day_of, no_quotes, text_of
from store.index.search.following import Followed
from store.index.search.index import Flags
from store.index.search.points import is_point, points
from store.index.search.words import fold
from store.memory import Memory

Places = NDArray[np.int64]
_PAST = chr(0x10FFFF)
KEPT = 32
"""Answers that are kept while other words are typed."""


@dataclass(frozen=True, slots=True)
class _Column:
    """The distinct folded `values` of an operator, sorted; those of value i stand in `rows` from `starts[i]` on."""

    values: Sequence[str]
    starts: Places
    rows: Places

    def of(self, key: str, wanted: str) -> Places:
        """The rows that have what was asked for, some perhaps more than once."""
        if key == "source":
            judged = np.array([has(key, wanted, value) for value in self.values], np.bool_)
            return self.rows[np.repeat(judged, np.diff(self.starts))]
        low = bisect_left(self.values, wanted)
        high = bisect_left(self.values, wanted + ("\0" if key in STATED else _PAST), low)
        return self.rows[self.starts[low] : self.starts[high]]


def _column(memories: Sequence[Memory], rows: Places, key: str) -> _Column:
    raws = list(map(READ[key], memories))
    known = {raw: at for at, raw in enumerate(dict.fromkeys(raws))}
    each = [VALUES[key](raw) for raw in known]
    values = sorted(dict.fromkeys(chain.from_iterable(each)))  # in their order, which is often sorted already
    place = {value: at for at, value in enumerate(values)}
    sizes = np.fromiter(map(len, each), np.int64, len(each))
    flat = np.fromiter(map(place.__getitem__, chain.from_iterable(each)), np.int64, int(sizes.sum()))
    codes = np.fromiter(map(known.__getitem__, raws), np.int64, len(raws))
    counts = sizes[codes]
    begins = (np.cumsum(sizes) - sizes)[codes] - (np.cumsum(counts) - counts)
    found = flat[np.repeat(begins, counts) + np.arange(counts.sum())]
    order = np.argsort(found, kind="stable")
    starts = np.searchsorted(found[order], np.arange(len(values) + 1)).astype(np.int64)
    return _Column(values, starts, np.repeat(rows, counts)[order])


def _names(memories: Sequence[Memory], rows: Places) -> _Column:
    """The column of `id:`, whose values are hardly ever the same: each stands for itself (`judging` has the rule)."""
    moved = [at for at, memory in enumerate(memories) if memory.path != memory.id]
    paths = [memory.id for memory in memories] + [memories[at].path for at in moved]
    folded = fold("\n".join(paths)).split("\n")  # all at once: a line end is folded with nothing
    if len(folded) != len(paths):
        folded = list(map(fold, paths))
    values = folded + [path.rpartition("/")[2] for path in folded]
    order = sorted(range(len(values)), key=values.__getitem__)
    places = np.tile(np.concatenate([rows, rows[np.array(moved, np.int64)]]), 2)
    return _Column([values[at] for at in order], np.arange(len(values) + 1), places[np.array(order, np.int64)])


class _Part:
    """The columns of some rows of an index, of which `alive` stood when the part was made, with their `memories`.

    A row that still stands in a later state is the same memory there, so a part serves the states that follow.
    """

    def __init__(self, alive: Flags, memories: Sequence[Memory | None], quotes: Quotes) -> None:
        self.alive, self._memories, self._quotes = alive, memories, quotes
        self._columns: dict[str, _Column] = {}
        self._kept: dict[tuple[str, tuple[str, ...]], Flags] = {}
        self._phrases: dict[Phrase, tuple[Flags, Flags]] = {}

    def having(self, key: str, values: tuple[str, ...]) -> Flags:
        """The rows that have any of the values."""
        known = self._kept.get((key, values))
        if known is None:
            known = self._dated(key, values) if key in DATES else self._valued(key, values)
            _keep(self._kept, (key, values), known)
        return known

    def _valued(self, key: str, values: tuple[str, ...]) -> Flags:
        column = self._columns.get(key)
        if column is None:
            made = _names(*self._standing) if key == "id" else _column(*self._standing, key)
            column = self._columns[key] = made
        found = np.zeros(len(self.alive), np.bool_)
        for value in values:
            found[column.of(key, value)] = True
        return found

    def _dated(self, key: str, values: tuple[str, ...]) -> Flags:
        bounds = [bound(key, value) for value in values]
        found: Flags = self.days > min(bounds) if key == "after" else (self.days > 0) & (self.days < max(bounds))
        return found

    @cached_property
    def days(self) -> NDArray[np.int32]:
        memories, rows = self._standing
        dates = list(map(shown_day, memories))
        known = {date: day_of(date) for date in set(dates)}
        days = np.zeros(len(self.alive), np.int32)
        days[rows] = np.fromiter(map(known.__getitem__, dates), np.int32, len(dates))
        return days

    @cached_property
    def ordinals(self) -> Places:
        """The place of each row in original order (`decisions.md` §3.6)."""
        memories, rows = self._standing
        found = np.zeros(len(self.alive), np.int64)
        found[rows] = np.fromiter((memory.ordinal for memory in memories), np.int64, len(memories))
        return found

    @cached_property
    def _standing(self) -> tuple[list[Memory], Places]:
        """The memories that stood, and their rows."""
        rows = np.flatnonzero(self.alive)
        return [memory for memory in self._memories if memory is not None], rows

    def saying(self, phrase: Phrase, candidates: Flags) -> Flags:
        """Those of the candidates in whose text a phrase stands."""
        looked, found = self._phrases.get(phrase) or self._known(phrase)
        rows = np.flatnonzero(candidates & ~looked)
        if len(rows):
            found, looked = found.copy(), looked | candidates
            found[[row for row in rows.tolist() if stands(phrase, self._folded(row))]] = True
            _keep(self._phrases, phrase, (looked, found))
        return found & candidates

    def _known(self, phrase: Phrase) -> tuple[Flags, Flags]:
        """The rows that need no look: while a phrase is typed on, those that its beginning does not stand in."""
        looked = np.zeros(len(self.alive), np.bool_)
        for other, (seen, found) in list(self._phrases.items()):
            if other.open and phrase.text.startswith(other.text):
                looked |= seen & ~found
        return looked, np.zeros(len(self.alive), np.bool_)

    def _folded(self, row: int) -> str:
        memory = self._memories[row]
        return "" if memory is None else fold(text_of(memory, self._quotes(memory)))


K = TypeVar("K")
V = TypeVar("V")


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    if len(kept) >= KEPT:
        kept.clear()
    kept[key] = value


class Columns:
    """What the operators look at in one state of an index; `before` are the columns of the state that it follows.

    `quotes` gives the person's words under a memory, as the index has them.
    """

    def __init__(self, followed: Followed, before: Columns | None = None, quotes: Quotes = no_quotes) -> None:
        self.followed, self.quotes = followed, quotes
        alive, size = followed.index.alive, len(followed.index.segment)
        kept = before is not None and before.followed.base is followed.base
        if before is not None and kept and bool((alive[:size] <= before.base.alive).all()):
            self.base: _Part = before.base
        else:
            self.base = _Part(alive[:size], _based(followed), quotes)
        memories = [followed.memory(row) if alive[row] else None for row in range(size, len(alive))]
        self.late = _Part(alive[size:], memories, quotes)

    def having(self, key: str, values: tuple[str, ...]) -> Flags:
        """The rows that have any of the values of an operator; for rows that no longer stand this says nothing."""
        return np.concatenate([self.base.having(key, values), self.late.having(key, values)])

    @cached_property
    def days(self) -> NDArray[np.int32]:
        """The day of each row as a list shows it: year·10000 + month·100 + day, 0 for none."""
        return np.concatenate([self.base.days, self.late.days])

    @cached_property
    def ordinals(self) -> Places:
        """The place of each row in original order."""
        return np.concatenate([self.base.ordinals, self.late.ordinals])

    def saying(self, phrase: Phrase, within: Flags) -> Flags:
        """Those of the rows `within` in which a phrase stands: the index leaves few whose text must be looked at."""
        written = np.uint64(points(phrase.text))
        found = within & (self.followed.index.points & written == written) if written else within
        for term, begins in tokens(phrase):
            scores = self.followed.index.prefix(term) if begins else self.followed.index.word(term)
            found = np.zeros_like(within) if scores is None else found & (scores > 0)
        if is_term(phrase) or is_point(phrase.text):
            return found
        size = len(self.followed.index.segment)
        return np.concatenate([self.base.saying(phrase, found[:size]), self.late.saying(phrase, found[size:])])


def _based(followed: Followed) -> list[Memory | None]:
    """The memory of each row of the segment, None where the row does not stand."""
    base, over = followed.memories.parts()
    memories: list[Memory | None] = list(map(base.get, followed.base))
    for key, memory in over.items():
        if (row := followed.base.get(key)) is not None:
            memories[row] = memory
    for row in np.flatnonzero(~followed.index.alive[: len(memories)]).tolist():
        memories[row] = None
    return memories


def passing(columns: Columns, query: Query) -> Flags:
    """The rows [rows] that stand and of which `judging.passes` is true, all at once."""
    found: Flags = columns.followed.index.alive & columns.having(PLACE, query.places)
    for term in query.terms:
        held = columns.having(term.key, term.values)
        found &= ~held if term.negated else held
    for phrase in query.phrases:
        found = columns.saying(phrase, found)
    for phrase in query.without:
        found &= ~columns.saying(phrase, found)
    return found
