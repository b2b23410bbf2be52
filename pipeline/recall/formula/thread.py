"""What an entry gets from its neighbours in a session: the question stands in one turn, the answer in the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Scores
from store.index.search.threads import Threads

FEW = 16
"""Where fewer than one place in so many has a term, its neighbours are looked up; else all are shifted at once."""
Shares = list[tuple[Scores, Scores]]
"""For each distance from 1 on: what a place lends the one so far after it, and gets from it; 0 across sessions."""


def shares(threads: Threads, asks: Scores, weights: Weights) -> Shares:
    """The shares that neighbours lend each other; empty where no session has two places. `asks` [rows] is 0 to 1.

    Who asks hands its words on to the answer. A turn and the facts drawn from it share a place and count as one.
    """
    sessions = threads.sessions[threads.starts] if threads.shared else threads.sessions
    asking = at_places(threads, asks)
    found: Shares = []
    for apart in range(1, min(weights.reach, len(sessions) - 1) + 1):
        near = (sessions[apart:] == sessions[:-apart]) * np.float32(weights.thread * weights.fading ** (apart - 1))
        asked = 1 + np.float32(weights.answered) * asking[:-apart] if apart == 1 else 1
        found.append((near * asked, near * np.float32(weights.back)))
    return found if found and found[0][1].any() else []


def at_places(threads: Threads, values: Scores) -> Scores:
    """The greatest of the values [rows], none of them below 0, at each place of the threads."""
    part = values[: len(threads.rows)] if threads.first == 0 else values[threads.rows]
    if not threads.shared:
        return part
    found = np.zeros(len(threads.starts), np.float32)
    np.maximum.at(found, threads.places, part)
    return found


def lent(sight: Sight, own: Scores, weights: Weights) -> Scores:
    """The scores with what neighbours lend, never more than the best own one in the bank (`design/recall.md` §4).

    `own` stays as it is; it comes back itself where there is nothing to lend.
    """
    threads = sight.threads
    given = sight.lasting(("shares", weights), lambda: shares(threads, sight.asks, weights))
    if not given:
        return own
    part = at_places(threads, own)
    holders = np.flatnonzero(part > 0)
    lend = _from_few if len(holders) * FEW < len(part) else _from_many
    top, scores = part.max(initial=0), own.copy()
    if threads.shared:
        gift, mine = np.zeros_like(part), own[threads.rows]
        lend(part, gift, holders, given)
        scores[threads.rows] = np.maximum(np.minimum(mine + gift[threads.places], top), mine)
        return scores
    total = part.copy()
    for places in lend(part, total, holders, given):
        total[places] = np.maximum(np.minimum(total[places], top), part[places])
    scores[slice(len(part)) if threads.first == 0 else threads.rows] = total
    return scores


def _from_few(part: Scores, total: Scores, holders: NDArray[np.int64], given: Shares) -> list[NDArray[np.int64]]:
    """Each holder lends to its neighbours, one by one; which got something comes back."""
    touched = []
    for apart, (on, back) in enumerate(given, 1):
        after = holders[holders < len(part) - apart]
        total[after + apart] += on[after] * part[after]
        before = holders[holders >= apart]
        total[before - apart] += back[before - apart] * part[before]
        touched += [after + apart, before - apart]
    return touched


def _from_many(part: Scores, total: Scores, _holders: NDArray[np.int64], given: Shares) -> list[slice]:
    """Everybody lends, holder or not."""
    room = np.empty(len(part), np.float32)
    for apart, (on, back) in enumerate(given, 1):
        total[apart:] += np.multiply(on, part[:-apart], out=room[apart:])
        total[:-apart] += np.multiply(back, part[apart:], out=room[apart:])
    return [slice(None)]
