"""Which records a rewind left behind (`spec/formats.md` §2.1, "Branches")."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from pipeline.formats.numbers import Numbers

_UNKNOWN, LIVE, BESIDE, ABANDONED, LOOSE = range(5)
"""Places of a record. `BESIDE`: off the live branch, but no prompt was typed since: parallel tool calls, queued
messages, side notes. `LOOSE`: not joined to it: a second beginning, or one whose parent is in another file."""

NOBODY = -1
"""Stands for the parent of a record without one."""
_STEPS = 1 << 14
"""Records between two looks at whether to stop."""


class Tree:
    """The records of a file by their parents, five bytes each; `ids` numbers their ids."""

    def __init__(self, ids: Numbers) -> None:
        self._ids = ids
        self._parents = array("i")
        self._states = bytearray()
        """1 a record, 2 a record that is a prompt of the person, 0 only named as a parent."""
        self.last = NOBODY
        """The number of the record that the live branch leads to."""

    def add(self, id: str, parent: str, *, prompt: bool) -> int | None:
        """Take a record with the id of its parent ("" for none): its number, None when it was there before."""
        number = self._ids.of(id)
        above = self._ids.of(parent) if parent else NOBODY
        return number if self.take(number, above, prompt=prompt) else None

    def number(self, id: str) -> int:
        """The number of a record, -1 for one that was never named."""
        return self._ids.find(id)

    def take(self, number: int, above: int, *, prompt: bool) -> bool:
        """The same with the numbers of the two ids, `NOBODY` for no parent; False when the record was there before."""
        if len(self._states) <= max(number, above):
            self._fill()
        if self._states[number]:
            return False
        self._states[number] = 1 + prompt
        self._parents[number] = above
        return True

    def _fill(self) -> None:
        """Makes room for every id that has a number."""
        missing = len(self._ids) - len(self._states)
        self._states.extend(bytes(missing))
        self._parents.extend([NOBODY] * missing)

    def places(self, cancelled: Callable[[], None] = lambda: None) -> bytes:
        """The place of each record by its number.

        The live branch leads from a root to the record `last`. A branch counts as abandoned from its first prompt on:
        only a prompt makes a rewind, while parallel tool results and queued messages also hang beside the live branch.
        `cancelled` is called now and then and may raise.
        """
        self._fill()
        found = bytearray(len(self._states))
        current = self.last
        while self._is_record(current) and not found[current]:
            found[current] = LIVE
            current = self._parents[current]
        for number in range(len(found)):
            if number % _STEPS == 0:
                cancelled()
            if not found[number]:
                self._place(number, found)
        return bytes(found)

    def _is_record(self, number: int) -> bool:
        return number >= 0 and self._states[number] > 0

    def _place(self, number: int, found: bytearray) -> None:
        """Settles a record and every unsettled ancestor of it; a ring of parents is loose."""
        path = array("i")
        while self._is_record(number) and not found[number]:
            path.append(number)
            found[number] = LOOSE
            number = self._parents[number]
        above = found[number] if self._is_record(number) else LOOSE
        for step in reversed(path):
            if above != LOOSE:
                above = ABANDONED if above == ABANDONED or self._states[step] == 2 else BESIDE
            found[step] = above
