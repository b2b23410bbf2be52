"""Why a memory stands where it stands, in numbers and in words; the screen and `--json` show the same object."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pipeline.measure import round3
from pipeline.recall.matching import MatchPart
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
from pipeline.recall.yotta import Hit
from store.memory import Memory

_PART_WORDS = {
    "exact": "has {found!r}",
    "synonym": "has {found!r}, which means {term!r}",
    "pinyin": "sounds like {term!r}",
    "latin": "is spelt {term!r} in pinyin",
    "initials": "has the pinyin initials {found!r} of {term!r}",
    "substring": "contains {term!r}",
    "fuzzy": "has {found!r}, close to {term!r}",
}

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
    """Why one hit has its place: what matched, the shares of the final score, and the memory's own numbers."""

    score: float
    final: float
    match_share: float
    utility_share: float
    parts: tuple[MatchPart, ...]
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
    """Why a hit has its place; the parts are those that the ranker counted."""
    return HitReport(
        score=round3(hit.score),
        final=round3(hit.final),
        match_share=round3(hit.match_share),
        utility_share=round3(hit.utility_share),
        parts=tuple(MatchPart(part.kind, part.term, part.found, round3(part.adds)) for part in hit.parts),
        why=why(hit),
        memory=explain_memory(hit.memory, today, half_lives),
    )


def why(hit: Hit) -> tuple[str, ...]:
    """One short sentence for each part of the match, then one for the utility."""
    lines = [_part_words(part) for part in hit.parts]
    return (*lines, f"utility {round3(hit.utility):g}, {hit.utility_share:.0%} of the range of these hits")


def _part_words(part: MatchPart) -> str:
    found = part.found.partition(":")[2] or part.found
    return f"{_PART_WORDS[part.kind].format(term=part.term, found=found)} (+{round3(part.adds):g})"


def as_json(report: MemoryReport | HitReport) -> dict[str, Any]:
    """The report as plain values for `--json`."""
    return asdict(report)
