"""The door that a proposed fact must pass: no secret, and every quote stands where it is said to stand.

`spec/extraction.md` §12, with the safety of §23.7 and ext-D10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.extract.answer import Citation, Incident
from pipeline.extract.canonical import canonical, normalise, statement
from pipeline.extract.evidence import Record, locate
from pipeline.extract.options import Neutralize
from pipeline.extract.stages import Candidate, Cited
from store.secret import MASK, find_secrets

SHORTEST_QUOTE = 4
"""Code points of the shortest quote that counts (`spec/extraction.md` §12)."""

Reason = Literal["secret", "empty", "short_quote", "unknown_source", "not_verbatim", "masked_quote"]


@dataclass(frozen=True, slots=True)
class Admitted:
    """A fact whose quotes were checked by program.

    `content` is C() for ids and prompts, `statement` the same with the person's own characters, for the bank;
    `cited_seqs` are unique and ascending.
    """

    content: str
    statement: str
    cited_seqs: tuple[int, ...]
    citations: tuple[Citation, ...]
    gap_id: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A fact that did not pass, and why; secrets are never shown, so `content` is masked."""

    reason: Reason
    content: str
    quote: str = ""
    """The masked quote that failed, for a person to compare."""
    source_ref: str = ""
    """The record that it was said to stand in, where that was shown."""


def admit(incident: Incident, records: Sequence[Record], mode: Neutralize = "substitute") -> Admitted | Refused:
    """Check one proposed fact against the records that were shown in this run."""
    texts = (incident.content, *(citation.quote for citation in incident.evidence))
    shown = canonical(incident.content, mode)
    if any(find_secrets(text) for text in texts):
        return Refused("secret", shown)
    if not shown:
        return Refused("empty", shown)
    by_ref = {record.source_ref: record for record in records}
    for citation in incident.evidence:
        if reason := _fault(citation, by_ref.get(citation.source_ref)):
            named = citation.source_ref if citation.source_ref in by_ref else ""
            return Refused(reason, shown, canonical(citation.quote, mode), named)
    seqs = {by_ref[citation.source_ref].seq for citation in incident.evidence}
    kept = statement(incident.content)
    return Admitted(shown, kept, tuple(sorted(seqs)), incident.evidence, incident.gap_id)


def readmit(
    proposed: Admitted, content: str, records: Sequence[Record], mode: Neutralize = "substitute"
) -> Admitted | Refused:
    """Check a rewritten content with the original citations; the cited gap is carried over."""
    return admit(Incident(content, proposed.citations, proposed.gap_id), records, mode)


def candidates(admitted: Sequence[Admitted], records: Sequence[Record]) -> tuple[Candidate, ...]:
    """What the canonicalizer is shown, with dense ids `candidate_0`, `candidate_1`, … in the order given."""
    by_ref = {record.source_ref: record for record in records}
    return tuple(
        Candidate(f"candidate_{index}", tuple(_cited(citation, by_ref) for citation in one.citations))
        for index, one in enumerate(admitted)
    )


def unsupported(content: str, admitted: Admitted, records: Sequence[Record]) -> tuple[str, ...]:
    """Numbers, quoted strings and capitalised words of a rewrite that no cited record holds (ext-D10)."""
    cited = {citation.source_ref for citation in admitted.citations}
    said = " ".join(record.text for record in records if record.source_ref in cited).lower()
    return tuple(dict.fromkeys(token for token in _tokens(content) if token.lower() not in said))


_TOKENS = re.compile(r"\"([^\"]{2,80})\"|“([^”]{2,80})”|「([^」]{2,80})」|(\d+(?:[.:,]\d+)*)|\b([^\W\d_][\w-]*)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+)$")


def _tokens(content: str) -> list[str]:
    found = []
    for hit in _TOKENS.finditer(content):
        token = hit[hit.lastindex or 0]
        word = hit.lastindex == 5
        starts = _SENTENCE_START.search(content[max(0, hit.start() - 3) : hit.start()])
        if not word or (token[0].isupper() and not starts) or any(char.isupper() for char in token[1:]):
            found.append(token)
    return found


def _cited(citation: Citation, by_ref: dict[str, Record]) -> Cited:
    record = by_ref[citation.source_ref]
    return Cited(citation.source_ref, citation.quote, record.observed_at, record.question)


def _fault(citation: Citation, record: Record | None) -> Reason | None:
    quote = normalise(citation.quote)
    if len(quote) < SHORTEST_QUOTE:
        return "short_quote"
    if record is None:
        return "unknown_source"
    if MASK in quote:
        return "masked_quote"
    if quote in record.text or locate(record.text, quote):
        return None
    return "not_verbatim"
