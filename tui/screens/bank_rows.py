"""The rows of the bank: which memories pass, in which order, and how one reads in a line."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Literal

from pipeline.recall.filter import Filter, Selection, select
from pipeline.recall.spans import spans
from store.memory import Memory
from store.view import View
from tui.dates import ago, day
from tui.screens.bank_pool import Pool
from tui.text import fit, one_line
from tui.theme import MARKS
from tui.widgets.rows import Piece

Sort = Literal["relevance", "time", "type", "use", "place"]
SORTS: tuple[Sort, ...] = ("relevance", "time", "type", "use", "place")
SORT_WORDS: dict[Sort, str] = {
    "relevance": "by relevance",
    "time": "newest first",
    "type": "by type",
    "use": "most used first",
    "place": "as in the folder",
}
LOOKED_FOR = 8
"""Look-ups of one search after which the places of all its rows are worth a table."""
RANK_MOST = 2_000
"""Hits up to which the ranker is asked while a person types; more are shown by time, which says so."""

DATES_FROM = 56
DATE = 12
TYPE = 7
LEAST_TEXT = 24
"""Cells: below these the dates go first, then the types (`design/tui-anchors.md`, "Too small")."""
_TYPE_STYLES = {"FACT": "fact", "PREF": "pref", "BOUND": "bound", "COMMIT": "commit"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the rows are asked for: the words of the box, the order, and whether it is the trash."""

    text: str = ""
    sort: Sort = "relevance"
    trash: bool = False

    @property
    def query(self) -> str:
        """The words as the filter reads them."""
        return f"is:trash {self.text}" if self.trash else self.text


class MemoryRows:
    """A row source over memories in a chosen order."""

    def __init__(self, pool: Pool, order: Sequence[int], query: str, today: date) -> None:
        self.pool, self.order = pool, order
        self.pending: Container[str] = ()
        self._query, self._today = query, today
        self._asked = 0

    def __len__(self) -> int:
        return len(self.order)

    def memory(self, index: int) -> Memory:
        """The memory of a row."""
        return self.pool.memories[self.order[index]]

    def id(self, index: int) -> str:
        """The memory's id."""
        return self.memory(index).id

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

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """State, type, subject and statement, last change."""
        memory = self.memory(index)
        sign, sign_style = _sign(memory)
        date_cells = DATE if width >= DATES_FROM else 0
        type_cells = TYPE if width - 2 - date_cells - TYPE >= LEAST_TEXT else 0
        room = width - 2 - type_cells - date_cells
        pieces: list[Piece] = [(f"{sign} ", sign_style)]
        if type_cells:
            pieces.append((fit(one_line(memory.type, 20), TYPE - 1) + " ", _TYPE_STYLES.get(memory.type, "muted")))
        waits = memory.id in self.pending
        pieces += self._text(memory, room, "muted" if waits or memory.state != "live" else "")
        if date_cells:
            when = "writing" if waits else self._when(memory)
            pieces.append((f"{when:>{DATE - 1}} ", "muted"))
        return pieces

    def _when(self, memory: Memory) -> str:
        if memory.state == "trashed":
            return ago(memory.trashed_at, self._today)
        return day(memory.updated or memory.created, self._today)

    def _text(self, memory: Memory, room: int, style: str) -> list[Piece]:
        """Subject and statement in exactly `room` cells, what was searched for marked."""
        subject, statement = one_line(memory.subject, 200), one_line(memory.statement, 600)
        if not memory.has_front_matter:
            statement = statement or one_line(memory.body, 600)
        lead = f"{subject}: " if subject and statement else subject
        shown = fit(lead + statement, room)
        end = min(len(lead), len(shown))
        marks = spans(shown, self._query) if self._query else []
        return _marked(shown, end, marks, style)


def _marked(text: str, lead: int, marks: Sequence[tuple[int, int]], style: str) -> list[Piece]:
    cuts = sorted({0, lead, len(text), *(at for mark in marks for at in mark)})
    pieces: list[Piece] = []
    for start, end in itertools.pairwise(cuts):
        inside = any(first <= start and end <= last for first, last in marks)
        own = "match" if inside else style or ("strong" if end <= lead else "")
        pieces.append((text[start:end], own))
    return pieces


def _sign(memory: Memory) -> tuple[str, str]:
    name = (
        "immutable"
        if memory.immutable
        else "archived"
        if memory.state == "archived"
        else ""
        if memory.has_front_matter
        else "unmarked"
    )
    return (MARKS[name].sign, MARKS[name].style) if name else (" ", "")


@dataclass(frozen=True, slots=True)
class Arranged:
    """The rows for what was asked, how they are ordered in words, and why each hit stands where it does."""

    asked: Asked
    selection: Selection = field(repr=False)
    rows: MemoryRows = field(repr=False)
    order_words: str
    why: dict[str, object] = field(repr=False)
    """By id: the ranker's hit, where it ranked; explained only when a person asks."""

    @property
    def total(self) -> int:
        """How many memories there are to search among."""
        return len(self.selection.pool)

    @property
    def fault(self) -> str:
        """What in the box means nothing, in words."""
        wanted = self.selection.filter
        for word in wanted.unknown:
            return f"{one_line(word, 30)} means nothing"
        return next((f"{one_line(word, 30)} is text, {key}: is a filter" for word, key in wanted.mistaken), "")


def arrange(view: View, asked: Asked, today: date, before: Arranged | None = None) -> Arranged:
    """Find and order; takes milliseconds at 100,000 memories, and is called on a thread while a person types.

    `before` is the last answer: a search that only grew narrower looks through its hits alone, and one that was made
    a moment ago (a letter taken back) is there still.
    """
    if asked.text or asked.trash:
        selection = _again(view, asked, before) or select(
            view, asked.query, before.selection if before and before.selection.texts else None
        )
    else:
        selection = Selection(view.live, (), range(len(view.live)), Filter())
    kept = before.rows.pool if before else None
    pool = (
        kept
        if kept and kept.memories is selection.pool
        else Pool(view, selection.pool, ordered=asked.trash, before=kept)
    )
    pool.keep(asked.query, selection)
    pool.ready()
    order, words, why = _ordered(view, pool, selection, asked.sort, today)
    return Arranged(asked, selection, MemoryRows(pool, order, asked.text, today), words, why)


def next_sort(asked: Asked, shown: Arranged | None) -> Sort:
    """The order after this one. By relevance and by time are one order where nothing was ranked: it comes once."""
    ranked = shown is not None and shown.asked == asked and bool(shown.why)
    orders = SORTS if ranked or asked.sort == "time" else tuple(sort for sort in SORTS if sort != "time")
    return orders[(orders.index(asked.sort) + 1) % len(orders)]


def _again(view: View, asked: Asked, before: Arranged | None) -> Selection | None:
    """The answer to the same words over the same memories, when it was given lately."""
    pool = before.rows.pool if before else None
    if pool is None or pool.memories is not (view.trashed if asked.trash else view.live):
        return None
    return pool.found.get(asked.query)


def _ordered(
    view: View, pool: Pool, found: Selection, sort: Sort, today: date
) -> tuple[Sequence[int], str, dict[str, object]]:
    if sort == "relevance":
        return _relevance(view, pool, found, today)
    if sort == "time":
        return pool.by_time(found.indices), SORT_WORDS[sort], {}
    if sort == "type":
        by_time = pool.by_time(found.indices)
        return sorted(by_time, key=lambda at: pool.memories[at].type), SORT_WORDS[sort], {}
    if sort == "use":
        return _by_use(view, pool, found), SORT_WORDS[sort], {}
    return found.indices, SORT_WORDS[sort], {}


def _by_use(view: View, pool: Pool, found: Selection) -> list[int]:
    rows, memories = view.rows("usage"), pool.memories

    def uses(at: int) -> int:
        added = rows.get(memories[at].id, {}).get("access_count", 0)
        return memories[at].access_count + (added if isinstance(added, int) else 0)

    return sorted(pool.by_time(found.indices), key=uses, reverse=True)


def _relevance(view: View, pool: Pool, found: Selection, today: date) -> tuple[Sequence[int], str, dict[str, object]]:
    """The ranker's order for the words of the box; without words, or with too many hits, newest first."""
    words = " ".join(found.filter.words)
    by_time = pool.by_time(found.indices)
    if not words:
        return by_time, SORT_WORDS["time"], {}
    if len(by_time) > RANK_MOST:
        return by_time, f"{SORT_WORDS['time']}, too many to rank", {}
    from pipeline.recall.yotta import recall  # its tokeniser brings pinyin tables; never on the way to the first frame
    from store.roots import read_yotta_config
    from store.settings import half_lives

    lives = half_lives(view, read_yotta_config())
    memories = [pool.memories[at] for at in by_time]
    hits = recall(memories, words, today=today, limit=RANK_MOST, half_lives=lives).hits
    ranked = [at for hit in hits if (at := pool.place(hit.memory.id)) is not None]
    rest = set(ranked)
    order = [*ranked, *(at for at in by_time if at not in rest)]
    return order, SORT_WORDS["relevance"], {hit.memory.id: hit for hit in hits}


def warm(view: View) -> None:
    """Make ready what the first letter typed would wait for: the folded text, and the ranker's tables."""
    from pipeline.recall import yotta

    assert yotta
    _ = view.folded
