"""How well one memory answers a query, part by part, as the yotta engine counts it (`spec/bank.md` §10.2–10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from store.index.pinyin import pinyin_tokens, windows
from store.index.tokens import FUZZY_LENGTH, SYNONYMS, EntryTokens, edit_distance, tokenize

PartKind = Literal["exact", "synonym", "pinyin", "latin", "initials", "substring", "fuzzy"]

SYNONYM, PINYIN, FUZZY = 0.5, 0.4, 0.3
"""Factors on a token's weight (`spec/bank.md` §10.3)."""

_DECIMALS = 9
"""Scores are sums of hundredths: rounding here makes equal sums equal, whatever the order of adding."""

_LETTERS = re.compile("[a-z]+")


@dataclass(frozen=True, slots=True)
class MatchPart:
    """One reason why a memory answers: `term` of the query met `found` of the memory, which added `adds`."""

    kind: PartKind
    term: str
    found: str
    adds: float


@dataclass(frozen=True, slots=True)
class Query:
    """A query made ready: `wanted` lists (kind, term, token, factor) in the order in which they count."""

    text: str
    wanted: tuple[tuple[PartKind, str, str, float], ...]
    keys: frozenset[str]
    long_tokens: tuple[str, ...]
    near: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    """Memory token → long query tokens within the distance; filled while matching, so each pair is compared once."""


def prepare(text: str) -> Query:
    """The query ready for `match_parts`; `text` is what the person typed."""
    lower = text.lower()
    tokens = tokenize(lower)
    wanted = tuple(_wanted(lower, tokens))
    long_tokens = tuple(token for token in tokens if len(token) >= FUZZY_LENGTH)
    return Query(lower, wanted, frozenset(token for _, _, token, _ in wanted), long_tokens)


def _wanted(lower: str, tokens: Sequence[str]) -> Iterator[tuple[PartKind, str, str, float]]:
    """Every token that adds to the score, in the order of `spec/bank.md` §10.3; repeats count again."""
    for token in tokens:
        yield "exact", token, token, 1.0
    seen = set(tokens)
    for token in tokens:
        for other in SYNONYMS.get(token, ()):
            if other not in seen:
                seen.add(other)
                yield "synonym", token, other, SYNONYM
    for token in pinyin_tokens(lower):
        yield "pinyin", token.partition(":")[2], token, PINYIN
    letters = [token for token in tokens if _LETTERS.fullmatch(token)]
    for token in letters:
        yield "latin", token, f"py:{token}", PINYIN
        yield "latin", token, f"pyi:{token}", PINYIN
    for token in letters:
        if len(token) >= 3:
            for window in windows(token):
                yield "initials", token, f"pyi:{window}", PINYIN


def match_parts(entry: EntryTokens, query: Query) -> list[MatchPart]:
    """Why and how much a memory answers; empty when it does not."""
    weights = entry.weights
    if not query.keys.isdisjoint(weights.keys()):
        return [
            MatchPart(kind, term, token, factor * weights[token])
            for kind, term, token, factor in query.wanted
            if token in weights
        ]
    if query.text in entry.text:
        return [MatchPart("substring", query.text, query.text, 1.0)]
    return [part] if query.long_tokens and (part := _fuzzy(entry, query)) else []


def match_score(entry: EntryTokens, query: Query) -> float:
    """The sum of `match_parts`; 0 means no hit."""
    return total(match_parts(entry, query))


def total(parts: Sequence[MatchPart]) -> float:
    """The match score of its parts."""
    return round(sum(part.adds for part in parts), _DECIMALS)


def _fuzzy(entry: EntryTokens, query: Query) -> MatchPart | None:
    """The first pair that differs by two letters at most, in query order, then map order."""
    near = query.near
    best: tuple[int, str] | None = None
    order = query.long_tokens
    for token in entry.fuzzy:
        close = near.get(token)
        if close is None:
            close = near[token] = tuple(term for term in order if _close(term, token))
        if close and (best is None or order.index(close[0]) < best[0]):
            best = (order.index(close[0]), token)
    if best is None:
        return None
    return MatchPart("fuzzy", order[best[0]], best[1], FUZZY * entry.weights[best[1]])


def _close(first: str, second: str) -> bool:
    """Whether at most two edits lead from one to the other; letters that are missing rule it out without counting."""
    if abs(len(first) - len(second)) > 2 or len(set(first).difference(second)) > 2:
        return False
    return edit_distance(first, second) <= 2
