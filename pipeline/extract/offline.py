"""The door without a model: fixed rules over the same evidence, answering in the same shapes (`decisions.md` §5.2).

It keeps what a person says in so many words and leaves the rest: few findings, each one a sentence that stands in a
message. Its answers pass the same parser and the same admission as a model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.extract.answer import INCIDENTS
from pipeline.extract.canonical import canonical, collapse, normalise
from pipeline.extract.evidence import Record, compact_json
from pipeline.extract.identity import gap_id
from pipeline.extract.offline_rules import LEADING, PRONOUN_START, RULES, TRAILING, UNFINISHED, Kind, Rule
from pipeline.extract.profile import facts
from pipeline.extract.sentences import Sentence, doubt, joking, sentences
from pipeline.extract.stages import Candidate, Canonicalize, OpenGap, StageInput
from pipeline.extract.words import content_words

SHORTEST = 4
"""Code points of the shortest content worth keeping, as of a quote (`spec/extraction.md` §12)."""
WINDOW_MESSAGES = 8
"""Messages per call that keep an answer within its ten findings."""

_FACET_KINDS: Mapping[Kind, str] = {"preference": "preference", "name": "identity"}
"""Kinds of findings that are a kind of `spec/extraction.md` §25; the others may be of any."""
_PRIORITY: tuple[Kind, ...] = ("asked", "correction", "bound", "decision", "preference", "name")


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence worth keeping: the exact slice `start:end` of the message as `quote`, and what it says."""

    kind: Kind
    content: str
    quote: str
    start: int
    end: int


def answer(ask: StageInput) -> str:
    """The answer to any stage as JSON text, as a model would give it."""
    if isinstance(ask, Canonicalize):
        return compact_json(canonicalize(ask.candidates, facets=ask.facets))
    return compact_json(propose(ask.records, ask.open_gaps))


def propose(records: Sequence[Record], open_gaps: Sequence[OpenGap] = ()) -> dict[str, Any]:
    """Stage 1, also when localized: at most ten findings, what was asked for first. It never asks for a search."""
    found = [(finding, record) for record in records for finding in _quotable(record)]
    ranked = sorted(found, key=lambda pair: _PRIORITY.index(pair[0].kind))
    kept: dict[str, dict[str, Any]] = {}
    for finding, record in ranked:
        kept.setdefault(canonical(finding.content), _incident(finding, record, open_gaps))
    return {"status": "complete", "incidents": list(kept.values())[:INCIDENTS]}


def canonicalize(candidates: Iterable[Candidate], *, facets: bool = False) -> dict[str, Any]:
    """The last stage: what the rules read in the quotes alone, or a rejection; with `facets` what kind it is.

    The other facets that rules can tell are found in every door's answer (`pipeline/extract/facet_rules.py`).
    """
    return {"results": [_verdict(candidate, facets) for candidate in candidates]}


def findings(text: str) -> tuple[Finding, ...]:
    """What one message says that lasts, sentence by sentence, in its order."""
    if joking(text):
        return ()
    return tuple(finding for sentence in sentences(text) if (finding := _finding(sentence)))


def _quotable(record: Record) -> Iterable[Finding]:
    """Findings whose quotes stand in the record as it was cut and masked."""
    return (finding for finding in findings(record.raw or record.text) if normalise(finding.quote) in record.text)


def _finding(sentence: Sentence) -> Finding | None:
    spoken = sentence.spoken
    for rule in RULES:
        hit = rule.pattern.match(spoken)
        if hit and (content := _content(rule, sentence.text[slice(*hit.span("body"))])):
            return None if doubt(sentence, conditions=rule.conditions) else _found(rule.kind, content, sentence)
    named = next((fact for fact in facts(sentence.text) if fact.slot == "name" and not fact.choices), None)
    content = _content(None, named.quote) if named else ""
    return _found("name", content, sentence) if content and not doubt(sentence) else None


def _found(kind: Kind, content: str, sentence: Sentence) -> Finding:
    return Finding(kind, content, sentence.text, sentence.start, sentence.end)


def _content(rule: Rule | None, body: str) -> str:
    """The body without politeness and closing marks, or "" when it cannot stand alone."""
    content = LEADING.sub("", TRAILING.sub("", collapse(body)), count=1)
    if len(content) < SHORTEST or not content_words(content) or UNFINISHED.search(content):
        return ""
    if PRONOUN_START.match(content) and not (rule and rule.pronouns):
        return ""
    return content


def _incident(finding: Finding, record: Record, open_gaps: Sequence[OpenGap]) -> dict[str, Any]:
    incident: dict[str, Any] = {
        "content": finding.content,
        "evidence": [{"sourceRef": record.source_ref, "quote": finding.quote}],
    }
    known = _pending(finding.content, open_gaps)
    return incident | {"gapId": known} if known else incident


def _pending(content: str, open_gaps: Sequence[OpenGap]) -> str:
    """A pending fact of the same words in another wording; the same wording finds its own id."""
    words = content_words(content)
    same = [gap.id for gap in open_gaps if gap.id != gap_id(content) and content_words(gap.content) == words]
    return same[0] if words and same else ""


def _verdict(candidate: Candidate, facets: bool) -> dict[str, Any]:
    for cited in candidate.evidence:
        for finding in findings(cited.quote):
            accepted = {"candidateId": candidate.id, "status": "accepted", "content": finding.content}
            told = facets and finding.kind in _FACET_KINDS
            return accepted | {"kind": _FACET_KINDS[finding.kind]} if told else accepted
    return {"candidateId": candidate.id, "status": "rejected"}
