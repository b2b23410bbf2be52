"""Fields of ledger rows, read tolerantly: what is not of its kind counts as not there (`spec/extraction.md` §19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from store.changes import Row

REV = "_rev"
"""The revision of a row: the number of the frame that last wrote it."""
SAFE_INTEGER = 2**53 - 1
"""The largest integer that JavaScript keeps exactly (`spec/extraction.md` §21)."""


def is_integer(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is an integer as JavaScript counts them: `3.0` is, `true` is not (§21)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return float(value).is_integer() and abs(value) <= SAFE_INTEGER


def is_text(value: object) -> TypeGuard[str]:
    """Whether a required string field is there and says something."""
    return isinstance(value, str) and bool(value)


def revision(row: Row | None) -> int:
    """The revision that a row carries, 0 when there is no row or it carries none."""
    return whole(row or {}, REV) or 0


def text(row: Row, name: str) -> str:
    """A field of text, "" when it is none."""
    value = row.get(name)
    return value if isinstance(value, str) else ""


def whole(row: Row, name: str) -> int | None:
    """A field that is an integer, None when it is none."""
    value = row.get(name)
    return int(value) if is_integer(value) else None


def items(row: Row, name: str) -> Sequence[Any]:
    """A field that is a list, empty when it is none."""
    value = row.get(name)
    return value if isinstance(value, list | tuple) else ()


def objects(row: Row, name: str) -> tuple[Mapping[str, Any], ...]:
    """The objects in a list; what is none is left out."""
    return tuple(item for item in items(row, name) if isinstance(item, Mapping))
