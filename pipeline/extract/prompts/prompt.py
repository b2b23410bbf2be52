"""What a language model is told at each stage, from the files in `prompts/` (`spec/extraction.md` §11).

Everything embedded is JSON with angle brackets escaped, so that data cannot close the tag that it stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from pipeline.extract.answer import CITATIONS, INCIDENTS, TERMS
from pipeline.extract.evidence import compact_json, minute, render
from pipeline.extract.facets.facet import KINDS, SCOPES, STATEMENT_TYPES
from pipeline.extract.facets.search_keys import KEY_TYPES, KEYS
from pipeline.extract.facets.times import TEMPORAL_TYPES
from pipeline.extract.reflection.insight import SCORES
from pipeline.extract.stages import (
    OPEN_GAPS,
    Candidate,
    Canonicalize,
    Localize,
    OpenGap,
    Propose,
    Question,
    Reflect,
    Repair,
    StageInput,
)
from store.setting_file import SUGGESTED

ENVELOPE = "answer"
"""The one key under which the schema puts an answer: providers allow no choice of shapes at the root."""

REFLECTIONS = 3
"""Insights and suggestions that are asked for in one call (`spec/memora.md` §11.5)."""
_TEXT: Mapping[str, Any] = {"type": "string"}
_TIME: Mapping[str, Any] = {"type": ["string", "null"]}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CITED = [{"sourceRef": "event:…", "quote": "…"}]
_REFLECT_SHAPES: Mapping[str, Any] = {
    "insights": [{"insight": "…", "tags": ["…"], "quality": "high", "evidence": _CITED}],
    "suggestions": [
        {
            "type": "rule",
            "name": "…",
            "content": "…",
            "description": "…",
            "keywords": ["…"],
            "confidence": 0.7,
            "reason": "…",
            "evidence": _CITED,
        }
    ],
}
_REFLECT_EXAMPLES: Mapping[str, Any] = {
    "insights": [
        {
            "insight": "The user keeps losing time to stale data in the staging environment.",
            "tags": ["staging", "data"],
            "quality": "high",
            "evidence": [
                {"sourceRef": "event:901", "quote": "we lost a day again because the staging data was stale"},
                {"sourceRef": "event:903", "quote": "预发布环境的数据又过期了"},
            ],
        }
    ],
    "suggestions": [
        {
            "type": "rule",
            "name": "commit-messages",
            "content": "Write commit messages in the imperative mood and keep them short.",
            "description": "How commit messages are written",
            "keywords": ["commit"],
            "confidence": 0.9,
            "reason": "They said that they always want it.",
            "evidence": [{"sourceRef": "event:902", "quote": "I always want commit messages in the imperative mood"}],
        }
    ],
}

_PLACES = re.compile(r"\{\{([a-z_]+)\}\}")


def prompt(ask: StageInput) -> str:
    """The one user message of a stage."""
    if isinstance(ask, Canonicalize):
        return _canonical(ask)
    parts = {
        "now": str(minute(ask.now)),
        "evidence": render(ask.records),
        "open_facts": open_facts(ask.open_gaps),
        "partial": _file("partial").rstrip("\n") if ask.partial else "",
    }
    if isinstance(ask, Localize):
        return fill("localized", parts | {"context": compact_json(ask.context, fence=True)})
    return fill("proposal", parts)


def messages(ask: Question) -> list[dict[str, str]]:
    """The conversation of a stage: its prompt, and for a repair the wrong answer with what is wrong about it."""
    return conversation(reflect_prompt(ask) if isinstance(ask, Reflect) else prompt(ask), ask.repair)


def conversation(prompt: str, repair: Repair | None) -> list[dict[str, str]]:
    """A prompt, and for a repair the wrong answer with what is wrong about it."""
    asked = [{"role": "user", "content": prompt}]
    if repair is None:
        return asked
    wrong = fill("repair", {"wrong": repair.wrong})
    return [*asked, {"role": "assistant", "content": repair.answer}, {"role": "user", "content": wrong}]


def reflect_prompt(ask: Reflect) -> str:
    """The one user message that asks for insights and suggestions, or for one of them (`spec/memora.md` §8.2, 11.5)."""
    wanted = {"insights": ask.insights, "suggestions": ask.suggestions}
    names = [name for name, asked in wanted.items() if asked]
    told = {name: fill(f"reflect_{name}", {"most": str(REFLECTIONS)}) if name in names else "" for name in wanted}
    shape = {name: _REFLECT_SHAPES[name] for name in names}
    example = {name: _REFLECT_EXAMPLES[name] for name in names}
    parts = {"now": str(minute(ask.now)), "evidence": render(ask.records)}
    return fill("reflect", parts | told | {"shape": compact_json(shape), "example": compact_json(example)})


def schema(ask: Question) -> dict[str, Any]:
    """A strict JSON schema of the stage's allowed answers, cited refs as enumerations.

    The last stage has one key per candidate, so that none can be left out. Send it as `response_format`; what comes
    back is unpacked with `unwrap`.
    """
    if isinstance(ask, Reflect):
        return _reflections(ask)
    if isinstance(ask, Canonicalize):
        verdict = _verdict(ask.facets)
        return shape({ENVELOPE: shape({one.id: verdict for one in ask.candidates})})
    incidents = _incidents([record.source_ref for record in ask.records], [gap.id for gap in _shown(ask.open_gaps)])
    beside = {"incidents": incidents} if ask.partial else {}
    shapes = [_status("complete", {"incidents": incidents}), _status("cannot_resolve", beside)]
    if isinstance(ask, Propose):
        search = shape({"terms": _array({"type": "string"}, 1, TERMS)})
        shapes.append(_status("search_required", {"search": search} | beside))
    return shape({ENVELOPE: {"anyOf": shapes}})


def unwrap(text: str) -> str:
    """The answer inside the schema's envelope, or the text as it is when there is none; never raises."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict) or set(value) != {ENVELOPE}:
        return text
    answer = value[ENVELOPE]
    if isinstance(answer, dict) and answer and all(isinstance(verdict, dict) for verdict in answer.values()):
        answer = {"results": [{"candidateId": name, **verdict} for name, verdict in answer.items()]}
    return compact_json(answer)


def _canonical(ask: Canonicalize) -> str:
    context = fill("context", {"context": compact_json(ask.context, fence=True)}) if ask.context else ""
    return fill(
        "canonical",
        {
            "now": str(minute(ask.now)),
            "candidates": candidates_json(ask),
            "context": context,
            "facets": _facets(ask) if ask.facets else "",
        },
    )


def _facets(ask: Canonicalize) -> str:
    """What is asked besides the content; days as days, so that "tomorrow" can be worked out."""
    said = {
        one.id: _day(newest)
        for one in ask.candidates
        if (newest := max((seen.observed_at for seen in one.evidence), default=0))
    }
    told = f" The quotes were said on these days: {compact_json(said)}." if said else ""
    return fill("facets", {"kinds": ", ".join(KINDS), "today": _day(ask.now), "said": told}).rstrip("\n")


def _day(time: int) -> str:
    when = datetime.fromtimestamp(time // 86_400_000 * 86_400, UTC)
    return f"{when:%Y-%m-%d}, {_WEEKDAYS[when.weekday()]}"


def candidates_json(ask: Canonicalize) -> str:
    """The candidates of the last stage as the prompt shows them."""
    return compact_json([_candidate(one) for one in ask.candidates], fence=True)


def _candidate(candidate: Candidate) -> dict[str, Any]:
    evidence = []
    for cited in candidate.evidence:
        shown: dict[str, Any] = {
            "sourceRef": cited.source_ref,
            "quote": cited.quote,
            "observedAt": minute(cited.observed_at),
        }
        evidence.append(shown | {"question": cited.question} if cited.question else shown)
    return {"candidateId": candidate.id, "evidence": evidence}


def _shown(gaps: Sequence[OpenGap]) -> Sequence[OpenGap]:
    return gaps[:OPEN_GAPS]


def open_facts(gaps: Sequence[OpenGap]) -> str:
    """The part of a prompt that shows pending facts; "" without any."""
    if not gaps:
        return ""
    facts = [{"id": gap.id, "content": gap.content, "sessions": gap.sessions} for gap in _shown(gaps)]
    return fill("open_facts", {"facts": compact_json(facts, fence=True), "most": str(OPEN_GAPS)})


def fill(name: str, parts: Mapping[str, str]) -> str:
    """A prompt file with its places filled, in one pass: a place that data happens to spell is not filled."""
    return _PLACES.sub(lambda place: parts[place[1]], _file(name))


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")


def shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with just these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _status(status: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return shape({"status": one_of([status])} | dict(properties))


def _array(items: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def one_of(values: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of one of some words."""
    return {"type": "string", "enum": list(values)}


def _incidents(refs: Sequence[str], gap_ids: Sequence[str]) -> dict[str, Any]:
    citation = shape({"sourceRef": one_of(refs), "quote": {"type": "string"}})
    found = {"content": {"type": "string"}, "evidence": _array(citation, 1, CITATIONS)}
    shapes = [shape(found)]
    if gap_ids:
        shapes.append(shape(found | {"gapId": one_of(gap_ids)}))
    return _array({"anyOf": shapes}, 0, INCIDENTS)


def _reflections(ask: Reflect) -> dict[str, Any]:
    citation = shape({"sourceRef": one_of([record.source_ref for record in ask.records]), "quote": _TEXT})
    evidence = {"evidence": _array(citation, 1, CITATIONS)}
    insight = {"insight": _TEXT, "tags": _array(_TEXT, 0, 4), "quality": one_of(tuple(SCORES))}
    texts = dict.fromkeys(("name", "content", "description", "reason"), _TEXT)
    suggestion = {"type": one_of(SUGGESTED), "keywords": _array(_TEXT, 0, 8), "confidence": {"type": "number"}}
    kinds = {
        "insights": insight if ask.insights else None,
        "suggestions": texts | suggestion if ask.suggestions else None,
    }
    return shape(
        {name: _array(shape(entry | evidence), 0, REFLECTIONS) for name, entry in kinds.items() if entry is not None}
    )


def _verdict(facets: bool) -> dict[str, Any]:
    accepted: dict[str, Any] = {"status": one_of(["accepted"]), "content": {"type": "string"}}
    if facets:
        key = shape({"key": _TEXT, "type": one_of(KEY_TYPES)})
        accepted |= {"kind": one_of(KINDS), "subject": _TEXT, "statementType": one_of(STATEMENT_TYPES)}
        accepted |= {"temporalType": one_of(TEMPORAL_TYPES), "eventStartedAt": _TIME, "eventEndedAt": _TIME}
        accepted |= {"scope": one_of(SCOPES), "keys": _array(key, 1, KEYS)}
    return {"anyOf": [shape(accepted), shape({"status": one_of(["rejected"])})]}
