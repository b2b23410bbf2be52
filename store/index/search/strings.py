"""Many strings as one block of bytes with offsets: mapped from a file, nothing is decoded before it is asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAST = b"\xff"
"""Greater than any byte of UTF-8: the end of what begins with a prefix."""


RUNG = 16
"""Of sorted strings every so-manieth is kept decoded once something was looked for."""


class Strings:
    """`block` holds the strings one after the other (UTF-8), `ends` [n] where each ends."""

    __slots__ = ("_block", "_rungs", "block", "ends")

    def __init__(self, block: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.block, self.ends = block, ends
        self._rungs: list[bytes] | None = None
        self._block = np.ascontiguousarray(block).data if len(block) else memoryview(b"")

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """The strings in the order given; a lone surrogate is kept as it is."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in strings]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, at: int) -> str:
        return self.encoded(at).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        data, ends = bytes(self._block), self.ends.tolist()
        if data.isascii():  # one decoding for all is several times as quick
            text, start = data.decode("ascii"), 0
            for end in ends:
                yield text[start:end]
                start = end
            return
        for start, end in pairwise([0, *ends]):
            yield data[start:end].decode("utf-8", "surrogatepass")

    def encoded(self, at: int) -> bytes:
        """One string as its bytes."""
        start = int(self.ends[at - 1]) if at else 0
        return bytes(self._block[start : int(self.ends[at])])

    def some(self, places: NDArray[np.integer[Any]]) -> list[str]:
        """The strings at some places: for many of them quicker than one by one."""
        ends = self.ends[places].tolist()
        starts = np.where(places > 0, self.ends[places - 1], 0).tolist()
        block = self._block
        return [str(block[start:end], "utf-8", "surrogatepass") for start, end in zip(starts, ends, strict=True)]

    def lengths(self) -> NDArray[np.int64]:
        """The length of each string in bytes."""
        return np.diff(self.ends, prepend=0)

    def slice(self, prefix: str) -> tuple[int, int]:
        """First and last (exclusive) place of what begins with `prefix`; the strings must be sorted by their bytes."""
        first = prefix.encode("utf-8", "surrogatepass")
        low = self._place(first, 0)
        return low, self._place(first + _PAST, low)

    def find(self, text: str) -> int:
        """The place of a string among sorted ones, -1 when it is not there."""
        wanted = text.encode("utf-8", "surrogatepass")
        at = self._place(wanted, 0)
        return at if at < len(self) and self.encoded(at) == wanted else -1

    def _place(self, wanted: bytes, low: int) -> int:
        if self._rungs is None:
            self._rungs = [self.encoded(at) for at in range(0, len(self), RUNG)]
        rung = bisect_left(self._rungs, wanted)
        low, high = max(low, (rung - 1) * RUNG + 1 if rung else 0), min(rung * RUNG, len(self))
        while low < high:
            middle = (low + high) // 2
            if self.encoded(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low
