"""The numbers behind an order: recency, utility, importance, vitality (`spec/bank.md` §11, `spec/context.md` §9).

`today` is an ISO date. Counters are those of the memory given: apply `store.usage.totals` first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pipeline.measure import days, round3
from store.memory import Memory

HALF_LIVES: Mapping[str, float] = MappingProxyType({"FACT": 730.0, "PREF": 365.0, "COMMIT": 90.0})
"""Days after which recency is halved (`spec/bank.md` §11.1); a BOUND never ages."""

TYPE_TERMS = {"BOUND": 1.0, "COMMIT": 0.9, "PREF": 0.8, "FACT": 0.6}
_OTHER_HALF_LIFE, _OTHER_TYPE = 365.0, 0.6
_NO_DATE_AGE = 999

Standing = Literal["immutable", "bound", "forget candidate", "archive candidate", "keep"]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The weighted parts of a utility, each rounded to three places on its own (`spec/bank.md` §11.3)."""

    confidence: float
    usage: float
    recency: float
    type: float
    structure: float
    weight: float
    total: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Below which utility and above which age in days a memory is a candidate (`spec/bank.md` §13.3)."""

    archived_utility: float = 0.35
    archived_age: float = 180
    forget_utility: float = 0.12
    forget_age: float = 365


def half_life(kind: str, half_lives: Mapping[str, float] = HALF_LIVES) -> float:
    """Half-life of a type in days; infinite for a BOUND."""
    return math.inf if kind == "BOUND" else half_lives.get(kind, _OTHER_HALF_LIFE)


def recency(memory: Memory, today: str, half_lives: Mapping[str, float] = HALF_LIVES) -> float:
    """0.5^(days since the last access, or since creation, / half-life) (`spec/bank.md` §11.1)."""
    since = memory.last_accessed or memory.created
    idle = days(since, today) if since and memory.type != "BOUND" else 0
    return 1.0 if idle <= 0 else 0.5 ** (idle / half_life(memory.type, half_lives))


def _terms(memory: Memory, today: str, half_lives: Mapping[str, float]) -> tuple[float, float, float, float, float]:
    """The five weighted parts: confidence, usage, recency, type, structure (`spec/bank.md` §11.2)."""
    net = memory.feedback_net
    usage = 0.5 * min(memory.access_count, 20) / 20 + 0.5 * net / (1 + abs(net))
    structure = 0.2 * bool(memory.source) + 0.3 * bool(memory.tags) + 0.2 * bool(memory.subject) + 0.1
    return (
        0.30 * min(max(_confidence(memory), 0.0), 1.0),
        0.25 * usage,
        0.20 * recency(memory, today, half_lives),
        0.15 * TYPE_TERMS.get(memory.type, _OTHER_TYPE),
        0.10 * structure,
    )


def _confidence(memory: Memory) -> float:
    """Missing or 0 counts as 1 (`decisions.md` §10.2)."""
    return memory.confidence if memory.confidence and math.isfinite(memory.confidence) else 1.0


def _weight(memory: Memory) -> float:
    return memory.weight if memory.weight > 0 and math.isfinite(memory.weight) else 1.0


def utility(memory: Memory, today: str, half_lives: Mapping[str, float] = HALF_LIVES) -> float:
    """How useful the memory is likely to be, not capped (`spec/bank.md` §11.2)."""
    return _weight(memory) * sum(_terms(memory, today, half_lives))


def breakdown(memory: Memory, today: str, half_lives: Mapping[str, float] = HALF_LIVES) -> Breakdown:
    """The parts of the utility as they are shown (`spec/bank.md` §11.3)."""
    parts = _terms(memory, today, half_lives)
    weight = _weight(memory)
    confidence, usage, fresh, kind, structure = (round3(part) for part in parts)
    return Breakdown(confidence, usage, fresh, kind, structure, weight, round3(weight * sum(parts)))


def age(memory: Memory, today: str) -> int:
    """Days since creation, at least 0; 999 without a date of creation (`spec/bank.md` §11.4)."""
    return max(days(memory.created, today), 0) if memory.created else _NO_DATE_AGE


def importance(memory: Memory, today: str) -> float:
    """What backfill orders by, together with utility (`spec/bank.md` §11.4); immutable adds nothing."""
    score = _confidence(memory) * (0.5 + 1 / (1 + age(memory, today) / 180))
    if memory.updated and memory.created and memory.updated != memory.created:
        score += 0.5
    return score * _weight(memory)


def backfill_score(memory: Memory, today: str, half_lives: Mapping[str, float] = HALF_LIVES) -> float:
    """The score of section 4 of a pack: half importance, half utility (`spec/context.md` §9)."""
    return 0.5 * importance(memory, today) + 0.5 * utility(memory, today, half_lives)


def vitality(memory: Memory, today: str) -> float:
    """The engine's older measure, shown by explain only (`spec/bank.md` §11.5)."""
    idle = days(memory.last_accessed, today)
    fresh = max(0.0, 1 - 0.2 * (idle // 30)) if memory.last_accessed else 0.0
    return 0.4 * _confidence(memory) + 0.3 * min(memory.access_count, 10) / 10 + 0.3 * fresh


def standing(
    memory: Memory,
    today: str,
    half_lives: Mapping[str, float] = HALF_LIVES,
    thresholds: Thresholds | None = None,
) -> Standing:
    """What care of the bank would make of the memory, first match (`spec/bank.md` §13.3)."""
    if memory.immutable:
        return "immutable"
    if memory.type == "BOUND":
        return "bound"
    limits = thresholds or Thresholds()
    value, old = utility(memory, today, half_lives), age(memory, today)
    if value < limits.forget_utility and old > limits.forget_age:
        return "forget candidate"
    if value < limits.archived_utility and old > limits.archived_age:
        return "archive candidate"
    return "keep"
