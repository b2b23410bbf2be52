"""What can stand where a person is typing: operators, and the values that the bank has for them, most used first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

from pipeline.ready import ready
from pipeline.recall.filtering.judging import DATES, READ, VALUES, bound, has, lying, shown_day
from pipeline.recall.filtering.query import KEYS, SORTS, STATES, Typed, beginning, parse, parts, plain
from store import clock
from store.index.search.doc import day_of
from store.index.search.words import fold
from store.memory import TYPE_FOLDERS, Memory
from store.view import View

MOST = 50
"""Values that are offered at once."""
YEAR, MONTH, DAY = len("2026"), len("2026-10"), len("2026-10-12")
_LAST_ITEM = re.compile(r'(?:^|,)(?P<item>"[^"]*"?|[^",]*)$')


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can stand there: `text` as it is put in, and of how many memories it holds (None: of none)."""

    text: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Completions:
    """What can stand in place of the typed text from `start` to `end` (exclusive): a `whole` word or part of one."""

    start: int
    end: int
    values: tuple[Completion, ...] = ()
    whole: bool = False

    def put(self, text: str, value: Completion) -> tuple[str, int]:
        """The text with one of the values in it, and where the cursor stands then: at the end behind a space."""
        rest = text[self.end :]
        put = value.text + (" " if self.whole and not rest else "")
        return text[: self.start] + put + rest, self.start + len(put)


def complete(text: str, at: int, view: View) -> Completions:
    """What the part of `text` that ends at the cursor `at` can become; what is left of a word behind it goes.

    Counts are of the memories in the places that the text looks in (`pending`: of what waits in Review); operators,
    and orders, have none. In a phrase nothing is offered.
    """
    at = max(0, min(at, len(text)))
    part = next((part for part in parts(text[:at]) if part.end == at), None)
    if part is None:
        return _operators("", text, at)
    if part.kind == "operator":
        return _valued(part, text, at, view)
    if part.kind == "phrase":
        return Completions(at, at)
    return _operators(part.value.removeprefix("-"), text, at)


def _operators(typed: str, text: str, at: int) -> Completions:
    rest = re.match(r'[^\s":]*:?', plain(text[at:])) if typed else None
    names = tuple(Completion(f"{key}:") for key in beginning(KEYS, typed.casefold()))
    return Completions(at - len(typed), at + (rest.end() if rest else 0), names)


def _valued(part: Typed, text: str, at: int, view: View) -> Completions:
    found = _LAST_ITEM.search(part.value)
    item = found["item"] if found else ""
    rest = re.match(r'[^"]*"' if _is_open(item) else r'[^\s",]*', plain(text[at:]))
    values = _values(part.key, fold(item.strip('"')).strip(), parse(text).places, view)
    end = at + (rest.end() if rest else 0)
    return Completions(at - len(item), end, tuple(islice(values, MOST)), whole=part.key not in DATES)


def _is_open(item: str) -> bool:
    return item.startswith('"') and (len(item) == 1 or not item.endswith('"'))


def _values(key: str, typed: str, places: Sequence[str], view: View) -> Iterable[Completion]:
    if key == "sort":
        return map(Completion, beginning(SORTS, typed))
    known = _known(view, key, places)
    if key == "is":
        return [Completion(state, _holding(view, known, state)) for state in beginning(STATES, typed)]
    if key in DATES:
        return _dates(key, known, typed)
    if key == "id":
        return _names(known, typed)
    shown: Counter[str] = Counter() if key != "type" else Counter(dict.fromkeys(beginning(TYPE_FOLDERS, typed), 0))
    for raw, times in known.items():
        for name in _SHOWN[key](raw):
            if any(has(key, typed, value) for value in VALUES[key](_raw(key, name))):
                shown[name] += times
    ordered = sorted(shown.items(), key=lambda pair: (-pair[1], pair[0]))
    return (Completion(_written(name), times) for name, times in ordered if name.strip() and '"' not in name)


def _names(known: Counter[Any], typed: str) -> Iterator[Completion]:
    """The names of files that begin so, in the order of the bank: the first are enough."""
    for (path, _), times in known.items():
        name = path.rpartition("/")[2].removesuffix(".md")
        if fold(name).startswith(typed) and '"' not in name:
            yield Completion(_written(name), times)


def _written(name: str) -> str:
    """A value as it is typed: in quotes when it would end too soon."""
    return f'"{name}"' if re.search(r"[\s,]", plain(name)) else name


def _raw(key: str, name: str) -> Any:
    """One shown value as if a memory had it alone."""
    return (name,) if key == "tag" else name


def _sessions(evidence: str) -> Iterable[str]:
    pieces = (piece.strip().rpartition("#") for piece in evidence.split(","))
    return dict.fromkeys(before if sign else ref for before, sign, ref in pieces)


_SHOWN: dict[str, Callable[[Any], Iterable[str]]] = {
    "type": lambda raw: (raw,),
    "tag": lambda tags: (tag.strip("\"'") for tag in tags),
    "owner": lambda raw: (raw,),
    "label": lambda raw: (raw,),
    "source": lambda raw: (raw,),
    "session": _sessions,
}
"""The values of a memory as they are written, by operator."""


def _dates(key: str, known: Counter[Any], typed: str) -> Iterable[Completion]:
    """The years, months or days of the bank, newest first: the next smaller step than what is typed.

    Each with how many memories lie before it, or after it, as `key` says.
    """
    length = YEAR if len(typed) < YEAR else MONTH if len(typed) < MONTH else DAY
    dates = {day[:length] for day in known if day.startswith(typed) and len(day) >= length}
    days = [(day_of(day), times) for day, times in known.items()]
    return (Completion(date, _beyond(key, days, bound(key, date))) for date in sorted(dates, reverse=True))


def _beyond(key: str, days: Sequence[tuple[int, int]], limit: int) -> int:
    """How many memories lie before or after a bound, as `judging` judges each."""
    return sum(times for day, times in days if (0 < day < limit if key == "before" else day > limit))


def _holding(view: View, known: Counter[Any], state: str) -> int:
    match state:
        case "trash":
            return len(view.trashed)
        case "archived":
            return len(view.archived)
        case "pending":
            return ready(view.tables, clock.millis())[0]
    return sum(times for raw, times in known.items() if state in VALUES["is"](raw))


_KNOWN: WeakKeyDictionary[View, dict[tuple[str, tuple[str, ...]], Counter[Any]]] = WeakKeyDictionary()
"""What was counted of a view, for as long as somebody looks at it."""


def _known(view: View, key: str, places: Sequence[str]) -> Counter[Any]:
    """How many memories of some places have each value of an operator, as they are read."""
    kept = _KNOWN.setdefault(view, {})
    slot = key, tuple(places)
    if slot not in kept:
        read: Callable[[Memory], Hashable] = shown_day if key in DATES else READ[key]
        kept[slot] = Counter(map(read, chain.from_iterable(lying(view, place) for place in places)))
    return kept[slot]
