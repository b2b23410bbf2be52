"""What kind of text an entry is: how much of it asks, and whether it tells a time, a number, a name.

A turn that asks is seldom the answer, but the next one is; who asks when wants an entry with a time in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

ALL = 255
"""The share of a text that only asks."""
TIME, NUMBER, NAME = 1, 2, 4
"""Bits of the signs of an entry."""

_SENTENCE = re.compile(r"[^.!?。！？\n]*[?？]+")
_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_TIME = re.compile(
    rf"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|weekends?|weeks?|months?|years?|{_DAYS}|{_MONTHS}|recently|"
    r"mornings?|nights?|days?|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b"
    r"|[昨今明前后]天|[上下]周|[去明今]年|周[一二三四五六日]|[0-9一二三四五六七八九十]+[月日号点]",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|twice|once|several|couple|few)\b"
    r"|[0-9一二三四五六七八九十百千两几]+[个次只本年岁块元位]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+|[\"“«《]")


def asks(text: str) -> int:
    """How much of a text is questions, from 0 to 255."""
    if "?" not in text and "？" not in text:
        return 0
    asked = sum(len(sentence.strip()) for sentence in _SENTENCE.findall(text))
    return min(ALL, round(ALL * asked / max(len(text.strip()), 1)))


def signs(text: str) -> int:
    """The bits of what a text tells."""
    found = TIME if _TIME.search(text) else 0
    found |= NUMBER if _NUMBER.search(text) else 0
    return found | NAME if _NAME.search(text) else found


def columns(texts: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """`asks` and `signs` of every text [n]."""
    both = [(asks(text), signs(text)) for text in texts]
    found = np.array(both, np.uint8).reshape(len(both), 2)
    return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1])
