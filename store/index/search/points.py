"""Which signs of writing stand in an entry, so that a phrase of signs (`://`, `->`) need not read every text."""

from __future__ import annotations

import string
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.uint64]
"""A bit for each known sign of an entry."""
KNOWN = string.punctuation + "。、·—–‘’“”「」『』《》〈〉【】£€¥°§•©®×÷±"
"""The signs that are told apart, at most 64, as they are in folded text; other ones narrow nothing."""
_BIT = {sign: 1 << at for at, sign in enumerate(KNOWN)}
_SIGNS = frozenset(KNOWN)


def points(folded: Iterable[str]) -> int:
    """The signs of a folded text or phrase."""
    return sum(map(_BIT.__getitem__, _SIGNS.intersection(folded)))


def is_point(folded: str) -> bool:
    """Whether a phrase is one known sign, so that the index alone knows where it stands."""
    return folded in _SIGNS
