"""The vector of a query, without the names in it: whose an entry is has a factor of its own."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence

from pipeline.recall.encoding.encoders import Encoder, Floats

KEPT = 64
"""Queries whose vectors are kept."""


class Questions:
    """The vectors of queries by one encoder; threads may share it."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._kept: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, text: str, names: Sequence[str] = ()) -> Floats:
        """The unit vector [dim] of a query, the `names` left out; raises `EncoderProblem`."""
        bare = _without(text, names) if names else text
        with self._lock:
            known = self._kept.get(bare)
        if known is None:
            known = self.encoder.encode([bare], "query")[0]
            with self._lock:
                self._kept[bare] = known
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return known


def _without(text: str, names: Sequence[str]) -> str:
    """The text without names that stand by themselves."""
    every = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![A-Za-z0-9])(?:{every})(?![A-Za-z0-9])", "", text, flags=re.IGNORECASE)
