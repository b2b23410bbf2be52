"""Waiting facts that may be the same in other words; nothing is merged by it (`spec/extraction.md` §24.3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.extract.ledger.gaps import Gap, all_gaps, gap_key, read_gap
from pipeline.extract.words import content_words
from pipeline.review.alike import SIMILAR
from pipeline.review.nearby import near_waiting
from pipeline.review.waiting import Waiting
from store.view import View

MOST = 16
"""Facts under one word that each fact is compared with; more say the same thing and are found through each other."""
Why = Literal["words", "cited"]


@dataclass(frozen=True, slots=True)
class Link:
    """Two waiting facts of one project that may be one, by their row keys in ascending order of their ids.

    `why`: `words` when they share enough content words (`similarity`, 0..1), `cited` when a model named one for the
    other and they share none. `review.find` takes the keys.
    """

    first: str
    second: str
    similarity: float
    why: Why = "words"


def links(view: View, threshold: float = SIMILAR) -> tuple[Link, ...]:
    """Every suggestion of a bank, the most alike first; for thousands of facts, the work grows with the facts alone."""
    return linked(all_gaps(view), threshold)


def linked(gaps: Iterable[Gap], threshold: float = SIMILAR) -> tuple[Link, ...]:
    """The suggestions among some facts; only those that wait count."""
    waiting = [gap for gap in gaps if gap.state in ("open", "ready")]
    found: dict[tuple[str, str], Link] = {}
    for link in (*_cited(waiting), *_alike(waiting, threshold)):
        found[link.first, link.second] = link
    return tuple(sorted(found.values(), key=lambda one: (-one.similarity, one.first, one.second)))


def links_of(view: View, item: Waiting) -> tuple[Link, ...]:
    """The suggestions for one fact, the most alike first; quick enough for each move of the cursor."""
    gap = read_gap(item.key, view.rows("gaps").get(item.key, {})) if item.table == "gaps" else None
    if gap is None or gap.state not in ("open", "ready"):
        return ()
    rows = view.rows("gaps")
    cited = [read_gap(gap_key(gap.project, name), rows.get(gap_key(gap.project, name), {})) for name in gap.suspects]
    found = [_link(gap, other, 0.0, "cited") for other in cited if other and other.state in ("open", "ready")]
    near = {gap_key(gap.project, one.id): one for one in near_waiting(view, gap.key)}
    alike = [_pair(gap.key, key, one.similarity, "words") for key, one in near.items()]
    return tuple(dict.fromkeys((*alike, *found)))


def _cited(waiting: Sequence[Gap]) -> Iterator[Link]:
    there = {gap.key: gap for gap in waiting}
    for gap in waiting:
        for name in gap.suspects:
            other = there.get(gap_key(gap.project, name))
            if other is not None and other.key != gap.key:
                yield _link(gap, other, 0.0, "cited")


def _alike(waiting: Sequence[Gap], threshold: float) -> Iterator[Link]:
    """Pairs of at least this similarity, found through their rare words.

    Two sets whose Jaccard similarity reaches t share one of the `w - ceil(t * w) + 1` rarest words of each (prefix
    filtering), so common words are never looked up.
    """
    words = {gap.key: content_words(gap.content) for gap in waiting}
    often = Counter(word for found in words.values() for word in found)
    holding: dict[tuple[str, str], list[Gap]] = {}
    for gap in waiting:
        own = words[gap.key]
        near: dict[str, Gap] = {}
        for word in _rare(own, often, threshold):
            before = holding.setdefault((gap.project, word), [])
            near |= {other.key: other for other in before[-MOST:]}
            before.append(gap)
        for other in near.values():
            both = own | words[other.key]
            similarity = len(own & words[other.key]) / len(both)
            if similarity >= threshold:
                yield _link(gap, other, similarity, "words")


def _rare(words: frozenset[str], often: Mapping[str, int], threshold: float) -> Sequence[str]:
    ordered = sorted(words, key=lambda word: (often[word], word))
    return ordered[: len(ordered) - math.ceil(threshold * len(ordered) - 1e-9) + 1]


def _link(one: Gap, other: Gap, similarity: float, why: Why) -> Link:
    return _pair(one.key, other.key, similarity, why)


def _pair(one: str, other: str, similarity: float, why: Why) -> Link:
    first, second = sorted((one, other), key=lambda key: (key.rpartition("|")[2], key))
    return Link(first, second, similarity, why)
