"""What the words of the best rows say of them: whether they tell what others do not, and of whom.

Asked only, of the few rows that are looked at once more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.factors import Factor, named
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.stop import ENGLISH
from pipeline.recall.formula.weights import Weights

_WHO = re.compile(r"\b(?:who|whom|whose)\b|谁", re.IGNORECASE)
Tokens = Sequence[Sequence[str]]
"""The words of each of some rows."""


def common(sight: Sight, rows: NDArray[np.int64], tokens: Tokens, weights: Weights) -> tuple[Factor, ...]:
    """The factor for words that are common in the bank: an answer tells what is not told everywhere.

    It compares the rows with each other, so their usual score stays.
    """
    if not len(rows) or not sight.common:
        return ()
    shares = np.array([_share(set(found) - ENGLISH, sight.common) for found in tokens], np.float32)
    by = np.ones(len(sight.index), np.float32)
    by[rows] = 1 - np.float32(weights.common) * (shares - shares.mean())
    return (Factor("common", by),)


def _share(found: Set[str], known: Set[str]) -> float:
    return len(found & known) / len(found) if found else 1.0


def others(sight: Sight, text: str, rows: NDArray[np.int64], tokens: Tokens, weights: Weights) -> tuple[Factor, ...]:
    """The factor for rows that tell of somebody whom the query does not name, where it names one and does not ask who.

    Those alone that tell of their own owner by name, as facts do: who speaks calls the other by name, and tells of
    himself.
    """
    persons = set(named(sight, text))
    if not persons or len(persons) == len(sight.owners) or _WHO.search(text):
        return ()
    asked = {at for at, name in enumerate(sight.owners) if name in persons}
    told = np.array(
        [
            owner >= 0 and _by_name(sight.names[owner], found) and _of_another(sight, set(found), asked)
            for owner, found in zip(sight.owner[rows].tolist(), tokens, strict=True)
        ]
    )
    return (Factor("other", weights.other, rows[told]),) if told.any() else ()


def _by_name(name: Sequence[str], found: Sequence[str]) -> bool:
    """Whether a row names its owner besides saying whose it is."""
    return bool(name) and all(found.count(word) > 1 for word in name)


def _of_another(sight: Sight, found: set[str], asked: Set[int]) -> bool:
    """Whether a row has the words of the name of an owner who is not `asked` for."""
    near = (at for word in found & sight.called.keys() for at in sight.called[word])
    return any(at not in asked and found.issuperset(sight.names[at]) for at in near)
