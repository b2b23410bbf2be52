"""Memories as rows of plain JSON values, for the caches between two sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from store.memory import Memory

NAMES = tuple(field.name for field in fields(Memory))
SHAPE = ",".join(NAMES)
"""What a row holds, in order; a cache with rows of another shape is another version."""
TAGS, EXTRA = NAMES.index("tags"), NAMES.index("extra")

packed = attrgetter(*NAMES)
"""The row of a memory."""


def unpacked(row: Sequence[Any]) -> Memory:
    """The memory of a row that came back from JSON. Raises `TypeError` or `ValueError` for what is no row."""
    values = list(row)
    values[TAGS] = tuple(values[TAGS])
    values[EXTRA] = tuple((key, value) for key, value in values[EXTRA])
    return Memory(*values)
