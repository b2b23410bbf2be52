"""Recall as the yotta engine ranks it: match score and utility, each normalised over the hits (`spec/bank.md` §10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from pipeline.recall.engines.matching import MatchPart, PartKind, Query, match_parts, match_score, prepare
from pipeline.recall.hits import Hit, Part, Recall
from pipeline.recall.scores import HALF_LIVES, utility
from pipeline.recall.within import Within
from store.index.tokens import entry_tokens
from store.joined import ROOTS
from store.memory import Memory
from store.usage import UsageSettings, totals
from store.view import View

RANKER = "yotta"
DEFAULT_LIMIT = 50
"""Hits shown when no limit is asked for, or one that is no positive number (`spec/bank.md` §10)."""

MATCH_SHARE, UTILITY_SHARE = 0.65, 0.35
"""Shares of the two normalised scores in the final one (`spec/bank.md` §10.5)."""

WORDS: Mapping[PartKind, str] = {
    "exact": "has {found!r} (+{value:g})",
    "synonym": "has {found!r}, which means {term!r} (+{value:g})",
    "pinyin": "sounds like {term!r} (+{value:g})",
    "latin": "is spelt {term!r} in pinyin (+{value:g})",
    "initials": "has the pinyin initials {found!r} of {term!r} (+{value:g})",
    "substring": "contains {term!r} (+{value:g})",
    "fuzzy": "has {found!r}, close to {term!r} (+{value:g})",
}
"""How each kind of match is told."""
SIMILAR = "means something similar (similarity {value:g})"

_PROJECT = f"{ROOTS[0]}:"


def recall(
    source: View | Sequence[Memory],
    query: str = "",
    *,
    today: date,
    agent: str | None = None,
    type: str | None = None,
    limit: int | None = None,
    years: Sequence[str] = (),
    owner: str | None = None,
    everyone: bool = False,
    project: str | None = None,
    half_lives: Mapping[str, float] = HALF_LIVES,
    usage: UsageSettings | None = None,
) -> Recall:
    """`ranked` for those who say where to look word by word (`Within`)."""
    within = Within(today, agent, type, years, owner, everyone, project)
    return ranked(source, query, within, limit=limit, half_lives=half_lives, usage=usage)


def ranked(
    source: View | Sequence[Memory],
    query: str,
    within: Within,
    *,
    limit: int | None = None,
    half_lives: Mapping[str, float] = HALF_LIVES,
    usage: UsageSettings | None = None,
    similarity: Mapping[str, float] | None = None,
) -> Recall:
    """Find memories, best first; without a query all that may be read, by utility.

    `similarity` holds cosines of meaning by id, for those above 0 (`spec/bank.md` §10.4). Ties stay in the order of
    `source`. Reads only. Raises `BadInput` for a bad year.
    """
    among = within.of(source)
    prepared = prepare(query) if query.strip() else None
    found = _found(among.memories, prepared, similarity or {})
    if isinstance(source, View):
        settings = usage or UsageSettings()
        found = [replace(one, memory=totals(source, one.memory, settings)) for one in found]
    hits = _ranked(found, within.today.isoformat(), half_lives)
    shown = hits[: limit if limit and limit > 0 else DEFAULT_LIMIT]
    return Recall(tuple(_hit(hit, prepared) for hit in shown), len(hits), among.denied, RANKER)


@dataclass(frozen=True, slots=True)
class _Found:
    """A memory with what its words and its meaning scored; 0 where they did not."""

    memory: Memory
    match: float
    similarity: float = 0.0

    @property
    def score(self) -> float:
        """The match score, or the similarity where that is more (`spec/bank.md` §10.4)."""
        return max(self.match, self.similarity)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A find with its utility, the shares of both in the range of these hits, and what orders."""

    found: _Found
    utility: float
    final: float
    match_share: float = 1.0
    utility_share: float = 1.0


def _found(memories: Sequence[Memory], query: Query | None, similarity: Mapping[str, float]) -> list[_Found]:
    if query is None:
        return [_Found(memory, 1.0) for memory in memories]
    scored = ((memory, match_score(entry_tokens(memory), query), similarity.get(memory.id, 0.0)) for memory in memories)
    return [_Found(memory, match, similar) for memory, match, similar in scored if match > 0 or similar > 0]


def _ranked(found: Sequence[_Found], today: str, half_lives: Mapping[str, float]) -> list[_Ranked]:
    """All hits in order (`spec/bank.md` §10.5); for a single one the score is the final score."""
    values = [utility(one.memory, today, half_lives) for one in found]
    if len(found) < 2:
        return [_Ranked(one, value, one.score) for one, value in zip(found, values, strict=True)]
    matches = _normalised(_mixed(found))
    uses = _normalised(values)
    hits = [
        _Ranked(one, values[at], MATCH_SHARE * matches[at] + UTILITY_SHARE * uses[at], matches[at], uses[at])
        for at, one in enumerate(found)
    ]
    hits.sort(key=lambda hit: hit.found.memory.created, reverse=True)
    hits.sort(key=lambda hit: (-hit.final, -hit.found.score, not hit.found.memory.id.startswith(_PROJECT)))
    return hits


def _mixed(found: Sequence[_Found]) -> list[float]:
    """What of each find is put on the scale; beside similarities match scores count in parts of the best (bank-D27)."""
    best = max(one.match for one in found)
    if best <= 1 or not any(one.similarity for one in found):
        return [one.score for one in found]
    return [max(one.match / best, one.similarity) for one in found]


def _normalised(values: Sequence[float]) -> list[float]:
    """Each value on the scale from the least (0) to the greatest (1); all 1 when they are equal."""
    least = min(values)
    span = max(values) - least
    return [(value - least) / span for value in values] if span else [1.0] * len(values)


def _hit(ranked: _Ranked, query: Query | None) -> Hit:
    """The hit with its parts: what matched, the two shares, and the utility, which is told last."""
    found = ranked.found
    matched = match_parts(entry_tokens(found.memory), query) if query else []
    words = f"utility {{value:g}}, {ranked.utility_share:.0%} of the range of these hits"
    parts = (
        *map(_part, matched),
        *([Part("similarity", found.similarity, SIMILAR)] if found.similarity else []),
        Part("match_share", ranked.match_share),
        Part("utility_share", ranked.utility_share),
        Part("utility", ranked.utility, words),
    )
    terms = tuple(dict.fromkeys(part.term for part in matched))
    return Hit(found.memory, found.score, ranked.final, RANKER, parts, terms)


def _part(match: MatchPart) -> Part:
    found = match.found.partition(":")[2] or match.found
    return Part(match.kind, match.adds, WORDS[match.kind], match.term, found)
