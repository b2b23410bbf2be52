"""What a message holds: strings, blocks of text, and how much of them is kept (`spec/formats.md` §1.4)."""

from __future__ import annotations

import json
from typing import Any

from pipeline.formats.lines import is_odd, scrub

KEPT = 2_000
"""Characters kept of tool output, injected text and documents: a bounded prefix (`spec/formats.md` §1.4)."""
KEPT_OF_MODEL = 20_000
"""Characters kept of one message of a model: context for the reader, never evidence."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def clip(text: str, limit: int = KEPT) -> str:
    """The first `limit` characters of text that is kept to be looked at, not to be quoted."""
    return text[:limit]


def string(value: Any) -> str:
    """The value when it is text, else nothing: fields of the wrong type count as missing."""
    return value if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def blocks(content: Any) -> list[dict[str, Any]]:
    """The blocks of a message's content; a plain string is one block of type `text`, strings in a list too."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return [content] if isinstance(content, dict) else []
    told = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    return [part for part in told if isinstance(part, dict)]


def text_of(content: Any, *, kinds: frozenset[str] = frozenset({"text"})) -> str:
    """The text blocks of a content joined by newlines, so that words are not glued (`spec/extraction.md` §5)."""
    if isinstance(content, str):
        return content if "text" in kinds else ""
    found = [string(block.get("text")) for block in blocks(content) if string(block.get("type")) in kinds]
    return found[0] if len(found) == 1 else "\n".join(filter(None, found))


def compact(value: Any, limit: int = KEPT) -> str:
    """A value as one line of JSON, cut to `limit` characters; for showing what a tool was called with."""
    if isinstance(value, str):
        return clip(value, limit)
    if isinstance(value, dict):
        value = {key: clip(item, limit) if isinstance(item, str) else item for key, item in value.items()}
    try:
        return clip(_ENCODER.encode(value), limit)
    except (RecursionError, ValueError):
        return ""


def parsed(value: Any) -> Any:
    """The value of a field that may be JSON written into a string: what it says, None where it is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value, strict=False)
        return scrub(found) if is_odd(value) else found
    except (ValueError, RecursionError):
        return None
