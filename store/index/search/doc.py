"""What the index keeps of one entry: its text, where it stands in a session, who it is of and from which day."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from store.memory import Memory

SEQUENCE = re.compile(r"(?:.*[^0-9A-Za-z])?(\d{1,9})\]?")
"""A reference that ends with the number of a turn; other ones are names, whose order nobody knows."""
_NO_DAY = 0
MINUTE = len("2026-10-12T09:30")
MARK = 16
"""Digits of a file's SHA-256 in a mark."""


Quotes = Callable[[Memory], tuple[str, ...]]
"""Gives the person's words under a memory, which find it too."""


def no_quotes(_memory: Memory) -> tuple[str, ...]:
    """For a view without a ledger."""
    return ()


@dataclass(frozen=True, slots=True)
class Doc:
    """One entry for the index.

    `key` names it; `mark` changes with its content; `session` ("" for none) is its thread and `at` its place there: a
    number from 1 on, below 0 a place that has a name and no number, 0 where it is not told. `owner` is who it is of;
    `day` is year·10000 + month·100 + day, 0 when unknown.
    """

    key: str
    mark: str
    text: str
    session: str = ""
    at: int = 0
    owner: str = ""
    day: int = _NO_DAY


def doc_of(memory: Memory, quotes: tuple[str, ...] = ()) -> Doc:
    """The entry of a memory; `quotes` are the person's words under it, which find it too."""
    session, at = _place(memory.evidence)
    session = session or _moment(memory.observed)
    text = text_of(memory, quotes)
    return Doc(memory.id, mark_of(memory, quotes), text, session, at, memory.owner, day_of(memory.created))


def text_of(memory: Memory, quotes: tuple[str, ...] = ()) -> str:
    """What of a memory can be found by words."""
    body = "" if memory.body.strip() == memory.statement.strip() else memory.body
    parts = (memory.subject, memory.statement, body, " ".join(memory.tags), memory.owner, *quotes)
    return "\n".join(part for part in parts if part)


def mark_of(memory: Memory, quotes: tuple[str, ...] = ()) -> str:
    """What changes when the memory's file or its quotes do."""
    return memory.sha[:MARK] + (f"+{zlib.crc32(chr(0).join(quotes).encode('utf-8', 'replace')):08x}" if quotes else "")


def _place(evidence: str) -> tuple[str, int]:
    """The session and the place in it of `<format>/<session>#<ref>, …` (`decisions.md` §2.4): the first one."""
    session, sign, ref = evidence.partition(",")[0].strip().rpartition("#")
    if not sign:
        return "", 0
    if number := SEQUENCE.fullmatch(ref):
        return session, int(number[1])
    return session, -1 - (zlib.crc32(ref.encode("utf-8", "replace")) >> 1) if ref else 0


def _moment(observed: str) -> str:
    """The thread of what was said at the same minute, where no session is known; "" when only the day is."""
    return f"@{observed[:MINUTE]}" if len(observed) >= MINUTE and observed[10] in "T " else ""


def day_of(date: str) -> int:
    """`YYYY-MM-DD…` as year·10000 + month·100 + day; 0 for what is no date."""
    year, month, day = date[:4], date[5:7], date[8:10]
    if len(date) < 10 or date[4] != "-" or date[7] != "-" or not (year + month + day).isdecimal():
        return _NO_DAY
    return int(year) * 10000 + int(month) * 100 + int(day)
