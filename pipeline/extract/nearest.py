"""The words of the evidence that come nearest to a quote that stands nowhere, for a person to compare with it."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.extract.evidence import Record

ENOUGH = 0.5
"""Part of a quote's words that a passage must share to be worth showing."""

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
"""Words, and each character of scripts without spaces."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a record: its text, the record's ref, and which part of the quote's words it shares (0 to 1)."""

    text: str
    source_ref: str
    shared: float


def nearest(quote: str, records: Sequence[Record], source_ref: str = "") -> Passage | None:
    """The passage as long as the quote that shares most words with it: of the record that was named, else of any.

    None when none shares at least half of them. Linear in the length of the records.
    """
    wanted = [hit[0].lower() for hit in _WORDS.finditer(quote)]
    found = [_best(wanted, record) for record in records] if wanted else []
    close = [passage for passage in found if passage.shared >= ENOUGH]
    named = [passage for passage in close if passage.source_ref == source_ref]
    return max(named or close, key=lambda passage: passage.shared, default=None)


def _best(wanted: Sequence[str], record: Record) -> Passage:
    need, have, window = Counter(wanted), Counter[str](), deque[re.Match[str]]()
    shared, most, place = 0, 0, (0, 0)
    for hit in _WORDS.finditer(record.text):
        window.append(hit)
        word = hit[0].lower()
        have[word] += 1
        shared += have[word] <= need[word]
        if len(window) > len(wanted):
            gone = window.popleft()[0].lower()
            shared -= have[gone] <= need[gone]
            have[gone] -= 1
        if shared > most:
            most, place = shared, (window[0].start(), hit.end())
    return Passage(record.text[slice(*place)], record.source_ref, most / len(wanted))
