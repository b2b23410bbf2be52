"""Finding what an elliptical remark refers to, in the same session (`spec/extraction.md` §9, with ext-D5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import Entry, around
from store.secret import mask

GROUPS = 7
"""Turns that a search returns at most."""
EVENT_POINTS = 2_000
CONTEXT_POINTS = 12_000


def search(
    entries: Sequence[Entry], through: int, terms: Sequence[str], roles: Sequence[str] | None = None, after: int = -1
) -> tuple[Entry, ...]:
    """The turns that hold most of the terms, newest first, with their neighbours: at most 7, in log order.

    `roles` limits what counts as a match, not what is returned. `after` is exclusive: -1 searches from the first event.
    """
    groups = _groups([entry for entry in entries if after < entry.seq <= through and _searchable(entry)])
    wanted = [normalise(term).lower() for term in terms]
    scores = [_score(group, wanted, roles) for group in groups]
    hits = sorted((index for index, score in enumerate(scores) if score), key=lambda index: (-scores[index], -index))
    chosen: list[int] = []
    for hit in hits:
        for index in (hit, hit - 1, hit + 1):
            if len(chosen) < GROUPS and 0 <= index < len(groups) and index not in chosen:
                chosen.append(index)
    return tuple(entry for index in sorted(chosen) for entry in groups[index])


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


def _searchable(entry: Entry) -> bool:
    return bool(entry.text) and (entry.role, entry.author) in {("user", "user"), ("assistant", "model")}


def _groups(entries: Sequence[Entry]) -> list[tuple[Entry, ...]]:
    """Consecutive entries of one turn; an entry without a turn stands alone."""

    def turn(pair: tuple[int, Entry]) -> tuple[str, int]:
        place, entry = pair
        return ("alone", place) if entry.turn is None else ("turn", entry.turn)

    return [tuple(entry for _, entry in group) for _, group in groupby(enumerate(entries), key=turn)]


def _score(group: Sequence[Entry], terms: Sequence[str], roles: Sequence[str] | None) -> int:
    texts = [normalise(entry.text or "").lower() for entry in group if roles is None or entry.role in roles]
    return sum(any(term in text for text in texts) for term in terms)
