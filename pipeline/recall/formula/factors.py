"""What a score is multiplied by: whose an entry is, of which day, what it tells that the query asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.dates import when
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Scores
from store.index.search.signs import NAME, NUMBER, TIME
from store.index.search.words import fold

SHORTEST, USUAL, LONGEST = 4, 25, 100
"""Tokens of an entry: below and above, its length counts no further; in the middle it counts nothing."""
_TIME = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|什么时候|何时|哪[天年月]|几[月号点]", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:many|much|long|often|old)\b|多少|几[个次只本岁年]|多[久长大]", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:who|whose|where|which|names?|city|country|places?|title|called)\b|谁|哪[里儿个家]|什么名|叫什么|名字",
    re.IGNORECASE,
)
SOUGHT = ((TIME, "time", _TIME), (NUMBER, "number", _NUMBER), (NAME, "name", _NAME))
"""The sign of an entry, its name among the weights, and how a query asks for it."""


@dataclass(frozen=True, slots=True)
class Factor:
    """What rows are multiplied by: `by` one number for the rows `where` (places or flags), or one a row [rows].

    `name` is for explaining, `term` what of the query it comes from.
    """

    name: str
    by: float | Scores
    where: NDArray[Any] | None = None
    term: str = ""

    def apply(self, scores: Scores) -> None:
        """Multiply the scores of all rows."""
        if self.where is None:
            scores *= self.by
        else:
            scores[self.where] *= np.float32(cast(float, self.by))

    def take(self, rows: NDArray[np.int64]) -> Scores:
        """What each of the rows is multiplied by."""
        if self.where is None:
            return cast(Scores, self.by)[rows]
        flags = self.where[rows] if self.where.dtype == np.bool_ else np.isin(rows, self.where)
        return np.where(flags, np.float32(cast(float, self.by)), np.float32(1))


def factors(sight: Sight, text: str, weights: Weights) -> Iterator[Factor]:
    """The factors of a query."""
    yield Factor("worth", worth(sight, weights))
    for owner in named(sight, text)[:1]:
        yield Factor("owner", weights.owner, sight.owners[owner], owner)
    if (date := when(text)) is not None:
        yield Factor("date", weights.date, date.of(sight.index.days))
    for sign, name, pattern in SOUGHT:
        if pattern.search(text):
            yield Factor(name, 1 + getattr(weights, name), (sight.index.signs & sign) > 0)


def worth(sight: Sight, weights: Weights) -> Scores:
    """What each row [rows] is worth as an answer: one that asks is seldom one, a longer one tells more."""
    return sight.lasting(("worth", weights), lambda: _worth(sight, weights))


def _worth(sight: Sight, weights: Weights) -> Scores:
    length = np.log(np.clip(sight.index.lengths, SHORTEST, LONGEST) / USUAL)
    found: Scores = ((1 - weights.asking * sight.asks) * (1 + weights.length * length)).astype(np.float32)
    return found


def named(sight: Sight, text: str) -> list[str]:
    """The owners that the query names, in its order."""
    folded = fold(text)
    found = ((at, name) for name in sight.owners if name in folded and (at := _place(name, folded)) >= 0)
    return [name for _, name in sorted(found)]


def _place(name: str, folded: str) -> int:
    """Where a name stands by itself, -1 when it only stands inside of words."""
    match = re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", folded)
    return match.start() if match else -1
