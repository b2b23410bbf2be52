"""The filter that answers while a person types: plain folded text and a few `key:value` words, half typed or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from store.memory import Memory
from store.view import View, fold

KEYS = ("type", "tag", "owner", "label", "source", "before", "after", "is")
STATES = ("archived", "immutable", "pinned", "private", "trash")
"""What `is:` understands; `trash` and `archived` look there instead of at the live memories."""


@cache
def _date() -> re.Pattern[str]:
    """A date, or the beginning of one."""
    return re.compile(r"\d{1,4}(-(\d{1,2}(-\d{0,2})?)?)?")


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

    `place` is where to look. `unknown` are the words that mean nothing, for the screen to say so.
    """

    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    place: str = "live"
    unknown: tuple[str, ...] = ()


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
    place = "live"
    for match in _word().finditer(text):
        minus = bool(match["minus"])
        if match["key"] is None:
            word = (match["phrase"] if match["text"] is None else match["text"]).casefold()
            if word:
                (without if minus else words).append(word)
            continue
        term = _term(match, minus, unknown)
        if term is not None and term.key == "is" and not minus and term.values[0] in {"trash", "archived"}:
            place = term.values[0]
        elif term is not None:
            terms.append(term)
    return Filter(tuple(dict.fromkeys(words)), tuple(dict.fromkeys(without)), _joined(terms), place, tuple(unknown))


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
        if any(not _date().fullmatch(value) for value in values):
            unknown.append(match[0])
        values = tuple(value.rstrip("-") for value in values if _date().fullmatch(value))[:1]
    return Term(key, values, minus) if values else None


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
        attribute, judge = _test(term)
        read, verdicts, holds = attrgetter(attribute), _Verdicts(judge), not term.negated
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


def _test(term: Term) -> tuple[str, Judge]:
    """The attribute of a memory that a term looks at, and what must hold of it."""
    values, first = term.values, term.values[0]
    match term.key:
        case "type" | "owner" | "label":
            return term.key, lambda text: text.casefold().startswith(values)
        case "tag":
            return "tags", lambda tags: any(_bare(tag).startswith(values) for tag in tags)
        case "source":
            return "source", lambda text: any(value in text.casefold() for value in values)
        case "before":
            return "created", lambda day: bool(day) and day < first
        case "after":
            return "created", lambda day: day[: len(first)] > first
    return _STATE_TESTS[first]


def _bare(tag: str) -> str:
    return tag.strip("\"'").casefold()


_STATE_TESTS: dict[str, tuple[str, Judge]] = {
    "pinned": ("tags", lambda tags: any(_bare(tag) == "pinned" for tag in tags)),
    "immutable": ("immutable", bool),
    "private": ("scope", lambda scope: scope == "private"),
    "trash": ("state", lambda state: state == "trashed"),
    "archived": ("state", lambda state: state == "archived"),
}
