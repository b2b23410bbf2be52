"""How the neighbours cut text: folded words and pairs of CJK characters.

Kept apart from the product's own rules, so that a neighbour stays what it was when those change.
"""

from __future__ import annotations

import re
import unicodedata

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{CJK}]+|[a-z0-9\u00df-\u024f\u0370-\u1fff]+")
_IS_CJK = re.compile(f"[{CJK}]")


def is_cjk(token: str) -> bool:
    """Whether a token is made of CJK characters."""
    return _IS_CJK.match(token) is not None


def fold(text: str) -> str:
    """The text without case, full width and accents."""
    text = unicodedata.normalize("NFKC", text).lower()
    if text.isascii():
        return text
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare)


def cut(text: str) -> list[str]:
    """The tokens of an entry; each CJK character begins one, so that a single one is the beginning of a token."""
    found: list[str] = []
    for token in _TOKEN.findall(fold(text)):
        found += [token[at : at + 2] for at in range(len(token))] if is_cjk(token) else [token]
    return found


def cut_typed(text: str) -> list[tuple[str, bool]]:
    """The tokens of what was typed so far, and whether each may go on: the last word, and a lone CJK character."""
    folded = fold(text)
    found: list[tuple[str, bool]] = []
    for match in _TOKEN.finditer(folded):
        token = match[0]
        if not is_cjk(token):
            found.append((token, match.end() == len(folded)))
        elif len(token) == 1:
            found.append((token, True))
        else:
            found += [(token[at : at + 2], False) for at in range(len(token) - 1)]
    return found
