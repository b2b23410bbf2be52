"""What `--json` prints: plain dictionaries with the keys of `decisions.md` §7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.measure import round3
from pipeline.recall.scores import importance, utility
from store.changes import Committed, FileEffect, RowEffect
from store.memory import Memory, Quote


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


def quote_json(quote: Quote) -> dict[str, Any]:
    """One quote: its session, the record in it, and the exact words."""
    body = {"session": quote.session, "format": quote.format, "ref": quote.ref, "quote": quote.text}
    return body | ({"question": quote.question} if quote.question else {})


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
