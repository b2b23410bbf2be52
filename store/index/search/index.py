"""One state of the index: the segment, the rows that came and went since, and the threads through both.

An index is never changed: `changed` gives the next one, at a cost that does not grow with the segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from store.index.search.delta import Delta
from store.index.search.doc import Doc
from store.index.search.letters import candidates, distances, edits_of
from store.index.search.points import Points
from store.index.search.segment import FULL, Impacts, Rows, Segment
from store.index.search.stems import stem
from store.index.search.threads import Threads, threads_of

Flags = NDArray[np.bool_]
Scores = NDArray[np.float32]
FEW = 8
"""Where a prefix has fewer postings than one for so many rows, only those rows are gone through."""


class SearchIndex:
    """Rows 0 to n - 1 are the segment's, the `added` after them the delta's; `alive` [rows] says which still stand."""

    def __init__(self, segment: Segment, delta: Delta | None = None, alive: Flags | None = None) -> None:
        self.segment = segment
        self.delta = delta or Delta()
        self.added = len(self.delta) if alive is None else len(alive) - len(segment)
        self.alive = np.ones(len(segment), np.bool_) if alive is None else alive

    def __len__(self) -> int:
        return len(self.alive)

    @property
    def changes(self) -> int:
        """How far the index is from its segment: rows that came or went."""
        return self.added + len(self.segment) - int(np.count_nonzero(self.alive[: len(self.segment)]))

    def changed(self, gone: Iterable[int], new: Iterable[Doc]) -> SearchIndex:
        """The index without some rows and with new entries after them."""
        alive = self.alive.copy()
        alive[list(gone)] = False
        delta = self.delta if len(self.delta) == self.added else self._copied()
        places = [delta.add(doc) for doc in new]
        return SearchIndex(self.segment, delta, np.concatenate([alive, np.ones(len(places), np.bool_)]))

    def _copied(self) -> Delta:
        """A delta of its own for a state that does not follow the newest one."""
        delta = Delta()
        for doc in self.delta.docs[: self.added]:
            delta.add(doc)
        return delta

    def doc(self, row: int) -> Doc:
        """An added entry. Rows of the segment have none."""
        return self.delta.docs[row - len(self.segment)]

    def key(self, row: int) -> str:
        """The name of a row's entry."""
        return self.segment.keys[row] if row < len(self.segment) else self.doc(row).key

    @cached_property
    def days(self) -> NDArray[np.int32]:
        """The day of each row as year·10000 + month·100 + day, 0 for none."""
        return self._column(self.segment.days, [doc.day for doc in self._docs])

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """The tokens of each row."""
        return self._column(self.segment.lengths, self.delta.lengths[: self.added])

    @cached_property
    def asks(self) -> NDArray[np.uint8]:
        """How much of each row is questions, 0 to 255."""
        return np.concatenate([self.segment.asks, np.frombuffer(bytes(self.delta.asks[: self.added]), np.uint8)])

    @cached_property
    def signs(self) -> NDArray[np.uint8]:
        """The signs of each row (`signs.py`)."""
        return np.concatenate([self.segment.signs, np.frombuffer(bytes(self.delta.signs[: self.added]), np.uint8)])

    @cached_property
    def points(self) -> Points:
        """The signs of writing of each row (`points.py`)."""
        return np.concatenate([self.segment.points, np.array(self.delta.points[: self.added], np.uint64)])

    @property
    def _docs(self) -> Sequence[Doc]:
        return self.delta.docs[: self.added]

    def _column(self, base: NDArray[np.int32], more: Sequence[int]) -> NDArray[np.int32]:
        return np.concatenate([base, np.array(more, np.int32)]) if self.added else base

    @cached_property
    def owners(self) -> dict[str, NDArray[np.int64]]:
        """The standing rows of each owner who has any."""
        base = self.segment.owners
        found = {name: np.flatnonzero(base == at) for at, name in enumerate(self.segment.owner_names)}
        for row, doc in enumerate(self._docs, len(self.segment)):
            if doc.owner:
                found[doc.owner] = np.append(found.get(doc.owner, np.empty(0, np.int64)), row)
        standing = {name: rows[self.alive[rows]] for name, rows in found.items()}
        return {name: rows for name, rows in standing.items() if len(rows)}

    @cached_property
    def threads(self) -> Threads:
        """The rows that stand in sessions with others, in order."""
        return threads_of(self.segment, self._docs, self.alive)

    def word(self, term: str) -> Scores | None:
        """The impact of a term in every row, None where it stands nowhere."""
        rows, impacts = self.held(term)
        if not len(rows):
            return None
        found = np.zeros(len(self), np.float32)
        found[rows] = impacts
        return found

    def held(self, term: str) -> tuple[NDArray[np.int64], Impacts]:
        """The rows that hold a term, standing or not, and its impact in each."""
        at = self.segment.terms.find(term)
        rows, impacts = self.segment.postings(at, at + 1) if at >= 0 else (np.empty(0, np.int32), np.empty(0, np.uint8))
        more = np.array(self._more((term,)), np.int64).reshape(-1, 2) if self.added else None
        if more is not None and len(more):
            rows, impacts = np.append(rows, more[:, 0]), np.append(impacts, more[:, 1].astype(np.uint8))
        return rows.astype(np.int64), impacts

    def prefix(self, beginning: str) -> Scores | None:
        """The impacts of all terms that begin so, summed up to at most 255 a row; None where none does."""
        low, high = self.segment.terms.slice(beginning)
        more = self._more(self.delta.beginning(beginning)) if self.added else []
        if low == high and not more:
            return None
        found = np.zeros(len(self), np.float32)
        base = found[: len(self.segment)]
        heavy = self.segment.heavy.find(beginning)
        if heavy >= 0:
            base[:] = self.segment.sums[heavy]
        elif high - low == 1:
            rows, impacts = self.segment.postings(low, high)
            base[rows] = impacts
        elif high > low:
            _add_up(base, *self.segment.postings(low, high))
        for row, value in more:
            found[row] = min(found[row] + value, FULL)
        return found

    def _more(self, terms: Iterable[str]) -> list[tuple[int, int]]:
        """The added rows that hold any of the terms, and how strongly."""
        if not self.added:
            return []
        first = len(self.segment)
        return [(first + row, value) for term in terms for row, value in self.delta.postings(term) if row < self.added]

    def forms(self, root: str) -> list[str]:
        """The terms of a stem, sorted; a word that is its own stem is named though it may stand nowhere."""
        known = {root} if stem(root) == root else set()
        if (at := self.segment.stems.find(root)) >= 0:
            low, high = self.segment.stem_starts[at : at + 2].tolist()
            known.update(self.segment.terms.some(self.segment.stem_terms[low:high]))
        if self.added:
            known.update(self.delta.of_stem(root))
        return sorted(known)

    def other_forms(self, beginning: str) -> list[str]:
        """The terms of the stem of a word that do not begin with it."""
        return [form for form in self.forms(stem(beginning)) if not form.startswith(beginning)]

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self.segment.terms.lengths()

    def spellings(self, word: str, *, beginning: bool) -> list[tuple[int, str]]:
        """The terms that may have been meant by a mistyped word, nearest first, each with its edits.

        With `beginning` more letters may follow. Of equal distance those with the same first letter come first.
        """
        most = edits_of(word)
        segment = self.segment
        near = candidates(word, segment.pair_starts, segment.pair_terms, self._lengths)
        known = dict.fromkeys(segment.terms.some(near))
        if self.added:
            known |= dict.fromkeys(self.delta.mistypable())
        terms = list(known)
        edits = distances(word, terms, most, beginning=beginning).tolist() if terms else []
        return sorted(
            ((apart, term) for apart, term in zip(edits, terms, strict=True) if apart <= most),
            key=lambda pair: (pair[0], pair[1][:1] != word[:1], pair[1]),
        )


def _add_up(found: Scores, rows: Rows, impacts: Impacts) -> None:
    """Put into `found` [rows], all of it 0, the sums of impacts, at most 255 each."""
    if len(rows) * FEW < len(found):  # the others are not touched at all
        np.add.at(found, rows, impacts.astype(np.float32))
        found[rows] = np.minimum(found[rows], FULL)
    else:
        found[:] = np.bincount(rows, impacts, len(found))
        np.minimum(found, FULL, out=found)
