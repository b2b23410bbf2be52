"""The keys of a JSON document, from its first bytes alone: enough to tell what wrote it (`spec/formats.md` §15)."""

from __future__ import annotations

from typing import Any, Literal

from pipeline.formats.lines import past_space, value_at

Kind = Literal["list", "object", "string", "other"]


def outline(text: str) -> tuple[Kind, dict[str, Any]]:
    """What the document is, and the keys of the object, or of a list's first member, as far as the text reaches.

    A value that is cut off at the end of the text, or cannot be read, is given as None and ends the outline.
    """
    at = past_space(text, 0)
    if text[at : at + 1] == "[":
        first = past_space(text, at + 1)
        return "list", _keys(text, first) if text[first : first + 1] == "{" else {}
    if text[at : at + 1] == "{":
        return "object", _keys(text, at)
    return ("string" if text[at : at + 1] == '"' else "other"), {}


def _keys(text: str, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while text[at : at + 1] in {"{", ","}:
        key, at = value_at(text, past_space(text, at + 1))
        at = past_space(text, at) if isinstance(key, str) else -1
        if at < 0 or text[at : at + 1] != ":":
            break
        found[key], at = value_at(text, past_space(text, at + 1))
        if at < 0:
            break
        at = past_space(text, at)
    return found
