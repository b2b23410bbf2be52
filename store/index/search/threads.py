"""The order of rows within their sessions, through the segment and what came after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.index.search.doc import Doc
from store.index.search.segment import Segment


@dataclass(frozen=True, slots=True)
class Threads:
    """`rows` [m] of all sessions, one after the other, each in order; `sessions` [m] tell them apart.

    `first` is where the rows begin when they are neighbours in the index too (a slice then does for `rows`), else -1.
    """

    rows: NDArray[np.int64]
    sessions: NDArray[np.int64]
    first: int


def threads_of(segment: Segment, added: Sequence[Doc], alive: NDArray[np.bool_]) -> Threads:
    """The threads of the rows that still stand; rows alone in their session are left out where that is cheap to see."""
    count = int(np.count_nonzero(segment.sessions >= 0))
    rows = np.arange(count)
    sessions = segment.sessions[:count].astype(np.int64)
    standing = alive[:count]
    late = [(doc, row) for row, doc in enumerate(added, len(segment)) if doc.session and alive[row]]
    if not late and standing.all():
        return Threads(rows, sessions, 0)
    rows, sessions = rows[standing], sessions[standing]
    if not late:
        return Threads(rows, sessions, -1)
    return _with_late(segment, rows, late)


def _with_late(segment: Segment, rows: NDArray[np.int64], late: Sequence[tuple[Doc, int]]) -> Threads:
    """All rows again in the order of `thread_order`: session, place, key."""
    names = {name: at for at, name in enumerate(segment.session_names)}
    for doc, _ in late:
        names.setdefault(doc.session, len(names))
    sessions = np.concatenate([segment.sessions[rows], [names[doc.session] for doc, _ in late]])
    places = np.concatenate([segment.at[rows], [doc.at for doc, _ in late]])
    every = np.concatenate([rows, [row for _, row in late]]).astype(np.int64)
    order = np.lexsort((places, sessions))
    every, sessions, places = every[order], sessions[order], places[order]
    keys = {row: doc.key for doc, row in late}
    same = np.flatnonzero((np.diff(sessions) == 0) & (np.diff(places) == 0))
    for first, last in _runs(same):
        part = every[first:last].tolist()
        part.sort(key=lambda row: keys.get(row) or segment.keys[row])
        every[first:last] = part
    return Threads(every, sessions.astype(np.int64), -1)


def _runs(same: NDArray[np.int64]) -> list[tuple[int, int]]:
    """From the places that equal the next one: first and last (exclusive) of each run of equals."""
    runs: list[tuple[int, int]] = []
    for at in same.tolist():
        if runs and runs[-1][1] == at + 1:
            runs[-1] = (runs[-1][0], at + 2)
        else:
            runs.append((at, at + 2))
    return runs
