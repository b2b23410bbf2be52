"""The product: an index as a bank's cache holds it, and its formula as a person types and as an agent asks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import ClassVar

from pipeline.recall.answering import Similar, ask
from pipeline.recall.encoding.bundled import Bundled, missing
from pipeline.recall.encoding.question import Questions
from pipeline.recall.filtering.query import SORTS, parse
from pipeline.recall.found import find
from pipeline.recall.rebuild import bring_vectors
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.building import build
from store.index.search.files import save
from store.index.search.following import docs_of
from store.index.search.meant import Meant
from store.index.search.quotes import quotes_of
from store.index.search.searching import Searching
from store.index.search.segment import Segment
from store.view import View
from tests.bench.recall.corpus import Row, memories
from tests.bench.recall.engines.engine import Engine, NotMeasured

NAME = "search"
"""The file of the index."""
TODAY = date(2026, 11, 30)


class Product(Engine):
    """What the workbench asks at each keystroke: the query understood, the rows that pass, the best of them."""

    name: ClassVar[str] = "product"

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """The index; beside the folder the rows, which a program has in memory as its bank before it searches."""
        if not save(build(docs_of(memories(rows))), folder / NAME):
            raise OSError(f"The index was not saved in {folder}.")
        with _rows_of(folder).open("wb") as file:
            pickle.dump(list(rows), file, protocol=5)

    def at_hand(self, folder: Path) -> None:
        """The view of the bank."""
        with _rows_of(folder).open("rb") as file:
            self._view = View.of(memories(pickle.load(file)))

    def open(self, folder: Path) -> None:
        """Map the index and compare it with the view."""
        self._searching = Searching(folder / NAME, quotes_of)
        self._searchable = Searchable(self._view, self._searching.of(self._view))

    def search(self, text: str, k: int) -> Sequence[int]:
        """What was typed so far."""
        query = parse(text)
        found = find(self._searchable, query, query.sort or SORTS[0], k)
        return [number(self._searchable.followed.index.key(row)) for row in found.rows[:k].tolist()]

    def add(self, row: Row) -> None:
        """The next view has one memory more."""
        (memory,) = memories([row])
        self._show(View(self._view.memories.with_changes({memory.id: memory})))

    def delete(self, at: int) -> None:
        """The next view has one memory less."""
        self._show(View(self._view.memories.with_changes({}, (f"facts/m{at:06}.md",))))

    def _show(self, view: View) -> None:
        self._view = view
        self._searchable = Searchable(view, self._searching.of(view), self._searchable)


def _rows_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.rows")


def number(key: str) -> int:
    """The place of a generated row, which its name tells."""
    return int(key.removeprefix("facts/m").removesuffix(".md"))


def asked(rows: Sequence[Row], folder: Path, *, meaning: bool) -> Callable[[str, int], Sequence[int]]:
    """The product over the rows, asked in whole questions: so many best rows, by their places.

    The index is made in `folder`, and so are the vectors that meaning needs; those that lie there serve again.
    """
    view = View.of(memories(rows))
    places = {memory: at for at, memory in enumerate(view.memories)}
    segment, file = build(docs_of(view.memories.values())), folder / NAME
    if not save(segment, file):
        raise OSError(f"The index was not saved in {folder}.")
    searchable, within = Searchable(view, Searching(file, quotes_of).of(view)), Within(TODAY)
    similar = similar_of(file, segment, view) if meaning else None

    def answer(question: str, k: int) -> Sequence[int]:
        found = ask(searchable, question, within, limit=k, similar=similar)
        for note in found.notes:
            raise NotMeasured(note)
        return [places[hit.memory.id] for hit in found.hits]

    return answer


def similar_of(file: Path, segment: Segment, view: View) -> Similar:
    """Meaning by the encoder that the extra `semantic` brings; its vectors lie beside the index's `file`."""
    if why := missing():
        raise NotMeasured(why)
    encoder = Bundled()
    bring_vectors(file, segment, view.memories, encoder, lambda *_stage, **_numbers: None)
    return Similar(Meant(file, encoder.id), Questions(encoder))
