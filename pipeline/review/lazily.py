"""Fields that are worked out when somebody looks at them: of thousands that wait, a person sees a few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Lazily(Mapping[str, Any]):
    """What `make` gives, made once at the first look. It may be looked at from several threads."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make: Callable[[], Mapping[str, Any]] | None = make
        self._made: Mapping[str, Any] = {}

    def _fields(self) -> Mapping[str, Any]:
        if (make := self._make) is not None:
            self._made = make()
            self._make = None  # what it was made from need not be kept
        return self._made

    def __getitem__(self, name: str) -> Any:
        return self._fields()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def __repr__(self) -> str:
        return repr(self._fields())
