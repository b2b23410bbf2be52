"""What a waiting fact resembles: memories and other waiting facts that share words (`spec/extraction.md` §24.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.extract.gaps import Gap, read_gap
from pipeline.extract.words import content_words, jaccard
from store.index.per_base import PerBase
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


_INDEX = PerBase(_by_word)


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


@dataclass(frozen=True, slots=True)
class WaitingWords:
    """The waiting facts with their content words, and which facts hold a word; built once for a whole queue."""

    gaps: Mapping[str, Gap]
    words: Mapping[str, frozenset[str]]
    holding: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, gaps: Iterable[Gap]) -> WaitingWords:
        """Of the facts that are open or ready."""
        waiting = {gap.key: gap for gap in gaps if gap.state in ("open", "ready")}
        words = {key: content_words(gap.content) for key, gap in waiting.items()}
        holding: dict[str, list[str]] = {}
        for key, found in words.items():
            for word in found:
                holding.setdefault(word, []).append(key)
        return cls(waiting, words, holding)

    def alike(self, gap: Gap) -> dict[str, float]:
        """Other facts of the same project that share words with this one, with their similarity."""
        own = self.words.get(gap.key) or content_words(gap.content)
        keys = {key for word in own for key in self.holding.get(word, ())} - {gap.key}
        return {
            key: len(own & self.words[key]) / len(own | self.words[key])
            for key in keys
            if self.gaps[key].project == gap.project
        }


def _words_of(rows: Mapping[str, Any]) -> WaitingWords:
    return WaitingWords.of(gap for key, row in rows.items() if (gap := read_gap(key, row)) is not None)


_WAITING = PerBase(_words_of)


def near_waiting(view: View, key: str) -> tuple[Neighbour, ...]:
    """The same as `near_gaps` for the fact of this key, from an index that outlives decisions about a few facts."""
    rows = view.rows("gaps")
    gap = read_gap(key, rows.get(key, {}))
    if gap is None or gap.state not in ("open", "ready"):
        return ()
    base, over = rows.parts()
    old = _WAITING.of(base)
    new = _words_of({name: row for name, row in over.items() if row is not None})
    alike = {
        (old.gaps[name].id, old.gaps[name].content): like for name, like in old.alike(gap).items() if name not in over
    }
    alike |= {(new.gaps[name].id, new.gaps[name].content): like for name, like in new.alike(gap).items()}
    found = [Neighbour("gaps", id, like, content) for (id, content), like in alike.items() if like >= SIMILAR]
    return _most_alike(found)


def near_gaps(waiting: WaitingWords, gap: Gap) -> tuple[Neighbour, ...]:
    """Other waiting facts of the same project that resemble this one, most alike first, at most 5."""
    found = [
        Neighbour("gaps", waiting.gaps[key].id, similarity, waiting.gaps[key].content)
        for key, similarity in waiting.alike(gap).items()
        if similarity >= SIMILAR
    ]
    return _most_alike(found)


def _most_alike(found: list[Neighbour]) -> tuple[Neighbour, ...]:
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.id))[:SHOWN])
