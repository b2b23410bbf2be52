"""From entries to a segment (`design/recall.md` §5): seconds for 100,000 of them, so in a process of its own."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from store.index.search.doc import Doc
from store.index.search.letters import pairs_of
from store.index.search.points import Points, points
from store.index.search.segment import FULL, HEAVY, Impacts, Rows, Segment, codes, impact, thread_order
from store.index.search.signs import asks, signs
from store.index.search.stems import stem_groups
from store.index.search.strings import Strings
from store.index.search.words import fold, words

LONGEST_HEAVY = 6
"""Letters of the prefixes that are summed up: longer ones are words, with few others behind them."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of each row: the tokens as `numbers` in a `vocabulary`, their `lengths`, its signs and points."""

    vocabulary: Mapping[str, int]
    numbers: Rows
    lengths: Rows
    asks: Impacts
    signs: Impacts
    points: Points


def build(docs: Sequence[Doc]) -> Segment:
    """The segment over all of `docs`, whatever their order."""
    docs = thread_order(docs)
    read = _read(docs)
    terms, starts, rows, impacts = _postings(read)
    heavy, sums = _heavy(terms, starts, rows, impacts, len(docs))
    session_names, sessions = codes([doc.session for doc in docs])
    owner_names, owners = codes([doc.owner for doc in docs])
    return Segment(
        Strings.of(terms),
        starts,
        rows,
        impacts,
        heavy,
        sums,
        *stem_groups(terms),
        *pairs_of(terms),
        Strings.of(doc.key for doc in docs),
        Strings.of(doc.mark for doc in docs),
        session_names,
        sessions,
        np.array([doc.at for doc in docs], np.int32),
        owner_names,
        owners,
        np.array([doc.day for doc in docs], np.int32),
        read.asks,
        read.signs,
        read.points,
        read.lengths,
    )


def _read(docs: Sequence[Doc]) -> _Read:
    vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
    numbers, lengths, written = array("i"), array("i"), array("Q")
    asking, told = bytearray(), bytearray()
    number = vocabulary.__getitem__
    for doc in docs:
        folded = fold(doc.text)
        tokens = words(doc.text, folded)
        numbers.extend(map(number, tokens))
        lengths.append(len(tokens))
        asking.append(asks(doc.text))
        told.append(signs(doc.text, tokens))
        written.append(points(folded))
    return _Read(
        vocabulary,
        np.array(numbers, np.int32),
        np.array(lengths, np.int32),
        np.frombuffer(asking, np.uint8),
        np.frombuffer(told, np.uint8),
        np.array(written, np.uint64),
    )


def _postings(read: _Read) -> tuple[list[str], NDArray[np.int64], Rows, Impacts]:
    """The sorted terms, where each one's postings begin, and the postings."""
    order = sorted(read.vocabulary, key=lambda term: term.encode("utf-8", "surrogatepass"))
    ranks = np.empty(len(order), np.int64)
    ranks[[read.vocabulary[term] for term in order]] = np.arange(len(order))
    length, size = read.lengths.astype(np.int64), max(len(read.lengths), 1)
    both = ranks[read.numbers] * size + np.repeat(np.arange(len(length)), length)
    both.sort()
    first = np.flatnonzero(np.diff(both, prepend=-1))
    times = np.diff(first, append=len(both))
    term, row = np.divmod(both[first], size)
    starts = np.searchsorted(term, np.arange(len(order) + 1)).astype(np.int64)
    return order, starts, row.astype(np.int32), impact(times, length[row])


def _heavy(
    terms: Sequence[str], starts: NDArray[np.int64], rows: Rows, impacts: Impacts, size: int
) -> tuple[Strings, Impacts]:
    """The prefixes with more postings than a share of the rows, and their impacts summed up for every row."""
    found: dict[str, tuple[int, int]] = {}
    level = [(0, len(terms), 0)]
    while level:
        low, high, depth = level.pop()
        at = low
        while at < high:
            end = at + 1
            head = terms[at][: depth + 1]
            while end < high and terms[end].startswith(head):
                end += 1
            if len(head) > depth and (starts[end] - starts[at]) * HEAVY > size and end - at > 1:
                found[head] = (at, end)
                if depth + 1 < LONGEST_HEAVY:
                    level.append((at, end, depth + 1))
            at = end
    names = sorted(found, key=lambda head: head.encode("utf-8", "surrogatepass"))
    sums = np.zeros((len(names), size), np.uint8)
    for place, name in enumerate(names):
        low, high = (int(starts[at]) for at in found[name])
        total = np.bincount(rows[low:high], impacts[low:high], size)
        sums[place] = np.minimum(total, FULL)
    return Strings.of(names), sums
