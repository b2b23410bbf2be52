"""The vectors of an open bank for one model: those of the file, and those of entries that came after it.

What has no vector is found by its words; nothing waits for a model (`design/recall.md` §5).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from store.index.search.aligned import Aligned, Late
from store.index.search.following import Followed
from store.index.search.segment import Segment
from store.index.search.strings import Strings
from store.index.search.vectors import (
    Floats,
    Small,
    Vectors,
    load_vectors,
    places,
    quantised,
    same_dimension,
    vectors_file,
    vectors_of,
)
from store.index.search.watched import Watched

Entry = tuple[str, str]
"""An entry's key and mark."""
SET_ASIDE = "The vectors of meaning were damaged or made by another version; they were set aside and are made anew."
_NONE: Mapping[Entry, int] = {}


def entry_of(followed: Followed, row: int) -> Entry:
    """The key and the mark of a row."""
    return followed.index.key(row), followed.mark(row)


class Meant:
    """The vectors of one model; threads may share it.

    `index` is the file of the bank's index (None: nothing is kept); the vectors lie beside it. `model` is the
    encoder's id.
    """

    def __init__(self, index: Path | None, model: str) -> None:
        self.model = model
        self._file = None if index is None else Watched(vectors_file(index, model))
        self._lock = threading.Lock()
        self._base: Vectors | None = None
        self._known: Mapping[Entry, int] = _NONE
        self._late: dict[Entry, tuple[Small, np.float32]] = {}
        self._of_segment: tuple[Segment, NDArray[np.int64]] | None = None
        self._last: tuple[Followed, Aligned] | None = None
        self._notice = ""

    @property
    def notice(self) -> str:
        """One sentence when damaged vectors were set aside, else ""."""
        return self._notice

    def of(self, followed: Followed) -> Aligned | None:
        """The vectors of an index's rows; None while there is not one."""
        with self._lock:
            self._look()
            if self._last is not None and self._last[0] is followed:
                return self._last[1]
            base = self._base
            if base is None and not self._late:
                return None
            found = self._aligned(followed, self._empty() if base is None else base)
            self._last = followed, found
            return found

    def lacking(self, followed: Followed) -> int:
        """How many standing entries have no vector."""
        return int(np.count_nonzero(self._bare(followed)))

    def missing(self, followed: Followed, most: int) -> list[Entry]:
        """Standing entries without a vector, at most so many, those that came last first."""
        rows = np.flatnonzero(self._bare(followed))[::-1][:most]
        return [entry_of(followed, row) for row in rows.tolist()]

    def _bare(self, followed: Followed) -> NDArray[np.bool_]:
        aligned = self.of(followed)
        alive = followed.index.alive
        return alive if aligned is None else alive & ~aligned.has

    def add(self, entries: Sequence[Entry], vectors: Floats) -> None:
        """Take in the unit vectors [n, dim] of entries, for this session.

        Raises `BadInput` for vectors of another dimension than those known.
        """
        if not len(entries):
            return
        with self._lock:
            if (dim := self._dim) is not None:
                same_dimension(dim, vectors.shape[1])
            rows, scales = quantised(vectors)
            self._late |= {entry: (rows[at], scales[at]) for at, entry in enumerate(entries)}
            self._last = None

    @property
    def _dim(self) -> int | None:
        if self._base is not None:
            return self._base.dim
        return next((len(row) for row, _ in self._late.values()), None)

    def _look(self) -> None:
        """Take the file if another one lies there; of what came late only what it does not hold stays."""
        if self._file is None or not self._file.changed() or not self._file.there:
            return
        found = load_vectors(self._file.path, self.model)
        if found is None:
            self._notice = SET_ASIDE
            self._file.set_aside()
            if self._file.in_place:  # what is mapped is damaged as well
                self._base, self._known, self._of_segment, self._last = None, _NONE, None, None
            return
        late = {entry: late for entry, late in self._late.items() if len(late[0]) == found.dim}
        self._base, self._known, self._of_segment, self._last = found, _NONE, None, None
        self._late = {entry: row for entry, row in late.items() if self._place(found, entry) < 0} if late else {}

    def _empty(self) -> Vectors:
        """For a bank of which no file is known: nothing, in the dimension of what came late."""
        none = Strings.of(())
        return vectors_of(self.model, (none, none), np.zeros((0, self._dim or 0), np.int8), np.zeros(0, np.float32))

    def _aligned(self, followed: Followed, base: Vectors) -> Aligned:
        index = followed.index
        found = np.full(len(index), -1)
        found[: len(index.segment)] = self._placed(index.segment, base)
        first = len(index.segment)
        for row in range(first, len(index)):
            found[row] = self._place(base, entry_of(followed, row))
        late_rows: list[tuple[Small, np.float32]] = []
        for entry, late in self._late.items():
            at = followed.row(entry[0])
            if at is not None and found[at] < 0 and entry_of(followed, at) == entry:
                found[at] = len(base) + len(late_rows)
                late_rows.append(late)
        found[~index.alive] = -1
        return Aligned(base, _stacked(late_rows, base.dim), found)

    def _placed(self, segment: Segment, base: Vectors) -> NDArray[np.int64]:
        if self._of_segment is None or self._of_segment[0] is not segment:
            self._of_segment = segment, places(base, (segment.keys, segment.marks))
        return self._of_segment[1]

    def _place(self, base: Vectors, entry: Entry) -> int:
        if not self._known and len(base):
            self._known = {pair: at for at, pair in enumerate(zip(base.keys, base.marks, strict=True))}
        return self._known.get(entry, -1)


def _stacked(rows: Sequence[tuple[Small, np.float32]], dim: int) -> Late:
    return Late(
        np.array([row for row, _ in rows], np.int8).reshape(len(rows), dim),
        np.array([scale for _, scale in rows], np.float32),
    )
