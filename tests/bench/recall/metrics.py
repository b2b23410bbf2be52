"""How well a ranked list brings back what was looked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from statistics import fmean

DEPTH = 50
"""Places of a list that are looked at."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Recall in the first 5 and 10 places, the reciprocal of the first right place within 50, and nDCG of 10."""

    recall5: float
    recall10: float
    mrr: float
    ndcg10: float

    def __str__(self) -> str:
        return "/".join(f"{value:.3f}" for value in astuple(self))


@dataclass(frozen=True, slots=True)
class Asked:
    """One answered question: its category, and how well it was answered."""

    category: int
    quality: Quality


def judge(found: Sequence[int], right: Iterable[int]) -> Quality:
    """The quality of one list of distinct rows; `right` are the rows that hold the answer, at least one."""
    wanted = set(right)
    places = [place for place, at in enumerate(found[:DEPTH]) if at in wanted]
    gain = math.fsum(1 / math.log2(place + 2) for place in places if place < 10)
    best = math.fsum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    return Quality(
        sum(place < 5 for place in places) / len(wanted),
        sum(place < 10 for place in places) / len(wanted),
        1 / (places[0] + 1) if places else 0.0,
        gain / best,
    )


def mean(asked: Sequence[Asked], chosen: Callable[[int], bool] = lambda category: True) -> Quality | None:
    """The mean over the questions of the chosen categories; None when there are none."""
    columns = list(zip(*(astuple(one.quality) for one in asked if chosen(one.category)), strict=True))
    return Quality(*map(fmean, columns)) if columns else None
