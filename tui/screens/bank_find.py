"""Which memories the bank lists and in which order: all of them, or those found for what was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pipeline.recall.filtering.query import PENDING, Query, parse
from store import clock
from store.memory import Memory
from store.view import View
from tui.screens.bank_pool import Pool
from tui.screens.bank_rows import MemoryRows
from tui.text import one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipeline.recall.filtering.spans import Sought
    from pipeline.recall.formula.hybrid import Ranked
    from pipeline.recall.formula.meaning import Meaning
    from pipeline.recall.formula.sight import Sight
    from pipeline.recall.hits import Hit
    from pipeline.recall.searchable import Searchable
    from store.index.search.following import Followed

Sort = Literal["relevance", "time", "type", "use", "place"]
SORTS: tuple[Sort, ...] = ("relevance", "time", "type", "use", "place")
SORT_WORDS: dict[str, str] = {
    "relevance": "by relevance",
    "time": "newest first",
    "type": "by type",
    "use": "most used first",
    "place": "as in the folder",
}
LOOKED_FOR = 8
"""Look-ups of one search after which the places of all its rows are worth a table."""
RANKED = 2_000
"""Rows that are listed by relevance: the best ones; all of them are counted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the rows are asked for: the words of the box, the order, and whether it is the trash."""

    text: str = ""
    sort: Sort = "relevance"
    trash: bool = False

    @property
    def query(self) -> str:
        """The words as the search reads them."""
        return f"is:trash {self.text}" if self.trash else self.text


class InPool:
    """Places in a pool, in an order."""

    def __init__(self, pool: Pool, order: Sequence[int]) -> None:
        self.pool, self.order = pool, order
        self._asked = 0

    def __len__(self) -> int:
        return len(self.order)

    def memory(self, index: int) -> Memory:
        """The memory at a place."""
        return self.pool.memories[self.order[index]]

    def find(self, id: str) -> int | None:
        """Where a memory stands: by looking, until it is asked so often that a table is worth it."""
        at = self.pool.place(id)
        if at is None:
            return None
        self._asked += 1
        if self._asked > LOOKED_FOR:
            return self._table.get(at)
        try:
            return self.order.index(at)
        except ValueError:
            return None

    @cached_property
    def _table(self) -> dict[int, int]:
        return {at: place for place, at in enumerate(self.order)}


class InIndex:
    """Rows of the search index, in an order."""

    def __init__(self, followed: Followed, rows: NDArray[np.int64]) -> None:
        self._followed, self._rows = followed, rows

    def __len__(self) -> int:
        return len(self._rows)

    def memory(self, index: int) -> Memory:
        """The memory at a place."""
        return self._followed.memory(int(self._rows[index]))

    def find(self, id: str) -> int | None:
        """Where a memory stands."""
        row = self._followed.row(id)
        places = [] if row is None else (self._rows == row).nonzero()[0].tolist()
        return places[0] if places else None


@dataclass(frozen=True, slots=True)
class Arranged:
    """The rows for what was asked: of `total` memories `found` passed, of which the rows may be the best."""

    asked: Asked
    query: Query
    rows: MemoryRows = field(repr=False)
    total: int
    found: int
    order_words: str
    ranked: Ranked | None = field(default=None, repr=False)
    searched: Searchable | None = field(default=None, repr=False)
    sought: Sought | None = field(default=None, repr=False)
    pool: Pool | None = field(default=None, repr=False)
    """What is listed without words, carried on through searches: its order is costly."""
    near: int | None = None
    """How many more are near in meaning to the words; None while that was not asked."""
    instead: str = ""
    """Which words stand in for one that is mistyped, or were looked for beside a rare one."""
    waiting: int | None = None
    """How many proposals wait in Review; None when they were not asked for."""

    @property
    def fault(self) -> str:
        """What in the box means nothing, in words."""
        for word in self.query.unknown:
            return f"{one_line(word, 30)} means nothing"
        for word, key in self.query.mistaken:
            return f"{one_line(word, 30)} is text, {key}: is a filter"
        return ""

    @property
    def may_mean(self) -> bool:
        """Whether meaning would make another ranking of it."""
        return self.near is None and self.ranked is not None and self.by_relevance

    @property
    def by_relevance(self) -> bool:
        """Whether the order is asked to be by relevance."""
        return (self.query.sort or self.asked.sort) == "relevance"

    def hit(self, id: str) -> Hit | None:
        """Why a memory stands where it does, None where nothing was ranked."""
        if self.ranked is None or self.searched is None:
            return None
        from pipeline.recall.answering import hit_of

        row = self.searched.followed.row(id)
        places = [] if row is None else (self.ranked.rows == row).nonzero()[0].tolist()
        return hit_of(self.searched, self.ranked, places[0]) if places else None


def arrange(
    view: View,
    asked: Asked,
    today: date,
    before: Arranged | None = None,
    search: Callable[[View], Searchable] | None = None,
) -> Arranged:
    """Find and order; takes milliseconds at 100,000 memories, and is called on a thread while a person types.

    `before` is the last answer, whose order of all memories may be carried on. `search` gives what a view is searched
    through (None: an index of its own).
    """
    query = parse(asked.query)
    kept = before.pool if before else None
    if asked.text.strip():
        return replace(_found(view, asked, query, today, search), pool=kept)
    memories = view.trashed if asked.trash else view.live
    pool = kept if kept and kept.memories is memories else Pool(view, memories, ordered=asked.trash, before=kept)
    pool.ready()
    order, words = _all(view, pool, asked.sort)
    rows = MemoryRows(InPool(pool, order), None, today)
    return Arranged(asked, query, rows, len(memories), len(memories), words, pool=pool)


def _all(view: View, pool: Pool, sort: Sort) -> tuple[Sequence[int], str]:
    """The order of a whole pool; without words relevance is time."""
    newest = pool.newest
    if sort == "type":
        return sorted(newest, key=lambda at: pool.memories[at].type), SORT_WORDS[sort]
    if sort == "use":
        return _by_use(view, pool), SORT_WORDS[sort]
    if sort == "place":
        return range(len(pool.memories)), SORT_WORDS[sort]
    return newest, SORT_WORDS["time"]


def _by_use(view: View, pool: Pool) -> list[int]:
    rows, memories = view.rows("usage"), pool.memories

    def uses(at: int) -> int:
        added = rows.get(memories[at].id, {}).get("access_count", 0)
        return memories[at].access_count + (added if isinstance(added, int) else 0)

    return sorted(pool.newest, key=uses, reverse=True)


def _found(
    view: View, asked: Asked, query: Query, today: date, search: Callable[[View], Searchable] | None
) -> Arranged:
    """What was found in the index for what was typed."""
    from pipeline.recall.found import find
    from pipeline.recall.marked import marked
    from pipeline.recall.searchable import Searchable

    searched = search(view) if search is not None else Searchable.of(view)
    sort = query.sort or asked.sort
    found = find(searched, query, sort, RANKED)
    by_score = found.ranked is not None and sort == "relevance"
    words = SORT_WORDS["time" if sort == "relevance" and not by_score else sort]
    if by_score and found.count > len(found.rows):
        words = f"the best {len(found.rows):,}"
    sought = marked(query, found.ranked, searched.followed.index)
    rows = MemoryRows(InIndex(searched.followed, found.rows), sought, today)
    return Arranged(
        *(asked, query, rows, found.among, found.count, words, found.ranked, searched, sought),
        instead=_instead(found.ranked, searched.sight(query.places)) if found.ranked is not None else "",
        waiting=_waiting(view) if PENDING in query.places else None,
    )


def _instead(ranked: Ranked, sight: Sight) -> str:
    """The words that stand in for mistyped ones; where each of these stands somewhere itself, they come beside it."""
    from pipeline.recall.marked import stands_in

    mistyped = [(term.wanted, words) for term in ranked.words.terms if (words := stands_in(term))]
    if not mistyped:
        return ""
    there = (sight.beginning(one.term) if one.kind == "typed" else sight.exact(one.term) for one, _ in mistyped)
    said = ", ".join(word for _, words in mistyped for word in words)
    return f"{'also' if all(one.rows for one in there) else 'results for'} {one_line(said, 40)}"


def _waiting(view: View) -> int:
    """How many proposals wait for a decision: they are no memories, and only Review acts on them."""
    from pipeline.ready import ready

    return ready(view.tables, clock.millis())[0]


def with_meaning(arranged: Arranged, meaning: Meaning, today: date) -> Arranged:
    """The same question, answered with meaning as well; called on a thread, with an answer that `may_mean`.

    What words found is ordered anew, and what is near in meaning joins it.
    """
    from pipeline.recall.found import joined

    searched, ranked = arranged.searched, arranged.ranked
    assert searched is not None and ranked is not None
    found = joined(searched, arranged.query, RANKED, meaning, ranked)
    rows = MemoryRows(InIndex(searched.followed, found.rows), arranged.sought, today)
    return replace(arranged, rows=rows, ranked=found.ranked, near=found.near)


def next_sort(asked: Asked, shown: Arranged | None) -> Sort:
    """The order after this one. By relevance and by time are one order where nothing was ranked: it comes once."""
    ranked = shown is not None and shown.asked == replace(asked) and shown.ranked is not None
    orders = SORTS if ranked or asked.sort == "time" else tuple(sort for sort in SORTS if sort != "time")
    return orders[(orders.index(asked.sort) + 1) % len(orders)]
