"""The rows of the queue: what is ready first, what was seen once and what was put off folded below.

The list holds the proposals in their order and finds each by it, so that a decision among thousands costs what one
among a hundred costs: a row is taken out, nothing is counted or sorted anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pipeline.review.following import counted_kinds
from pipeline.review.waiting import Waiting, in_order, newest_first
from tui.screens.review_columns import pieces
from tui.text import count, fit, one_line
from tui.widgets.rows import Piece

KINDS: Mapping[str, tuple[str, str]] = {
    "fact": ("fact", ""),
    "profile": ("profile fact", ""),
    "insight": ("insight", ""),
    "suggestion": ("suggestion", ""),
    "remember": ("new memory", "new memories"),
    "edit": ("edit", ""),
    "forget": ("memory to forget", "memories to forget"),
    "restore": ("memory to restore", "memories to restore"),
    "archive": ("memory to archive", "memories to archive"),
    "change": ("change of several", "changes of several"),
}
"""What the kinds are called, one and many ("" adds an s)."""
FOLDS: Mapping[str, str] = {"fold:once": "seen once", "fold:later": "put off"}
"""What is folded below the queue, by the id of its row."""
SECTIONS = ("", *FOLDS)
"""The parts of the queue in their order: what is ready, and what stands under each fold."""
ORDERS: Mapping[str, str] = {
    "ready": "ready first",
    "newest": "newest first",
    "project": "by project",
    "session": "by session",
}
"""The orders of the queue, and their words; within each, what is folded stays below."""

Order = Callable[[Waiting], Any]


def row_id(item: Waiting) -> str:
    """What names a row while it waits."""
    return f"{item.table}/{item.key}"


def kind_words(kind: str, number: int) -> str:
    """`3 facts`, `1 profile fact`."""
    one, many = KINDS.get(kind, (kind, ""))
    return count(number, one, many)


def kind_word(kind: str, *, many: bool = False) -> str:
    """`profile fact`, `profile facts`."""
    return kind_words(kind, 2 if many else 1).partition(" ")[2]


def lead_and_text(subject: str, statement: str) -> tuple[str, str]:
    """What stands before a statement in a line, and the statement: no subject that it begins with anyway."""
    subject, said = one_line(subject, 200), one_line(statement, 600)
    if subject and said.casefold().startswith(subject.casefold()):
        subject = ""
    return (f"{subject}: " if subject and said else subject), said


@dataclass(frozen=True, slots=True)
class Fold:
    """A row that stands for `number` others; enter shows or hides them."""

    id: str
    number: int
    opened: bool

    @property
    def words(self) -> str:
        """`3 seen once`."""
        return f"{self.number:,} {FOLDS[self.id]}"


Row = Waiting | Fold


def section(item: Waiting) -> int:
    """The part of the queue that a proposal stands in, as a place in `SECTIONS`."""
    return 1 if item.folded else 2 if item.state == "postponed" else 0


def order_of(name: str) -> Order:
    """The sort key of an order; no two proposals have the same."""
    orders: Mapping[str, Order] = {
        "newest": lambda one: (section(one), *newest_first(one)),
        "project": lambda one: (section(one), one.project, *in_order(one)),
        "session": lambda one: (section(one), one.sessions[:1], *in_order(one)),
        "refused": newest_first,
    }
    return orders.get(name, in_order)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Proposals sorted by `order`, and where each part of the queue ends among them."""

    items: tuple[Waiting, ...]
    order: Order
    ends: tuple[int, int, int]

    @classmethod
    def of(cls, items: Sequence[Waiting], order: Order, *, parted: bool = True) -> Shelf:
        """Of sorted proposals; where the queue is not `parted`, everything stands in its first part."""
        if not parted:
            return cls(tuple(items), order, (len(items),) * 3)
        ends = [bisect_left(items, part, key=section) for part in (1, 2)]
        return cls(tuple(items), order, (*ends, len(items)))  # type: ignore[arg-type]

    def place(self, item: Waiting) -> int | None:
        """Where it stands, None when it does not."""
        at = bisect_left(self.items, self.order(item), key=self.order)
        here = at < len(self.items) and (self.items[at].table, self.items[at].key) == (item.table, item.key)
        return at if here else None

    def without(self, items: Iterable[Waiting]) -> Shelf:
        """The same without these."""
        places = sorted({at for item in items if (at := self.place(item)) is not None}, reverse=True)
        if not places:
            return self
        kept = list(self.items)
        for at in places:
            del kept[at]
        lost = [sum(at < end for at in places) for end in self.ends]
        first, second, third = (end - less for end, less in zip(self.ends, lost, strict=True))
        return Shelf(tuple(kept), self.order, (first, second, third))


Find = Callable[[str, str], Waiting | None]


class ReviewRows:
    """A row source over what waits. `find` gives the proposal of a table's row; `now` is milliseconds."""

    def __init__(
        self,
        shelf: Shelf,
        item_of: Find,
        now: int,
        *,
        opened: frozenset[str] = frozenset(),
        kinds: Mapping[str, int] | None = None,
    ) -> None:
        self.shelf, self._item_of, self.now = shelf, item_of, now
        self.opened = opened
        self._kinds = kinds
        self._bands = self._laid_out()
        self._length = sum(len(band) for _, band in self._bands) + sum(fold is not None for fold, _ in self._bands)

    def _laid_out(self) -> Sequence[tuple[Fold | None, range]]:
        """The parts that are shown: the row that folds each (none for the first), and the places that stand there."""
        starts = (0, *self.shelf.ends)
        bands: list[tuple[Fold | None, range]] = [(None, range(0, self.shelf.ends[0]))]
        for part, id in enumerate(FOLDS, 1):
            first, last = starts[part], starts[part + 1]
            if last > first:
                opened = id in self.opened
                bands.append((Fold(id, last - first, opened), range(first, last if opened else first)))
        return bands

    def __len__(self) -> int:
        return self._length

    def without(self, items: Sequence[Waiting]) -> ReviewRows:
        """The same rows without these proposals."""
        there = {row_id(item): item for item in items if self.shelf.place(item) is not None}.values()
        if not there:
            return self
        shelf, kinds = self.shelf.without(there), counted_kinds(there, self.kinds, -1)
        return ReviewRows(shelf, self._item_of, self.now, opened=self.opened, kinds=kinds)

    def same(self, other: object) -> bool:
        """Whether the same proposals stand in the same places."""
        return (
            isinstance(other, ReviewRows)
            and self.opened == other.opened
            and self.shelf.ends == other.shelf.ends
            and self.shelf.items == other.shelf.items
        )

    # --- what is shown

    @property
    def rows(self) -> Sequence[Row]:
        """Every row, one after the other; for what looks at all of them."""
        return list(self._every())

    def _every(self) -> Iterator[Row]:
        for fold, band in self._bands:
            if fold is not None:
                yield fold
            yield from (self.shelf.items[at] for at in band)

    @property
    def items(self) -> Sequence[Waiting]:
        """The proposals that are shown."""
        return [row for row in self._every() if isinstance(row, Waiting)]

    @property
    def proposals(self) -> int:
        """How many rows are proposals."""
        return sum(len(band) for _, band in self._bands)

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """How many are ready, by kind, conflicts by themselves; the most first."""
        return counted_kinds(self.shelf.items) if self._kinds is None else self._kinds

    def at(self, index: int) -> Row | None:
        """The row in this place."""
        for fold, band in self._bands:
            if fold is not None:
                if index == 0:
                    return fold
                index -= 1
            if 0 <= index < len(band):
                return self.shelf.items[band[index]]
            index -= len(band)
        return None

    def ordinal(self, index: int) -> int:
        """The how-manieth proposal stands in this place; for the row of a fold, the last one before it."""
        number = 0
        for fold, band in self._bands:
            if fold is not None:
                if index == 0:
                    return number
                index -= 1
            if index < len(band):
                return number + index + 1
            index, number = index - len(band), number + len(band)
        return number

    # --- what a list of rows asks

    def id(self, index: int) -> str:
        """The row's id."""
        row = self.at(index)
        if row is None:
            raise IndexError(index)
        return row.id if isinstance(row, Fold) else row_id(row)

    def find(self, id: str) -> int | None:
        """Where a row stands."""
        item = self._item(id)
        place = self.shelf.place(item) if item is not None else None
        before = 0
        for fold, band in self._bands:
            if fold is not None:
                if fold.id == id:
                    return before
                before += 1
            if place is not None and place in band:
                return before + place - band.start
            before += len(band)
        return None

    def _item(self, id: str) -> Waiting | None:
        table, _, key = id.partition("/")
        return None if id in FOLDS else self._item_of(table, key)

    def get(self, id: str | None) -> Row | None:
        """The row of this id."""
        place = self.find(id) if id is not None else None
        return None if place is None else self.at(place)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, kind, subject and statement, and what there is to say at the right."""
        row = self.at(index)
        if row is None:
            return []
        if isinstance(row, Fold):
            sign = "- " if row.opened else "+ "
            return [(sign, "muted"), (fit(row.words, max(0, width - 2)), "muted")]
        lead, said = lead_and_text(str(row.fields.get("subject", "")), row.statement)
        return pieces(row, lead, said, width, self.now)


def opened_again(rows: ReviewRows, opened: frozenset[str]) -> ReviewRows:
    """The same rows with other folds open."""
    return ReviewRows(rows.shelf, rows._item_of, rows.now, opened=opened, kinds=rows.kinds)


NOTHING = ReviewRows(Shelf.of((), in_order), lambda table, key: None, 0)
"""No rows."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which rows, in which order: the words of the box, what they must be ("" for any), and which folds are open.

    `state` is a state of proposals, or `refused` for what was rejected or put away instead of what waits.
    """

    text: str = ""
    kind: str = ""
    project: str | None = None
    session: str = ""
    state: str = ""
    order: str = "ready"
    opened: frozenset[str] = frozenset()

    @property
    def refused(self) -> bool:
        """Whether what was refused is shown instead of what waits."""
        return self.state in ("refused", "rejected", "archived")

    @property
    def narrowed(self) -> bool:
        """Whether only some proposals are asked for."""
        return bool(self.text or self.kind or self.session or self.state) or self.project is not None

    @property
    def unnarrowed(self) -> Asked:
        """All that waits, in the same order."""
        return replace(self, text="", kind="", project=None, session="", state="")
