"""A query that asks for several things: they were seldom all said in one breath, so other moments come up too."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.factors import Factor
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Scores

CLOSE = 3
"""Places of a session that are one moment."""
_SEVERAL = re.compile(
    r"\b(?:what|which)\s+(?:[\w+'-]+\s+){0,2}?(?!(?:is|was|has|does|this|his|us)\b)[\w+-]+[^s\W]s\b"
    r"|\b(?:how many|both|ways|kinds?|types?)\b|哪些|哪几|几[种次个样]|分别",
    re.IGNORECASE,
)


def asks_for_several(text: str) -> bool:
    """Whether a query asks for more than one thing: "what books", "how many times", "both", 哪些."""
    return _SEVERAL.search(text) is not None


def again(sight: Sight, text: str, rows: NDArray[np.int64], found: Scores, weights: Weights) -> tuple[Factor, ...]:
    """The factors for rows close to better ones in their session, once for each; none where one thing is asked for.

    `found` are the scores of the `rows`.
    """
    places, threads = sight.place[rows], sight.threads
    if not asks_for_several(text) or not len(threads.rows):
        return ()
    sessions = np.where(places >= 0, threads.sessions[threads.starts[places]], -1 - np.arange(len(rows)))
    close = (sessions[:, None] == sessions) & (np.abs(places[:, None] - places) <= CLOSE)
    times, left = np.zeros(len(rows), np.int64), found.astype(np.float64)
    for _ in rows:
        first = int(left.argmax())
        left[first] = -1
        after = close[first] & (left > 0)
        times[after] += 1
        left[after] *= 1 - weights.again
    return tuple(
        Factor("again", (1 - weights.again) ** count, rows[times == count], str(count))
        for count in range(1, int(times.max(initial=0)) + 1)
    )
