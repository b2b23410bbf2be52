"""What may be quoted: the text events of a session, and the records of the person's own words among them.

`spec/extraction.md` §5–6. Only typed and chosen text becomes evidence (`spec/formats.md` §1.1).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.extract.canonical import SPACE, collapse, normalise
from pipeline.extract.entries import PERSON, Entry, entries, said_by
from pipeline.formats.session import EVIDENCE_AUTHORS, Session, Turn
from pipeline.measure import units
from store.memory import Quote
from store.secret import mask_beginning

__all__ = [
    "MINUTE",
    "QUESTION_POINTS",
    "RECORD_POINTS",
    "Entry",
    "Record",
    "around",
    "compact_json",
    "cut",
    "entries",
    "is_evidence",
    "json_size",
    "locate",
    "minute",
    "project_evidence",
    "quotes",
    "record_of",
    "render",
    "rendered",
    "utf8",
]

RECORD_POINTS = 4_000
"""Code points of one record's text (`spec/extraction.md` §6)."""
RAW_POINTS = 20_000
"""Code points of a message that rules look at (`LOOKED_AT` of `pipeline/extract/offline/framing.py`)."""
FIRST_LOOK = 30_000
"""Code points of a message that are enough for nearly every record and for the rules, however long it is."""
QUESTION_POINTS = 500
MINUTE = 60_000

_SURROGATES = re.compile("[\ud800-\udfff]")
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060"))
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u1160-\u11ff\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20f0\u3099\u309a\ufe20-\ufe2f\u200b-\u200d\u2060"
)
"""Characters that join what stands before them when text is composed, and those that count as nothing."""
_SPACED = re.compile(f"[{SPACE}]")
_CLUSTERS = re.compile(f"[{SPACE}]+|[^{SPACE}][{_MARKS}]*")


@dataclass(frozen=True, slots=True)
class Record:
    """A person's message as the model sees it: normalised, secrets masked, bounded; cited as `source_ref`."""

    source_ref: str
    text: str
    seq: int
    time: int = 0
    type: str = "user_message"
    question: str = ""
    raw: str = field(default="", compare=False, repr=False)
    """The message with its lines as far as rules look at it, secrets masked. Never shown to a model."""

    @property
    def observed_at(self) -> int:
        """The message's time floored to the minute, never below 0 (`spec/extraction.md` §6)."""
        return minute(self.time)


def minute(time: int) -> int:
    """Milliseconds floored to the minute, never below 0."""
    return max(0, time // MINUTE * MINUTE)


def is_evidence(entry: Entry) -> bool:
    """Whether the person wrote it (`spec/extraction.md` §5, last paragraph)."""
    return (entry.role, entry.author) == PERSON


def record_of(entry: Entry) -> Record | None:
    """The evidence record of one entry, or None when it is not the person's or says nothing."""
    if not is_evidence(entry) or not entry.text:
        return None
    raw, text = _said(entry.text)
    if not text:
        return None
    question = mask_beginning(normalise(entry.question), QUESTION_POINTS)
    return Record(f"event:{entry.seq}", text, entry.seq, entry.time, question=question, raw=raw)


def _said(text: str) -> tuple[str, str]:
    """A message as rules and as models see it: the beginnings of both, however long it is."""
    points = FIRST_LOOK
    while True:
        raw = mask_beginning(text, points)
        whole = len(raw) < points
        lines = raw if whole else raw[: max(raw.rfind(" "), raw.rfind("\n"), 0)]
        text_of = mask_beginning(normalise(lines), RECORD_POINTS, cut=not whole)
        if whole or len(text_of) == RECORD_POINTS:
            return raw[:RAW_POINTS], text_of
        points *= 4


def project_evidence(found: Iterable[Entry]) -> tuple[Record, ...]:
    """The evidence records of some entries, in their order (`spec/extraction.md` §6)."""
    return tuple(record for _, entry in said_by(found, {PERSON}) if (record := record_of(entry)))


def rendered(record: Record) -> dict[str, Any]:
    """A record as the prompt shows it, keys in the order of `spec/extraction.md` §6."""
    shown: dict[str, Any] = {
        "sourceRef": record.source_ref,
        "type": record.type,
        "observedAt": record.observed_at,
        "text": record.text,
    }
    return shown | {"question": record.question} if record.question else shown


def around(words: str, terms: Sequence[str], points: int) -> str:
    """At most so many code points of a text: its beginning, or a window centred where the terms stand (ext-D6).

    Where they stand apart, the window is the first that holds most of them. White space of `words` is normalised.
    """
    if len(words) <= points:
        return words
    lower = words.lower()
    hits = [place for term in terms if (place := lower.find(normalise(term).lower())) >= 0]
    starts = [max(0, min(place - points // 2, len(words) - points)) for place in sorted(hits)]
    start = max(starts, key=lambda one: sum(one <= place < one + points for place in hits), default=0)
    return words[start : start + points]


def cut(record: Record, points: int) -> Record:
    """The record with its text cut to a number of code points; not trimmed again."""
    return record if len(record.text) <= points else replace(record, text=record.text[:points])


def render(records: Sequence[Record]) -> str:
    """The evidence JSON as it stands in a prompt, angle brackets escaped (`spec/extraction.md` §11)."""
    return compact_json([rendered(record) for record in records], fence=True)


def json_size(records: Sequence[Record]) -> int:
    """Size of the rendered evidence in UTF-16 units (`spec/extraction.md` §6, escapes counted)."""
    return units(render(records))


def compact_json(value: Any, *, fence: bool = False) -> str:
    """JSON as JavaScript writes it: no spaces, non-ASCII as it is, lone surrogates escaped.

    `fence` also escapes `<` and `>`, so that data cannot close the tag that it stands in.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _SURROGATES.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text)
    return text.replace("<", "\\u003c").replace(">", "\\u003e") if fence else text


def utf8(text: str) -> bytes:
    """Bytes to hash; a lone surrogate counts as U+FFFD, as it does in JavaScript."""
    return _SURROGATES.sub("\ufffd", text).encode()


def locate(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands in the original text: character offsets of the exact slice, or None.

    White space, composition and zero-width characters are forgiven (`spec/formats.md` §1.1).
    """
    if quote and quote == collapse(quote) and (start := text.find(quote)) >= 0:
        return start, start + len(quote)
    wanted = _atoms(quote)[0].strip(" ")
    atoms, places = _atoms(text)
    first = atoms.find(wanted) if wanted else -1
    return None if first < 0 else (places[first][0], places[first + len(wanted) - 1][1])


def _atoms(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as quotes are compared, and for each of its characters the span of the original that it stands for."""
    found: list[str] = []
    places: list[tuple[int, int]] = []
    for hit in _CLUSTERS.finditer(text):
        cluster = hit[0]
        composed = " " if _SPACED.match(cluster) else unicodedata.normalize("NFC", cluster.translate(_ZERO_WIDTH))
        found.append(composed)
        places.extend([hit.span()] * len(composed))
    return "".join(found), places


def quotes(session: Session, seq: int, quote: str) -> tuple[Quote, ...]:
    """The exact slices behind a quote of one message, with their places; two when it runs over two blocks.

    Empty when the message does not hold the quote.
    """
    turns = [turn for turn in session.log.of_seq(seq) if _quotable(turn)]
    for turn in turns:
        if place := locate(turn.text, quote):
            return (_quote(session, turn, *place),)
    place = locate("\n".join(turn.text for turn in turns), quote)
    return tuple(_pieces(session, turns, *place)) if place else ()


def _pieces(session: Session, turns: Sequence[Turn], start: int, end: int) -> Iterable[Quote]:
    offset = 0
    for turn in turns:
        first, last = max(0, start - offset), min(len(turn.text), end - offset)
        if first < last:
            yield _quote(session, turn, first, last)
        offset += len(turn.text) + 1


def _quote(session: Session, turn: Turn, start: int, end: int) -> Quote:
    return Quote(
        session=session.identity,
        ref=turn.ref,
        text=turn.text[start:end],
        format=session.format,
        start=start,
        end=end,
        at=turn.at,
        question=turn.question,
    )


def _quotable(turn: Turn) -> bool:
    return turn.author in EVIDENCE_AUTHORS and not turn.abandoned and not turn.inherited
