"""An index brought to the state of a view: by content at first, then by what changed from one view to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest

import numpy as np

from store.index.search.doc import Doc, Quotes, doc_of, mark_of, no_quotes
from store.index.search.index import SearchIndex
from store.index.search.segment import Segment
from store.layered import Layered
from store.memory import Memory


@dataclass(frozen=True, slots=True)
class Followed:
    """An index, the memories that it is of, and the row of each: `base` those of the segment, `late` those after it."""

    index: SearchIndex
    memories: Layered[str, Memory]
    base: Mapping[str, int]
    late: Mapping[str, int]

    def row(self, key: str) -> int | None:
        """The row of a memory; None when it is not in the index."""
        row = self.late.get(key, self.base.get(key))
        return row if row is not None and self.index.alive[row] else None

    def mark(self, row: int) -> str:
        """The content that a row is of."""
        index = self.index
        return index.segment.marks[row] if row < len(index.segment) else index.doc(row).mark

    def memory(self, row: int) -> Memory:
        """The memory of a row that stands."""
        return self.memories[self.index.key(row)]


def bound(
    segment: Segment, memories: Layered[str, Memory], quotes: Quotes = no_quotes, most: int | None = None
) -> Followed:
    """The index of these memories from the segment of some earlier state: what differs by id or content is new.

    Of what is new at most `most` memories are taken in, the newest; the result's memories are without the others.
    """
    base = {key: row for row, key in enumerate(segment.keys)}
    kept, changed = memories.parts()
    there = map(memories.get if changed else kept.get, base)
    same = [
        memory is not None and mark_of(memory, quotes(memory)) == mark
        for memory, mark in zip(there, segment.marks, strict=True)
    ]
    index = SearchIndex(segment, alive=np.array(same, np.bool_))
    known = base.keys() if all(same) else {key for key, is_same in zip(base, same, strict=True) if is_same}
    missing = [memory for key, memory in memories.items() if key not in known] if len(known) < len(memories) else []
    if most is not None and len(missing) > most:
        missing = newest(missing, most)
        taken = {*known, *(memory.id for memory in missing)}
        memories = Layered({key: memory for key, memory in memories.items() if key in taken})
    return _with(Followed(index, memories, base, {}), (), missing, memories, quotes)


def newest(memories: Iterable[Memory], most: int) -> list[Memory]:
    """The memories that were made or changed last."""
    return nlargest(most, memories, key=lambda memory: (max(memory.created, memory.updated), memory.ordinal))


def follow(
    before: Followed, memories: Layered[str, Memory], quotes: Quotes = no_quotes, also: Iterable[str] = ()
) -> Followed:
    """The index of the next state of the memories; this costs what changed, as long as both share a base.

    `also` are ids of memories that are the same and have other quotes.
    """
    changed = list(dict.fromkeys((*memories.changed(before.memories), *also)))
    gone = [row for key in changed if (row := before.row(key)) is not None]
    new = [memory for key in changed if (memory := memories.get(key)) is not None]
    return _with(before, gone, new, memories, quotes)


def _with(
    before: Followed, gone: Iterable[int], new: Iterable[Memory], memories: Layered[str, Memory], quotes: Quotes
) -> Followed:
    docs = [doc_of(memory, quotes(memory)) for memory in new]
    index = before.index.changed(gone, docs)
    first = len(index) - len(docs)
    late = {**before.late, **{doc.key: row for row, doc in enumerate(docs, first)}}
    return Followed(index, memories, before.base, late)


def docs_of(memories: Iterable[Memory], quotes: Quotes = no_quotes) -> list[Doc]:
    """The entries of memories in every state."""
    return [doc_of(memory, quotes(memory)) for memory in memories]
