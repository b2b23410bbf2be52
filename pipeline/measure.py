"""Lengths, numbers and days as the specified systems count and print them."""

from __future__ import annotations

import math
from datetime import date

UNPARSABLE_DAYS = 99999
"""What `days` gives when either date cannot be read (`spec/bank.md`, "How to read this file")."""


def units(text: str) -> int:
    """Length in UTF-16 code units (`spec/context.md` §0): an emoji outside the BMP counts 2."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_units(text: str, limit: int) -> str:
    """The longest prefix of at most `limit` UTF-16 units that ends on a whole character (ctx-D22)."""
    if len(text) * 2 <= limit or units(text) <= limit:
        return text
    total = 0
    for index, char in enumerate(text):
        total += 2 if ord(char) > 0xFFFF else 1
        if total > limit:
            return text[:index]
    return text


def round3(value: float) -> float:
    """floor(x·1000 + 0.5)/1000, half up also for negatives (`spec/bank.md`, "How to read this file").

    A number too large to have thousandths comes back as it is.
    """
    if not math.isfinite(value * 1000):
        return value
    return math.floor(value * 1000 + 0.5) / 1000


def number_text(value: float) -> str:
    """A number as JavaScript prints it: whole ones without a fraction (`spec/context.md` §0)."""
    return str(int(value)) if float(value).is_integer() else repr(value)


def parse_day(text: str) -> date | None:
    """The calendar date in the first ten characters (`decisions.md` §10.5), or None."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def days(start: str, end: str) -> int:
    """Whole days from `start` to `end`, both as dates; `UNPARSABLE_DAYS` when either cannot be read."""
    first, last = parse_day(start), parse_day(end)
    return (last - first).days if first and last else UNPARSABLE_DAYS
