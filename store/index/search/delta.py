"""The rows that came after the segment: a small index that only grows, so that earlier states can still be asked."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left, insort
from collections import Counter

from store.index.search.doc import Doc
from store.index.search.letters import may_be_mistyped
from store.index.search.points import points
from store.index.search.segment import impact
from store.index.search.signs import asks, signs
from store.index.search.stems import has_stem, stem
from store.index.search.words import fold, words

_PAST = chr(0x10FFFF)
Postings = list[tuple[int, int]]
"""Row (from 0 within the delta) and impact, rows ascending."""


class Delta:
    """Postings of added entries. Rows never change or go: who reads up to a number of rows sees one state."""

    def __init__(self) -> None:
        self.docs: list[Doc] = []
        self.lengths: list[int] = []
        self.asks, self.signs, self.points = bytearray(), bytearray(), array("Q")
        self._postings: dict[str, Postings] = {}
        self._terms: list[str] = []
        self._stems: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.docs)

    def add(self, doc: Doc) -> int:
        """Take in an entry; returns its row within the delta."""
        folded = fold(doc.text)
        tokens = words(doc.text, folded)
        with self._lock:
            row = len(self.docs)
            for term, times in Counter(tokens).items():
                known = self._postings.get(term)
                if known is None:
                    known = self._postings[term] = []
                    self._know(term)
                known.append((row, int(impact(times, len(tokens)))))
            self.docs.append(doc)
            self.lengths.append(len(tokens))
            self.asks.append(asks(doc.text))
            self.signs.append(signs(doc.text, tokens))
            self.points.append(points(folded))
        return row

    def _know(self, term: str) -> None:
        insort(self._terms, term)
        if has_stem(term):
            insort(self._stems.setdefault(stem(term), []), term)

    def postings(self, term: str) -> Postings:
        """Where a term stands."""
        return self._postings.get(term, [])

    def beginning(self, prefix: str) -> list[str]:
        """The terms that begin with `prefix`, sorted."""
        with self._lock:
            first = bisect_left(self._terms, prefix)
            return self._terms[first : bisect_left(self._terms, prefix + _PAST, first)]

    def of_stem(self, found: str) -> list[str]:
        """The terms of a stem, sorted."""
        with self._lock:
            return list(self._stems.get(found, ()))

    def spread(self) -> dict[str, int]:
        """In how many rows each stem stands, once for each form; a term without a stem is its own."""
        with self._lock:
            found = {root: sum(len(self._postings[term]) for term in terms) for root, terms in self._stems.items()}
            return found | {term: len(self._postings[term]) for term in self._terms if not has_stem(term)}

    def mistypable(self) -> list[str]:
        """The terms that typing errors are looked for in."""
        with self._lock:
            return [term for term in self._terms if may_be_mistyped(term)]
