"""What a waiting fact resembles: memories and other waiting facts that share words (`spec/extraction.md` §24.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from pipeline.extract.ledger.gaps import Gap, read_gap
from pipeline.extract.words import content_words
from pipeline.review.alike import SIMILAR, Alike
from store.index.per_base import PerBase
from store.memory import Memory
from store.view import View

Kept = TypeVar("Kept")

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


class Beside(Generic[Kept]):
    """What the few entries beside a base say, each read once for as long as it is the same object."""

    def __init__(self, read: Callable[[str, Any], Kept | None]) -> None:
        self._read = read
        self._known: dict[str, tuple[Any, Kept | None]] = {}

    def of(self, over: Mapping[str, Any]) -> dict[str, Kept]:
        """What each entry says; those that are gone or say nothing are left out."""
        known = self._known
        there = {key: entry for key, entry in over.items() if entry is not None}
        now = {
            key: old if (old := known.get(key)) is not None and old[0] is entry else (entry, self._read(key, entry))
            for key, entry in there.items()
        }
        self._known = now
        return {key: said for key, (_, said) in now.items() if said is not None}


def _said(_: str, memory: Memory) -> tuple[Memory, frozenset[str]]:
    return memory, content_words(memory.statement)


_SAID = Beside(_said)


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
    candidates = [(base[name], content_words(base[name].statement)) for name in able]
    candidates += _SAID.of(over).values()
    found = [
        Neighbour("memories", memory.id, similarity, memory.statement)
        for memory, said in candidates
        if memory.state == "live" and memory.project in ("", project)
        if (similarity := _shared(words, said)) >= SIMILAR
    ]
    return _most_alike(found)


@dataclass(frozen=True, slots=True)
class WaitingWords:
    """The waiting facts by their keys, and those of each project by their words; built once for a whole queue."""

    gaps: Mapping[str, Gap]
    projects: Mapping[str, Alike]

    @classmethod
    def of(cls, gaps: Iterable[Gap]) -> WaitingWords:
        """Of the facts that are open or ready."""
        waiting = {gap.key: gap for gap in gaps if gap.state in ("open", "ready")}
        projects: dict[str, list[Gap]] = {}
        for gap in waiting.values():
            projects.setdefault(gap.project, []).append(gap)
        return cls(waiting, {name: Alike.of(found) for name, found in projects.items()})

    def near(self, gap: Gap, words: frozenset[str], but: Container[str] = ()) -> list[Neighbour]:
        """Other facts of the same project that resemble this one of these words, the 5 most alike, without `but`."""
        alike = self.projects[gap.project].nearest(words) if gap.project in self.projects else ()
        others = ((other, like) for other, like in alike if other.key != gap.key and other.key not in but)
        return [Neighbour("gaps", other.id, like, other.content) for other, like in islice(others, SHOWN)]


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def _words_of(rows: Mapping[str, Any]) -> WaitingWords:
    return WaitingWords.of(gap for key, row in rows.items() if (gap := read_gap(key, row)) is not None)


def _waits(key: str, row: Any) -> tuple[Gap, frozenset[str]] | None:
    gap = read_gap(key, row)
    return None if gap is None or gap.state not in ("open", "ready") else (gap, content_words(gap.content))


_WAITING = PerBase(_words_of)
_FRESH = Beside(_waits)


def read_waiting(view: View) -> None:
    """Read the words of everything that waits now, so that the first look at a neighbour finds them read."""
    _WAITING.of(view.rows("gaps").parts()[0])


def near_waiting(view: View, key: str) -> tuple[Neighbour, ...]:
    """The same as `near_gaps` for the fact of this key, from an index that outlives decisions about a few facts."""
    rows = view.rows("gaps")
    gap = read_gap(key, rows.get(key, {}))
    if gap is None or gap.state not in ("open", "ready"):
        return ()
    base, over = rows.parts()
    own = content_words(gap.content)
    fresh = [
        Neighbour("gaps", other.id, like, other.content)
        for other, words in _FRESH.of(over).values()
        if other.project == gap.project and other.key != gap.key and (like := _shared(own, words)) >= SIMILAR
    ]
    return _most_alike([*_WAITING.of(base).near(gap, own, over), *fresh])


def near_gaps(waiting: WaitingWords, gap: Gap) -> tuple[Neighbour, ...]:
    """Other waiting facts of the same project that resemble this one, most alike first, at most 5."""
    return tuple(waiting.near(gap, content_words(gap.content)))


def _most_alike(found: list[Neighbour]) -> tuple[Neighbour, ...]:
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.id))[:SHOWN])
