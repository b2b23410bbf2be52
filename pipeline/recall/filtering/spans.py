"""Where what was searched for stands in a text, in positions of the text as it is shown.

Found as the index finds it, in folded text: full-width letters, accents and ligatures do not matter, and a character
of which any part matches is inside whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipeline.recall.filtering.judging import pattern_of
from pipeline.recall.filtering.query import Phrase, Query, parse
from store.index.search.words import LETTERS, TOKEN, fold, folded, hump_places, is_cjk

Span = tuple[int, int]
"""Start and end (exclusive), in characters of the text."""
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look for, folded: whole `words`, `beginnings` of words, `signs` (CJK text, emoji) anywhere, `phrases`."""

    words: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    signs: frozenset[str] = frozenset()
    phrases: tuple[Phrase, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.beginnings or self.signs or self.phrases)


def sought(query: Query, also: Iterable[str] = ()) -> Sought:
    """What a query looks for: words that begin as its words do, its CJK text in pairs, its phrases.

    `also` are whole words that stand in for some of it: other forms, corrected ones.
    """
    letters, signs = _cut(query.words)
    whole, more = _cut(" ".join(also))
    return Sought(frozenset(whole), frozenset(letters), frozenset((*signs, *more)), query.phrases)


def _cut(text: str) -> tuple[list[str], list[str]]:
    """The words of a text, and its signs: pairs of CJK characters, single ones that stand alone, emoji."""
    letters: list[str] = []
    signs: list[str] = []
    for token in TOKEN.findall(fold(text)):
        if is_cjk(token):
            signs += [token[at : at + _PAIR] for at in range(max(len(token) - 1, 1))]
        else:
            (letters if re.match(f"[{LETTERS}]", token) else signs).append(token)
    return letters, signs


@lru_cache(64)
def _typed(query: str) -> Sought:
    return sought(parse(query))


def spans(text: str, wanted: Sought | str) -> list[Span]:
    """The parts of `text` that match, ascending and not overlapping; a `str` is a query as it was typed."""
    known = _typed(wanted) if isinstance(wanted, str) else wanted
    if not known or not text:
        return []
    flat, origin = folded(text)
    found = _matches(flat, known)
    if origin is not None:
        found = ((origin[start], _end(origin, end, len(text))) for start, end in found)
    return _merged([*found, *_humps(text, known)])


def _end(origin: list[int], end: int, length: int) -> int:
    """Where the original of a folded match ends: behind its last character and the marks that join it."""
    last, following = origin[end - 1], origin[end] if end < len(origin) else length
    return last + 1 if following == last else following


def _matches(flat: str, known: Sought) -> Iterator[Span]:
    words, signs, phrases = _patterns(known)
    if words is not None:
        yield from (match.span() for match in words.finditer(flat))
    if signs is not None and not flat.isascii():
        yield from (match.span(1) for match in signs.finditer(flat))  # looked ahead for: pairs overlap
    for phrase in phrases:
        yield from (match.span() for match in phrase.finditer(flat))


_Pattern = re.Pattern[str]


@lru_cache(64)
def _patterns(known: Sought) -> tuple[_Pattern | None, _Pattern | None, tuple[_Pattern, ...]]:
    """Of words and beginnings, of signs, and of each phrase; of alternatives the longest counts."""
    letters = {word: f"{re.escape(word)}(?![{LETTERS}])" for word in known.words}
    letters |= {word: re.escape(word) for word in known.beginnings}
    words = "|".join(letters[word] for word in _longest_first(letters))
    signs = "|".join(map(re.escape, _longest_first(known.signs)))
    return (
        re.compile(f"(?<![{LETTERS}])(?:{words})") if words else None,
        re.compile(f"(?=({signs}))") if signs else None,
        tuple(re.compile(pattern_of(phrase)) for phrase in known.phrases),
    )


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=lambda word: (-len(word), word))


def _humps(text: str, known: Sought) -> Iterator[Span]:
    """The parts of `camelCase` names that match."""
    for start, end in hump_places(text):
        part = text[start:end].lower()
        if part in known.words:
            yield start, end
        lengths = [len(word) for word in known.beginnings if part.startswith(word)]
        if lengths:
            yield start, start + max(lengths)


def _merged(found: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
