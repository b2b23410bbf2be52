"""Recall as the yotta engine ranks it: match score and utility, each normalised over the hits (`spec/bank.md` §10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pipeline.recall.hits import Hit, Part, Recall
from pipeline.recall.matching import MatchPart, PartKind, Query, match_parts, match_score, prepare
from pipeline.recall.scores import HALF_LIVES, utility
from store.access import Reader, may_read, path_owner
from store.errors import BadInput
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

_PROJECT = f"{ROOTS[0]}:"
_YEAR = re.compile("[0-9]{4}")


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
    """Find memories, best first; without a query all that may be read, by utility.

    `agent` is who asks (None: the person); `everyone` asks for other owners' memories too, `owner` leaves out what
    names another owner (bank-D17); `years` are four digits of `created`; `project` leaves out what belongs to another
    project (`decisions.md` §2.4). Ties stay in the order of `source`. Reads only. Raises `BadInput` for a bad year.
    """
    view = source if isinstance(source, View) else None
    memories = source.live if isinstance(source, View) else source
    reader = view.reader(agent) if view else Reader(agent)
    asked = [memory for memory in _asked(memories, type, years, today, project) if _names(memory, owner)]
    readable = [memory for memory in asked if may_read(memory, reader)] if agent is not None else asked
    prepared = prepare(query) if query.strip() else None
    found = _found(readable, prepared)
    if view is not None:
        settings = usage or UsageSettings()
        found = [(totals(view, memory, settings), score) for memory, score in found]
    hits = _ranked(found, today.isoformat(), half_lives)
    shown = hits[: limit if limit and limit > 0 else DEFAULT_LIMIT]
    crossing = agent is not None and (everyone or owner not in {None, "", agent})
    denied = len(asked) - len(readable) if crossing else 0
    return Recall(tuple(_hit(ranked, prepared) for ranked in shown), len(hits), denied, RANKER)


def _asked(
    memories: Sequence[Memory], kind: str | None, years: Sequence[str], today: date, project: str | None
) -> Sequence[Memory]:
    for year in years:
        if not _YEAR.fullmatch(year):
            raise BadInput(f"A year has four digits, like {today.year}; {year!r} has not.")
    if kind:
        wanted = kind.upper()
        memories = [memory for memory in memories if memory.type == wanted]
    if years:
        chosen, current = set(years), f"{today.year:04}"
        memories = [memory for memory in memories if (memory.created[:4] or current) in chosen]
    if project is not None:
        memories = [memory for memory in memories if memory.project in {"", project}]
    return memories


def _names(memory: Memory, owner: str | None) -> bool:
    """Whether the memory is of `owner` or of nobody: what names another owner is left out (bank-D17)."""
    return not owner or (path_owner(memory.path) or memory.owner) in {"", owner}


def _found(memories: Sequence[Memory], query: Query | None) -> list[tuple[Memory, float]]:
    if query is None:
        return [(memory, 1.0) for memory in memories]
    scored = ((memory, match_score(entry_tokens(memory), query)) for memory in memories)
    return [(memory, score) for memory, score in scored if score > 0]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A memory with its match score, its utility, the shares of both in the range of these hits, and what orders."""

    memory: Memory
    score: float
    utility: float
    final: float
    match_share: float = 1.0
    utility_share: float = 1.0


def _ranked(found: Sequence[tuple[Memory, float]], today: str, half_lives: Mapping[str, float]) -> list[_Ranked]:
    """All hits in order (`spec/bank.md` §10.5); for a single one the match score is the final score."""
    values = [utility(memory, today, half_lives) for memory, _ in found]
    if len(found) < 2:
        return [_Ranked(memory, score, value, score) for (memory, score), value in zip(found, values, strict=True)]
    matches = _normalised([score for _, score in found])
    uses = _normalised(values)
    hits = [
        _Ranked(memory, score, values[at], MATCH_SHARE * matches[at] + UTILITY_SHARE * uses[at], matches[at], uses[at])
        for at, (memory, score) in enumerate(found)
    ]
    hits.sort(key=lambda hit: hit.memory.created, reverse=True)
    hits.sort(key=lambda hit: (-hit.final, -hit.score, not hit.memory.id.startswith(_PROJECT)))
    return hits


def _normalised(values: Sequence[float]) -> list[float]:
    """Each value on the scale from the least (0) to the greatest (1); all 1 when they are equal."""
    least = min(values)
    span = max(values) - least
    return [(value - least) / span for value in values] if span else [1.0] * len(values)


def _hit(ranked: _Ranked, query: Query | None) -> Hit:
    """The hit with its parts: what matched, the two shares, and the utility, which is told last."""
    matched = match_parts(entry_tokens(ranked.memory), query) if query else []
    words = f"utility {{value:g}}, {ranked.utility_share:.0%} of the range of these hits"
    parts = (
        *map(_part, matched),
        Part("match_share", ranked.match_share),
        Part("utility_share", ranked.utility_share),
        Part("utility", ranked.utility, words),
    )
    terms = tuple(dict.fromkeys(part.term for part in matched))
    return Hit(ranked.memory, ranked.score, ranked.final, RANKER, parts, terms)


def _part(match: MatchPart) -> Part:
    found = match.found.partition(":")[2] or match.found
    return Part(match.kind, match.adds, WORDS[match.kind], match.term, found)
