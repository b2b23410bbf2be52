"""What a person typed to find memories, understood: words, `"phrases"`, `key:value` and `-not`, half typed or not.

Several values of one operator are alternatives, different operators must all hold (`design/recall.md` §8).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from store.index.search.words import TOKEN, fold
from store.memory import TYPE_FOLDERS

KEYS = ("type", "tag", "owner", "label", "source", "session", "id", "before", "after", "is", "sort")
STATES = ("archived", "immutable", "pending", "pinned", "private", "trash")
"""What `is:` understands."""
PENDING = "pending"
PLACES = ("trash", "archived", PENDING)
"""The states that look there instead of at the live memories; pending are the proposals that wait in Review."""
SORTS = ("relevance", "time", "type", "use", "place")
"""What `sort:` understands."""
LIVE = "live"

MONTHS = 12
NEAR, FAR = 0.75, 20
"""How alike a word has to be to a key to have been meant for it, and from how many letters on it never is."""
_VALUE = "write something behind the colon, or leave it out"
_DATE = "write a date as 2026, 2026-10 or 2026-10-12"
_REMEDIES = {
    "before": _DATE,
    "after": _DATE,
    "is": f"write is: with one of {', '.join(STATES)}",
    "sort": f"write sort: with one of {', '.join(SORTS)}",
    "type": f"write type: with one of {', '.join(TYPE_FOLDERS)}",
}
"""How what stands behind a key is written, by key."""
_TYPED_AS = str.maketrans({"\uff1a": ":", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\uff02": '"', "\uff0c": ","})
"""Signs as a Chinese keyboard or a word processor writes them, one for one."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side, folded, one space between them; `open` when its last word may go on."""

    text: str
    open: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """All values of one operator, folded: alternatives; `negated` leaves out what has any of them."""

    key: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, understood.

    `words` is the text to rank by, as written, phrases in it too; it ends in a space when its last word is finished.
    All `phrases` must stand in a memory, none of `without`, and every term must hold. `places` are where to look:
    `live`, or some of `PLACES`. `sort` is one of `SORTS`, "" when none was asked for. `unknown` are the parts that mean
    nothing, for the screen to say so; `mistaken` those looked for as text that are nearly an operator, each with its
    key; `unfinished` those that mean nothing so far.
    """

    words: str = ""
    phrases: tuple[Phrase, ...] = ()
    without: tuple[Phrase, ...] = ()
    terms: tuple[Term, ...] = ()
    places: tuple[str, ...] = (LIVE,)
    sort: str = ""
    unknown: tuple[str, ...] = ()
    mistaken: tuple[tuple[str, str], ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where to look when only one place can be shown: the one named first."""
        return self.places[0]

    @property
    def narrows(self) -> bool:
        """Whether anything but the words decides which memories are shown."""
        return bool(self.phrases or self.without or self.terms) or self.places != (LIVE,)

    @property
    def refusal(self) -> str:
        """What of it cannot be meant, and how it is written, in a sentence; "" when a person may mean all of it."""
        for word in (*self.unknown, *self.unfinished):
            return f"{word} means nothing; {_REMEDIES.get(_key_of(word), _VALUE)}."
        for word, key in self.mistaken:
            return f"{word} means nothing; write {key}: for that, or put it in quotes to look for the words."
        return ""


def _key_of(word: str) -> str:
    return plain(word).lstrip("-").partition(":")[0].lower()


@dataclass(frozen=True, slots=True)
class Typed:
    """One part of what was typed, from `start` to `end` (exclusive): an operator (`key`), a phrase or a word.

    `value` is what stands behind the colon, in the quotes, or the word; an operator's still has its quotes and commas.
    """

    start: int
    end: int
    kind: str
    minus: bool
    key: str
    value: str
    open: bool


@cache
def _part() -> re.Pattern[str]:
    """One part of what was typed; compiled by the first letter, not by the first frame."""
    item = r'(?:"[^"]*"?|[^\s",]*)'
    return re.compile(
        rf"""(?P<minus>-?)(?:
            (?P<key>{"|".join(KEYS)}):(?P<value>{item}(?:,{item})*)
            | "(?P<phrase>[^"]*)(?P<close>"?)
            | (?P<text>[^\s"]+)
        )""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _values() -> re.Pattern[str]:
    return re.compile(r'"([^"]*)"?|([^",]+)')


@cache
def _date() -> re.Pattern[str]:
    """A date, or the beginning of one."""
    return re.compile(r"(?P<year>[0-9]{1,4})(?:-(?P<month>[0-9]{0,2})(?:-(?P<day>[0-9]{0,2}))?)?")


def plain(text: str) -> str:
    """The text with the signs of other keyboards as the operators have them, character by character."""
    return text if text.isascii() else text.translate(_TYPED_AS)


def parts(text: str) -> list[Typed]:
    """The parts of what was typed, in order."""
    return [_typed(match) for match in _part().finditer(plain(text))]


def _typed(match: re.Match[str]) -> Typed:
    key = (match["key"] or "").lower()
    kind = "operator" if key else "word" if match["phrase"] is None else "phrase"
    value = next(group for group in (match["value"], match["phrase"], match["text"]) if group is not None)
    return Typed(match.start(), match.end(), kind, bool(match["minus"]), key, value, not match["close"])


def parse(text: str) -> Query:
    """Understand what was typed so far; whatever it is, this never raises."""
    found = _Found()
    for part in parts(text):
        written = text[part.start : part.end]
        if part.kind == "operator":
            _operator(part, written, found)
        elif part.kind == "phrase":
            _phrase(part, text, found)
        else:
            _word(part, written, found)
    return found.query(text)


class _Found:
    """What of the typed text is understood so far."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.finished = True
        self.phrases: list[Phrase] = []
        self.without: list[Phrase] = []
        self.terms: list[Term] = []
        self.places: list[str] = []
        self.sort = ""
        self.unknown: list[str] = []
        self.mistaken: dict[str, str] = {}
        self.unfinished: list[str] = []

    def say(self, words: str, finished: bool) -> None:
        """Take in text to rank by."""
        self.written.append(words)
        self.finished = finished

    def query(self, text: str) -> Query:
        """All of it."""
        words = " ".join(self.written)
        ended = self.finished or text[-1:].isspace()
        return Query(
            f"{words} " if words and ended and not words[-1].isspace() else words,
            tuple(dict.fromkeys(self.phrases)),
            tuple(dict.fromkeys(self.without)),
            _joined(self.terms),
            tuple(dict.fromkeys(self.places)) or (LIVE,),
            self.sort,
            tuple(self.unknown),
            tuple(self.mistaken.items()),
            tuple(self.unfinished),
        )


def phrase_of(text: str, *, open: bool = False) -> Phrase:
    """The phrase of a text as it was written; its last word may go on when it is `open` and no space follows."""
    return Phrase(" ".join(fold(text).split()), open and not text[-1:].isspace())


def _phrase(part: Typed, text: str, found: _Found) -> None:
    phrase = phrase_of(part.value, open=part.open and not part.minus)
    if not phrase.text:
        return
    (found.without if part.minus else found.phrases).append(phrase)
    if not part.minus:
        found.say(text[part.start + 1 : part.start + 1 + len(part.value)], not phrase.open)
    else:
        found.finished = True


def _word(part: Typed, written: str, found: _Found) -> None:
    if key := _nearly(part.value.partition(":")):
        found.mistaken[written] = key
    if part.minus and TOKEN.search(fold(part.value)):
        found.without.append(phrase_of(part.value))
        found.finished = True
    elif written != "-":  # nothing is left out by signs alone: an arrow is no wish
        found.say(written, finished=False)


def _nearly(pieces: tuple[str, str, str]) -> str:
    """The key that a word with a colon was perhaps meant to begin with, "" for none."""
    return _nearest(pieces[0].casefold()) if pieces[1] else ""


@cache
def _nearest(word: str) -> str:
    from difflib import get_close_matches

    keys = [key for key in KEYS if key[0] == word[:1]]
    return next(iter(get_close_matches(word, keys, 1, NEAR)), "") if len(word) < FAR else ""


def _operator(part: Typed, written: str, found: _Found) -> None:
    found.finished = True
    faults = len(found.unknown)
    values = _understood(part, written, found.unknown)
    if not values:
        if len(found.unknown) == faults:
            found.unfinished.append(written)
        return
    if part.key == "sort":
        found.sort = values[-1]
        return
    if part.key == "is" and not part.minus:
        found.places += [value for value in values if value in PLACES]
        values = [value for value in values if value not in PLACES]
    if values:
        found.terms.append(Term(part.key, tuple(values), part.minus))


def values_of(value: str) -> list[str]:
    """The values behind a colon, folded: they are separated by commas, and may be in quotes."""
    found = (fold(quoted or plain).strip() for quoted, plain in _values().findall(value))
    return [one for one in found if one]


def _understood(part: Typed, written: str, unknown: list[str]) -> list[str]:
    """The values of an operator that mean something; `unknown` gets the operator when one of them never can."""
    key, values = part.key, values_of(part.value)
    wrong = False
    if key in {"is", "sort"}:
        known = SORTS if key == "sort" else STATES
        wrong = any(not beginning(known, value) for value in values) or (key == "sort" and part.minus)
        values = [full for value in values if (full := _only(known, value))] if not (wrong and key == "sort") else []
    elif key in {"before", "after"}:
        days = [_day(value) for value in values]
        wrong = None in days
        values = [day for day in days if day]
    elif key == "type":
        wrong = any(not beginning(TYPE_FOLDERS, value) for value in values)
    if wrong:
        unknown.append(written)
    return values


def beginning(known: Iterable[str], value: str) -> list[str]:
    """Those of `known` that begin with a folded value."""
    return [full for full in known if full.casefold().startswith(value)]


def _only(known: Sequence[str], value: str) -> str:
    """What a word, or the only possible beginning of one, means; "" while it could be several."""
    found = beginning(known, value)
    return value if value in found else found[0] if len(found) == 1 else ""


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


def _joined(terms: Iterable[Term]) -> tuple[Term, ...]:
    """One term for each operator, wished for or left out."""
    found: dict[tuple[str, bool], tuple[str, ...]] = {}
    for term in terms:
        slot = term.key, term.negated
        found[slot] = tuple(dict.fromkeys((*found.get(slot, ()), *term.values)))
    return tuple(Term(key, values, negated) for (key, negated), values in found.items())
