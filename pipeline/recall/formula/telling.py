"""Why a row has its place in the hybrid ranking: its terms, its thread and the factors, in numbers and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from pipeline.recall.formula.forms import irregular, synonyms
from pipeline.recall.formula.hybrid import Ranked
from pipeline.recall.formula.lexical import Matched
from pipeline.recall.hits import Part
from store.index.search.stems import stem
from store.index.search.words import words

_OPEN, _SPOKEN = ("typed", "character"), ("typed", "word")
_WORDS = {
    "word": "has {found!r} (+{value:g})",
    "form": "has {found!r}, a form of {term!r} (+{value:g})",
    "synonym": "has {found!r}, which means about the same as {term!r} (+{value:g})",
    "beginning": "has {found!r}, which begins with {term!r} (+{value:g})",
    "meant": "has {found!r}, perhaps meant by {term!r} (+{value:g})",
    "thread": "its session speaks of {term!r} close by (+{value:g})",
    "link": "another memory of the same place in its session was found too (+{value:g})",
    "hop": "has {found}, as the best hits do (+{value:g})",
    "again": "stands close to better hits, and the query asks for several ({term}: × {value:g})",
    "meaning": "is near in meaning (+{value:g})",
    "worth": "for its length, and for how much of it is questions (× {value:g})",
    "owner": "is of {term}, whom the query names (× {value:g})",
    "date": "is of the date that the query names (× {value:g})",
    "time": "tells a time, which the query asks for (× {value:g})",
    "number": "tells a number, which the query asks for (× {value:g})",
    "name": "tells a name, which the query asks for (× {value:g})",
    "pair": "has words of the query side by side (× {value:g})",
    "common": "for how much of it is words that many memories have (× {value:g})",
    "other": "tells of somebody whom the query does not name (× {value:g})",
    "all words": "has {found} of the {term} words (× {value:g})",
}


def parts_of(ranked: Ranked, place: int, text: str) -> tuple[Part, ...]:
    """What the score of the row at `place` of the ranking is made of; `text` is that of its entry.

    First what is added up, then the factors that the sum is multiplied by.
    """
    row, tokens = int(ranked.rows[place]), dict.fromkeys(words(text))
    ideal = ranked.words.ideal / (1 if ranked.near is None else 1 - ranked.weights.meaning)
    added = [part for term in ranked.words.terms for part in _of_term(term, row, tokens, ideal)]
    return (*added, *_meant(ranked, row), *_led(ranked, row, tokens), *_linked(ranked, row), *_factors(ranked, row))


def terms_of(ranked: Ranked, place: int) -> tuple[str, ...]:
    """The terms of the query that the row itself has, each once."""
    row = int(ranked.rows[place])
    return tuple(term.wanted.term for term in ranked.words.terms if term.own is not None and term.own[row] > 0)


def _of_term(term: Matched, row: int, tokens: Iterable[str], ideal: float) -> Iterator[Part]:
    if term.own is None or term.scores is None or not ideal:
        return
    own, lent = float(term.own[row]), float(term.scores[row] - term.own[row])
    if own > 0:
        name, found = _how(term, tokens)
        yield Part(name, own / ideal, _WORDS[name], term.wanted.term, found)
    if lent > 0:
        yield Part("thread", lent / ideal, _WORDS["thread"], term.wanted.term)


def _meant(ranked: Ranked, row: int) -> Iterator[Part]:
    if ranked.near is None:
        return
    for share in ranked.near.shares[ranked.near.rows == row].tolist():
        if share > 0:
            yield Part("meaning", share * ranked.weights.meaning, _WORDS["meaning"])


def _led(ranked: Ranked, row: int, tokens: Iterable[str]) -> Iterator[Part]:
    if ranked.hops is None:
        return
    for value in ranked.hops.values[ranked.hops.rows == row].tolist():
        found = [token for token in tokens if stem(token) in ranked.hops.stems]
        yield Part("hop", value, _WORDS["hop"], found=", ".join(map(repr, found)))


def _linked(ranked: Ranked, row: int) -> Iterator[Part]:
    """What came over a link, which the first factors did not multiply, as a part of the sum that they do."""
    if ranked.linked is None:
        return
    by = math.prod(float(factor.take(np.array([row]))[0]) for factor in ranked.factors)
    for value in ranked.linked.values[ranked.linked.rows == row].tolist():
        yield Part("link", value / by, _WORDS["link"])


def _how(term: Matched, tokens: Iterable[str]) -> tuple[str, str]:
    """In which way a row has a term, and the word of the row that does it."""
    wanted = term.wanted.term
    if wanted in tokens:
        return "word", wanted
    if term.wanted.kind in _OPEN and (begun := _first(tokens, lambda token: token.startswith(wanted))):
        return "beginning", begun
    if term.wanted.kind in _SPOKEN and (form := _first(tokens, lambda token: stem(token) == stem(wanted))):
        return "form", form
    if term.wanted.kind == "word" and (kin := _kin(wanted, tokens)):
        return kin
    return "meant", _first(tokens, lambda token: token in term.instead)


def _kin(wanted: str, tokens: Iterable[str]) -> tuple[str, str] | None:
    """A word of the row that no rule leads to: an irregular form, else a synonym."""
    for name, kin in (("form", irregular()), ("synonym", synonyms())):
        stems = kin.get(stem(wanted), ())
        if found := next((token for token in tokens if stem(token) in stems), ""):
            return name, found
    return None


def _first(tokens: Iterable[str], holds: Callable[[str], bool]) -> str:
    return next(filter(holds, tokens), "")


def _factors(ranked: Ranked, row: int) -> Iterator[Part]:
    for factor in (*ranked.factors, *ranked.beside):
        if (value := float(factor.take(np.array([row]))[0])) != 1:
            yield Part(factor.name, value, _WORDS[factor.name], factor.term)
    if (share := ranked.share(row)) != 1:
        has = sum(term.own is not None and term.own[row] > 0 for term in ranked.words.terms)
        yield Part("all words", share, _WORDS["all words"], str(len(ranked.words.terms)), str(has))
