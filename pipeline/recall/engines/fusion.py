"""Two lists become one: by similarity and score, or by their ranks (`spec/memora.md` §6.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

SIMILARITY_SHARE, SCORE_SHARE = 0.6, 0.4
"""Weights of the sum (`spec/memora.md` §6.3)."""
RRF_K = 60
Fusion = Literal["linear", "rrf"]
Similar = Sequence[tuple[str, float]]
"""Ids with their similarity, the most similar first."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One memory of the fused list; ranks are 1-based, 0 where a channel did not find it."""

    id: str
    fused: float
    score: float
    similarity: float = 0.0
    meaning_rank: int = 0
    keyword_rank: int = 0


def linear(meaning: Similar, keyword: Sequence[str], scores: Mapping[str, float], limit: int) -> list[Fused]:
    """0.6 · similarity + 0.4 · score; equal ones in the order of the lists, what both found gets nothing extra."""
    found = [
        _fused(one, SIMILARITY_SHARE * one.similarity + SCORE_SHARE * one.score)
        for one in _found(meaning, keyword, scores)
    ]
    found.sort(key=lambda one: -one.fused)
    return found[: max(limit, 0)]


def rrf(
    meaning: Similar, keyword: Sequence[str], scores: Mapping[str, float], limit: int, k: int = RRF_K
) -> list[Fused]:
    """The sum of 1 / (k + rank) over the lists, without weights; equal ones by score, then by id."""
    found = [
        _fused(one, sum(1 / (k + rank) for rank in (one.meaning_rank, one.keyword_rank) if rank))
        for one in _found(meaning, keyword, scores)
    ]
    found.sort(key=lambda one: (-one.fused, -one.score, one.id))
    return found[: max(limit, 0)]


FUSIONS: Mapping[Fusion, Callable[[Similar, Sequence[str], Mapping[str, float], int], list[Fused]]] = {
    "linear": linear,
    "rrf": rrf,
}


def _fused(one: Fused, value: float) -> Fused:
    return Fused(one.id, round(value, 9), one.score, one.similarity, one.meaning_rank, one.keyword_rank)


def _found(meaning: Similar, keyword: Sequence[str], scores: Mapping[str, float]) -> list[Fused]:
    """Every memory that a channel found, each once: those found by meaning, then those that only words found."""
    keyword_ranks = {id: rank for rank, id in enumerate(keyword, 1)}
    found: dict[str, Fused] = {}
    for rank, (id, similarity) in enumerate(meaning, 1):
        found.setdefault(id, Fused(id, 0.0, scores[id], similarity, rank, keyword_ranks.get(id, 0)))
    for id, rank in keyword_ranks.items():
        found.setdefault(id, Fused(id, 0.0, scores[id], 0.0, 0, rank))
    return list(found.values())
