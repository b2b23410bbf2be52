"""An ordered sequence after a few of its members changed, without sorting it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
Precedes = Callable[[T, T], bool]


def exchanged(
    sequence: Sequence[T], gone: Iterable[T], come: Iterable[T], before: Precedes[T], now: Precedes[T]
) -> tuple[T, ...] | None:
    """The sequence without `gone` and with `come` in their places.

    It is ordered by `before`, and what comes by `now`; both order what stays alike. None when the order does not say
    where one belongs, because two members claim one place.
    """
    result = list(sequence)
    for one in gone:
        at = _place(result, one, before)
        if at == len(result) or result[at] is not one:
            return None
        del result[at]
    for one in come:
        at = _place(result, one, now)
        if at < len(result) and not now(one, result[at]):
            return None
        result.insert(at, one)
    return tuple(result)


def _place(members: Sequence[T], one: T, precedes: Precedes[T]) -> int:
    """How many members precede one."""
    low, high = 0, len(members)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if precedes(members[middle], one) else (low, middle)
    return low
