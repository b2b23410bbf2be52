"""Words that a fact is found by: cleaned, of one type and origin each, the better one where two collide.

`spec/extraction.md` §25, "Facets". The cleaning and the rules that find keys in a text are ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.canonical import SPACE, collapse
from pipeline.measure import units
from store.fields import objects, text
from store.secret import find_secrets

KEY_TYPES = ("code", "exact", "entity", "concept", "alias")
"""Types of keys, the one that wins a collision first."""
ORIGINS = ("user", "deterministic", "llm")
"""Who gave a key, the one that wins a collision first."""
KEYS = 16
"""Keys of one fact."""
KEY_UNITS = 256
"""UTF-16 units of one key."""
RULED = 8
"""Keys that the rules find in one text: the other half is for those of a model and of a person."""
LITERAL = frozenset({"code", "exact", "entity"})
"""Types that say that the words themselves stand in the text."""

_LATIN = "A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_NAMED = f"{_LATIN}0-9"
_HIDDEN = frozenset({"Cc", "Cf", "Cs"})
_BLANK = re.compile(f"[{SPACE}]")
_TRAILING = ".,;:!?)'\"’”"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("code", re.compile(r"`([^`\n]{1,100})`")),
    ("exact", re.compile(r"https?://[^\s<>\"'`，。；、）」]+")),
    (
        "exact",
        re.compile(
            r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|«([^»\n]{2,80})»|「([^」\n]{2,80})」|『([^』\n]{2,80})』"
            r"|《([^》\n]{2,80})》|(?<!\w)['‘]([^'’\n]{2,80})['’](?!\w)"
        ),
    ),
    ("exact", re.compile(r"(?<![\w/.~])(?:~|\.{1,2})?/[\w.@%+-]+(?:/[\w.@%+-]+)*/?|\b[A-Za-z]:\\[\w.\\-]+")),
    ("exact", re.compile(r"(?a:(?<![\w/.@-])(?=[^\s/]*[A-Za-z])[\w.@-]+(?:(?:/[\w.@-]+){2,}|/[\w@-]+\.\w+)/?)")),
    ("code", re.compile(r"(?a:(?<![\w-])--[A-Za-z][\w-]+)")),
    ("code", re.compile(r"(?a:(?<![\w.])[A-Za-z_]\w+(?:(?:\.|::)[A-Za-z_]\w+)+(?:\(\))?|\b[A-Za-z_]\w*\(\))")),
    ("code", re.compile(r"(?a:(?<!\w)(?:_*[A-Za-z][A-Za-z0-9]*_\w*[A-Za-z0-9]\w*|[a-z]+[0-9]*[A-Z]\w*)(?!\w))")),
)
"""What stands in a text for its own sake, what comes first taking its words away from what comes after."""
_WORD = re.compile(f"(?<![{_NAMED}_])[{_LATIN}][{_NAMED}]*(?:[+&#-][{_NAMED}]+)*(?:\\+\\+|#)?")
_STARTS = re.compile(r"(?:^|[.!?:;。！？：；]['\"”’)\]]*)\s*$")
_NO_CAPITALS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_COMMON_WORDS = """
i i'm a an and all always are at before by do does don't for from he her his how if in is it its let my never no not of
on only or our please she so that the their there these they this those to until use used user users we what when where
which who why will with you your
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april may june july august september october november december
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Capitalised words that name nothing by themselves."""


@dataclass(frozen=True, slots=True)
class SearchKey:
    """One key: cleaned words, what kind of words they are, and who gave them."""

    text: str
    type: str
    origin: str

    @property
    def rank(self) -> tuple[int, int]:
        """Its place in a collision, the smaller the better."""
        return ORIGINS.index(self.origin), KEY_TYPES.index(self.type)


def clean_key(words: str) -> str:
    """A key without control and zero-width characters, composed, on one line and trimmed; "" when nothing is left."""
    spaced = _BLANK.sub(" ", words)
    seen = "".join(char for char in spaced if unicodedata.category(char) not in _HIDDEN)
    return collapse(unicodedata.normalize("NFC", seen))


def search_key(words: str, type: str, origin: str) -> SearchKey | None:
    """The key that these words make; None when nothing is left of them, they are too long, or hold a secret."""
    key = clean_key(words)
    if not 1 <= units(key) <= KEY_UNITS or find_secrets(key):
        return None
    return SearchKey(key, type, origin)


def settled(keys: Iterable[SearchKey], most: int = KEYS) -> tuple[SearchKey, ...]:
    """Each key once, letter case aside: the best origin, then the best type; the best first, at most so many."""
    best: dict[str, SearchKey] = {}
    for key in keys:
        name = key.text.casefold()
        if name not in best or key.rank < best[name].rank:
            best[name] = key
    return tuple(sorted(best.values(), key=lambda key: key.rank)[:most])


def found_keys(content: str) -> tuple[SearchKey, ...]:
    """Keys that stand in a text for its own sake: code, paths, quoted names, capitalised names; in their order."""
    rest, found = content, dict[int, SearchKey | None]()
    for type, pattern in _PATTERNS:
        for hit in pattern.finditer(rest):
            words = next((part for part in hit.groups() if part), hit[0])
            words = words.rstrip(_TRAILING) if type == "exact" and not hit.lastindex else words
            found[hit.start()] = search_key(words, type, "deterministic") if len(words) > 1 else None
            rest = rest[: hit.start()] + "\n" * len(hit[0]) + rest[hit.end() :]
    found |= {start: search_key(words, "entity", "deterministic") for start, words in _names(rest)}
    keys = [key for _, key in sorted(found.items()) if key is not None]
    first = {key.text.casefold(): key for key in reversed(keys)}
    return tuple(key for key in keys if first[key.text.casefold()] is key)[:RULED]


def literal(key: SearchKey, *texts: str) -> SearchKey:
    """A model's key as it is, or as an alias when it claims to stand in texts that do not hold it."""
    name = key.text.casefold()
    stands = key.origin != "llm" or key.type not in LITERAL or any(name in clean_key(text).casefold() for text in texts)
    return key if stands else replace(key, type="alias")


def key_rows(keys: Sequence[SearchKey]) -> list[dict[str, str]]:
    """The keys as a row keeps them."""
    return [{"key": key.text, "type": key.type, "origin": key.origin} for key in keys]


def read_keys(row: Mapping[str, Any], name: str = "keys") -> tuple[SearchKey, ...]:
    """The keys of a row, which were cleaned when it was written; what is damaged is left out."""
    found = (SearchKey(text(one, "key"), text(one, "type"), text(one, "origin")) for one in objects(row, name)[:KEYS])
    return tuple(key for key in found if key.text and key.type in KEY_TYPES and key.origin in ORIGINS)


def _names(content: str) -> Iterable[tuple[int, str]]:
    """Runs of capitalised words with their places; a word that only begins a sentence is no name."""
    cased = not _NO_CAPITALS.search(content)
    run: list[re.Match[str]] = []
    for hit in _WORD.finditer(content):
        if run and content[run[-1].end() : hit.start()] != " ":
            yield from _name(content, run, cased)
            run = []
        if hit[0][0].isupper():
            run.append(hit)
        elif run:
            yield from _name(content, run, cased)
            run = []
    yield from _name(content, run, cased)


def _name(content: str, run: list[re.Match[str]], cased: bool) -> Iterable[tuple[int, str]]:
    while run and run[0][0].lower() in _COMMON:
        run = run[1:]
    while run and run[-1][0].lower() in _COMMON:
        run = run[:-1]
    if not run:
        return
    first = run[0]
    marked = len(run) > 1 or any(char.isupper() or char.isdigit() for char in first[0][1:])
    starts = cased and bool(_STARTS.search(content[max(0, first.start() - 8) : first.start()]))
    if (marked or not starts) and run[-1].end() - first.start() > 1:
        yield first.start(), content[first.start() : run[-1].end()]
