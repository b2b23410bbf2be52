"""English words of one stem find each other; the index keeps the words themselves, so prefixes stay exact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.index.search.segment import Rows
from store.index.search.strings import Strings


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def has_stem(word: str) -> bool:
    """Whether the rules of English are for this word: ASCII letters alone."""
    return word.isascii() and word.isalpha()


def stem(word: str) -> str:
    """The Snowball stem of an English word; any other word as it is."""
    return str(_stemmer().stemWord(word)) if has_stem(word) else word


def stem_groups(terms: Sequence[str]) -> tuple[Strings, NDArray[np.int64], Rows]:
    """The stems, sorted; where each one's terms begin; and the numbers of those terms.

    One whose only term is the stem itself is left out.
    """
    groups: defaultdict[str, list[int]] = defaultdict(list)
    english = [(at, term) for at, term in enumerate(terms) if has_stem(term)]
    for (at, _), found in zip(english, _stemmer().stemWords([term for _, term in english]), strict=True):
        groups[found].append(at)
    names = sorted(name for name, members in groups.items() if len(members) > 1 or terms[members[0]] != name)
    members = [at for name in names for at in groups[name]]
    starts = np.cumsum([0, *(len(groups[name]) for name in names)], dtype=np.int64)
    return Strings.of(names), starts, np.array(members, np.int32)
