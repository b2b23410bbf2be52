"""Pinyin tokens of Chinese text, so that Latin letters find it (`spec/bank.md` §9.3, `decisions.md` §5.8)."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

HAN_RUN = re.compile("[\u4e00-\u9fa5]+")
"""The characters that the tokeniser takes for Chinese (`spec/bank.md` §9.1)."""

_LEVEL_1_ROWS = range(16, 56)
_GB2312_OFFSET = 0xA0


@lru_cache(maxsize=4096)
def reading(char: str) -> str:
    """The first reading of a common character, without tone, `v` for ü; "" for one outside GB2312 level 1."""
    try:
        row = char.encode("gb2312")[0] - _GB2312_OFFSET
    except UnicodeEncodeError:
        return ""
    if row not in _LEVEL_1_ROWS:
        return ""
    from pypinyin import lazy_pinyin

    return str(lazy_pinyin(char)[0])


def pinyin_tokens(text: str) -> list[str]:
    """The `py:` and `pyi:` tokens of all Chinese characters of `text` taken as one string, duplicates kept."""
    han = "".join(HAN_RUN.findall(text))
    if not han:
        return []
    readings = [reading(char) for char in han]
    if len(han) == 1:
        return [f"py:{readings[0]}", f"pyi:{readings[0][0]}"] if readings[0] else []
    pairs = [f"py:{first}{second}" for first, second in pairwise(readings) if first and second]
    initials = "".join(known[0] for known in readings if known)
    return pairs + [f"pyi:{window}" for window in windows(initials)]


def windows(text: str) -> list[str]:
    """All overlapping two-character windows of `text`."""
    return [text[at : at + 2] for at in range(len(text) - 1)]
