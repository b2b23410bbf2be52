"""How near entries are in meaning to a query, with a little from their neighbours (`design/recall.md` §4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.encoding.encoders import Floats
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import Weights
from store.index.search.aligned import Aligned
from store.index.search.index import Flags, Scores

LEAST = 0.2
"""The cosine below which an entry has nothing to do with a query of which no word was found."""
EVERY = 800
"""Rows that are measured all, without a choice of candidates."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of an index and that of a query [dim], from one encoder."""

    vectors: Aligned
    query: Floats


@dataclass(frozen=True, slots=True)
class Near:
    """Rows, and how near in meaning each is: 1 the nearest, 0 as near as any entry. What was asked for comes along."""

    rows: NDArray[np.int64]
    shares: Scores


def near(sight: Sight, meaning: Meaning, weights: Weights, allowed: Flags, also: NDArray[np.int64]) -> Near:
    """The rows nearest in meaning among those `allowed` [rows], and those of `also`, which words have found."""
    vectors, query = meaning.vectors, meaning.query
    more = np.flatnonzero(allowed) if sight.count <= EVERY else also
    rows = vectors.candidates(query, allowed, also=more)
    if not len(rows):
        return Near(rows, np.zeros(0, np.float32))
    neighbours, given = _neighbours(sight, rows, weights)
    every, at = np.unique(neighbours, return_inverse=True)
    usual, spread = vectors.usual(query, sight.seen)
    cosines = vectors.cosines(query, every)
    apart = np.where(vectors.has[every], (cosines - usual) / spread, 0)
    found = (apart[at].reshape(neighbours.shape) * given).sum(1)
    if not len(also):
        found[cosines[at].reshape(neighbours.shape)[:, 2] < LEAST] = 0
    top = max(float(found.max()), np.finfo(np.float32).tiny)
    return Near(rows, (np.maximum(found, 0) / top).astype(np.float32) ** np.float32(weights.curve))


def _neighbours(sight: Sight, rows: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Scores]:
    """For each row [n, 5] itself amid the first rows of two places before and after it, and their shares (0: none)."""
    shares = np.array([weights.second, weights.first, 1, weights.first, weights.second], np.float32)
    threads, place = sight.threads, sight.place[rows]
    at = place[:, None] + np.arange(-2, 3)
    inside = (at >= 0) & (at < len(threads.starts)) & (place >= 0)[:, None]
    if not inside.any():
        inside[:, 2] = True
        return np.repeat(rows[:, None], 5, 1), (inside * shares).astype(np.float32)
    first = threads.starts[np.where(inside, at, 0)]
    inside &= threads.sessions[first] == threads.sessions[first[:, 2]][:, None]
    found = np.where(inside, threads.rows[first], rows[:, None])
    inside[:, 2], found[:, 2] = True, rows
    return found, (inside * shares).astype(np.float32)
