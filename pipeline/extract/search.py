"""Finding what an elliptical remark refers to, in the same session (`spec/extraction.md` §9, with ext-D5)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby

from pipeline.extract.canonical import normalise
from pipeline.extract.entries import MODEL, PERSON, Entry, said_by
from pipeline.extract.evidence import around
from store.secret import mask

GROUPS = 7
"""Turns that a search returns at most."""
EVENT_POINTS = 2_000
CONTEXT_POINTS = 12_000
Placed = tuple[int, Entry]
"""An entry with its place in the log."""


def search(
    entries: Sequence[Entry], through: int, terms: Sequence[str], roles: Sequence[str] | None = None, after: int = -1
) -> tuple[Entry, ...]:
    """The turns that hold most of the terms, newest first, with their neighbours: at most 7, in log order.

    `roles` limits what counts as a match, not what is returned. `after` is exclusive: -1 searches from the first event.
    """
    wanted = [normalise(term).lower() for term in terms]
    scores, starts = array("I"), array("I")
    for group in _groups(entries, through, after):
        scores.append(_score([entry for _, entry in group], wanted, roles))
        starts.append(group[0][0])
    chosen = sorted(_chosen(scores))
    return tuple(entry for index in chosen for entry in _group(entries, through, starts[index]))


def _chosen(scores: Sequence[int]) -> set[int]:
    """The best groups, each with the one before and the one after it, until there are enough."""
    hits = sorted((index for index, score in enumerate(scores) if score), key=lambda index: (-scores[index], -index))
    chosen: set[int] = set()
    for hit in hits:
        for index in (hit, hit - 1, hit + 1):
            if len(chosen) < GROUPS and 0 <= index < len(scores):
                chosen.add(index)
        if len(chosen) == GROUPS:
            break
    return chosen


def render_context(entries: Sequence[Entry], terms: Sequence[str] = ()) -> str:
    """The found entries as lines `[user event:N] text`, secrets masked, bounded in code points; "" when none.

    Of an entry that is too long the part around the terms is shown, its beginning when it holds none.
    """
    lines: list[str] = []
    left = CONTEXT_POINTS
    for entry in entries:
        text = around(mask(normalise(entry.text or "")), terms, EVENT_POINTS)
        line = f"[{entry.role} event:{entry.seq}] {text}"[:left]
        if not line:
            break
        lines.append(line)
        left -= len(line)
    return "\n".join(lines)


def _groups(entries: Sequence[Entry], through: int, after: int, start: int = 0) -> Iterator[list[Placed]]:
    """Consecutive entries of one turn that can be found; an entry without a turn stands alone."""
    found = (
        (start + place, entry)
        for place, entry in said_by(entries[start:], {PERSON, MODEL})
        if entry.text and after < entry.seq <= through
    )
    for _, group in groupby(found, key=lambda one: ("alone", one[0]) if one[1].turn is None else ("turn", one[1].turn)):
        yield list(group)


def _group(entries: Sequence[Entry], through: int, start: int) -> Iterator[Entry]:
    """The group whose first entry stands at a place."""
    return (entry for _, entry in next(_groups(entries, through, -1, start)))


def _score(group: Sequence[Entry], terms: Sequence[str], roles: Sequence[str] | None) -> int:
    texts = [normalise(entry.text or "").lower() for entry in group if roles is None or entry.role in roles]
    return sum(any(term in text for text in texts) for term in terms)
