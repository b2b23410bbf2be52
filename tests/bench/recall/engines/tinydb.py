"""TinyDB's linear scan: every document of its JSON file, all words somewhere in the text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

from tinydb import TinyDB, where

from tests.bench.recall.corpus import Row
from tests.bench.recall.engines.engine import Engine


class Tiny(Engine):
    """One table, as its manual begins."""

    name: ClassVar[str] = "tinydb"
    every: ClassVar[int] = 24

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """One document a row."""
        with TinyDB(folder / "tinydb.json", encoding="utf-8") as base:
            base.insert_multiple({"at": at, "text": row.text} for at, row in enumerate(rows))

    def open(self, folder: Path) -> None:
        """Open the file; it is read at the first search."""
        self._base = TinyDB(folder / "tinydb.json", encoding="utf-8")
        self._next = len(self._base)

    def search(self, text: str, k: int) -> Sequence[int]:
        """The first rows with all words, in file order."""
        words = text.lower().split()
        found = self._base.search(where("text").test(lambda held: all(word in held.lower() for word in words)))
        return [document["at"] for document in islice(found, k)] if words else []

    def add(self, row: Row) -> None:
        """One insert; the file is written again."""
        self._base.insert({"at": self._next, "text": row.text})
        self._next += 1

    def delete(self, at: int) -> None:
        """One delete; the file is written again."""
        self._base.remove(doc_ids=[at + 1])

    def close(self) -> None:
        """Close the file."""
        self._base.close()
