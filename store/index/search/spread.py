"""Which words of an index stand in many of its rows."""

from __future__ import annotations

import numpy as np

from store.index.search.index import SearchIndex


def widespread(index: SearchIndex, most: float) -> set[str]:
    """The stems that stand in more than `most` rows, standing or not; a term without one is its own.

    A row counts once for each form that it has.
    """
    segment, half = index.segment, most / 2
    counts = np.diff(segment.starts)
    sums = np.diff(np.concatenate([[0], np.cumsum(counts[segment.stem_terms])])[segment.stem_starts])
    alone = counts > half
    alone[segment.stem_terms] = False
    found = {segment.stems[at]: int(sums[at]) for at in np.flatnonzero(sums > half).tolist()}
    found |= {segment.terms[at]: int(counts[at]) for at in np.flatnonzero(alone).tolist()}
    for root, rows in (index.delta.spread() if index.added else {}).items():
        if root in found:
            found[root] += rows
        elif rows > half:  # what has half neither here nor there is not in so many
            found[root] = sum(len(index.held(form)[0]) for form in index.forms(root))
    return {root for root, rows in found.items() if rows > most}
