"""Which part of a session one run takes: plans that fit the budget, windows, and the hashes of what was covered.

`spec/extraction.md` §7–8 and §23.3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pipeline.extract.canonical import normalise
from pipeline.extract.entries import PERSON, Entries, Entry, said_by
from pipeline.extract.evidence import (
    RECORD_POINTS,
    Record,
    around,
    cut,
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

    entries: Sequence[Entry]
    records: tuple[Record, ...]


def plan(entries: Sequence[Entry], budget: int = BUDGET, max_records: int | None = None) -> Plan | None:
    """The coverage plan of a range, or None when there is nothing or when it does not fit as a whole."""
    told = (record for _, entry in said_by(entries, {PERSON}) if (record := record_of(entry)))
    records = tuple(told if max_records is None else islice(told, max_records + 1))
    if not entries or (max_records is not None and len(records) > max_records):
        return None
    fitted = fit(records, budget)
    return None if fitted is None else Plan(entries, fitted)


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


def centred(
    records: Sequence[Record], entries: Sequence[Entry], terms: Sequence[str], budget: int
) -> tuple[Record, ...]:
    """The records, those of messages longer than a record around the terms that were asked for (ext-D6).

    `entries` hold the messages: only here one is looked at as a whole.
    """
    moved = tuple(_around(record, entries, terms) for record in records)
    return moved if json_size(moved) <= budget else tuple(records)


def _around(record: Record, entries: Sequence[Entry], terms: Sequence[str]) -> Record:
    if not record.raw:
        return record
    said = (entry for _, entry in said_by(in_range(entries, record.seq - 1, record.seq), {PERSON}))
    whole = mask(next((entry.text for entry in said if entry.text), record.raw))
    return replace(record, text=around(mask(normalise(whole)), terms, len(record.text)))


def _capped(records: Sequence[Record], points: int) -> tuple[Record, ...]:
    return tuple(cut(record, points) for record in records)


def record_limit(options: Options) -> int | None:
    """Records that one call may hold: the smaller of the bound and the window of small models."""
    if options.max_evidence_records is None:
        return options.window_messages if options.split_oversize_ranges else None
    return min(options.max_evidence_records, options.window_messages)


def windows(entries: Sequence[Entry], options: Options, most: int | None = None) -> tuple[Sequence[Entry], ...]:
    """A range cut in log order into windows that each fit one call (`spec/extraction.md` §23.3).

    One window when it fits, when splitting is off, or when there is a single oversized record; none when empty.
    Entries of one seq stay together, because the cursor moves by seq. `most` windows are enough: what comes behind them
    is not looked at.
    """
    if not entries or not options.split_oversize_ranges:
        return (entries,) if entries else ()
    limit, done, begin, window = record_limit(options), [], 0, _Window()
    for place, entry in said_by(entries, {PERSON}):
        size = _size(entry)
        if size and window.overflows(size, options.max_evidence_json_chars, limit):
            start = _cut(entries, begin, place, entry)
            if start > begin:
                done.append(entries[begin:start])
                if len(done) == most:
                    return tuple(done)
                begin, window = start, _Window()
                for _, old in said_by(entries[start:place], {PERSON}):
                    window.add(_size(old))
        window.add(size)
    return (*done, entries[begin:])


def _size(entry: Entry) -> int:
    """Units that the entry's record adds to the evidence array with its comma; 0 without evidence."""
    record = record_of(entry)
    return json_size((record,)) - 1 if record else 0


class _Window:
    """The evidence of a window while it is being filled."""

    def __init__(self) -> None:
        self.size = 1
        self.records = 0

    def add(self, size: int) -> None:
        self.size += size
        self.records += bool(size)

    def overflows(self, size: int, budget: int, limit: int | None) -> bool:
        over = self.size + size > budget or (limit is not None and self.records >= limit)
        return over and self.records > 0


def _cut(entries: Sequence[Entry], begin: int, place: int, entry: Entry) -> int:
    """Where the next window begins, which takes in the entry at `place`: with its turn when that leaves a whole one
    in the window from `begin`, or with its seq.
    """
    start = _turn_start(entries, begin, place, entry)
    if start is None:
        start = place
        while start > begin and entries[start - 1].seq == entry.seq:
            start -= 1
    return start


def _turn_start(entries: Sequence[Entry], begin: int, place: int, entry: Entry) -> int | None:
    """Where the turn of `entry` begins inside the window, if a complete earlier turn with evidence stands before it."""
    if entry.turn is None:
        return None
    start = place
    while start > begin and entries[start - 1].turn == entry.turn:
        start -= 1
    before = entries[begin:start]
    if start == place or all(old.turn is None for old in before) or not project_evidence(before):
        return None
    return start


def in_range(entries: Sequence[Entry], after: int, through: int) -> Sequence[Entry]:
    """The entries with after < seq <= through, in log order."""
    if isinstance(entries, Entries):
        return entries.between(after, through)
    return tuple(entry for entry in entries if after < entry.seq <= through)


def coverage_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of who said how much in a range (`spec/extraction.md` §8)."""
    found = in_range(entries, after, through)
    return _digest((entry.seq, f"{entry.role}:{entry.author}:{units(entry.text or '')}") for entry in found)


def content_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of what was said in a range (`spec/extraction.md` §23.5)."""
    return _digest((entry.seq, _sha(entry.text or "")) for entry in in_range(entries, after, through))


def request_hash(entries: Sequence[Entry], after: int, through: int) -> str:
    """Hash of what the person said in a range: the same operation over other words is another (§23.8)."""
    told = (entry for _, entry in said_by(in_range(entries, after, through), {PERSON}) if entry.text)
    return _digest((entry.seq, _sha(entry.text or "")) for entry in told)


def _digest(pairs: Iterable[tuple[int, str]]) -> str:
    """The hash of the compact JSON array of the pairs, never held as a whole; their texts need no escapes."""
    hashed, between = hashlib.sha256(b"["), ""
    for seq, text in pairs:
        hashed.update(f'{between}[{seq},"{text}"]'.encode())
        between = ","
    hashed.update(b"]")
    return hashed.hexdigest()


def _sha(text: str) -> str:
    return hashlib.sha256(utf8(text)).hexdigest()
