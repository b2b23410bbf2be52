"""What of a memory an operator, a phrase or a word left out looks at: for one memory, and for many as columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from pipeline.recall.filtering.query import LIVE, Phrase, Query, Term, phrase_of
from store.access import path_owner
from store.index.search.doc import Quotes, day_of, no_quotes, text_of
from store.index.search.words import LETTERS, TOKEN, fold, is_cjk, words
from store.memory import Memory
from store.view import View

DATES = ("before", "after")
PLACE = "place"
"""The key of where a memory lies, which `is:trash` and the like ask for."""
_PLACE_OF = {"live": LIVE, "trashed": "trash", "archived": "archived"}
STATED = ("is", PLACE)
"""What is looked for whole: there are few values, and the parser knows them."""
_PAIR = 2
YEAR, MONTH = len("2026"), len("2026-10")


def shown_day(memory: Memory) -> str:
    """The date of a memory that a list shows, and that `before:` and `after:` go by: when it last changed."""
    return memory.updated or memory.created


# --- what an operator looks at: `READ` takes it out of a memory, `VALUES` gives its folded values


def _owner(memory: Memory) -> str:
    """Whose it is: the owner that its path names counts first (`spec/bank.md` §6.6)."""
    return (path_owner(memory.path) if "private/" in memory.path else "") or memory.owner


def _sessions(memory: Memory) -> str:
    """Where a memory was found, without the turn when that is one place."""
    evidence = memory.evidence
    return evidence if "," in evidence else evidence.rpartition("#")[0]


def _bare(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(fold(tag.strip("\"'")) for tag in tags)


def _names(paths: tuple[str, str]) -> tuple[str, ...]:
    """Its id and its path, and the file names of both."""
    folded = [fold(path) for path in dict.fromkeys(paths)]
    return (*folded, *(path.rpartition("/")[2] for path in folded))


def _held(evidence: str) -> tuple[str, ...]:
    """The sessions of `<format>/<session>#<ref>, …` (`decisions.md` §2.4), with and without the format."""
    pieces = (piece.strip().rpartition("#") for piece in evidence.split(","))
    keys = {fold(before if sign else ref) for before, sign, ref in pieces}
    return tuple({name for key in keys for name in (key, key.partition("/")[2]) if name})


def _states(raw: tuple[str, bool, str, tuple[str, ...]]) -> tuple[str, ...]:
    state, immutable, scope, tags = raw
    found = [_PLACE_OF[state]]
    found += ["immutable"] if immutable else []
    found += ["private"] if scope == "private" else []
    return (*found, "pinned") if "pinned" in _bare(tags) else tuple(found)


READ: dict[str, Callable[[Memory], Hashable]] = {
    "type": attrgetter("type"),
    "tag": attrgetter("tags"),
    "owner": _owner,
    "label": attrgetter("label"),
    "source": attrgetter("source"),
    "session": _sessions,
    "id": attrgetter("id", "path"),
    "is": attrgetter("state", "immutable", "scope", "tags"),
    PLACE: attrgetter("state"),
}


def _one(text: str) -> tuple[str, ...]:
    return (fold(text),)


VALUES: dict[str, Callable[[Any], tuple[str, ...]]] = {
    "type": _one,
    "tag": _bare,
    "owner": _one,
    "label": _one,
    "source": _one,
    "session": _held,
    "id": _names,
    "is": _states,
    PLACE: lambda state: (_PLACE_OF[state],),
}


def has(key: str, wanted: str, value: str) -> bool:
    """Whether a folded value of a memory is what was asked for: states are, sources have it, others begin so."""
    if key in STATED:
        return value == wanted
    return wanted in value if key == "source" else value.startswith(wanted)


def bound(key: str, date: str) -> int:
    """The day (year·10000 + month·100 + day) that `before:` or `after:` a date, year or month is before or after."""
    digits = date.replace("-", "")
    return int(digits + ("0000" if key == "before" else "9999")[: 8 - len(digits)])


# --- phrases


def tokens(phrase: Phrase) -> list[tuple[str, bool]]:
    """The terms of the index that a memory with the phrase has, each with whether it is only a beginning."""
    found: list[tuple[str, bool]] = []
    for match in TOKEN.finditer(phrase.text):
        token = match[0]
        if is_cjk(token):
            found += [(token[at : at + _PAIR], len(token) == 1) for at in range(max(len(token) - 1, 1))]
        else:
            found.append((token, phrase.open and match.end() == len(phrase.text)))
    return list(dict.fromkeys(found))


def is_term(phrase: Phrase) -> bool:
    """Whether the index alone knows where the phrase stands: it is one word, sign, CJK character or pair."""
    found = tokens(phrase)
    return len(found) == 1 and found[0][0] == phrase.text


def stands(phrase: Phrase, folded: str) -> bool:
    """Whether a phrase stands in a folded text, from the beginning of a word to the end of one, over line ends too."""
    longest, pattern = _written(phrase)
    return longest in folded and pattern.search(folded) is not None


@lru_cache(64)
def _written(phrase: Phrase) -> tuple[str, re.Pattern[str]]:
    pieces = phrase.text.split(" ")
    return max(pieces, key=len), re.compile(pattern_of(phrase))


def pattern_of(phrase: Phrase) -> str:
    """The regular expression of a phrase in folded text."""
    first, *rest = map(re.escape, phrase.text.split(" "))
    begins = f"(?<![{LETTERS}]{first})" if _is_letter(phrase.text[0]) else ""  # behind it: a literal is found faster
    ends = f"(?![{LETTERS}])" if _is_letter(phrase.text[-1]) and not phrase.open else ""
    return first + begins + "".join(rf"\s+{word}" for word in rest) + ends


def _is_letter(sign: str) -> bool:
    return re.match(f"[{LETTERS}]", sign) is not None


# --- one memory


def lying(view: View, place: str) -> Sequence[Memory]:
    """The memories of a view in one place, in the order of the place; none are `pending`."""
    if place == LIVE:
        return view.live
    if place == "trash":
        return view.trashed
    return view.archived if place == "archived" else ()


def passes(memory: Memory, query: Query, quotes: Quotes = no_quotes) -> bool:
    """Whether a memory is where the query looks, has its phrases, none of the words left out, and holds every operator.

    The words to rank by are not asked for: see `says`. `quotes` gives the person's words under the memory.
    """
    if not any(place in _values(memory, PLACE) for place in query.places):
        return False
    if not all(_holds(memory, term) for term in query.terms):
        return False
    if not (query.phrases or query.without):
        return True
    text = _Text(text_of(memory, quotes(memory)))
    return all(map(text.has, query.phrases)) and not any(map(text.has, query.without))


def says(memory: Memory, text: str, quotes: Quotes = no_quotes) -> bool:
    """Whether every word of a text begins a word of the memory, or stands in its CJK text."""
    wanted = [phrase_of(word, open=True) for word in text.split()]
    wanted = [phrase for phrase in wanted if TOKEN.search(phrase.text)]
    if not wanted:
        return True
    found = _Text(text_of(memory, quotes(memory)))
    return all(map(found.has, wanted))


def _values(memory: Memory, key: str) -> tuple[str, ...]:
    return VALUES[key](READ[key](memory))


def _holds(memory: Memory, term: Term) -> bool:
    if term.key in DATES:
        day = day_of(shown_day(memory))
        days = (bound(term.key, value) for value in term.values)
        found = any(0 < day < other if term.key == "before" else day > other for other in days)
    else:
        values = _values(memory, term.key)
        found = any(has(term.key, wanted, value) for wanted in term.values for value in values)
    return found is not term.negated


class _Text:
    """One text, folded and cut into words once, when a phrase asks for it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded: str | None = None
        self._words: frozenset[str] | None = None

    def has(self, phrase: Phrase) -> bool:
        if is_term(phrase):
            return self._has_term(*tokens(phrase)[0])
        return stands(phrase, self._flat)

    @property
    def _flat(self) -> str:
        if self._folded is None:
            self._folded = fold(self._text)
        return self._folded

    def _has_term(self, term: str, begins: bool) -> bool:
        if term not in self._flat:  # cheaper than to cut the text into words
            return False
        if self._words is None:
            self._words = frozenset(words(self._text))
        return any(word.startswith(term) for word in self._words) if begins else term in self._words
