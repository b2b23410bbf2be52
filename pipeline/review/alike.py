"""Which of many waiting facts share words with one: found by sets of bits, so that none is compared by itself.

The similarity is that of content words (`spec/extraction.md` §24.3). Thousands of facts may be alike; a person sees the
few that are most alike, so these come first and the others are never ordered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pipeline.extract.ledger.gaps import Gap
from pipeline.extract.words import content_words

SIMILAR = 0.4
"""Jaccard similarity of content words from which two facts are shown together."""
OFTEN = 256
"""A word in more than one of so many facts has its set ready; those of all other words together would be too large."""


@dataclass(frozen=True, slots=True)
class Alike:
    """The waiting facts of one project in the order of their ids; bit n of a set stands for fact n.

    `holding` says which facts hold a word, `often` is the same as a set for the words that many hold, `sizes` are the
    facts with so many words.
    """

    gaps: Sequence[Gap]
    holding: Mapping[str, Sequence[int]]
    often: Mapping[str, int]
    sizes: Mapping[int, int]

    @classmethod
    def of(cls, gaps: Iterable[Gap]) -> Alike:
        """Of the facts of one project."""
        ordered = sorted(gaps, key=lambda gap: (gap.id, gap.key))
        holding: dict[str, list[int]] = {}
        sizes: dict[int, list[int]] = {}
        for at, gap in enumerate(ordered):
            words = content_words(gap.content)
            sizes.setdefault(len(words), []).append(at)
            for word in words:
                holding.setdefault(word, []).append(at)
        often = {word: _set(places) for word, places in holding.items() if len(places) * OFTEN > len(ordered)}
        return cls(ordered, holding, often, {size: _set(places) for size, places in sizes.items()})

    def nearest(self, words: frozenset[str]) -> Iterator[tuple[Gap, float]]:
        """The facts that are alike to these words with their similarity: the most alike first, then by their ids."""
        levels: dict[float, int] = {}
        for shared, sharing in _by_count(self._holders(words)):
            for size, sized in self.sizes.items():
                likeness = shared / (len(words) + size - shared) if shared <= size else 0.0
                if likeness >= SIMILAR and (both := sharing & sized):
                    levels[likeness] = levels.get(likeness, 0) | both
        for likeness in sorted(levels, reverse=True):
            for at in _places(levels[likeness]):
                yield self.gaps[at], likeness

    def _holders(self, words: frozenset[str]) -> Iterator[int]:
        for word in words:
            if word in self.holding:
                yield self.often.get(word) or _set(self.holding[word])


def _by_count(sets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """How many of the sets a bit is in, with the bits that are in so many; none for bits in no set.

    The counts are added up for all bits at once, a set for each binary digit.
    """
    digits: list[int] = []
    for bits in sets:
        carry = bits
        for at, digit in enumerate(digits):
            digits[at], carry = digit ^ carry, digit & carry
        if carry:
            digits.append(carry)
    groups = [(0, reduce(or_, digits, 0))]
    for at, digit in enumerate(digits):
        halves = ((count + side * 2**at, part) for count, bits in groups for side, part in _halves(bits, digit))
        groups = [(count, part) for count, part in halves if part]
    return ((count, bits) for count, bits in groups if bits)


def _halves(bits: int, digit: int) -> tuple[tuple[int, int], tuple[int, int]]:
    inside = bits & digit
    return (0, bits ^ inside), (1, inside)


def _set(places: Sequence[int]) -> int:
    """The set with these bits; `places` rise."""
    octets = bytearray(places[-1] // 8 + 1)
    for at in places:
        octets[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(octets, "little")


def _places(bits: int) -> Iterator[int]:
    """The places of a set's bits, rising."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
