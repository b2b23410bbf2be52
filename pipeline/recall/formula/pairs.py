"""Words of a query that stand side by side in an entry: they were said together, not by chance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pipeline.recall.formula.wanted import Wanted
from store.index.search.stems import stem

MOST = 2
"""Pairs that count."""


def side_by_side(terms: Sequence[Wanted], tokens: Sequence[str]) -> int:
    """How many neighbouring words of the query are neighbours in a text too, one word between them or none."""
    roots = [stem(term.term) for term in terms if term.kind == "word"]
    asked = set(pairwise(roots))
    if not asked:
        return 0
    first = {root[0] for root in roots}  # which a stem never changes
    found = [stem(token) if token[0] in first else "" for token in tokens]
    return min(MOST, len(asked & {*pairwise(found), *zip(found, found[2:], strict=False)}))
