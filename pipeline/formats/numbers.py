"""Numbers for the ids of a huge file: some sixteen bytes of memory for each, whatever its length."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

_FIRST_SLOTS = 64


class Numbers:
    """Gives each key a number, 0 for the first, and the same again for the same key.

    Keys are told apart by their 64-bit hash (keyed anew in each process): among a million keys, two are taken for one
    once in 40 million files.
    """

    __slots__ = ("_digests", "_mask", "_slots")

    def __init__(self) -> None:
        self._digests = array("q")
        self._slots = array("I", bytes(4 * _FIRST_SLOTS))
        self._mask = _FIRST_SLOTS - 1

    def __len__(self) -> int:
        return len(self._digests)

    def of(self, key: Hashable) -> int:
        """The number of a key, a new one when it is met for the first time."""
        digest, slots, mask = hash(key), self._slots, self._mask
        slot = digest & mask
        while number := slots[slot]:
            if self._digests[number - 1] == digest:
                return number - 1
            slot = (slot + 1) & mask
        self._digests.append(digest)
        slots[slot] = len(self._digests)
        if len(self._digests) * 3 > mask * 2:
            self._grow()
        return len(self._digests) - 1

    def find(self, key: Hashable) -> int:
        """The number of a key, -1 when it was never met."""
        digest, slot = hash(key), hash(key) & self._mask
        while number := self._slots[slot]:
            if self._digests[number - 1] == digest:
                return number - 1
            slot = (slot + 1) & self._mask
        return -1

    def _grow(self) -> None:
        mask = self._mask = (self._mask << 1) | 1
        self._slots = array("I", bytes(4 * (mask + 1)))
        slots = self._slots
        for number, digest in enumerate(self._digests, 1):
            slot = digest & mask
            while slots[slot]:
                slot = (slot + 1) & mask
            slots[slot] = number
