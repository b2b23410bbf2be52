"""How right `offline` is on the labelled snippets: the way of the product, from a typed message to rows that wait.

Each snippet is extracted as one typed message of a session of its own, admission and every extractor included that is
on by default. A proposal is right when a quote of it covers a labelled fact; recall is the share of labelled facts that
some proposal covers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path

from pipeline.extraction import extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from tests.pipeline.review_desk import NOW
from tests.pipeline.review_desk import desk as rehearsed

FOLDER = Path(__file__).parent
SETS = ("development", "invented", "held_back", "unseen")
"""The rules were written beside the first two, the second by their own author; mistakes on the third were mended. The
author of the last had not seen the rules, and it was scored once: 78 of 80 proposals right, 78 of 130 facts found."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A message, the kind of thing that it says, and the exact pieces of it that are worth keeping: none or more."""

    id: str
    text: str
    lang: str
    kind: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a snippet: the quotes of each proposal, those that are right, and the facts that were covered."""

    snippet: Snippet
    proposed: tuple[str, ...]
    right: tuple[str, ...]
    covered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Right proposals of all, covered facts of all."""

    snippets: int
    right: int
    proposed: int
    covered: int
    facts: int


def labelled(name: str) -> tuple[Snippet, ...]:
    """The snippets of a set, in the order of its file."""
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return tuple(Snippet(row["id"], row["text"], row["lang"], row["kind"], tuple(row["facts"])) for row in rows)


@cache
def outcomes(name: str) -> tuple[Outcome, ...]:
    """What the product makes of every snippet of a set."""
    return tuple(map(judged, labelled(name)))


def judged(snippet: Snippet) -> Outcome:
    """What the product makes of one snippet, compared with its labels."""
    session = Session("openai", snippet.id, "", (Turn(1, "line 1", Author.TYPED, snippet.text, NOW),))
    waiting = extract([session], rehearsed(), OfflineDoor(), parallel=1).proposals
    proposed = [tuple(quote.text for quote in one.quotes) for one in waiting]
    facts = [(fact, _place(snippet.text, fact)) for fact in snippet.facts]
    right = [quotes for quotes in proposed if any(_covers(snippet.text, quotes, place) for _, place in facts)]
    covered = [fact for fact, place in facts if any(_covers(snippet.text, quotes, place) for quotes in proposed)]
    return Outcome(snippet, tuple(map(" | ".join, proposed)), tuple(map(" | ".join, right)), tuple(covered))


def _covers(text: str, quotes: Sequence[str], fact: Span) -> bool:
    return any(same_words(_place(text, quote), fact) for quote in quotes)


def _place(text: str, piece: str) -> Span:
    start = text.index(piece)
    return start, start + len(piece)


def same_words(left: Span, right: Span) -> bool:
    """Whether one place contains the other, or they share more than half of the shorter one."""
    shared = min(left[1], right[1]) - max(left[0], right[0])
    return 2 * shared > min(left[1] - left[0], right[1] - right[0])


def score(found: Iterable[Outcome]) -> Score:
    """The counts over some outcomes."""
    found = tuple(found)
    return Score(
        len(found),
        sum(len(one.right) for one in found),
        sum(len(one.proposed) for one in found),
        sum(len(one.covered) for one in found),
        sum(len(one.snippet.facts) for one in found),
    )


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share after Wilson: what the share may be, given so few trials."""
    if not of:
        return 0.0, 1.0
    share = hits / of
    middle = share + z * z / (2 * of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, (middle - half) / (1 + z * z / of)), min(1.0, (middle + half) / (1 + z * z / of))


def report(name: str) -> str:
    """The score of a set as a table: over all, by language, by kind."""
    found = outcomes(name)
    lines = [f"{name:<18} {'snippets':>8}  {'precision':<27} recall", _line("all", found)]
    groups: tuple[tuple[str, Callable[[Outcome], str]], ...] = (
        ("language", lambda one: one.snippet.lang),
        ("kind", lambda one: one.snippet.kind),
    )
    for title, of in groups:
        lines.append(f"by {title}")
        lines += [_line(value, [one for one in found if of(one) == value]) for value in dict.fromkeys(map(of, found))]
    return "\n".join(lines)


def _line(name: str, found: Sequence[Outcome]) -> str:
    counted = score(found)
    precision, recall = share(counted.right, counted.proposed), share(counted.covered, counted.facts)
    return f"  {name:<16} {counted.snippets:>8}  {precision:<27} {recall}".rstrip()


def share(hits: int, of: int) -> str:
    """A share in words, with its interval: `50/52  0.96 (0.87-0.99)`; `-` of nothing."""
    if not of:
        return "-"
    low, high = wilson(hits, of)
    return f"{f'{hits}/{of}':>7}  {hits / of:.2f} ({low:.2f}-{high:.2f})"
