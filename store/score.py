"""Memora's one number of a memory, 0..1: what it is, and what using the memory makes of it (`spec/memora.md` §1, §4).

It stands in the ledger's table `usage` beside the counters (`decisions.md` §2.6). Everything here is pure: `boosts`
gives rows for `Bank.record`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from store.clock import stamp
from store.fields import revision, text
from store.memory import Memory
from store.usage import TABLE, may_count
from store.view import View

if TYPE_CHECKING:
    from store.changes import PutRow, Row

BOOST = 0.05
"""What one use adds (`spec/memora.md` §4.1)."""
FLOOR, CEILING = 0.1, 1.0
"""Between which a boost leaves a score."""
DEFAULT = 0.5
LABEL_SCORES: Mapping[str, float] = {
    "persona": 1.0,
    "profile": 1.0,
    "rule": 0.8,
    "work-projection": 0.8,
    "skill": 0.7,
    "content": 0.6,
}
"""The scores that memories start with, by label (`spec/memora.md` §1)."""
QUALITY_SCORES: Mapping[str, float] = {"high": 0.8, "medium": 0.5, "low": 0.2}


def score_of(memory: Memory, row: Row | None = None) -> float:
    """The score of a memory whose `usage` row is given: the ledger's, that of its file, or that of its label."""
    kept = _score((row or {}).get("score"))
    return _first(memory) if kept is None else kept


def _first(memory: Memory) -> float:
    if not memory.extra:
        return LABEL_SCORES.get(memory.label, DEFAULT)
    keys = dict(memory.extra)
    written = _score(_number(keys["score"])) if "score" in keys else None
    if written is not None:
        return written
    if memory.label == "insight":
        return QUALITY_SCORES.get(keys.get("quality", ""), DEFAULT)
    return LABEL_SCORES.get(memory.label, DEFAULT)


def _number(written: str) -> float | None:
    try:
        return float(written)
    except ValueError:
        return None


def _score(value: object) -> float | None:
    """A score as it may be kept: a number from 0 to 1; anything else is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def accessed_of(memory: Memory, row: Row | None = None) -> datetime | None:
    """When a memory was used last, or made; None when no date of it can be read. A date without zone counts as UTC."""
    told = (text(row or {}, "accessed_at"), dict(memory.extra).get("accessedAt", ""), memory.last_accessed)
    used = [moment for moment in map(instant, told) if moment is not None]
    return max(used) if used else instant(memory.created)


def instant(written: str) -> datetime | None:
    """The instant that ISO text tells, None when it tells none."""
    try:
        moment = datetime.fromisoformat(written.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def boosts(
    view: View, ids: Iterable[str], now: datetime, *, agent: str | None = None, increment: float = BOOST
) -> list[PutRow]:
    """The rows after a use of the memories `ids`: each score raised, used `now`, its decay counted anew (§4.1).

    The rows name the revision that they count from. What is unknown or may not be counted by `agent` gives none.
    """
    from store.changes import PutRow  # not on the way to the first frame, which shows scores at most

    rows = view.rows(TABLE)
    changes: list[PutRow] = []
    for memory_id in dict.fromkeys(ids):
        memory = view.memories.get(memory_id)
        if memory is None or not may_count(memory, agent):
            continue
        row = rows.get(memory_id, {})
        raised = min(CEILING, max(FLOOR, round(score_of(memory, row) + increment, 9)))
        fields = {"score": raised, "accessed_at": stamp(now), "charged": None}
        changes.append(PutRow(TABLE, memory_id, fields, rev=revision(row)))
    return changes
