"""What a list of rows asks of whoever has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Piece = tuple[str, str]
"""Text of a row that has passed `tui.text`, and the name of its style: one of `STYLES`, or "" for plain."""


class RowSource(Protocol):
    """Anything that can say how many rows there are, who they are and what one says."""

    def __len__(self) -> int: ...

    def id(self, index: int) -> str:
        """What stays the same when rows move."""

    def find(self, id: str) -> int | None:
        """Where this id stands now, or None."""

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The pieces of one row, at most `width` cells together."""


class Nothing:
    """A source without rows."""

    def __len__(self) -> int:
        return 0

    def id(self, index: int) -> str:
        """There is none."""
        raise IndexError(index)

    def find(self, id: str) -> int | None:
        """Nothing is found."""
        return None

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """There is none."""
        raise IndexError(index)
