"""The filter that answers while a person types: plain folded text and a few `key:value` words, half typed or not."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from store.memory import TYPE_FOLDERS, Memory
from store.view import View, fold

KEYS = ("type", "tag", "owner", "label", "source", "before", "after", "is")
STATES = ("archived", "immutable", "pinned", "private", "trash")
"""What `is:` understands; `trash` and `archived` look there instead of at the live memories."""

MONTHS = 12
NEAR, FAR = 0.75, 20
"""How alike a word has to be to a key to have been meant for it, and from how many letters on it never is."""
_VALUE = "write something behind the colon, or leave it out"
_DATE = "write a date as 2026, 2026-10 or 2026-10-12"
_REMEDIES = {
    "before": _DATE,
    "after": _DATE,
    "is": f"write is: with one of {', '.join(STATES)}",
    "type": f"write type: with one of {', '.join(TYPE_FOLDERS)}",
}
"""How what stands behind a key is written, by key."""


@cache
def _date() -> re.Pattern[str]:
    """A date, or the beginning of one."""
    return re.compile(r"(?P<year>[0-9]{1,4})(?:-(?P<month>[0-9]{0,2})(?:-(?P<day>[0-9]{0,2}))?)?")


@cache
def _word() -> re.Pattern[str]:
    """One word, phrase or `key:value` of what was typed; compiled by the first letter, not by the first frame."""
    return re.compile(
        rf"""(?P<minus>-?)(?:
            (?P<key>{"|".join(KEYS)}):(?:"(?P<quoted>[^"]*)"?|(?P<value>[^\s"]*))
            | "(?P<phrase>[^"]*)"?
            | (?P<text>[^\s"]+)
        )""",
        re.VERBOSE | re.IGNORECASE,
    )


Judge = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """One `key:value` word, folded; `values` are alternatives, `negated` turns it round."""

    key: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """What was typed, understood: all `words` must occur, none of `without`, and every term must hold.

    `place` is where to look. `unknown` are the words that mean nothing, for the screen to say so; `mistaken` those that
    are looked for as text and are nearly a key, each with that key; `unfinished` those that mean nothing so far.
    """

    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    place: str = "live"
    unknown: tuple[str, ...] = ()
    mistaken: tuple[tuple[str, str], ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def refusal(self) -> str:
        """What of it cannot be meant, and how it is written, in a sentence; "" when a person may mean all of it."""
        for word in (*self.unknown, *self.unfinished):
            return f"{word} means nothing; {_REMEDIES.get(word.lstrip('-').partition(':')[0].lower(), _VALUE)}."
        for word, key in self.mistaken:
            return f"{word} means nothing; write {key}: for that, or put it in quotes to look for the words."
        return ""


@dataclass(frozen=True, slots=True)
class Selection:
    """The memories that pass: `indices` into `pool`, ascending, in the order of the view."""

    pool: tuple[Memory, ...]
    texts: tuple[str, ...]
    indices: Sequence[int]
    filter: Filter

    @property
    def memories(self) -> list[Memory]:
        """The memories that pass."""
        return [self.pool[index] for index in self.indices]


def parse(text: str) -> Filter:
    """Understand what was typed so far; whatever it is, this never raises."""
    words: list[str] = []
    without: list[str] = []
    terms: list[Term] = []
    unknown: list[str] = []
    mistaken: dict[str, str] = {}
    unfinished: list[str] = []
    place = "live"
    for match in _word().finditer(text):
        minus = bool(match["minus"])
        if match["key"] is None:
            word = (match["phrase"] if match["text"] is None else match["text"]).casefold()
            if word:
                (without if minus else words).append(word)
            if match["text"] and (key := _nearly(word.partition(":"))):
                mistaken[match[0]] = key
            continue
        faults = len(unknown)
        term = _term(match, minus, unknown)
        if term is None and len(unknown) == faults:
            unfinished.append(match[0])
        if term is not None and term.key == "is" and not minus and term.values[0] in {"trash", "archived"}:
            place = term.values[0]
        elif term is not None:
            terms.append(term)
    plain = tuple(dict.fromkeys(words)), tuple(dict.fromkeys(without))
    return Filter(*plain, _joined(terms), place, tuple(unknown), tuple(mistaken.items()), tuple(unfinished))


def _nearly(parts: tuple[str, str, str]) -> str:
    """The key that a word with a colon was perhaps meant to begin with, "" for none."""
    return _nearest(parts[0]) if parts[1] else ""


@cache
def _nearest(word: str) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, KEYS, 1, NEAR)), "") if len(word) < FAR else ""


def _term(match: re.Match[str], minus: bool, unknown: list[str]) -> Term | None:
    key = match["key"].lower()
    written = match["value"] if match["quoted"] is None else match["quoted"]
    values = tuple(value for value in (written or "").casefold().split(",") if value)
    if key == "is":
        known = tuple(full for value in values if (full := _state(value)))
        if any(not _beginnings(value) for value in values):
            unknown.append(match[0])
        values = known[:1]
    elif key in {"before", "after"}:
        days = [_day(value) for value in values]
        if None in days:
            unknown.append(match[0])
        values = tuple(filter(None, days))[:1]
    elif key == "type" and any(not _begins_type(value) for value in values):
        unknown.append(match[0])
    return Term(key, values, minus) if values else None


def _begins_type(value: str) -> bool:
    return any(type.casefold().startswith(value) for type in TYPE_FOLDERS)


def _day(value: str) -> str | None:
    """What was typed of a date, as dates are written; "" while it says nothing, None when no date begins so."""
    found = _date().fullmatch(value)
    if found is None or (len(found["year"]) < len("2026") and found["month"] is not None):
        return None
    year, month, day = found["year"], found["month"] or "", found["day"] or ""
    if len(year) < len("2026"):
        return ""
    if month in {"", "0"}:
        return None if found["day"] is not None else year
    if not 1 <= int(month) <= MONTHS or int(year) < 1:
        return None
    if day in {"", "0"}:
        return f"{year}-{month:0>2}"
    return f"{year}-{month:0>2}-{day:0>2}" if 1 <= int(day) <= monthrange(int(year), int(month))[1] else None


def _beginnings(value: str) -> list[str]:
    return [state for state in STATES if state.startswith(value)]


def _state(value: str) -> str:
    """The state that a word, or the only possible beginning of one, means; "" while it could be several."""
    found = _beginnings(value)
    return found[0] if len(found) == 1 else ""


def _joined(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms of one key that can hold only one value at a time become alternatives: `type:fact type:pref`."""
    found: dict[tuple[str, bool, int], Term] = {}
    for at, term in enumerate(terms):
        alternatives = term.key in {"type", "owner", "label", "source"} and not term.negated
        slot = (term.key, term.negated, -1 if alternatives else at)
        before = found.get(slot)
        found[slot] = Term(term.key, before.values + term.values, term.negated) if before else term
    return tuple(found.values())


def select(view: View, text: str, previous: Selection | None = None) -> Selection:
    """The memories of the view that pass what was typed.

    `previous` is the answer to what stood there before the last key: when the text only grew narrower on the same
    view, only its memories are looked at again.
    """
    wanted = parse(text)
    if previous is not None and previous.pool is _pool(view, wanted.place) and narrows(previous.filter, wanted):
        return _applied(previous.pool, previous.texts, previous.indices, wanted)
    pool = _pool(view, wanted.place)
    texts = view.folded if wanted.place == "live" else tuple(fold(memory) for memory in pool)
    return _applied(pool, texts, range(len(pool)), wanted)


def _pool(view: View, place: str) -> tuple[Memory, ...]:
    if place == "live":
        return view.live
    return view.trashed if place == "trash" else view.archived


def _applied(pool: tuple[Memory, ...], texts: tuple[str, ...], within: Sequence[int], wanted: Filter) -> Selection:
    found = within
    for word in sorted(wanted.words, key=len, reverse=True):  # the longest is the rarest
        found = [index for index in found if word in texts[index]]
    for word in wanted.without:
        found = [index for index in found if word not in texts[index]]
    for term in wanted.terms:
        read, judge = _test(term)
        verdicts, holds = _Verdicts(judge), not term.negated
        found = [index for index in found if verdicts[read(pool[index])] is holds]
    return Selection(pool, texts, found, wanted)


def narrows(before: Filter, after: Filter) -> bool:
    """Whether everything that passes `after` also passes `before`."""
    return (
        before.place == after.place
        and set(before.terms) <= set(after.terms)
        and all(any(word in longer for longer in after.words) for word in before.words)
        and all(any(shorter in word for shorter in after.without) for word in before.without)
    )


class _Verdicts(dict[Any, bool]):
    """Judges each value of a column once: a bank has few types, owners and dates."""

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, value: Any) -> bool:
        verdict = self[value] = self._judge(value)
        return verdict


def shown_day(memory: Memory) -> str:
    """The date of a memory that a list shows, and that `before:` and `after:` go by: when it last changed."""
    return memory.updated or memory.created


def _test(term: Term) -> tuple[Callable[[Memory], Any], Judge]:
    """What of a memory a term looks at, and what must hold of it."""
    values, first = term.values, term.values[0]
    match term.key:
        case "type" | "owner" | "label":
            return attrgetter(term.key), lambda text: text.casefold().startswith(values)
        case "tag":
            return attrgetter("tags"), lambda tags: any(_bare(tag).startswith(values) for tag in tags)
        case "source":
            return attrgetter("source"), lambda text: any(value in text.casefold() for value in values)
        case "before":
            return shown_day, lambda day: bool(day) and day < first
        case "after":
            return shown_day, lambda day: day[: len(first)] > first
    attribute, judge = _STATE_TESTS[first]
    return attrgetter(attribute), judge


def _bare(tag: str) -> str:
    return tag.strip("\"'").casefold()


_STATE_TESTS: dict[str, tuple[str, Judge]] = {
    "pinned": ("tags", lambda tags: any(_bare(tag) == "pinned" for tag in tags)),
    "immutable": ("immutable", bool),
    "private": ("scope", lambda scope: scope == "private"),
    "trash": ("state", lambda state: state == "trashed"),
    "archived": ("state", lambda state: state == "archived"),
}
