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
        bare = re.sub("|".join(map(re.escape, names)), "", text, flags=re.IGNORECASE) if names else text
        with self._lock:
            known = self._kept.get(bare)
        if known is None:
            known = self.encoder.encode([bare], "query")[0]
            with self._lock:
                self._kept[bare] = known
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return known
