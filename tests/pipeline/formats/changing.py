"""Putting values of the wrong kind into transcripts, except where a field says who wrote something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def changed(value: Any, changes: list[tuple[int, Any]], decisive: frozenset[str]) -> Any:
    """The value with others put at some of its places; keys named in `decisive` keep what they hold."""
    for place, new in changes:
        found = [path for path in _places(value, decisive) if path]
        if found:
            value = _put(value, found[place % len(found)], new)
    return value


def _places(value: Any, decisive: frozenset[str], path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            under = list(_places(item, decisive, (*path, key)))
            yield from under[1:] if key in decisive else under


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _put(copied[path[0]], path[1:], new)
    return copied
