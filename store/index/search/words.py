"""Text as the search index sees it: folded words, pairs of CJK characters, emoji (`design/recall.md` §1).

A CJK run gives its overlapping pairs and its last character: each character begins exactly one token, so that one
character finds every place where it stands, and two or more are found as whole pairs. No dictionary, no start-up cost.
"""

from __future__ import annotations

import re
import unicodedata

TOKENISER = 1
"""Number of these rules; an index made by others is made anew."""

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
LETTERS = (
    "a-z0-9\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u02af\u0370-\u1fff\u2c00-\u2dff\ua000-\uabff\U00010000-\U0001efff"
)
_SIGNS = "\u2190-\u2bff\U0001f000-\U0001faff"
TOKEN = re.compile(f"[{CJK}]+|[{LETTERS}]+|[{_SIGNS}]")
"""A run of CJK characters, a word, or one sign (arrow, emoji) of a folded text."""
_IS_CJK = re.compile(f"[{CJK}]")
_NAMED = re.compile("[A-Za-z0-9]+")
_RISE = re.compile("[a-z0-9][A-Z]")
"""Where a `camelCase` name rises: looked for first, as that is quick."""
LONGEST_NAME = 128
"""Letters of the longest name: a longer one is data, whose inner parts begin nothing."""
_HUMP = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MARKS = re.compile("[\u0300-\u036f]+")
_NARROW = {"\u00a0": " ", "\u2026": "...", "\u3000": " "} | {chr(at): chr(at - 0xFEE0) for at in range(0xFF01, 0xFF5F)}
_WIDE = re.compile("[\u00a0\u2026\u3000\uff01-\uff5e]")
"""What NFKC gives for the signs of Chinese text: where they are all there is to do, it takes ten times as long."""


def is_cjk(token: str) -> bool:
    """Whether a token is made of CJK characters."""
    return _IS_CJK.match(token) is not None


def fold(text: str) -> str:
    """The text without case, accents and full width: NFKC, case-folded, marks of Latin, Greek, Cyrillic taken off."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", _WIDE.sub(_narrow, text)).casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


def _narrow(sign: re.Match[str]) -> str:
    return _NARROW[sign[0]]


def folded(text: str) -> tuple[str, list[int] | None]:
    """`fold`, and for each folded character where it comes from (None: every one from its own).

    Characters that join when folded (a letter and its marks, half of a kana, parts of a Hangul syllable) come from the
    first of them.
    """
    if text.isascii():
        return text.lower(), None
    whole = fold(text)
    parts = [char.lower() if char.isascii() else fold(char) for char in text]
    if all(len(part) == 1 for part in parts) and "".join(parts) == whole:
        return whole, None
    starts = list(range(len(text)))
    if "".join(parts) != whole:
        parts, starts = _clusters(text, parts)
    return "".join(parts), [at for at, part in zip(starts, parts, strict=True) for _ in part]


def _clusters(text: str, parts: list[str]) -> tuple[list[str], list[int]]:
    """What characters fold to together where that is not what each folds to, and where each such group starts."""
    found: list[str] = []
    starts: list[int] = []
    for at, (char, part) in enumerate(zip(text, parts, strict=True)):
        alone = not starts or char.isascii() or "\u4e00" <= char <= "\u9fff"  # most of a text
        joined = "" if alone else fold(text[starts[-1] : at + 1])
        if not alone and joined != found[-1] + part:
            found[-1] = joined
        else:
            found.append(part)
            starts.append(at)
    return found, starts


def words(text: str, folded: str | None = None) -> list[str]:
    """The tokens of an entry's text, duplicates kept; the parts of a `camelCase` name come after the text's own.

    Whoever has the text `folded` already gives it along.
    """
    folded = fold(text) if folded is None else folded
    if folded.isascii():
        found = TOKEN.findall(folded)
        return found + humps(text) if _RISE.search(text) else found
    found = []
    for token in TOKEN.findall(folded):
        if token[0] >= "\u3040" and _IS_CJK.match(token):
            found += [token[at : at + 2] for at in range(len(token))]
        else:
            found.append(token)
    return found + humps(text) if _RISE.search(text) else found


def humps(text: str) -> list[str]:
    """What the `camelCase` names in a text are made of, folded: each part, and what each inner part begins."""
    return [text[start:end].lower() for start, end in hump_places(text)]


def hump_places(text: str) -> list[tuple[int, int]]:
    """Where what `humps` gives stands: start and end (exclusive) of each."""
    found: list[tuple[int, int]] = []
    for name in _NAMED.finditer(text):
        if not _RISE.search(name[0]):
            continue
        first, end = name.span()
        parts = [part.span() for part in _HUMP.finditer(text, first, end)]
        found += parts + [(start, end) for start, _ in parts[1:-1] if end - first <= LONGEST_NAME]
    return found
