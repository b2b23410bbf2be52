"""A generated bank of any size: the same rows in every run, the first ones the same at every size.

Lengths are log-normal between 50 and 2,000 characters; six rows of ten are English, three Chinese, one both. A few
sentences name code and paths.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from store.memory import Memory
from tests.bench.recall.lexicon import chinese, word, zipf

SHORTEST, LONGEST = 50, 2_000
"""Characters of a row."""
_HEADS, _TAILS = ("mar", "tol", "ken", "bri", "sav"), ("a", "on", "ike", "eth")
OWNERS = tuple(head + tail for head in _HEADS for tail in _TAILS)
TAGS = ("work", "home", "health", "travel", "code", "family", "money", "food", "工作", "习惯")
TYPES = ("FACT", "FACT", "FACT", "FACT", "FACT", "FACT", "FACT", "PREF", "PREF", "COMMIT", "BOUND")
FIRST_DAY = date(2021, 1, 1)
DAYS = 2_000
_ENGLISH = zipf(130_000, 1.14)
_CHINESE = zipf(20_000, 1.45)
_RANKS, _RANKS_ZH = range(len(_ENGLISH)), range(len(_CHINESE))


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a bank to search; `day` is ISO, `session` groups the turns of one conversation ("" for none)."""

    id: str
    owner: str
    type: str
    tags: tuple[str, ...]
    day: str
    text: str
    session: str = ""
    moment: str = ""


def rows(count: int, seed: int = 7) -> list[Row]:
    """The first `count` rows."""
    return [_row(at, seed) for at in range(count)]


def memories(found: Iterable[Row]) -> Iterator[Memory]:
    """The rows as memories of a bank; the text stands once, as statement and body."""
    for at, row in enumerate(found):
        path = f"facts/{row.id}.md"
        evidence = f"{row.session}#{at}" if row.session else ""
        yield Memory(
            path,
            path,
            hashlib.sha256(row.text.encode()).hexdigest(),
            type=row.type,
            statement=row.text,
            body=row.text,
            owner=row.owner,
            tags=row.tags,
            created=row.day,
            updated=row.day,
            evidence=evidence,
            extra=(("observed", row.moment),) if row.moment else (),
            ordinal=at,
        )


def _row(at: int, seed: int) -> Row:
    chance = random.Random(seed << 32 | at)
    drawn = chance.random()
    size = min(LONGEST, max(SHORTEST, round(math.exp(chance.gauss(5.2, 0.65)))))
    if drawn < 0.6:
        text = _text(chance, size, (_sentence,))
    elif drawn < 0.9:
        text = _text(chance, max(SHORTEST, size // 2), (_sentence_zh,))
    else:
        text = _text(chance, size, (_sentence, _sentence_zh))
    day = FIRST_DAY + timedelta(days=chance.randrange(DAYS))
    return Row(
        f"m{at:06}",
        chance.choice(OWNERS),
        chance.choice(TYPES),
        tuple(chance.sample(TAGS, 2)),
        day.isoformat(),
        text,
    )


def _text(chance: random.Random, size: int, makers: Sequence[Callable[[random.Random], str]]) -> str:
    """Sentences up to `size` characters; the last one may run over."""
    parts: list[str] = []
    length = -1
    while length < size:
        parts.append(chance.choice(makers)(chance))
        length += len(parts[-1]) + 1
    return " ".join(parts)[:LONGEST].rstrip()


def _sentence(chance: random.Random) -> str:
    words = [word(rank) for rank in chance.choices(_RANKS, cum_weights=_ENGLISH, k=chance.randint(5, 16))]
    if chance.random() < 0.12:
        words.insert(chance.randrange(len(words)), _code(chance))
    if chance.random() < 0.1:
        words.insert(chance.randrange(len(words)), str(chance.randrange(chance.choice((100, 10_000)))))
    first = words[0]
    return " ".join((first[:1].upper() + first[1:], *words[1:])) + "."


def _sentence_zh(chance: random.Random) -> str:
    words = [chinese(rank) for rank in chance.choices(_RANKS_ZH, cum_weights=_CHINESE, k=chance.randint(5, 16))]
    if chance.random() < 0.3:
        words.insert(chance.randrange(1, len(words)), "，")
    if chance.random() < 0.05:
        words.insert(chance.randrange(1, len(words)), f" {_code(chance)} ")
    return "".join(words) + "。"


def _code(chance: random.Random) -> str:
    """An identifier, a path, an option, a version or an address."""
    one, two, three = (word(rank) for rank in chance.choices(_RANKS, cum_weights=_ENGLISH, k=3))
    return chance.choice(
        (
            f"{one}_{two}()",
            f"{one.capitalize()}{two.capitalize()}{three.capitalize()}",
            f"src/{one}/{two}_{three}.py",
            f"~/.config/{one}/{two}.toml",
            f"--{one}-{two}",
            f"{one}@{chance.randrange(9)}.{chance.randrange(30)}.{chance.randrange(10)}",
            f"https://{one}.example/{two}#{three}",
            f"{one.upper()}_{two.upper()}",
        )
    )
