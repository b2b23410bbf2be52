"""The reference prototype, loaded from a folder that is named on the command line; it is no part of this project."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from tests.bench.recall.corpus import Row
from tests.bench.recall.engines.engine import Engine, NotMeasured


def load(folder: Path | None, module: str) -> ModuleType:
    """A module of the prototype."""
    if folder is None:
        raise NotMeasured("the prototype was not named; give --prototype DIR.")
    if not (folder / f"{module}.py").is_file():
        raise NotMeasured(f"{folder} has no {module}.py; give the prototype's folder.")
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(module)
    finally:
        sys.path.remove(str(folder))


class Formula(Engine):
    """The prototype's whole lexical formula, typed live. It has no file of its own, so it is pickled for a moment."""

    name: ClassVar[str] = "prototype"
    changes: ClassVar[bool] = False

    def __init__(self, folder: Path | None) -> None:
        self._module = load(folder, "recall_proto")
        self._index: Any = None

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """As its own speed bench builds it: no sessions, owners named."""
        index = self._module.Recall.make([row.text for row in rows], None, [row.owner for row in rows])
        with (folder / "prototype.pickle").open("wb") as file:
            pickle.dump(index, file, protocol=5)

    def open(self, folder: Path) -> None:
        """Read it back."""
        with (folder / "prototype.pickle").open("rb") as file:
            self._index = pickle.load(file)

    def search(self, text: str, k: int) -> Sequence[int]:
        """What was typed so far."""
        return [at for at, _ in self._index.recall(text, k, typing=True)]

    def close(self) -> None:
        """Let the arrays go."""
        self._index = None


class PlainIndex(Formula):
    """The prototype's plain index: beginnings and repaired typing, no formula."""

    name: ClassVar[str] = "prototype-index"
    changes: ClassVar[bool] = True

    def __init__(self, folder: Path | None) -> None:
        self._module = load(folder, "npidx")
        self._index: Any = None

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """Its own files."""
        self._module.Index.build([row.text for row in rows]).save(str(folder))

    def open(self, folder: Path) -> None:
        """Map them."""
        self._index = self._module.Index.load(str(folder))

    def search(self, text: str, k: int) -> Sequence[int]:
        """What was typed so far."""
        return [at for at, _ in self._index.search(text, k)]

    def add(self, row: Row) -> None:
        """Into its delta."""
        self._index.add(row.text)

    def delete(self, at: int) -> None:
        """One bit."""
        self._index.delete(at)
