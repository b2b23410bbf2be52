"""The one shape of an engine that is measured."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from tests.bench.recall.corpus import Row


class NotMeasured(Exception):
    """The engine is not installed, or was not named; the message says what to do."""


class Engine(Protocol):
    """Searches rows by their numbers, the places in what was built. Made new for each bank."""

    name: ClassVar[str]
    every: ClassVar[int] = 1
    """Of a slow engine only one of so many keystrokes is measured."""
    changes: ClassVar[bool] = True
    """Whether single rows can be added and deleted."""

    @abstractmethod
    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """Make the index of the rows in an empty folder."""

    def at_hand(self, folder: Path) -> None:
        """Bring into memory what a program holds before it searches; not counted to opening."""

    @abstractmethod
    def open(self, folder: Path) -> None:
        """Open what `build` made."""

    @abstractmethod
    def search(self, text: str, k: int) -> Sequence[int]:
        """Numbers of the `k` best rows for what was typed so far."""

    def add(self, row: Row) -> None:
        """Add a row, whose number is the next one; the next search finds it."""
        raise NotImplementedError

    def delete(self, at: int) -> None:
        """Delete a row; the next search does not find it."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of files."""
