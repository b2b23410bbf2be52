"""Plain BM25 over whole words and CJK pairs: the yardstick that quality is a lift over."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from tests.bench.recall.cutting import cut

K1, B = 1.2, 0.75


class Plain:
    """Postings of the texts; no stop words, no stems, no beginnings."""

    def __init__(self, texts: Sequence[str]) -> None:
        rows: defaultdict[str, list[int]] = defaultdict(list)
        times: defaultdict[str, list[int]] = defaultdict(list)
        lengths = np.zeros(len(texts))
        for at, text in enumerate(texts):
            counted = Counter(_tokens(text))
            lengths[at] = counted.total()
            for token, count in counted.items():
                rows[token].append(at)
                times[token].append(count)
        self._norm = K1 * (1 - B + B * lengths / max(1.0, lengths.mean() if len(texts) else 1.0))
        self._rows = {token: np.array(held) for token, held in rows.items()}
        self._times = {token: np.array(counts, float) for token, counts in times.items()}

    def ask(self, question: str, k: int) -> list[int]:
        """The `k` best rows, earlier ones first among equals."""
        scores = np.zeros(len(self._norm))
        for token in set(_tokens(question)) & self._rows.keys():
            rows, times = self._rows[token], self._times[token]
            weight = math.log(1 + (len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += weight * times * (K1 + 1) / (times + self._norm[rows])
        best = np.argsort(-scores, kind="stable")[:k]
        return [int(at) for at in best if scores[at] > 0]


def _tokens(text: str) -> list[str]:
    """Whole words and pairs; a single character only where it stands alone."""
    found = cut(text)
    return [token for at, token in enumerate(found) if len(token) > 1 or token.isascii() or not _ends_run(found, at)]


def _ends_run(found: Sequence[str], at: int) -> bool:
    """Whether a single CJK character is the end of a run, which its pair holds already."""
    return at > 0 and len(found[at - 1]) == 2 and found[at - 1][1] == found[at]
