"""What is typed: sessions of keystrokes over a bank, words with one edit, and queries that no parser expects."""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.bench.recall.corpus import Row
from tests.bench.recall.cutting import CJK

SESSIONS = 48
TYPOS = 200
HOSTILE = 500
KINDS = ("english", "english", "chinese", "typo", "english", "mixed")
"""Kinds of the sessions, in turns."""
CLASSES = ("one letter", "two or three", "one word", "several words", "chinese", "mixed", "typo")
LOOKED_AT = 20_000
"""Rows whose words are counted to choose from."""
RARE = range(3, 301)
"""Rows that hold a word whose typo is tried."""
_WORD = re.compile("[A-Za-z]{3,}")
_RUN = re.compile(f"[{CJK}]{{4,}}")
_LONGER = re.compile(r"(?<![\w])[a-z]{5,}(?![\w])")


@dataclass(frozen=True, slots=True)
class Key:
    """The text after one keystroke; `of` is its class."""

    of: str
    text: str


@dataclass(frozen=True, slots=True)
class Typo:
    """A word as typed with one edit, and the word that was meant."""

    typed: str
    meant: str


def sessions(rows: Sequence[Row], seed: int, count: int = SESSIONS) -> list[list[Key]]:
    """Typed sessions: words and runs of characters that stand in the rows, a query for each character."""
    chance = random.Random(seed)
    known = Counter(word for row in rows[:LOOKED_AT] for word in {word.lower() for word in _WORD.findall(row.text)})
    made: list[list[Key]] = []
    while len(made) < count:
        kind = KINDS[len(made) % len(KINDS)]
        if text := _MAKERS[kind](chance, chance.choice(rows).text, known):
            made.append(list(_keys(kind, text)))
    return made


def _keys(kind: str, text: str) -> Iterator[Key]:
    for end in range(1, len(text) + 1):
        if text[end - 1] != " ":
            typed = text[:end]
            yield Key(_class(typed) if kind == "english" else kind, typed)


def _class(typed: str) -> str:
    if len(typed) <= 3:
        return "one letter" if len(typed) == 1 else "two or three"
    return "several words" if " " in typed else "one word"


def _words(text: str, known: Counter[str]) -> list[str]:
    """Words of a text that are neither everywhere nor nowhere else."""
    return sorted({word.lower() for word in _WORD.findall(text) if 2 <= known[word.lower()] < 3_000})


def _english(chance: random.Random, text: str, known: Counter[str]) -> str:
    words = _words(text, known)
    return " ".join(chance.sample(words, chance.choice((2, 3)))) if len(words) >= 3 else ""


def _chinese(chance: random.Random, text: str, known: Counter[str]) -> str:
    runs = _RUN.findall(text)
    if not runs:
        return ""
    run, length = chance.choice(runs), chance.choice((2, 3, 4, 5))
    start = chance.randrange(max(1, len(run) - length + 1))
    return str(run[start : start + length])


def _mixed(chance: random.Random, text: str, known: Counter[str]) -> str:
    runs, words = _RUN.findall(text), _words(text, known)
    return f"{chance.choice(runs)[:2]} {chance.choice(words)}" if runs and words else ""


def _mistyped(chance: random.Random, text: str, known: Counter[str]) -> str:
    words = [word for word in _words(text, known) if len(word) >= 7 and known[word] < 60]
    if not words:
        return ""
    word = chance.choice(words)
    typed = edited(chance, word, chance.randrange(1, len(word) - 1))
    return typed if typed != word and typed not in known else ""


_MAKERS: dict[str, Callable[[random.Random, str, Counter[str]], str]] = {
    "english": _english,
    "chinese": _chinese,
    "mixed": _mixed,
    "typo": _mistyped,
}


def edited(chance: random.Random, word: str, at: int) -> str:
    """The word with one letter replaced, left out or put in, or two exchanged, at a place before its last letter."""
    head, letter, rest = word[:at], word[at], word[at + 1 :]
    kind = chance.choice("redo")
    if kind == "r":
        return head + chance.choice(string.ascii_lowercase) + rest
    if kind == "e":
        return head + chance.choice("etaoinshr") + letter + rest
    return head + rest if kind == "d" else head + rest[0] + letter + rest[1:]


def typos(rows: Sequence[Row], count: int = TYPOS, seed: int = 5) -> list[Typo]:
    """Rare words with one edit that is no word of the bank and no beginning of the word."""
    chance = random.Random(seed)
    known = Counter(word for row in rows for word in set(_LONGER.findall(row.text.lower())))
    every = {word for row in rows for word in re.findall("[a-z]+", row.text.lower())}
    rare = sorted(word for word, held in known.items() if held in RARE)
    made: list[Typo] = []
    while rare and len(made) < count:
        word = chance.choice(rare)
        typed = edited(chance, word, chance.randrange(len(word) - 1))
        if typed not in every and not word.startswith(typed):
            made.append(Typo(typed, word))
    return made


def finds(typo: Typo, rows: Sequence[Row], found: Sequence[int]) -> bool:
    """Whether the meant word stands in one of the rows found."""
    return any(typo.meant in rows[at].text.lower() for at in found)


_HOSTILE = (
    'type:fact tag:work owner:mara before:2024-05 "adoption agency" -draft 北京 mem',
    '"open quote and -"nested" quotes"" \' “curly” „low“ «guillemets»',
    "type: tag: owner: session: before: after: is: id: sort: -type: -: ::: :x x:: type::fact",
    "before:2024-13-45 after:0000-00-00 before:99999999999 after:-1 before:today sort:nothing is:what id:../../etc",
    "-- --flag=value -x -(a OR b) AND NOT (c NEAR/3 d) + ~ ^ * ? a* *a a?b [a-z]{2,} (?P<n>x)\\1",
    "'; drop table entries; -- \" or 1=1 /* */ %s %d {0} {name!r} $HOME `id` $(id) <b>x</b> &amp; [bold]x[/]",
    "C:\\Users\\me\\a.txt ~/.config/x/y.toml src/a-b/c_d.py:12 file:///etc/x https://a.example/?q=1&r=2#f",
    "fooBarBaz snake_case_name SCREAMING_CASE __dunder__ a.b.c() x->y x::y #include <a> @decorator() 0xFF 1e-9",
    "北京大学 的 在哪里 ，。！？ 「引用」 全角ＡＢＣ１２３ ｈａｌｆ ｶﾀｶﾅ かな 한국어 𠮷野家 々〆ヶ",
    "café naïve Ünïcödé e\u0301 a\u0301\u0302\u0303\u0304 ﬁ ﬀ ß ẞ İ ı ſ Å Ω ² ½ Ⅷ",
    "🙂 👩‍👩‍👧‍👦 🇨🇳 ❤️ 🏴\U000e0067\U000e0062\U000e007f emoji🙂inside ☃︎",
    "שלום עולם مرحبا بالعالم \u202eabc\u202c \u200f\u200e \u2066x\u2069 हिन्दी ไทย Ελληνικά русский",
    "tab\tnew\nline\r\nreturn \x00nul \x07bell \x1b[31mescape \x7f \ufeff \u200b \u00a0 \u2028 \ud800 \ufffd",
    "   leading   spaces    and trailing     ",
    '" " "" """ - -- " - " -"" -" type:"" type:" tag:"a b owner:-x -owner: -tag:"',
)


def hostile(count: int = HOSTILE, seed: int = 3) -> list[str]:
    """Half-typed queries: beginnings of these, pieces of two of them, and random signs; always the same ones."""
    chance = random.Random(seed)
    made = [text[:end] for text in _HOSTILE for end in range(0, len(text) + 1, 4)]
    made += ["a" * 10_000, "北" * 5_000, '"' * 999, "-" * 999, "type:" * 400, " ".join(string.ascii_letters) * 20]
    while len(made) < count:
        one, two = chance.sample(_HOSTILE, 2)
        cut, start = chance.randrange(len(one)), chance.randrange(len(two))
        made.append((one[cut : cut + 12] + two[start : start + 12])[: chance.randrange(1, 25)])
    return made[:count]
