"""Doing harm to transcripts: values of the wrong kind, but not where a field says who wrote something; tears; bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from pipeline.formats.session import Session
from tests.pipeline.formats.writing import words

FLIPS = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=6)
"""Places of bytes, and what is put there."""


def flipped(data: bytes, flips: Iterable[tuple[int, int]]) -> bytes:
    """The data with other bytes at some of its places."""
    found = bytearray(data)
    for place, value in flips:
        found[place % len(found)] = value
    return bytes(found)


def torn(lines: Sequence[bytes], chance: random.Random) -> bytes:
    """A file of these lines, some of them cut off at their end, some run together with the next."""
    parts = []
    for line in lines:
        parts.append(line[: chance.randrange(len(line))] if line and chance.random() < 0.4 else line)
        parts.append(b"" if chance.random() < 0.3 else b"\n")
    return b"".join(parts)


def changed(value: Any, changes: list[tuple[int, Any]], decisive: frozenset[str]) -> Any:
    """The value with others put at some of its places; keys named in `decisive` keep what they hold."""
    for place, new in changes:
        found = [path for path in _places(value, decisive) if path]
        if found:
            value = _put(value, found[place % len(found)], new)
    return value


def stays_told(
    read: Callable[[Any, list[int] | None], tuple[Session, ...]],
    value: Any,
    places: list[int],
    machine: str,
) -> bool:
    """Whether a document reads the same however its bytes are cut, and no text with `machine` in it is a person's."""
    found = read(value, places)
    return found == read(value, None) and not any(machine in text for session in found for _, text in words(session))


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
