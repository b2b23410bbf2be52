"""Reading a model's side answers leniently: JSON in a fence or in prose, what is wrong is left out.

Facts are read strictly (`pipeline/extract/answer.py`). Insights and suggestions are extras: a reply of another shape
yields less and fails nothing (`spec/memora.md` §8.2, 11.5).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pipeline.extract.answer import CITATIONS, Citation

ENTRIES = 10
"""Entries of one list that are read."""
_FENCE = re.compile(r"```[a-z]*\s*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL | re.IGNORECASE)


def value_of(reply: str) -> Any:
    """The JSON value of a reply: in a fence, alone, or the first object or list in prose; None when there is none."""
    fenced = _FENCE.search(reply)
    text = (fenced[1] if fenced else reply).strip()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _embedded(text)


def _embedded(text: str) -> Any:
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def entries(reply: str, list_key: str, one_key: str) -> tuple[Mapping[str, Any], ...]:
    """The objects of a reply: a list, a list under `list_key`, or one object that has `one_key`."""
    value = value_of(reply)
    if isinstance(value, dict):
        value = value.get(list_key, [value] if one_key in value else [])
    found = value if isinstance(value, list) else []
    return tuple(entry for entry in found[:ENTRIES] if isinstance(entry, dict))


def texts(value: Any) -> list[str]:
    """The non-blank texts of a list, each on one line."""
    found = value if isinstance(value, list) else []
    return [" ".join(item.split()) for item in found if isinstance(item, str) and item.strip()]


def citations(value: Any) -> tuple[Citation, ...]:
    """The citations of an entry; whether they hold is for admission to say."""
    found = value if isinstance(value, list) else []
    pairs = ((item.get("sourceRef"), item.get("quote")) for item in found[:CITATIONS] if isinstance(item, dict))
    return tuple(Citation(ref, quote) for ref, quote in pairs if isinstance(ref, str) and isinstance(quote, str))
