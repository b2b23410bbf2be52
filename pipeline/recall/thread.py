"""What an entry gets from its neighbours in a session: the question stands in one turn, the answer in the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.sight import Sight
from pipeline.recall.weights import Weights
from store.index.search.index import Scores
from store.index.search.threads import Threads

FEW = 16
"""Where fewer than one row in so many has a term, its neighbours are looked up; else all rows are shifted at once."""
Shares = list[tuple[Scores, Scores]]
"""For each distance from 1 on: what a row lends the one so far after it, and gets from it; 0 across sessions."""


def shares(threads: Threads, asks: Scores, weights: Weights) -> Shares:
    """The shares that neighbours lend each other; empty where no session has two rows. `asks` [rows] is 0 to 1.

    Who asks hands its words on to the answer.
    """
    sessions = threads.sessions
    found: Shares = []
    for apart in range(1, min(weights.reach, len(sessions) - 1) + 1):
        near = (sessions[apart:] == sessions[:-apart]) * np.float32(weights.thread * weights.fading ** (apart - 1))
        asked = 1 + np.float32(weights.answered) * asks[threads.rows[:-apart]] if apart == 1 else 1
        found.append((near * asked, near * np.float32(weights.back)))
    return found if found and found[0][1].any() else []


def lent(sight: Sight, own: Scores, weights: Weights) -> Scores:
    """The scores with what neighbours lend, never more than the best own one in the bank (`design/recall.md` §4).

    `own` stays as it is; it comes back itself where there is nothing to lend.
    """
    threads = sight.index.threads
    key = ("shares", weights)
    given = sight.kept.get(key)
    if not isinstance(given, list):
        given = shares(threads, sight.asks, weights)
        sight.keep(key, given)
    if not given:
        return own
    size = len(threads.rows)
    part = own[:size] if threads.first == 0 else own[threads.rows]
    holders = np.flatnonzero(part > 0)
    lend = _from_few if len(holders) * FEW < size else _from_many
    total = lend(part, holders, given)
    scores = own.copy()
    scores[slice(size) if threads.first == 0 else threads.rows] = total
    return scores


def _from_few(part: Scores, holders: NDArray[np.int64], given: Shares) -> Scores:
    """Each holder lends to its neighbours, one by one."""
    total, top = part.copy(), part.max(initial=0)
    touched = []
    for apart, (on, back) in enumerate(given, 1):
        after = holders[holders < len(part) - apart]
        total[after + apart] += on[after] * part[after]
        before = holders[holders >= apart]
        total[before - apart] += back[before - apart] * part[before]
        touched += [after + apart, before - apart]
    for rows in touched:
        total[rows] = np.maximum(np.minimum(total[rows], top), part[rows])
    return total


def _from_many(part: Scores, _holders: NDArray[np.int64], given: Shares) -> Scores:
    """Everybody lends, holder or not."""
    total, top = part.copy(), part.max(initial=0)
    room = np.empty(len(part), np.float32)
    for apart, (on, back) in enumerate(given, 1):
        total[apart:] += np.multiply(on, part[:-apart], out=room[apart:])
        total[:-apart] += np.multiply(back, part[apart:], out=room[apart:])
    np.minimum(total, top, out=total)
    return np.maximum(total, part, out=total)
