"""The same questions for small models: short prompts, and an answer statement by statement, so that none is overlooked.

A small model that may choose what to list leaves most out; asked to repeat each statement, say of what kind it is and
only then to word the finding, it does not (`design/llm.md` §6). What comes back is turned into the shapes of
`spec/extraction.md` §10, whose parser and admission apply as to every answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

from pipeline.extract.admission import SHORTEST_QUOTE
from pipeline.extract.answer import INCIDENTS, QUOTE_UNITS
from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import Record, compact_json, minute
from pipeline.extract.offline.sentences import spans
from pipeline.extract.prompts.prompt import ENVELOPE, candidates_json, conversation, fill, one_of, open_facts, shape
from pipeline.extract.stages import Canonicalize, Propose, Question

LASTING = ("fact", "preference", "decision", "rule")
PASSING = ("question", "request", "guess", "small talk")
_TEXT: Mapping[str, Any] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, or several, of one message: `ref` is what the model calls it, `text` the exact words."""

    ref: str
    record: Record
    text: str


def takes(ask: Question) -> TypeGuard[Propose | Canonicalize]:
    """Whether a question can be asked in this way: few enough messages, or the last stage."""
    return isinstance(ask, Canonicalize) or (isinstance(ask, Propose) and 0 < len(ask.records) <= INCIDENTS)


def statements(records: Sequence[Record], most: int = INCIDENTS) -> tuple[Statement, ...]:
    """The sentences of up to `most` messages; neighbours stay together where there are more than `most` in all."""
    found = [(record, spans(record.text) or ((0, len(record.text)),)) for record in records]
    crowded = sum(len(cuts) for _, cuts in found) > most
    told: list[Statement] = []
    for record, cuts in found:
        parts = _joined(cuts, most // len(records)) if crowded else cuts
        for number, (start, end) in enumerate(parts, 1):
            ref = record.source_ref if len(parts) == 1 else f"{record.source_ref}.{number}"
            told.append(Statement(ref, record, record.text[start:end]))
    return tuple(told)


def _joined(cuts: Sequence[tuple[int, int]], most: int) -> tuple[tuple[int, int], ...]:
    """The spans in at most `most` groups of neighbours, as even as possible."""
    groups = min(max(1, most), len(cuts))
    bounds = [len(cuts) * number // groups for number in range(groups + 1)]
    return tuple((cuts[first][0], cuts[last - 1][1]) for first, last in pairwise(bounds))


def messages(ask: Propose | Canonicalize) -> list[dict[str, str]]:
    """The conversation of a stage; see `prompt.messages`."""
    now = str(minute(ask.now))
    if isinstance(ask, Canonicalize):
        prompt = fill("small_canonical", {"now": now, "candidates": candidates_json(ask)})
    else:
        shown = [_shown(statement) for statement in statements(ask.records)]
        parts = {"now": now, "evidence": compact_json(shown, fence=True), "open_facts": open_facts(ask.open_gaps)}
        prompt = fill("small_proposal", parts)
    return conversation(prompt, ask.repair)


def _shown(statement: Statement) -> dict[str, Any]:
    record = statement.record
    shown: dict[str, Any] = {
        "sourceRef": statement.ref,
        "type": "user_message",
        "observedAt": minute(record.observed_at),
        "text": statement.text,
    }
    return shown | {"question": record.question} if record.question else shown


def schema(ask: Propose | Canonicalize) -> dict[str, Any]:
    """A strict JSON schema with one key per statement, or candidate; see `prompt.schema`."""
    if isinstance(ask, Canonicalize):
        judged = shape({"quote": _TEXT, "content": _TEXT, "clear": one_of(("yes", "no"))})
        return _keyed([one.id for one in ask.candidates], [judged])
    lasting = {"quote": _TEXT, "kind": one_of(LASTING), "content": _TEXT}
    kinds = [shape(lasting), shape({"quote": _TEXT, "kind": one_of(PASSING)})]
    if ask.open_gaps:
        kinds.insert(1, shape(lasting | {"gapId": one_of([gap.id for gap in ask.open_gaps])}))
    return _keyed([statement.ref for statement in statements(ask.records)], kinds)


def _keyed(names: Sequence[str], shapes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return shape({ENVELOPE: shape({name: {"anyOf": list(shapes)} for name in names})})


def unwrap(ask: Propose | Canonicalize, text: str) -> str:
    """The answer in the shape that the parser knows, or the text as it is when it is something else; never raises."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    answer = value.get(ENVELOPE, value) if isinstance(value, dict) else None
    if not isinstance(answer, dict):
        return text
    if isinstance(ask, Canonicalize):
        return compact_json(_verdicts(answer))
    told = {statement.ref: statement for statement in statements(ask.records)}
    if "status" in answer:
        return compact_json(_whole_refs(answer, told))
    if set(answer) != set(told) or not all(isinstance(said, dict) for said in answer.values()):
        return text
    found = [one for ref, said in answer.items() if (one := _incident(told[ref], said)) is not None]
    return compact_json({"status": "complete", "incidents": found})


def _verdicts(answer: dict[str, Any]) -> dict[str, Any]:
    if not answer or not all(isinstance(said, dict) for said in answer.values()):
        return answer
    return {"results": [{"candidateId": name} | _verdict(said) for name, said in answer.items()]}


def _verdict(said: dict[str, Any]) -> dict[str, Any]:
    """A verdict of the parser's shape; one that has that shape already stays as it is."""
    if "status" in said:
        return said
    content = said.get("content")
    worded = said.get("clear") == "yes" and isinstance(content, str) and content.strip()
    return {"status": "accepted", "content": content} if worded else {"status": "rejected"}


def _incident(statement: Statement, said: dict[str, Any]) -> dict[str, Any] | None:
    """A finding with the exact words of its statement; None when the model found nothing lasting in it."""
    content = said.get("content")
    if said.get("kind") not in LASTING or not isinstance(content, str) or not content.strip():
        return None
    cited = {"sourceRef": statement.record.source_ref, "quote": _quote(statement.text, said.get("quote"))}
    incident: dict[str, Any] = {"content": content, "evidence": [cited]}
    return incident | {"gapId": said["gapId"]} if "gapId" in said else incident


def _quote(text: str, repeated: Any) -> str:
    """What was repeated when it is verbatim, else the statement itself, which is what was asked about."""
    echo = normalise(repeated) if isinstance(repeated, str) else ""
    verbatim = len(echo) >= SHORTEST_QUOTE and echo in normalise(text)
    return repeated if verbatim and isinstance(repeated, str) else text[: QUOTE_UNITS // 2]


def _whole_refs(answer: Any, told: Mapping[str, Statement]) -> Any:
    """An answer in the parser's own shape, its parts of messages named by their message."""
    if isinstance(answer, list):
        return [_whole_refs(item, told) for item in answer]
    if not isinstance(answer, dict):
        return answer
    ref = answer.get("sourceRef")
    named = {"sourceRef": told[ref].record.source_ref} if isinstance(ref, str) and ref in told else {}
    return {key: _whole_refs(value, told) for key, value in answer.items()} | named
