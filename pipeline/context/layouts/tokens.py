"""How many tokens a text makes, estimated from its characters alone (`spec/memora.md` §16.2)."""

from __future__ import annotations

import re

_CJK = re.compile("[\u4e00-\u9fff\u3400-\u4dbf\u3040-\u30ff\uac00-\ud7af]")
SCALE = 3
"""A Chinese, Japanese or Korean character makes 2/3 of a token, any other 1/3: counted in whole thirds."""


def thirds(text: str) -> int:
    """The thirds of a token that a text makes; texts put together make the sum of theirs."""
    return len(text) if text.isascii() else len(text) + len(_CJK.findall(text))


def estimate_tokens(text: str) -> int:
    """ceil(CJK / 1.5 + other / 3), counting code points (`spec/memora.md` §16.2)."""
    return -(-thirds(text) // SCALE)
