"""What a waiting fact resembles: memories and other waiting facts that share words (`spec/extraction.md` §24.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.extract.based import Based
from pipeline.extract.gaps import Gap
from pipeline.extract.words import content_words, jaccard
from store.memory import Memory
from store.view import View

SIMILAR = 0.4
"""Jaccard similarity of content words from which two facts are shown together."""
SHOWN = 5
"""Resembling things shown for one waiting fact."""
COMMON = 2_000
"""A word in more memories than this finds none by itself."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something that resembles a waiting fact. `table` is `memories` or a ledger table; `similarity` is 0..1."""

    table: str
    id: str
    similarity: float
    text: str


def _by_word(base: Mapping[str, Memory]) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for name, memory in base.items():
        for word in content_words(memory.statement):
            index.setdefault(word, []).append(name)
    return index


_INDEX = Based(_by_word)


def near_memories(view: View, text: str, project: str = "") -> tuple[Neighbour, ...]:
    """Live memories of the project or of none that resemble `text`, most alike first, at most 5."""
    words = content_words(text)
    base, over = view.memories.parts()
    index = _INDEX.of(base)
    rare = {word: names for word in words if len(names := index.get(word, ())) <= COMMON}
    shared = Counter(name for names in rare.values() for name in names)
    # sharing k of our w words allows a similarity of k / w at most; the common words may all be shared
    least = SIMILAR * len(words) - (len(words) - len(rare))
    able = [name for name, count in shared.items() if count >= least and name not in over]
    candidates = [base[name] for name in able] + [memory for memory in over.values() if memory is not None]
    found = [
        Neighbour("memories", memory.id, similarity, memory.statement)
        for memory in candidates
        if memory.state == "live" and memory.project in ("", project)
        if (similarity := jaccard(text, memory.statement)) >= SIMILAR
    ]
    return _most_alike(found)


def near_gaps(gaps: Iterable[Gap], gap: Gap) -> tuple[Neighbour, ...]:
    """Other waiting facts of the same project that resemble this one, most alike first, at most 5."""
    found = [
        Neighbour("gaps", other.id, similarity, other.content)
        for other in gaps
        if other.id != gap.id and other.project == gap.project and other.state in ("open", "ready")
        if (similarity := jaccard(gap.content, other.content)) >= SIMILAR
    ]
    return _most_alike(found)


def links(gaps: Iterable[Gap], threshold: float = SIMILAR) -> tuple[tuple[str, str, float], ...]:
    """Pairs of open facts of one project that may be the same, ids in ascending order; nothing is ever merged by it."""
    waiting = [gap for gap in gaps if gap.state in ("open", "ready")]
    pairs = [
        (*sorted((one.id, other.id)), similarity)
        for number, one in enumerate(waiting)
        for other in waiting[number + 1 :]
        if one.project == other.project and (similarity := jaccard(one.content, other.content)) >= threshold
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair[2]))  # type: ignore[arg-type]


def _most_alike(found: list[Neighbour]) -> tuple[Neighbour, ...]:
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.id))[:SHOWN])
