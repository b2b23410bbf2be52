"""A fact and the turn that it was drawn from raise each other: what one says badly, the other may say well.

Linked are rows of one place in one session, as their `evidence` tells it (`design/recall.md` §9).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.sight import Sight
from store.index.search.index import Flags, Scores
from store.index.search.threads import Threads


@dataclass(frozen=True, slots=True)
class Links:
    """The linked `rows` [m] of what is seen, and the number of each one's place in `places` [m], `count` of them."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    count: int


@dataclass(frozen=True, slots=True)
class Raised:
    """Rows, and what each gets over its links."""

    rows: NDArray[np.int64]
    values: Scores


def links_of(sight: Sight) -> Links:
    """The rows that share their place with another one that is seen; kept with what the reader sees."""
    return sight.lasting("links", lambda: _links(sight.threads))


def _links(threads: Threads) -> Links:
    named = np.flatnonzero(threads.at < 0)
    if not len(named) and not threads.shared:
        return Links(np.empty(0, np.int64), np.empty(0, np.int64), 0)
    places = threads.places.copy()
    if len(named):  # places without a number stand apart in the thread
        both = (threads.sessions[named] << 32) - threads.at[named]
        _, first, of = np.unique(both, return_index=True, return_inverse=True)
        places[named] = places[named[first]][of]
    shared = np.bincount(places) > 1
    linked = np.flatnonzero(shared[places])
    return Links(threads.rows[linked], (np.cumsum(shared) - 1)[places[linked]], int(np.count_nonzero(shared)))


def raised(sight: Sight, scores: Scores, share: float, passing: Flags | None) -> Raised | None:
    """What rows get from the best of those linked with them, `share` of its score; None where none gets any.

    Rows that are not `passing` [rows] get nothing; they have no score to give either.
    """
    links = links_of(sight)
    part = scores[links.rows]
    holders = np.flatnonzero(part > 0)
    if not len(holders):
        return None
    found = _best_other(part, holders, links)
    if passing is not None:
        found *= passing[links.rows]
    got = np.flatnonzero(found > 0)
    return Raised(links.rows[got], found[got] * np.float32(share))


def _best_other(part: Scores, holders: NDArray[np.int64], links: Links) -> Scores:
    """For each linked row [m] the best score of the others of its place; only `holders` have one."""
    score, place = part[holders], links.places[holders]
    best, second = np.zeros(links.count, np.float32), np.zeros(links.count, np.float32)
    np.maximum.at(best, place, score)
    tops = score == best[place]
    alone = tops & (np.bincount(place[tops], minlength=links.count)[place] == 1)
    np.maximum.at(second, place[~alone], score[~alone])
    found = best[links.places]
    found[holders[alone]] = second[place[alone]]
    return found
