"""The keys of a JSON document, from its first bytes alone: enough to tell what wrote it (`spec/formats.md` §15)."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

Kind = Literal["list", "object", "string", "other"]

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")


def outline(text: str) -> tuple[Kind, dict[str, Any]]:
    """What the document is, and the keys of the object, or of a list's first member, as far as the text reaches.

    A value that is cut off at the end of the text, or cannot be read, is given as None and ends the outline.
    """
    at = _past_space(text, 0)
    if text[at : at + 1] == "[":
        first = _past_space(text, at + 1)
        return "list", _keys(text, first) if text[first : first + 1] == "{" else {}
    if text[at : at + 1] == "{":
        return "object", _keys(text, at)
    return ("string" if text[at : at + 1] == '"' else "other"), {}


def _keys(text: str, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while text[at : at + 1] in {"{", ","}:
        key, at = _value(text, _past_space(text, at + 1))
        at = _past_space(text, at) if isinstance(key, str) else -1
        if at < 0 or text[at : at + 1] != ":":
            break
        found[key], at = _value(text, _past_space(text, at + 1))
        if at < 0:
            break
        at = _past_space(text, at)
    return found


def _value(text: str, at: int) -> tuple[Any, int]:
    """The value at a position and where it ends, -1 when it does not end here."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, -1


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
