"""The day or month that a query names, in English or Chinese (`design/recall.md` §4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMBERS = {name[:3]: at for at, name in enumerate(_MONTHS, 1)}
_NAME = rf"(?P<name>{'|'.join(f'{name[:3]}(?:{name[3:]})?' if name != 'may' else 'may' for name in _MONTHS)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月(?:\s*(?P<day>\d{{1,2}})\s*[日号])?",
        r"(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
        rf"\b{_YEAR}[-/.](?P<month>\d{{1,2}})(?:[-/.](?P<day>\d{{1,2}}))?\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_NAME},?(?:\s*{_YEAR})?",
        rf"\b{_NAME}\s+{_DAY}\b(?!\d),?(?:\s*{_YEAR})?",
        rf"\b{_NAME},?\s+(?:of\s+)?{_YEAR}",
        rf"\b(?:in|during|since|of|early|late|mid|last|this)[\s-]+{_NAME}",
    )
)
MONTHS, DAYS = 12, 31


@dataclass(frozen=True, slots=True)
class When:
    """A day or a month as a query names it; 0 for what it leaves open."""

    month: int
    day: int = 0
    year: int = 0

    def of(self, days: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of `days` (year·10000 + month·100 + day) are of that month, or within one day of that day."""
        month_of, day_of = np.divmod(days % 10000, 100)
        found: NDArray[np.bool_] = month_of == self.month
        if self.year:
            found &= days // 10000 == self.year
        if self.day:
            found &= np.abs(day_of - self.day) <= 1
        return found


def when(text: str) -> When | None:
    """The first date of a query, None when it names none."""
    for pattern in _WRITTEN:
        found = pattern.search(text)
        if found is None:
            continue
        said = found.groupdict()
        month = _NUMBERS[said["name"][:3].lower()] if said.get("name") else int(said["month"])
        day = int(said.get("day") or 0)
        if 1 <= month <= MONTHS and day <= DAYS:
            return When(month, day, int(said.get("year") or 0))
    return None
