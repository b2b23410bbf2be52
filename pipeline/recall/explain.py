"""Why a memory stands where it stands, in numbers and in words; the screen and `--json` show the same object."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pipeline.measure import round3
from pipeline.recall.hits import Hit, Part
from pipeline.recall.scores import (
    HALF_LIVES,
    Breakdown,
    Standing,
    Thresholds,
    age,
    breakdown,
    half_life,
    importance,
    standing,
    vitality,
)
from store.memory import Memory

_STANDING_WORDS: dict[Standing, str] = {
    "immutable": "protected: never archived or forgotten by itself",
    "bound": "a BOUND: never archived or forgotten by itself",
    "forget candidate": "old and hardly useful: may be forgotten",
    "archive candidate": "old and little used: may be archived",
    "keep": "kept",
}


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What explain says of one memory, whatever was asked (`spec/bank.md` §13.3); numbers rounded to three places.

    `half_life` is in days, None when the memory never ages; `age` in days.
    """

    utility: Breakdown
    importance: float
    vitality: float
    half_life: float | None
    age: int
    access_count: int
    feedback_net: int
    immutable: bool
    standing: Standing
    words: str


@dataclass(frozen=True, slots=True)
class HitReport:
    """Why one hit has its place: the numbers of its ranker, which of them are told, and the memory's own numbers."""

    ranker: str
    score: float
    final: float
    parts: tuple[Part, ...]
    terms: tuple[str, ...]
    why: tuple[str, ...]
    memory: MemoryReport


def explain_memory(
    memory: Memory,
    today: str,
    half_lives: Mapping[str, float] = HALF_LIVES,
    thresholds: Thresholds | None = None,
) -> MemoryReport:
    """The numbers of one memory with its total counters; `today` is an ISO date. Records nothing."""
    life = half_life(memory.type, half_lives)
    state = standing(memory, today, half_lives, thresholds)
    return MemoryReport(
        utility=breakdown(memory, today, half_lives),
        importance=round3(importance(memory, today)),
        vitality=round3(vitality(memory, today)),
        half_life=None if math.isinf(life) else life,
        age=age(memory, today),
        access_count=memory.access_count,
        feedback_net=memory.feedback_net,
        immutable=memory.immutable,
        standing=state,
        words=_STANDING_WORDS[state],
    )


def explain_hit(hit: Hit, today: str, half_lives: Mapping[str, float] = HALF_LIVES) -> HitReport:
    """Why a hit has its place; the parts are those that the ranker counted, numbers rounded to three places."""
    return HitReport(
        ranker=hit.ranker,
        score=round3(hit.score),
        final=round3(hit.final),
        parts=tuple(replace(part, value=round3(part.value), words=part.said) for part in hit.parts),
        terms=hit.terms,
        why=why(hit),
        memory=explain_memory(hit.memory, today, half_lives),
    )


def why(hit: Hit) -> tuple[str, ...]:
    """One short sentence for each part that is told, in the ranker's order."""
    return tuple(part.said for part in hit.parts if part.words)


def as_json(report: MemoryReport | HitReport) -> dict[str, Any]:
    """The report as plain values for `--json`."""
    return asdict(report)
