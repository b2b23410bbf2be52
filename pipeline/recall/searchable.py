"""What one state of a bank is searched through: its index, the columns of the operators, and what each reader sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from pipeline.recall.filtering.judging import PLACE
from pipeline.recall.filtering.passing import Columns
from pipeline.recall.filtering.query import LIVE
from pipeline.recall.formula.sight import Sight
from store.index.search.building import build
from store.index.search.doc import text_of
from store.index.search.following import Followed, bound
from store.index.search.index import Flags
from store.index.search.quotes import quotes_of
from store.view import View

SIGHTS = 4
"""Readers and places whose sight is kept."""


class Searchable:
    """One state, never changed; `before` is the state that it follows, whose columns may be carried on."""

    def __init__(self, view: View, followed: Followed, before: Searchable | None = None) -> None:
        self.view, self.followed = view, followed
        self.columns: Columns = Columns(followed, before.columns if before else None, quotes_of(view))
        self._sights: dict[object, Sight] = {}

    @classmethod
    def of(cls, view: View) -> Searchable:
        """A view with an index of its own, made here and now: for small banks and for single questions."""
        return cls(view, bound(build([]), view.memories, quotes_of(view)))

    def text(self, row: int) -> str:
        """The text of a row that stands, as the index has it."""
        memory = self.followed.memory(row)
        return text_of(memory, self.columns.quotes(memory))

    def sight(self, places: tuple[str, ...] = (LIVE,)) -> Sight:
        """What the person sees in these places: each counts by itself, as if the others were not there."""
        return self._sight(places, lambda: self.columns.having(PLACE, places))

    def sight_of(self, reader: object, ids: Iterable[str]) -> Sight:
        """What somebody sees who may find these memories alone; `reader` names them, so that it can be kept."""
        return self._sight(("ids", reader), lambda: self._flags(ids))

    def _sight(self, key: object, seen: Callable[[], Flags]) -> Sight:
        known = self._sights.get(key)
        if known is None:
            known = Sight(self.followed.index, seen())
            if len(self._sights) >= SIGHTS:
                self._sights.clear()
            self._sights[key] = known
        return known

    def _flags(self, ids: Iterable[str]) -> Flags:
        found = np.zeros(len(self.followed.index), np.bool_)
        found[[row for id in ids if (row := self.followed.row(id)) is not None]] = True
        return found
