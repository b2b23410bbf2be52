"""How each field of a memory stands in its line, and which names a file may carry (`spec/bank.md` §3.3)."""

from __future__ import annotations

import math
from typing import Any

from store.errors import BadInput
from store.vault.layout import check_type
from store.vault.scalars import flatten, heal, number_text, quote, tags_text

COUNTERS = frozenset({"access_count", "last_accessed", "feedback_net", "hit_days", "hit_queries"})
"""Usage signals: they never give a text without front matter one."""
NOT_WRITTEN = frozenset({"id", "path", "sha", "state", "ordinal", "has_front_matter", "trashed_at"})
"""Fields of `Memory` that are no lines of its file."""


def line_value(key: str, value: Any, *, checked: bool = True) -> str | None:
    """The value as it stands in its line; None when there is nothing to write.

    Raises `BadInput` for a value outside its field's range (`spec/bank.md` §3.3), unless `checked` is off.
    """
    if value is None:
        return None
    if key == "tags":
        return tags_text(value)
    if key == "immutable":
        return "true" if value else "false"
    if key in {"confidence", "weight"}:
        return number_text(_ranged(key, value) if checked else value)
    if key in {"access_count", "feedback_net"}:
        return number_text(_whole(key, value))
    text = flatten(str(value))
    if key in {"subject", "source"}:
        text = heal(text)
    if checked:
        _check_word(key, text)
    return quote(text) or None


def check_key(key: str) -> None:
    """Raise `BadInput` for a name that cannot be a front-matter key."""
    if not key or key != flatten(key) or ":" in key or key.startswith("---"):
        raise BadInput(f"{key!r} cannot be a front-matter key; use a word without a colon.")


def _check_word(key: str, text: str) -> None:
    if key == "type":
        check_type(text)
    if key == "scope" and text not in {"public", "private"}:
        raise BadInput(f"There is no scope {text!r}; use public or private.")


def _ranged(key: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    good = 0 <= number <= 1 if key == "confidence" else 0 < number < math.inf
    if not good:
        span = "from 0 to 1" if key == "confidence" else "above 0"
        raise BadInput(f"The {key} must be a number {span}.")
    return number


def _whole(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"The {key} must be a whole number.")
    return value
