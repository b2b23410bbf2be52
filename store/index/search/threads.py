"""The order of rows within their sessions, through the segment and what came after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.index.search.doc import Doc
from store.index.search.segment import Segment


@dataclass(frozen=True, slots=True)
class Threads:
    """`rows` [m] of all sessions, one after the other, each in order; `sessions` [m] and `at` [m] as `Doc` has them.

    `places` [m] counts on from 0 where another place of a session begins: rows of one place have the same number, and
    `starts` [places] is where each begins. `first` is where the rows begin when they are neighbours in the index too (a
    slice then does for `rows`), else -1.
    """

    rows: NDArray[np.int64]
    sessions: NDArray[np.int64]
    at: NDArray[np.int32]
    places: NDArray[np.int64]
    starts: NDArray[np.int64]
    first: int

    @property
    def shared(self) -> bool:
        """Whether any place has more than one row."""
        return len(self.starts) < len(self.rows)

    def among(self, flags: NDArray[np.bool_]) -> Threads:
        """The threads as if only the rows with a flag [rows of the index] were there."""
        kept = flags[self.rows]
        return _threads(self.rows[kept], self.sessions[kept], self.at[kept], -1)


def threads_of(segment: Segment, added: Sequence[Doc], alive: NDArray[np.bool_]) -> Threads:
    """The threads of the rows that still stand; rows alone in their session are left out where that is cheap to see."""
    count = int(np.count_nonzero(segment.sessions >= 0))
    rows = np.arange(count)
    sessions, at = segment.sessions[:count].astype(np.int64), segment.at[:count]
    standing = alive[:count]
    late = [(doc, row) for row, doc in enumerate(added, len(segment)) if doc.session and alive[row]]
    if not late and standing.all():
        return _threads(rows, sessions, at, 0)
    rows, sessions, at = rows[standing], sessions[standing], at[standing]
    return _with_late(segment, rows, late) if late else _threads(rows, sessions, at, -1)


def _threads(rows: NDArray[np.int64], sessions: NDArray[np.int64], at: NDArray[np.int32], first: int) -> Threads:
    """From rows in order; a place without a number is one of its own."""
    begins = at <= 0
    begins[:1] = True
    begins[1:] |= (np.diff(sessions) != 0) | (np.diff(at) != 0)
    return Threads(rows, sessions, at, np.cumsum(begins) - 1, np.flatnonzero(begins), first)


def _with_late(segment: Segment, rows: NDArray[np.int64], late: Sequence[tuple[Doc, int]]) -> Threads:
    """All rows again in the order of `thread_order`: session, place, key."""
    names = {name: at for at, name in enumerate(segment.session_names)}
    for doc, _ in late:
        names.setdefault(doc.session, len(names))
    sessions = np.concatenate([segment.sessions[rows], [names[doc.session] for doc, _ in late]]).astype(np.int64)
    at = np.concatenate([segment.at[rows], [doc.at for doc, _ in late]]).astype(np.int32)
    every = np.concatenate([rows, [row for _, row in late]]).astype(np.int64)
    order = np.lexsort((np.maximum(at, 0), sessions))
    every, sessions, at = every[order], sessions[order], at[order]
    keys = {row: doc.key for doc, row in late}
    for first, last in _runs(sessions, np.maximum(at, 0), every >= len(segment)):
        named = [keys.get(row) or segment.keys[row] for row in every[first:last].tolist()]
        order = first + np.array(sorted(range(last - first), key=named.__getitem__))
        every[first:last], at[first:last] = every[order], at[order]
    return _threads(every, sessions, at, -1)


def _runs(sessions: NDArray[np.int64], at: NDArray[np.int32], late: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of each run of rows whose order their keys decide, where a late one is among them."""
    begins = np.flatnonzero((np.diff(sessions, prepend=-1) != 0) | (np.diff(at, prepend=-1) != 0))
    ends = np.append(begins[1:], len(at))
    for run in np.unique(np.searchsorted(begins, np.flatnonzero(late), "right") - 1).tolist():
        if ends[run] - begins[run] > 1:
            yield int(begins[run]), int(ends[run])
