"""What kind of text an entry is: how much of it asks, and whether it tells a time, a number, a name.

A turn that asks is seldom the answer, but the next one is; who asks when wants an entry with a time in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

ALL = 255
"""The share of a text that only asks."""
TIME, NUMBER, NAME = 1, 2, 4
"""Bits of the signs of an entry."""

_PIECE = re.compile(r"[^.!?。！？\n]+|[.!?。！？\n]+")
"""What stands between the ends of sentences, and the ends: one always matches, so a text of any length is read once."""
_TIME_WORDS = """
yesterday today tomorrow tonight ago last next weekend weekends week weeks month months year years day days morning
mornings night nights recently monday tuesday wednesday thursday friday saturday sunday january february march april
june july august september october november december
"""
_NUMBER_WORDS = "one two three four five six seven eight nine ten dozen twice once several couple few"
_TIMES, _NUMBERS = frozenset(_TIME_WORDS.split()), frozenset(_NUMBER_WORDS.split())
_YEAR_OR_DAY = re.compile(r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)")
_TIME_ZH = re.compile("[昨今明前后]天|[上下]周|[去明今]年|周[一二三四五六日]|[0-9一二三四五六七八九十][月日号点]")
_NUMBER_ZH = re.compile("[0-9一二三四五六七八九十百千两几][个次只本年岁块元位]")
_DIGIT = re.compile("[0-9]")
_NAME = re.compile(r"[a-z,] [A-Z][a-z]|[\"“«《]")


def asks(text: str) -> int:
    """How much of a text is questions, from 0 to 255."""
    if "?" not in text and "？" not in text:
        return 0
    asked, said = 0, ""
    for piece in _PIECE.findall(text):
        if "?" in piece or "？" in piece:
            asked += len(said.strip()) + len(piece.strip())
        said = piece
    return min(ALL, round(ALL * asked / max(len(text.strip()), 1)))


def signs(text: str, tokens: Collection[str]) -> int:
    """The bits of what a text tells; `tokens` are its words (`words.py`)."""
    numbers = [token for token in tokens if token[0].isdigit()] if _DIGIT.search(text) else ()
    told = not _TIMES.isdisjoint(tokens) or any(map(_YEAR_OR_DAY.fullmatch, numbers))
    counted = bool(numbers and any(map(str.isdigit, numbers))) or not _NUMBERS.isdisjoint(tokens)
    if not text.isascii():
        told = told or _TIME_ZH.search(text) is not None
        counted = counted or _NUMBER_ZH.search(text) is not None
    return TIME * told | NUMBER * counted | NAME * (_NAME.search(text) is not None)
