"""How the memories of the bank read in a list: one line each, what was searched for marked."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

from store.memory import Memory
from tui.dates import ago, day
from tui.text import fit, one_line
from tui.theme import MARKS
from tui.widgets.rows import Piece

if TYPE_CHECKING:
    from pipeline.recall.filtering.spans import Sought

DATES_FROM = 56
DATE = 12
TYPE = 7
LEAST_TEXT = 24
"""Cells: below these the dates go first, then the types (`design/tui-anchors.md`, "Too small")."""
_TYPE_STYLES = {"FACT": "fact", "PREF": "pref", "BOUND": "bound", "COMMIT": "commit"}


class Listed(Protocol):
    """Memories in an order."""

    def __len__(self) -> int: ...

    def memory(self, index: int) -> Memory:
        """The memory at a place."""

    def find(self, id: str) -> int | None:
        """The place of a memory, None when it is not one of them."""


class MemoryRows:
    """A row source over memories in a chosen order."""

    def __init__(self, listed: Listed, sought: Sought | None, today: date) -> None:
        """`sought` is what is marked in them."""
        self.listed = listed
        self.pending: Container[str] = ()
        self._sought, self._today = sought, today

    def __len__(self) -> int:
        return len(self.listed)

    def memory(self, index: int) -> Memory:
        """The memory of a row."""
        return self.listed.memory(index)

    def id(self, index: int) -> str:
        """The memory's id."""
        return self.memory(index).id

    def find(self, id: str) -> int | None:
        """Where a memory stands."""
        return self.listed.find(id)

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
        return _marked(shown, end, self._marks(shown), style)

    def _marks(self, shown: str) -> Sequence[tuple[int, int]]:
        if self._sought is None:
            return ()
        from pipeline.recall.filtering.spans import spans  # its patterns are not for the first frame

        return spans(shown, self._sought)


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
