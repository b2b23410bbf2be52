"""A map that is never changed in place: a large base and a small overlay (`decisions.md` §5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MERGE_AT = 1000
"""Overlay entries after which base and overlay become a new base (`decisions.md` §5.5)."""


class _Gone:
    """Marks a key that the overlay removes."""


_GONE = _Gone()


class Layered(Mapping[K, V], Generic[K, V]):
    """An immutable mapping; `with_changes` gives the next one at a cost that does not grow with the base.

    Iteration order: the base's order (changed values stay in place), then new keys in order of arrival.
    """

    __slots__ = ("_base", "_length", "_over")

    def __init__(self, base: Mapping[K, V] | None = None) -> None:
        self._base: Mapping[K, V] = base if base is not None else {}
        self._over: dict[K, V | _Gone] = {}
        self._length = len(self._base)

    def with_changes(self, put: Mapping[K, V], drop: tuple[K, ...] = ()) -> Layered[K, V]:
        """The mapping after `put` and `drop`; this one stays as it was."""
        over = dict(self._over)
        length = self._length
        for key, value in put.items():
            length += key not in self if key not in over else over[key] is _GONE
            over[key] = value
        for key in drop:
            present = over[key] is not _GONE if key in over else key in self._base
            if present:
                length -= 1
                over[key] = _GONE
        result: Layered[K, V] = Layered.__new__(Layered)
        result._base, result._over, result._length = self._base, over, length
        return result if len(over) < MERGE_AT else Layered(dict(result.items()))

    def parts(self) -> tuple[Mapping[K, V], Mapping[K, V | None]]:
        """The base, shared with earlier and later versions until the next merge, and what differs (None: gone).

        An index over the base can be kept as long as the base object is the same; only the rest must be looked through.
        """
        over = {key: None if isinstance(value, _Gone) else value for key, value in self._over.items()}
        return self._base, over

    def changed(self, before: Layered[K, V]) -> Iterator[K]:
        """Keys that came, went, or have another value (by identity) than in `before`; quick while both share a base."""
        if self._base is before._base:
            keys: dict[K, None] = dict.fromkeys((*before._over, *self._over))
        else:
            keys = dict.fromkeys((*before, *self))
        return (key for key in keys if self.get(key) is not before.get(key))

    def __getitem__(self, key: K) -> V:
        if key not in self._over:
            return self._base[key]
        value = self._over[key]
        if isinstance(value, _Gone):
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[K]:
        over = self._over
        if not over:
            yield from self._base
            return
        for key in self._base:
            if over.get(key) is not _GONE:
                yield key
        for key, value in over.items():
            if value is not _GONE and key not in self._base:
                yield key

    def __len__(self) -> int:
        return self._length

    def __contains__(self, key: object) -> bool:
        over: Mapping[object, V | _Gone] = self._over  # type: ignore[assignment]
        return over[key] is not _GONE if key in over else key in self._base
