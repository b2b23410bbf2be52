"""The product: its index as a bank's cache holds it, and its formula as a person types and as an agent asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from pipeline.recall.hybrid import rank_rows
from pipeline.recall.query import parse
from pipeline.recall.sight import Sight
from store.index.search.building import build
from store.index.search.doc import doc_of
from store.index.search.files import load, save
from store.index.search.following import docs_of
from store.index.search.index import SearchIndex
from tests.bench.recall.corpus import Row, memories
from tests.bench.recall.engines.engine import Engine, NotMeasured

NAME = "search"
"""The file of the index."""


class Product(Engine):
    """What the workbench asks at each keystroke: the query understood, the best rows of the index."""

    name: ClassVar[str] = "product"

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """One generation."""
        segment = build(docs_of(memories(rows)))
        if not save(segment, folder / NAME):
            raise OSError(f"The index was not saved in {folder}.")

    def open(self, folder: Path) -> None:
        """Map it."""
        segment = load(folder / NAME)
        if segment is None:
            raise OSError(f"{folder} holds no index.")
        self._numbers: list[int] | None = None
        self._show(SearchIndex(segment))

    def _show(self, index: SearchIndex) -> None:
        self._sight = Sight(index)

    def search(self, text: str, k: int) -> Sequence[int]:
        """What was typed so far; the numbers of the rows stand in their names."""
        found = rank_rows(self._sight, parse(text).words, k, typing=True)
        return [number(self._sight.index.key(row)) for row in found.rows.tolist()]

    def add(self, row: Row) -> None:
        """Into the delta: the next state of the index."""
        (memory,) = memories([row])
        self._show(self._sight.index.changed((), [doc_of(memory)]))

    def delete(self, at: int) -> None:
        """One bit."""
        index = self._sight.index
        self._show(index.changed([self._row(at)], ()))

    def _row(self, at: int) -> int:
        """The index's row of a number; a bank knows it from the memory."""
        if self._numbers is None:
            self._numbers = [0] * len(self._sight.index)
            for row in range(len(self._numbers)):
                self._numbers[number(self._sight.index.key(row))] = row
        return self._numbers[at]


def number(key: str) -> int:
    """The place of a generated row, which its name tells."""
    return int(key.removeprefix("facts/m").removesuffix(".md"))


def asked(rows: Sequence[Row], *, meaning: bool) -> Callable[[str, int], Sequence[int]]:
    """The product over the rows, asked in whole questions: so many best rows, by their places."""
    if meaning:
        raise NotMeasured("the product has no meaning yet.")
    places = {memory.id: at for at, memory in enumerate(memories(rows))}
    sight = Sight(SearchIndex(build(docs_of(memories(rows)))))

    def ask(question: str, k: int) -> Sequence[int]:
        return [places[sight.index.key(row)] for row in rank_rows(sight, question, k).rows.tolist()]

    return ask
