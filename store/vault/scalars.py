"""Single values of an entry: quotes, healing, numbers and tags (`spec/bank.md` §3.1–3.4, 25.2–25.4)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable

POLLUTED = re.compile(r'\\+"')
"""Backslashes that an older engine put before quotes, one more with each rewrite (bank-D03)."""
NEWLINES = re.compile(r"[\r\n]+")
LEADING_FLOAT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
LEADING_INT = re.compile(r"[+-]?\d+", re.ASCII)
LARGEST = 2**53 - 1
"""Counters are the whole numbers that upstream's number type holds exactly."""
QUOTES = ('"', "'")
NEEDS_JSON = re.compile(r"[,\[\]\"']")


def unquote(value: str) -> str:
    """Without the one pair of equal quotes around it; nothing is unescaped (`spec/bank.md` §3.1)."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in QUOTES:
        return value[1:-1]
    return value


def quote(value: str) -> str:
    """As it stands in a line: raw, or in one more pair when reading would strip one (`spec/bank.md` §25.2)."""
    if value and value[0] == value[-1] and value[0] in QUOTES:
        return f"{value[0]}{value}{value[0]}"
    return value


def heal(value: str) -> str:
    """Without the backslash runs directly before double quotes (`spec/bank.md` §25.4)."""
    return POLLUTED.sub('"', value) if '\\"' in value else value


def mend(text: str) -> str:
    """Text that a UTF-8 file can hold: lone surrogates and zero characters become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def flatten(text: str) -> str:
    """One line: runs of newlines become one space, white space around it goes (`spec/bank.md` §25.2)."""
    return NEWLINES.sub(" ", mend(text)).strip()


def same_words(first: str, second: str) -> bool:
    """Whether two texts differ in white space at most."""
    return first == second or first.split() == second.split()


def read_float(value: str) -> float | None:
    """The number that a value begins with, as upstream reads it; None when there is none or it is not finite."""
    found = LEADING_FLOAT.match(value)
    number = float(found[0]) if found else math.nan
    return number if math.isfinite(number) else None


def read_int(value: str) -> int:
    """The whole number that a value begins with; 0 when there is none, bounded to what upstream can count."""
    found = LEADING_INT.match(value)
    if not found:
        return 0
    if len(found[0]) > 17:
        return -LARGEST if found[0][0] == "-" else LARGEST
    return max(-LARGEST, min(LARGEST, int(found[0])))


def number_text(number: float) -> str:
    """A finite number printed minimally: `1`, `1.2`, `0.95` (`spec/bank.md` §3.2)."""
    return str(int(number)) if number == int(number) and abs(number) <= LARGEST else repr(float(number))


def split_tags(value: str) -> list[str]:
    """Upstream's reading: one pair of brackets off, split on commas, trimmed, empties dropped (`spec/bank.md` §3.4)."""
    if value.startswith("[") and value.endswith("]") and len(value) > 1:
        value = value[1:-1]
    return [tag for part in value.split(",") if (tag := part.strip())]


def read_tags(value: str) -> tuple[str, ...]:
    """Tags from the bare form, from JSON, and from JSON that an older engine polluted (`spec/bank.md` §25.3)."""
    if '"' not in value and "'" not in value:
        return tuple(split_tags(value)) if value else ()
    if value.startswith("["):
        for text in (value, heal(value)):
            if (tags := _json_tags(text)) is not None:
                return tags
    healed = (unquote(heal(tag)).strip() for tag in split_tags(value))
    return tuple(tag for tag in healed if tag)


def tags_text(tags: Iterable[str]) -> str:
    """`[a, b]`, or JSON when a tag holds a comma, bracket or quote (`spec/bank.md` §25.3)."""
    flat = [tag for text in tags if (tag := flatten(text))]
    if any(NEEDS_JSON.search(tag) for tag in flat):
        return json.dumps(flat, ensure_ascii=False)
    return f"[{', '.join(flat)}]"


def _json_tags(text: str) -> tuple[str, ...] | None:
    """The strings of a JSON list, or None when it is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not all(isinstance(tag, str) for tag in found):
        return None
    return tuple(flat for tag in found if (flat := flatten(tag)))
