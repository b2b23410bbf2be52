"""The rows of the queue: what is ready first, what was seen once and what was put off folded below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.review.following import Following
from pipeline.review.waiting import Waiting
from tui.text import count, cut, fit, one_line, width
from tui.widgets.rows import Piece

KINDS: Mapping[str, tuple[str, str]] = {
    "fact": ("fact", ""),
    "profile": ("profile fact", ""),
    "remember": ("new memory", "new memories"),
    "edit": ("edit", ""),
    "forget": ("memory to forget", "memories to forget"),
    "restore": ("memory to restore", "memories to restore"),
    "archive": ("memory to archive", "memories to archive"),
    "change": ("change of several", "changes of several"),
}
"""What the kinds are called, one and many ("" adds an s)."""
SHORT = {"remember": "new", "change": "changes"}
"""Kinds whose word in a row is another."""
FOLDS: Mapping[str, str] = {"fold:once": "seen once", "fold:later": "put off"}
"""What is folded below the queue, by the id of its row."""
SIGNS: Mapping[str, tuple[str, str]] = {
    "conflict": ("!", "warn"),
    "expiring": ("~", "warn"),
    "rejected": ("x", "muted"),
    "archived": ("-", "muted"),
    "postponed": (":", "muted"),
}
KIND = 9
RIGHT_FROM = 34
"""Cells of a row from which confidence, sightings or the days left stand at the right."""
DAY = 86_400_000
SEARCHED = 2_000
"""Characters of a text that a search looks at."""


def row_id(item: Waiting) -> str:
    """What names a row while it waits."""
    return f"{item.table}/{item.key}"


def kind_words(kind: str, number: int) -> str:
    """`3 facts`, `1 profile fact`."""
    one, many = KINDS.get(kind, (kind, ""))
    return count(number, one, many)


def lead_and_text(subject: str, statement: str) -> tuple[str, str]:
    """What stands before a statement in a line, and the statement: no subject that it begins with anyway."""
    subject, said = one_line(subject, 200), one_line(statement, 600)
    if subject and said.casefold().startswith(subject.casefold()):
        subject = ""
    return (f"{subject}: " if subject and said else subject), said


@dataclass(frozen=True, slots=True)
class Asked:
    """Which rows: the words of the box, one kind or "", the refused ones instead, and which folds are open."""

    text: str = ""
    kind: str = ""
    refused: bool = False
    opened: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fold:
    """A row that stands for others; enter shows or hides them."""

    id: str
    items: tuple[Waiting, ...]
    opened: bool

    @property
    def words(self) -> str:
        """`3 seen once`."""
        return f"{len(self.items):,} {FOLDS[self.id]}"


Row = Waiting | Fold


class ReviewRows:
    """A row source over what waits; `now` is milliseconds."""

    def __init__(self, rows: Sequence[Row], now: int = 0) -> None:
        self.rows = rows
        self._now = now
        self._places = {self._id(row): place for place, row in enumerate(rows)}

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def proposals(self) -> int:
        """How many rows are proposals."""
        return sum(not isinstance(row, Fold) for row in self.rows)

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """How many are ready, by kind, conflicts by themselves; the most first."""
        ready = (row for row in self.rows if not isinstance(row, Fold) and row.counted)
        found = Counter("conflict" if row.state == "conflict" else row.kind for row in ready)
        return dict(found.most_common())

    @staticmethod
    def _id(row: Row) -> str:
        return row.id if isinstance(row, Fold) else row_id(row)

    def id(self, index: int) -> str:
        """The row's id."""
        return self._id(self.rows[index])

    def find(self, id: str) -> int | None:
        """Where a row stands."""
        return self._places.get(id)

    def get(self, id: str | None) -> Row | None:
        """The row of this id."""
        place = self._places.get(id) if id is not None else None
        return None if place is None else self.rows[place]

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, kind, subject and statement, and what there is to say at the right."""
        row = self.rows[index]
        if isinstance(row, Fold):
            sign = "- " if row.opened else "+ "
            return [(sign, "muted"), (fit(row.words, max(0, width - 2)), "muted")]
        sign, style = SIGNS.get(row.state, (" ", ""))
        right = f"  {said} " if width >= RIGHT_FROM and (said := self._right(row)) else ""
        word = "conflict" if row.state == "conflict" else SHORT.get(row.kind, row.kind)
        return [
            (f"{sign} ", style),
            (fit(word, KIND - 1) + " ", style or "muted"),
            *_text(row, max(0, width - 2 - KIND - len(right))),
            (right, "muted"),
        ]

    def _right(self, item: Waiting) -> str:
        if item.state == "expiring" and item.expires is not None:
            days = max(0, -(-(item.expires - self._now) // DAY))
            return f"{days} days left"
        if item.state == "open":
            return f"{item.have} of {item.need}"
        return f"{item.confidence:.2f}" if item.confidence is not None else ""


def _text(item: Waiting, room: int) -> list[Piece]:
    """Subject and statement in exactly `room` cells."""
    lead, said = lead_and_text(str(item.fields.get("subject", "")), item.statement)
    shown = fit(cut(lead + said, room), room)
    return [(shown[: len(lead)], "strong"), (shown[len(lead) :], "")] if width(lead) < room else [(shown, "strong")]


def arrange(queue: Following, asked: Asked, hidden: Collection[tuple[str, int]], now: int) -> ReviewRows:
    """The rows for what was asked. `hidden` are row ids, each with the revision, that were decided about just now."""
    if asked.refused:
        return ReviewRows(_passing(queue.refused, asked, hidden), now)
    by_state: dict[str, list[Waiting]] = {}
    for one in _passing(queue.waiting, asked, hidden):
        by_state.setdefault(one.state, []).append(one)
    rows: list[Row] = [*by_state.get("ready", ()), *by_state.get("conflict", ())]
    once = [*by_state.get("expiring", ()), *by_state.get("open", ())]
    for id, items in (("fold:once", once), ("fold:later", by_state.get("postponed", []))):
        if items:
            opened = id in asked.opened or bool(asked.text)
            rows.append(Fold(id, tuple(items), opened))
            rows += items if opened else ()
    return ReviewRows(rows, now)


def _passing(items: Sequence[Waiting], asked: Asked, hidden: Collection[tuple[str, int]]) -> Sequence[Waiting]:
    if hidden:
        keys = {id.partition("/")[2] for id, _ in hidden}
        items = [one for one in items if one.key not in keys or (row_id(one), one.rev) not in hidden]
    if asked.kind:
        items = [one for one in items if one.kind == asked.kind]
    words = asked.text.casefold().split()
    return [one for one in items if _holds(one, words)] if words else items


def _holds(item: Waiting, words: Sequence[str]) -> bool:
    """Whether every word stands in what a person sees of it."""
    fields = (str(item.fields.get(name, "")) for name in ("type", "label", "subject", "owner", "project"))
    quotes = (quote.text for quote in item.quotes)
    texts = (item.kind, item.state, item.by, item.statement[:SEARCHED], item.reason, *fields, *quotes)
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
