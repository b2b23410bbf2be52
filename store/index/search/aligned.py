"""Vectors in the order of an index's rows, and what a query finds among them (`design/recall.md` §4, §7).

Which rows may be seen is said by a mask, and rows outside it are counted nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.index.search.vectors import Floats, Small, Vectors, distances, packed, same_dimension

POOL = 200
"""Candidates by codes that are measured: 99 % of the true ten best are among them (`design/recall.md` §7)."""
EXACT = 1000
"""So many rows are measured without asking their codes first."""
SAMPLE = 512
"""Rows from which the usual cosine of a query is told."""

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Late:
    """Vectors that came after the file: `rows` [k, dim] and `scales` [k]."""

    rows: Small
    scales: Floats


@dataclass(frozen=True, slots=True)
class Near:
    """Rows near a query, ascending, and the cosine of each [n]."""

    rows: Rows
    cosines: Floats


class Aligned:
    """`places` [rows of the index]: a vector of the file, beyond them one of the late ones, -1 for none."""

    def __init__(self, vectors: Vectors, late: Late, places: Rows) -> None:
        self.places = places
        self._vectors, self._late = vectors, late
        self._late_codes = packed(late.rows * late.scales[:, None], vectors.mean)
        self._straight = not len(late.rows) and np.array_equal(places, np.arange(len(vectors)))
        self._sampled: tuple[Flags | None, Floats] | None = None

    @property
    def dim(self) -> int:
        """Numbers of one vector."""
        return self._vectors.dim

    @property
    def has(self) -> Flags:
        """Which rows have a vector."""
        found: Flags = self.places >= 0
        return found

    def closeness(self, query: Floats, mask: Flags | None = None) -> Floats:
        """How alike the codes of each row and of a query are, -1 to 1 and about 0 for what has nothing to do with it.

        `query` [dim]. Rows without a vector, or outside `mask`, have 0: shares along a thread leave them out.
        """
        found = 1 - self._distances(query).astype(np.float32) * np.float32(2 / max(self.dim, 1))
        if not self._straight or mask is not None:
            found[~self._seen(mask)] = 0
        return found

    def cosines(self, query: Floats, rows: Rows) -> Floats:
        """The cosine of a query with each of the rows; 0 where there is no vector."""
        return self._measured(rows) @ query

    def usual(self, query: Floats, mask: Flags | None = None) -> tuple[float, float]:
        """Mean and spread of a query's cosines over an even sample of the rows that may be seen.

        One more that has nothing to do with it counts among them: the only row of a bank would be usual itself.
        """
        cosines = np.append(self._sample(mask) @ query, np.float32(0))
        return float(cosines.mean()), float(cosines.std()) + 1e-6

    def near(self, query: Floats, mask: Flags | None = None, pool: int = POOL, also: Rows | None = None) -> Near:
        """The candidates, each measured; raises `BadInput` as they do."""
        rows = self.candidates(query, mask, pool, also)
        return Near(rows, self.cosines(query, rows))

    def candidates(self, query: Floats, mask: Flags | None = None, pool: int = POOL, also: Rows | None = None) -> Rows:
        """The rows whose codes are nearest to a query, about `pool` of them, and `also` those given, ascending.

        Raises `BadInput` when the query's vector is not of the dimension of those kept.
        """
        same_dimension(self.dim, len(query))
        seen = self._seen(mask)
        rows = np.flatnonzero(seen)
        if len(rows) > max(EXACT, pool):
            apart = self._distances(query)[rows]
            counts = np.cumsum(np.bincount(apart, minlength=self.dim + 1))
            rows = rows[apart <= np.searchsorted(counts, pool)]
        return rows if also is None else np.union1d(rows, also[seen[also]])

    def _seen(self, mask: Flags | None) -> Flags:
        return self.has if mask is None else self.has & mask

    def _distances(self, query: Floats) -> NDArray[np.uint16]:
        code = packed(query[None, :], self._vectors.mean)[:, 0]
        found = distances(self._vectors.codes, code)
        if self._straight:
            return found
        return np.concatenate([found, distances(self._late_codes, code), np.zeros(1, np.uint16)])[self.places]

    def _measured(self, rows: Rows) -> Floats:
        """The vectors [n, dim] of rows, as float32."""
        at = self.places[rows]
        first = len(self._vectors)
        found = np.zeros((len(at), self.dim), np.float32)
        base, late = (at >= 0) & (at < first), at >= first
        found[base] = self._vectors.rows[at[base]] * self._vectors.scales[at[base], None]
        found[late] = self._late.rows[at[late] - first] * self._late.scales[at[late] - first, None]
        return found

    def _sample(self, mask: Flags | None) -> Floats:
        known = self._sampled
        if known is None or known[0] is not mask:
            rows = np.flatnonzero(self._seen(mask))
            if len(rows) > SAMPLE:
                rows = rows[np.linspace(0, len(rows) - 1, SAMPLE).astype(np.int64)]
            known = self._sampled = (mask, self._measured(rows))
        return known[1]
