"""The index as one reader sees it: rows that may not be seen count for nothing, as if they were not there."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.formula.forms import irregular, synonyms
from pipeline.recall.formula.weights import Weights
from store.index.search.index import Flags, Scores, SearchIndex
from store.index.search.segment import FULL
from store.index.search.signs import ALL
from store.index.search.spread import widespread
from store.index.search.stems import stem
from store.index.search.threads import Threads
from store.index.search.words import fold, is_cjk, words

COMMON = 0.05
"""A word is common in a bank where its stem stands in more than this share of the rows."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a term of a query stands: impacts of 0 to 255 a row (None: nowhere), in how many rows, and its rarity."""

    impacts: Scores | None
    rows: int
    idf: float


def rarity(count: int, rows: int) -> float:
    """The rarity of a term that `rows` of `count` rows have (BM25's, Lucene's form)."""
    return math.log1p((count - rows + 0.5) / (rows + 0.5))


def _words_of(name: str) -> tuple[str, ...]:
    """The words of a name; the last character of a Chinese one makes a word with what follows it in a text."""
    every = tuple(words(name))
    return tuple(word for word in every if len(word) > 1 or not is_cjk(word)) or every


class Sight:
    """What a reader sees of an index: `seen` [rows] says what may be seen. Answers are kept."""

    def __init__(self, index: SearchIndex, seen: Flags | None = None) -> None:
        self.index = index
        self.seen = index.alive if seen is None else index.alive & seen
        self._lasting: dict[object, object] = {}
        self._kept: OrderedDict[object, object] = OrderedDict()

    @cached_property
    def everything(self) -> bool:
        """Whether no row is hidden."""
        return bool(self.seen.all())

    @cached_property
    def count(self) -> int:
        """How many rows are seen."""
        return int(np.count_nonzero(self.seen))

    @cached_property
    def asks(self) -> Scores:
        """How much of each row is questions, 0 to 1."""
        return (self.index.asks / ALL).astype(np.float32)

    @cached_property
    def threads(self) -> Threads:
        """The threads of what is seen: a hidden row is no neighbour, and gets nothing from any."""
        return self.index.threads if self.everything else self.index.threads.among(self.seen)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The place of each row in its thread, as `Threads.places` counts them; -1 for rows without one."""
        found = np.full(len(self.index), -1, np.int64)
        found[self.threads.rows] = self.threads.places
        return found

    @cached_property
    def owners(self) -> dict[str, NDArray[np.int64]]:
        """The rows of each owner of whom anything is seen, by the folded name: `Aria` and `aria` are one."""
        found: dict[str, NDArray[np.int64]] = {}
        for written, every in self.index.owners.items():
            if len(rows := every[self.seen[every]]):
                name = fold(written)
                found[name] = np.union1d(found[name], rows) if name in found else rows
        return found

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """Who each row is of, as a place among `owners`; -1 for nobody."""
        found = np.full(len(self.index), -1, np.int64)
        for at, rows in enumerate(self.owners.values()):
            found[rows] = at
        return found

    @cached_property
    def common(self) -> frozenset[str]:
        """The words that are common in what is seen, with all forms of their stems."""
        most = COMMON * self.count
        every = [self.index.forms(root) for root in widespread(self.index, most)]
        if not self.everything:
            every = [forms for forms in every if sum(map(self.times, forms)) > most]
        return frozenset(form for forms in every for form in forms)

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The words of each name among `owners`, as they stand in a text."""
        return tuple(map(_words_of, self.owners))

    @cached_property
    def called(self) -> dict[str, list[int]]:
        """The places among `owners` of the names that begin with a word."""
        found: dict[str, list[int]] = {}
        for at, said in enumerate(self.names):
            if said:
                found.setdefault(said[0], []).append(at)
        return found

    def found(self, impacts: Scores | None) -> Found:
        """The impacts as this reader sees them, with the rarity that they give."""
        if impacts is not None and not self.everything:
            impacts *= self.seen
        rows = 0 if impacts is None else int(np.count_nonzero(impacts > 0))
        return Found(impacts if rows else None, rows, rarity(self.count, rows))

    def word(self, term: str, weights: Weights) -> Found:
        """A whole word with the other words of its stem, its irregular forms and its synonyms, each at its share.

        Forms of the word add up; a synonym counts where it is better than they are.
        """
        root = stem(term)
        total = self._forms(term, root, weights, 1.0, None)
        for other in irregular().get(root, ()):
            total = self._forms(other, other, weights, weights.irregular, total)
        if total is not None:
            np.minimum(total, FULL, out=total)
        for other in synonyms().get(root, ()):
            found = self._forms(other, other, weights, weights.synonym, None)
            if found is not None:
                total = found if total is None else np.maximum(total, found, out=total)
        return self.found(total)

    def _forms(self, term: str, root: str, weights: Weights, share: float, total: Scores | None) -> Scores | None:
        """The words of one stem added to `total`; `term` counts whole, the others less, all of it `share` times."""
        for form in self.index.forms(root):
            impacts = self.index.word(form) if form == term or form not in self.owners else None
            if impacts is not None:
                impacts *= np.float32(share if form == term else share * weights.same_stem)
                total = impacts if total is None else np.add(total, impacts, out=total)
        return total

    def times(self, term: str) -> int:
        """In how many rows a term stands."""
        rows = self.index.held(term)[0]
        return len(rows) if self.everything else int(np.count_nonzero(self.seen[rows]))

    def held(self, term: str) -> tuple[NDArray[np.int64], Scores]:
        """The rows that have a term, and how strongly [m]."""
        rows, impacts = self.index.held(term)
        if not self.everything:
            kept = self.seen[rows]
            rows, impacts = rows[kept], impacts[kept]
        return rows, impacts.astype(np.float32)

    def exact(self, term: str) -> Found:
        """A term as it is."""
        return self.found(self.index.word(term))

    def beginning(self, prefix: str, own_share: float = 0.0, form_share: float = 0.0) -> Found:
        """All words that begin so, on top `own_share` of the very word, and `form_share` of other words of its stem."""
        impacts = self.index.prefix(prefix)
        if impacts is not None and own_share and (own := self.index.word(prefix)) is not None:
            own *= np.float32(own_share)
            impacts += own
        for form in self.index.other_forms(prefix) if form_share else ():
            if (other := self.index.word(form)) is not None:
                other *= np.float32(form_share)
                impacts = other if impacts is None else np.maximum(impacts, other, out=impacts)
        return self.found(impacts)

    def lasting(self, key: object, make: Callable[[], T]) -> T:
        """What is the same for every query, made when it is first asked for."""
        if key not in self._lasting:
            self._lasting[key] = make()
        return cast(T, self._lasting[key])

    def kept(self, key: object, make: Callable[[], T]) -> T:
        """What belongs to some queries, made when it is not at hand, until it is forgotten."""
        found = self._kept.pop(key, None)
        if found is None:
            found = make()
        self._kept[key] = found  # as the one that was asked for last
        return cast(T, found)

    def forget(self, most: int) -> None:
        """Keep the `most` answers that were asked for last: each is as long as the bank."""
        while len(self._kept) > most:
            self._kept.popitem(last=False)
