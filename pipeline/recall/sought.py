"""What a query asks for besides its words: a time, a number, a name; and what a kind of entry is worth as an answer."""

from __future__ import annotations

import re
from typing import cast

import numpy as np

from pipeline.recall.sight import Sight
from pipeline.recall.weights import Weights
from store.index.search.index import Scores
from store.index.search.segment import PIVOT
from store.index.search.signs import NAME, NUMBER, TIME

SHORTEST, LONGEST = 4, 100
"""Tokens below and above which the length of an entry counts no further."""
_TIME = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|什么时候|何时|哪[天年月]|几[月号点]", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:many|much|long|often|old)\b|多少|几[个次只本岁年]|多[久长大]", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:who|whose|where|which|names?|city|country|places?|title|called)\b|谁|哪[里儿个家]|什么名|叫什么|名字",
    re.IGNORECASE,
)
SOUGHT = ((TIME, "time", _TIME), (NUMBER, "number", _NUMBER), (NAME, "name", _NAME))
"""The sign of an entry, its name among the weights, and how a query asks for it."""


def sought(text: str) -> list[tuple[int, str]]:
    """The signs that the answers to a query have, each with its name."""
    return [(sign, name) for sign, name, pattern in SOUGHT if pattern.search(text)]


def worth(sight: Sight, weights: Weights) -> Scores:
    """A factor for each row [rows]: one that asks is seldom the answer, a longer one tells more."""
    key = ("worth", weights)
    known = cast("Scores | None", sight.kept.get(key))
    if known is None:
        length = np.log(np.clip(sight.index.lengths, SHORTEST, LONGEST) / PIVOT)
        known = ((1 - weights.asking * sight.asks) * (1 + weights.length * length)).astype(np.float32)
        sight.keep(key, known)
    return known
