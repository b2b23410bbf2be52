"""A word that occurs nowhere, or hardly in a large bank, may be mistyped: others stand in (`design/recall.md` §8)."""

from __future__ import annotations

from pipeline.recall.formula.sight import Sight
from store.index.search.letters import may_be_mistyped

RARE, CHANCE = 2, 2_000
"""A word in at most so many rows may be mistyped, one for each so many of the bank: it stands there by chance."""
MOST = 3
"""Words that stand in for one."""


def meant(sight: Sight, term: str, rows: int, *, beginning: bool) -> tuple[str, ...]:
    """The words that may have been meant, the nearest first, then whole and frequent ones; () for a word that is fine.

    With `beginning` more letters may follow. Only words of rows that the reader sees.
    """
    if rows > min(RARE, sight.count // CHANCE) or not may_be_mistyped(term):
        return ()
    found: list[tuple[int, bool, bool, int, str]] = []
    for edits, other in sight.index.spellings(term, beginning=beginning):
        if other != term and (seen := sight.times(other)):
            goes_on = len(other) > len(term) + edits
            found.append((edits, goes_on, other[:1] != term[:1], -seen, other))
    return tuple(other for *_, other in sorted(found)[:MOST])
