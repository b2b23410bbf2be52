"""The rows of the bank: which memories pass, in which order, and how one reads in a line."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pipeline.recall.filter import Filter, Selection, select
from pipeline.recall.spans import spans
from store.memory import Memory
from store.view import View
from tui.dates import ago, day
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

    def __init__(self, pool: Sequence[Memory], order: Sequence[int], query: str, today: date) -> None:
        self.pool, self.order = pool, order
        self.pending: Container[str] = ()
        self._query, self._today = query, today
        self._places = {pool[index].id: place for place, index in enumerate(order)}

    def __len__(self) -> int:
        return len(self.order)

    def memory(self, index: int) -> Memory:
        """The memory of a row."""
        return self.pool[self.order[index]]

    def id(self, index: int) -> str:
        """The memory's id."""
        return self.memory(index).id

    def find(self, id: str) -> int | None:
        """Where a memory stands."""
        return self._places.get(id)

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
    selection: Selection
    rows: MemoryRows
    order_words: str
    why: dict[str, object]
    """By id: the ranker's hit, where it ranked; explained only when a person asks."""

    @property
    def total(self) -> int:
        """How many memories there are to search among."""
        return len(self.selection.pool)

    @property
    def fault(self) -> str:
        """What in the box means nothing, in words."""
        unknown = self.selection.filter.unknown
        return f"{one_line(unknown[0], 30)} means nothing" if unknown else ""


def arrange(view: View, asked: Asked, today: date, previous: Selection | None = None) -> Arranged:
    """Find and order; takes milliseconds at 100,000 memories, and is called on a thread while a person types."""
    if asked.text or asked.trash:
        folded = previous is not None and bool(previous.texts)  # without words nothing was folded
        selection = select(view, asked.query, previous if folded else None)
    else:
        selection = Selection(view.live, (), range(len(view.live)), Filter())
    order, words, why = _ordered(view, selection, asked.sort, today)
    return Arranged(asked, selection, MemoryRows(selection.pool, order, asked.text, today), words, why)


def _ordered(view: View, found: Selection, sort: Sort, today: date) -> tuple[Sequence[int], str, dict[str, object]]:
    pool, indices = found.pool, found.indices
    if sort == "relevance":
        return _relevance(found, today)
    if sort == "time":
        return _by_time(found), SORT_WORDS[sort], {}
    if sort == "type":
        return sorted(_by_time(found), key=lambda at: pool[at].type), SORT_WORDS[sort], {}
    if sort == "use":
        return _by_use(view, found), SORT_WORDS[sort], {}
    return indices, SORT_WORDS[sort], {}


def _by_time(found: Selection) -> list[int]:
    if found.filter.place == "trash":
        return list(found.indices)  # the view keeps them newest first
    pool = found.pool
    return sorted(found.indices, key=lambda at: pool[at].updated or pool[at].created, reverse=True)


def _by_use(view: View, found: Selection) -> list[int]:
    rows, pool = view.rows("usage"), found.pool

    def uses(at: int) -> int:
        added = rows.get(pool[at].id, {}).get("access_count", 0)
        return pool[at].access_count + (added if isinstance(added, int) else 0)

    return sorted(_by_time(found), key=uses, reverse=True)


def _relevance(found: Selection, today: date) -> tuple[Sequence[int], str, dict[str, object]]:
    """The ranker's order for the words of the box; without words, or with too many hits, newest first."""
    words = " ".join(found.filter.words)
    by_time = _by_time(found)
    if not words:
        return by_time, SORT_WORDS["time"], {}
    if len(by_time) > RANK_MOST:
        return by_time, f"{SORT_WORDS['time']}, too many to rank", {}
    from pipeline.recall.yotta import recall  # its tokeniser brings pinyin tables; never on the way to the first frame

    pool = found.pool
    hits = recall([pool[at] for at in by_time], words, today=today, limit=RANK_MOST).hits
    places = {pool[at].id: at for at in by_time}
    ranked = [places.pop(hit.memory.id) for hit in hits]
    return [*ranked, *places.values()], SORT_WORDS["relevance"], {hit.memory.id: hit for hit in hits}
