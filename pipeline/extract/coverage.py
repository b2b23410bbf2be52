"""Which part of a session one run takes: plans that fit the budget, windows, and the hashes of what was covered.

`spec/extraction.md` §7–8 and §23.3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import (
    RECORD_POINTS,
    Entry,
    Record,
    around,
    compact_json,
    cut,
    is_evidence,
    json_size,
    project_evidence,
    record_of,
    utf8,
)
from pipeline.extract.options import Options
from pipeline.measure import units
from store.fields import SAFE_INTEGER
from store.secret import mask

BUDGET = 12_000
"""UTF-16 units of evidence JSON in one range (`spec/extraction.md` §20)."""
SMALLEST_CAP = 64
"""Code points below which no record is shortened (`spec/extraction.md` §7)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The entries of a range and the evidence records fitted into the budget."""

    entries: tuple[Entry, ...]
    records: tuple[Record, ...]


def plan(entries: Sequence[Entry], budget: int = BUDGET, max_records: int | None = None) -> Plan | None:
    """The coverage plan of a range, or None when there is nothing or when it does not fit as a whole."""
    records = project_evidence(entries)
    if not entries or (max_records is not None and len(records) > max_records):
        return None
    fitted = fit(records, budget)
    return None if fitted is None else Plan(tuple(entries), fitted)


def fit(records: Sequence[Record], budget: float) -> tuple[Record, ...] | None:
    """The records, all cut to the largest common cap in 64..4,000 that fits the budget; None when none does.

    A budget that is not a safe integer of at least 1 fits nothing.
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or not 1 <= budget <= SAFE_INTEGER:
        return None
    if json_size(records) <= budget:
        return tuple(records)
    low, high = SMALLEST_CAP, RECORD_POINTS
    if json_size(_capped(records, low)) > budget:
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if json_size(_capped(records, middle)) <= budget else (low, middle - 1)
    return _capped(records, low)


def centred(records: Sequence[Record], terms: Sequence[str], budget: int) -> tuple[Record, ...]:
    """The records, those of messages longer than a record around the terms that were asked for (ext-D6)."""
    moved = tuple(
        replace(record, text=around(mask(normalise(record.raw)), terms, len(record.text))) if record.raw else record
        for record in records
    )
    return moved if json_size(moved) <= budget else tuple(records)


def _capped(records: Sequence[Record], points: int) -> tuple[Record, ...]:
    return tuple(cut(record, points) for record in records)


def record_limit(options: Options) -> int | None:
    """Records that one call may hold: the smaller of the bound and the window of small models."""
    if options.max_evidence_records is None:
        return options.window_messages if options.split_oversize_ranges else None
    return min(options.max_evidence_records, options.window_messages)


def windows(entries: Sequence[Entry], options: Options) -> tuple[tuple[Entry, ...], ...]:
    """A range cut in log order into windows that each fit one call (`spec/extraction.md` §23.3).

    One window when it fits, when splitting is off, or when there is a single oversized record; none when empty.
    Entries of one seq stay together, because the cursor moves by seq.
    """
    if not entries or not options.split_oversize_ranges:
        return (tuple(entries),) if entries else ()
    limit, done, window = record_limit(options), [], _Window()
    for entry in entries:
        size = _size(entry)
        if size and window.overflows(size, options.max_evidence_json_chars, limit):
            moved = window.split(entry)
            done.append(tuple(window.entries))
            window = _Window()
            for old in moved:
                window.add(old, _size(old))
        window.add(entry, size)
    return (*done, tuple(window.entries))


def _size(entry: Entry) -> int:
    """Units that the entry's record adds to the evidence array with its comma; 0 without evidence."""
    record = record_of(entry)
    return json_size((record,)) - 1 if record else 0


class _Window:
    """A window while it is being filled."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.size = 1
        self.records = 0

    def add(self, entry: Entry, size: int) -> None:
        self.entries.append(entry)
        self.size += size
        self.records += bool(size)

    def overflows(self, size: int, budget: int, limit: int | None) -> bool:
        over = self.size + size > budget or (limit is not None and self.records >= limit)
        return over and self.records > 0

    def split(self, entry: Entry) -> list[Entry]:
        """Take off what must go to the next window with `entry`: its turn when that leaves a whole one, or its seq."""
        start = _turn_start(self.entries, entry)
        if start is None:
            start = len(self.entries)
            while start and self.entries[start - 1].seq == entry.seq:
                start -= 1
        moved, self.entries = self.entries[start:], self.entries[:start]
        return moved


def _turn_start(entries: Sequence[Entry], entry: Entry) -> int | None:
    """Where the turn of `entry` begins inside the window, if a complete earlier turn with evidence stands before it."""
    if entry.turn is None:
        return None
    start = len(entries)
    while start and entries[start - 1].turn == entry.turn:
        start -= 1
    earlier = [old for old in entries[:start] if old.turn is not None]
    if start == len(entries) or not earlier or not project_evidence(entries[:start]):
        return None
    return start


def in_range(entries: Sequence[Entry], after: int, through: int) -> tuple[Entry, ...]:
    """The entries with after < seq <= through, in log order."""
    return tuple(entry for entry in entries if after < entry.seq <= through)


def coverage_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of who said how much in a range (`spec/extraction.md` §8)."""
    return _digest(
        [entry.seq, f"{entry.role}:{entry.author}:{units(entry.text or '')}"]
        for entry in in_range(entries, after, through)
    )


def content_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of what was said in a range (`spec/extraction.md` §23.5)."""
    return _digest([entry.seq, _sha(entry.text or "")] for entry in in_range(entries, after, through))


def request_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of what the person said in a range: the same operation over other words is another (§23.8)."""
    told = [entry for entry in in_range(entries, after, through) if is_evidence(entry) and entry.text]
    return _digest([entry.seq, _sha(entry.text or "")] for entry in told)


def _digest(pairs: Iterable[list[int | str]]) -> str:
    return _sha(compact_json(list(pairs)))


def _sha(text: str) -> str:
    return hashlib.sha256(utf8(text)).hexdigest()
