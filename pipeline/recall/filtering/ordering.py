"""The order of rows where it is not their score: by time, type, use, or as the files lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.searchable import Searchable
from store.usage import TABLE

Rows = NDArray[np.int64]


def ordered(searchable: Searchable, rows: Rows, sort: str) -> Rows:
    """The rows in the order `sort` (`query.SORTS`); for `relevance` newest first: nothing was ranked."""
    match sort:
        case "place":
            return rows[np.argsort(_ordinals(searchable, rows), kind="stable")]
        case "type":
            types = [searchable.followed.memory(row).type for row in rows.tolist()]
            return _by(searchable, rows, np.unique(types, return_inverse=True)[1] if types else rows)
        case "use":
            return _by(searchable, rows, -_uses(searchable, rows))
    return _by(searchable, rows, np.zeros(len(rows), np.int64))


def _by(searchable: Searchable, rows: Rows, first: NDArray[np.int64]) -> Rows:
    """By rising `first`, then newest first, of one day in original order."""
    days = searchable.columns.days[rows]
    return rows[np.lexsort((_ordinals(searchable, rows), -days, first))]


def _ordinals(searchable: Searchable, rows: Rows) -> NDArray[np.int64]:
    return searchable.columns.ordinals[rows]


def _uses(searchable: Searchable, rows: Rows) -> NDArray[np.int64]:
    """How often each memory was used, files and ledger together (`decisions.md` §2.7)."""
    counted = searchable.view.rows(TABLE)
    memories = [searchable.followed.memory(row) for row in rows.tolist()]
    added = (counted.get(memory.id, {}).get("access_count", 0) for memory in memories)
    uses = [m.access_count + (more if isinstance(more, int) else 0) for m, more in zip(memories, added, strict=True)]
    return np.array(uses, np.int64)
