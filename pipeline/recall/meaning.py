"""How near entries are in meaning to a query, with a little from their neighbours (`design/recall.md` §4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.encoders import Floats
from pipeline.recall.sight import Sight
from pipeline.recall.weights import Weights
from store.index.search.aligned import Aligned
from store.index.search.index import Flags, Scores

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
    if sight.count <= EVERY:
        also = np.flatnonzero(allowed)
    rows = vectors.near(query, allowed, also=also).rows
    if not len(rows):
        return Near(rows, np.zeros(0, np.float32))
    neighbours, given = _neighbours(sight, rows, weights)
    every, at = np.unique(neighbours, return_inverse=True)
    usual, spread = vectors.usual(query, sight.seen)
    apart = (vectors.cosines(query, every) - usual) / spread
    apart *= vectors.has[every]
    found = (apart[at].reshape(neighbours.shape) * given).sum(1)
    top = max(float(found.max()), np.finfo(np.float32).tiny)
    return Near(rows, (np.maximum(found, 0) / top).astype(np.float32) ** np.float32(weights.curve))


def _neighbours(sight: Sight, rows: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Scores]:
    """For each row [n, 5] itself and two before and after it in its thread, and the share of each (0: none there)."""
    shares = np.array([weights.second, weights.first, 1, weights.first, weights.second], np.float32)
    threads, place = sight.index.threads, sight.place
    at = place[rows][:, None] + np.arange(-2, 3)
    inside = (at >= 0) & (at < len(threads.rows)) & (place[rows] >= 0)[:, None]
    at = np.where(inside, at, 0)
    if len(threads.rows):
        inside &= threads.sessions[at] == threads.sessions[at[:, 2]][:, None]
        found = np.where(inside, threads.rows[at], rows[:, None])
    else:
        found = np.repeat(rows[:, None], 5, 1)
    inside &= sight.seen[found]
    inside[:, 2], found[:, 2] = True, rows
    return found, (inside * shares).astype(np.float32)
