"""The door without a model: fixed rules over the same evidence, answering in the same shapes (`decisions.md` §5.2).

It keeps what a person says in so many words and leaves the rest: few findings, each one a sentence that stands in a
message. Its answers pass the same parser and the same admission as a model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.answer import INCIDENTS
from pipeline.extract.canonical import canonical, collapse, normalise
from pipeline.extract.evidence import Record, compact_json
from pipeline.extract.identity import gap_id
from pipeline.extract.offline.doubt import Doubt, doubts
from pipeline.extract.offline.framing import heads, told
from pipeline.extract.offline.rules import LEAD, RULES, Kind, Rule
from pipeline.extract.offline.sentences import Sentence, shown
from pipeline.extract.profile.rules import facts
from pipeline.extract.stages import Candidate, Canonicalize, Cited, OpenGap, StageInput
from pipeline.extract.words import content_words

SHORTEST = 4
"""Code points of the shortest content worth keeping, as of a quote (`spec/extraction.md` §12)."""
WINDOW_MESSAGES = 8
"""Messages per call that keep an answer within its ten findings."""

_FACET_KINDS: Mapping[Kind, str] = {"preference": "preference", "name": "identity"}
"""Kinds of findings that are a kind of `spec/extraction.md` §25; the others may be of any."""
_PRIORITY: tuple[Kind, ...] = (
    "asked",
    "correction",
    "bound",
    "decision",
    "preference",
    "person",
    "project",
    "name",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence worth keeping: the exact slice `start:end` of the message as `quote`, and what it says."""

    kind: Kind
    content: str
    quote: str
    start: int
    end: int
    heading: str = ""
    """The line above the list that it is an item of, word for word."""


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

    The other facets that rules can tell are found in every door's answer (`pipeline/extract/facets/rules.py`).
    """
    return {"results": [_verdict(candidate, facets) for candidate in candidates]}


def findings(text: str) -> tuple[Finding, ...]:
    """What one message says that lasts, sentence by sentence, in its order."""
    return tuple(finding for sentence in told(text) if (finding := _finding(sentence)))


def _quotable(record: Record) -> Iterable[Finding]:
    """Findings whose quotes stand in the record as it was cut and masked."""
    found = findings(record.raw or record.text)
    return (one for one in found if all(normalise(quote) in record.text for quote in (one.quote, one.heading)))


def _finding(sentence: Sentence) -> Finding | None:
    start, statement = _led_in(sentence)
    found = doubts(statement) | (doubts(sentence) & _WHOLE)
    aside = _IF if not _UNDER_CONDITION.match(statement.spoken) else frozenset()
    rules = [
        rule
        for rule in RULES
        if not found - rule.accepts - (aside if rule.kind in _ABOUT_SELF else frozenset())
        and not (rule.general and sentence.tasked)
    ]
    for place in (start, *_clauses(sentence.spoken, start)):
        for rule in rules:
            hit = rule.pattern.match(sentence.spoken, place)
            if hit and (content := _content(rule, sentence.text[slice(*hit.span("body"))])):
                return _found(rule.kind, content, sentence)
    if sentence.heading and not found - {"condition", "embedded question", "trouble"}:
        return _item(sentence)
    named = next((fact for fact in facts(sentence.text) if fact.slot == "name" and not fact.choices), None)
    content = _content(None, named.quote) if named else ""
    return _found("name", content, sentence) if content and not found else None


def _item(sentence: Sentence) -> Finding | None:
    """An item of a list that the person announced as their rules or facts, with what the heading says of it."""
    content = _content(None, sentence.text)
    if not content:
        return None
    wording = f"{sentence.heading.rstrip(':： ')}: {content}"
    return replace(_found("bound", wording, sentence), heading=sentence.heading)


def _clauses(spoken: str, start: int) -> Iterator[int]:
    """Where later clauses begin in which the person speaks of themselves or their own; none under a condition."""
    if not _UNDER_CONDITION.match(spoken, start):
        yield from (hit.end() for hit in _CLAUSE.finditer(spoken, start))


def _led_in(sentence: Sentence) -> tuple[int, Sentence]:
    """Where the statement begins, behind "no, that's wrong" and the like, and the statement alone."""
    hit = LEAD.match(sentence.spoken)
    size = hit.end() if hit else 0
    closing = "" if hit and hit["wish"] else sentence.closing
    return size, replace(sentence, text=sentence.text[size:], spoken=sentence.spoken[size:], closing=closing)


def _found(kind: Kind, content: str, sentence: Sentence) -> Finding:
    return Finding(kind, content, sentence.text, sentence.start, sentence.end)


def _content(rule: Rule | None, body: str) -> str:
    """The body without politeness and closing marks, or "" when it cannot stand alone."""
    content = _LEADING.sub("", _TRAILING.sub("", collapse(body)), count=1)
    if len(content) < SHORTEST or not content_words(content) or _UNFINISHED.search(content):
        return ""
    if _PRONOUN_START.match(content) and not (rule and rule.pronouns):
        return ""
    return content


def _incident(finding: Finding, record: Record, open_gaps: Sequence[OpenGap]) -> dict[str, Any]:
    quotes = (finding.quote, finding.heading) if finding.heading else (finding.quote,)
    incident: dict[str, Any] = {
        "content": finding.content,
        "evidence": [{"sourceRef": record.source_ref, "quote": quote} for quote in quotes],
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
        if finding := _finding(_quoted(cited, candidate)):
            accepted = {"candidateId": candidate.id, "status": "accepted", "content": finding.content}
            told = facets and finding.kind in _FACET_KINDS
            return accepted | {"kind": _FACET_KINDS[finding.kind]} if told else accepted
    return {"candidateId": candidate.id, "status": "rejected"}


def _quoted(cited: Cited, candidate: Candidate) -> Sentence:
    """A quote as the sentence that it was: an item of a list is cited with its heading behind it."""
    last = candidate.evidence[-1]
    heading = heads(last.quote) if last is not cited else ""
    return Sentence(cited.quote, 0, len(cited.quote), shown(cited.quote), heading=heading)


_CLAUSE = re.compile(
    r"(?i)(?:[,;]\s+|\s[—–-]\s+|—)(?:(?:and|but|so|because|since|as|also|plus)\s+)?(?=(?:i|i['’]?m"
    r"|i['’]ve|my|we|we['’]re|our|we['’]ve)\s)|[，,；;：:]\s*(?:但是?|而且|所以|因为|不过|而|另外)?(?=我"
    r"|我们|咱|本人)"
)
_UNDER_CONDITION = re.compile(
    r"(?i)(?:when|if|once|while|as|whenever|before|after|until|unless|where|in case|even|although|though"
    r"|each time|every time|the (?:last|first|next) time|since)\b|当|如果|假如|倘若|万一|假使|假设|若"
    r"|要是|只要|一旦|每当|每次|虽然"
    r"|尽管|即使"
)
_ABOUT_SELF = ("person", "preference")
_IF: frozenset[Doubt] = frozenset({"condition"})
"""An "if" behind what somebody says of themselves takes nothing back ("…, if that matters")."""
_WHOLE: frozenset[Doubt] = frozenset({"joke", "secret"})
"""Doubts that what leads into a statement casts on it ("yeah right, we never …")."""
_UNFINISHED = re.compile(r"(?i)\b(?:to|for|with|of|in|on|at|and|or|the|a|an|that|because|but|is|are)\Z")
"""Words after which more was to come."""
_TRAILING = re.compile(
    r"(?i)(?:[\s.,;:!~。，；：！～、—-]|,\s*(?:ok(?:ay)?|thanks|thank you|thx|please|right|got it"
    r"|by the way|btw|fyi|too)\b"
    r"|[，,]?\s*(?:谢谢|好吗|拜托)|[吧哦啊啦呀哈呢]\Z|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f])+\Z"
)
_LEADING = re.compile(r"(?i)\A(?:please\s+|请(?!求|假))+")
_PRONOUN_START = re.compile(
    r"(?i)(?:it|this(?! (?:repo|project|code ?base|monorepo|team|shop|company|library|service|app|site"
    r"|office|school|clinic|restaurant))"
    r"|that|these|those|they|he|she|there(?! (?:is|are)\b)|them)\b|[这那](?!个?(?:项目|仓库|代码库|公司"
    r"|团队|店|系统|是(?:我们|公司)))|[它他她]"
)
"""What such a sentence begins with stands in another one: it cannot stand alone."""
