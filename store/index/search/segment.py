"""The immutable part of the index: for each term, in sorted order, the rows that hold it and how strongly.

An impact is BM25's share of one term in one row without its rarity, on a scale of whole numbers to 255: sums over the
words of a prefix are exact and do not depend on order. The length that counts as usual is a constant, so an impact
does not depend on other rows, and an index that grew equals one made afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.index.search.doc import Doc
from store.index.search.points import Points
from store.index.search.strings import Strings

K1, B, PIVOT = 0.9, 0.3, 30
"""BM25's saturation and length share (`design/recall.md` §4), and the tokens of an entry of usual length."""
FULL = 255
"""The impact of a term that fills a row: K1 + 1 in BM25's terms."""
HEAVY = 4
"""A prefix whose postings are more than one in so many rows is kept summed up, row by row."""

Rows = NDArray[np.int32]
Impacts = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings and what is known of each row.

    `terms` [t] sorted; the postings of term i are `rows` and `impacts` [p] from `starts[i]` to `starts[i + 1]`.
    `heavy` [h] are sorted prefixes with their summed impacts in `sums` [h, n]. `stems` [s] sorted, the terms of stem i
    are `stem_terms` from `stem_starts[i]` on. `pair_starts` and `pair_terms` lead from two letters to terms.
    Per row [n]: `keys`, `marks`, `sessions` (named in `session_names`, -1 for none) and the places `at` in them,
    `owners` (in `owner_names`, -1), `days`, `asks` and `signs` (`signs.py`), `points` (`points.py`), `lengths` in
    tokens. Rows with a session come first, in the order of their threads.
    """

    terms: Strings
    starts: NDArray[np.int64]
    rows: Rows
    impacts: Impacts
    heavy: Strings
    sums: Impacts
    stems: Strings
    stem_starts: NDArray[np.int64]
    stem_terms: Rows
    pair_starts: NDArray[np.int64]
    pair_terms: Rows
    keys: Strings
    marks: Strings
    session_names: Strings
    sessions: Rows
    at: Rows
    owner_names: Strings
    owners: Rows
    days: Rows
    asks: Impacts
    signs: Impacts
    points: Points
    lengths: Rows

    def __len__(self) -> int:
        return len(self.keys)

    def postings(self, first: int, last: int) -> tuple[Rows, Impacts]:
        """Rows and impacts of the terms from `first` to `last` (exclusive)."""
        low, high = int(self.starts[first]), int(self.starts[last])
        return self.rows[low:high], self.impacts[low:high]


def impact(times: NDArray[np.int64] | int, length: NDArray[np.int64] | int) -> NDArray[np.uint8]:
    """The impact of a term that stands `times` times in a row of `length` tokens (`design/recall.md` §4, `own`)."""
    share = np.divide(times, np.add(times, K1 * (1 - B + B * np.divide(length, PIVOT))))
    found: NDArray[np.uint8] = np.maximum(np.rint(share * FULL), 1).astype(np.uint8)
    return found


def thread_order(docs: Iterable[Doc]) -> list[Doc]:
    """Entries of sessions first, in the order of their threads, then the others; by key where nothing else decides."""
    return sorted(docs, key=lambda doc: (not doc.session, doc.session, max(doc.at, 0), doc.key))


def codes(names: Sequence[str]) -> tuple[Strings, Rows]:
    """The distinct names that are not empty, sorted, and for each of `names` its place there (-1 for none)."""
    known = Strings.of(sorted({name for name in names if name}))
    places: Mapping[str, int] = {name: at for at, name in enumerate(known)}
    return known, np.array([places.get(name, -1) for name in names], np.int32)
