"""The best rows of a score per row, without sorting all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 128


def best(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """The rows that the `most` best are among, in no order; rows of score 0 never.

    The greatest of each block give a floor that one comparison applies: most scores are equal zeros, over which
    numpy's own partition is many times slower (`design/recall.md` §2).
    """
    blocks = len(scores) // BLOCK
    if most < 1:
        return np.empty(0, np.int64)
    if blocks < 2 * most:
        return np.flatnonzero(scores > 0)
    greatest = scores[: blocks * BLOCK].reshape(blocks, BLOCK).max(1)
    floor = np.partition(greatest, blocks - most)[blocks - most]
    return np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
