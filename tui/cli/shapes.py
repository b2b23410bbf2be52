"""What `--json` prints: plain dictionaries with the keys of `decisions.md` §7."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.measure import round3
from pipeline.recall.scores import importance, utility
from store.changes import Committed, FileEffect, RowEffect
from store.memory import Memory, Quote

if TYPE_CHECKING:
    from pipeline.review.waiting import Waiting


def memory_json(memory: Memory, today: str, half_lives: Mapping[str, float]) -> dict[str, Any]:
    """One memory as `list`, `recall` and `show` print it; utility and importance to three places."""
    return {
        "id": memory.id,
        "type": memory.type,
        "label": memory.label,
        "subject": memory.subject,
        "statement": memory.statement,
        "scope": memory.scope,
        "owner": memory.owner,
        "tags": list(memory.tags),
        "source": memory.source,
        "created": memory.created,
        "updated": memory.updated,
        "state": memory.state,
        "immutable": memory.immutable,
        "utility": round3(utility(memory, today, half_lives)),
        "importance": round3(importance(memory, today)),
    }


def provenance_json(memory: Memory) -> dict[str, Any]:
    """Where a memory comes from: the places of the words that it rests on, and when they were said last."""
    from pipeline.extract.evidence_key import evidence_places

    told = {"observed": memory.observed} if memory.observed else {}
    return {"evidence": list(evidence_places(memory.evidence)), **told}


def quote_json(quote: Quote) -> dict[str, Any]:
    """One quote: its session, the record in it, and the exact words."""
    body = {"session": quote.session, "format": quote.format, "ref": quote.ref, "quote": quote.text}
    return body | ({"question": quote.question} if quote.question else {})


def waiting_json(one: Waiting) -> dict[str, Any]:
    """One proposal as `review` prints it."""
    from pipeline.extract.facets.facet import facet_fields

    told = {name: value for name, value in facet_fields(one.facets).items() if value is not None}
    body = {
        "id": one.id,
        "kind": one.kind,
        "state": one.state,
        "content": one.statement,
        "fields": {name: list(value) if isinstance(value, tuple) else value for name, value in one.fields.items()},
        "by": one.by,
        "reason": one.reason,
        "confidence": one.confidence,
        "sightings": one.have,
        "needed": one.need,
        "conflict": one.conflict,
        "evidence": [quote_json(quote) for quote in one.quotes],
        "resembles": [{"id": near.id, "similarity": near.similarity} for near in one.resembles],
    }
    return body | ({"facets": told} if told else {})


def waiting_text(items: Sequence[Waiting]) -> str:
    """Proposals as one JSON object, for the clipboard."""
    return json.dumps({"schema": 1, "proposals": [waiting_json(one) for one in items]}, ensure_ascii=False, indent=2)


def change_json(change: Committed, *, rows: bool = True) -> dict[str, Any]:
    """One row of history; `rows` False leaves out what it did to the person's queue and settings."""
    return {
        "change": change.number,
        "at": change.at,
        "reason": change.reason,
        "origin": change.origin,
        "by": change.by,
        "undoes": change.undoes,
        "undone_by": change.undone_by,
        "notes": list(change.notes),
        "memories": [_file_json(effect) for effect in change.files],
        "rows": [_row_json(effect) for effect in change.rows] if rows else [],
    }


def _file_json(effect: FileEffect) -> dict[str, Any]:
    return {
        "id": effect.id,
        "state_before": effect.state_before,
        "state_after": effect.state_after,
        "sha_before": effect.sha_before,
        "sha_after": effect.sha_after,
    }


def _row_json(effect: RowEffect) -> dict[str, Any]:
    return {"table": effect.table, "key": effect.key, "before": dict(effect.before), "after": dict(effect.after)}
