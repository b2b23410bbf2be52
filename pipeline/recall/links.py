"""A fact and the turn that it was drawn from raise each other: what one says badly, the other may say well.

Linked are rows of one place in one session, as their `evidence` tells it (`design/recall.md` §9).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.sight import Sight
from store.index.search.index import Flags, Scores
from store.index.search.threads import Threads


@dataclass(frozen=True, slots=True)
class Links:
    """The linked `rows` [m] of what is seen, place by place; `groups` [m] numbers the places, `starts` begins each."""

    rows: NDArray[np.int64]
    groups: NDArray[np.int64]
    starts: NDArray[np.int64]


def links_of(sight: Sight) -> Links:
    """The rows that share their place with another one that is seen; kept with what the reader sees."""
    known = sight.kept.get("links")
    if not isinstance(known, Links):
        known = _links(sight.threads)
        sight.keep("links", known)
    return known


def _links(threads: Threads) -> Links:
    named = np.flatnonzero(threads.at < 0)
    places = threads.places.copy()
    if len(named):  # places without a number stand apart in the thread
        both = (threads.sessions[named] << 32) - threads.at[named]
        _, first, of = np.unique(both, return_index=True, return_inverse=True)
        places[named] = places[named[first]][of]
    sizes = np.bincount(places)
    linked = np.flatnonzero(sizes[places] > 1)
    linked = linked[np.argsort(places[linked], kind="stable")]
    sizes = sizes[sizes > 1]
    return Links(threads.rows[linked], np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes) - sizes)


def raised(sight: Sight, scores: Scores, share: float, passing: Flags | None) -> Scores | None:
    """What each row [rows] gets from the best of those linked with it, `share` of its score; None without links.

    Rows that are not `passing` get nothing; they have no score to give either.
    """
    links = links_of(sight)
    if not len(links.rows):
        return None
    part = scores[links.rows]
    best = np.maximum.reduceat(part, links.starts)[links.groups]
    holds = part == best
    alone = holds & (np.add.reduceat(holds, links.starts, dtype=np.int64)[links.groups] == 1)
    second = np.maximum.reduceat(np.where(alone, np.float32(0), part), links.starts)[links.groups]
    found = np.zeros_like(scores)
    found[links.rows] = np.where(alone, second, best) * np.float32(share)
    if passing is not None:
        found *= passing
    return found
