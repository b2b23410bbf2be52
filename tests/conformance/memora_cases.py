"""The case file of `spec/memora.md` §28: its cases, and its patterns between slashes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "cases" / "memora-cases.jsonl"


@cache
def cases() -> Mapping[str, Mapping[str, Any]]:
    """Every case by id."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in (json.loads(line) for line in lines if line.strip())}


def matches(pattern: str, text: str) -> bool:
    """Whether a result is what a case says: a pattern between slashes, or the text itself."""
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return re.search(pattern[1:-1], text) is not None
    return pattern == text
