"""One form for each content, so that equal facts have equal identities: C() of `spec/extraction.md` §12 and §23.7."""

from __future__ import annotations

import re
import unicodedata

from pipeline.extract.options import Neutralize
from store.secret import mask

CONTENT_POINTS = 2_000
"""Code points of a stored content (`spec/extraction.md` §20)."""
SPACE = "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space as ECMAScript knows it, for a character class (`spec/extraction.md` §21)."""

_SPACES = re.compile(f"[{SPACE}]+")
_ENDS = re.compile(f"^[{SPACE}]+|[{SPACE}]+\\Z")
_TILDES = re.compile("~{2,}")
_LOOK_ALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", "`": "'"})
_DELETED = str.maketrans({"<": None, ">": None, "`": None})
_JOINERS = "\u200c\u200d"


def collapse(text: str) -> str:
    """Every run of ECMAScript white space becomes one space; trimmed."""
    return _SPACES.sub(" ", text).strip(" ")


def trim(text: str) -> str:
    """The text without ECMAScript white space at its ends."""
    return _ENDS.sub("", text)


def normalise(text: str) -> str:
    """E() of `spec/extraction.md` §6: Unicode NFC, white space collapsed, trimmed."""
    return collapse(unicodedata.normalize("NFC", text))


def neutralise(text: str, mode: Neutralize = "substitute") -> str:
    """Text that cannot close a fence or hide characters.

    `strip` deletes angle brackets and backticks and blanks every control and format character (the port);
    `substitute` puts look-alikes and keeps joiners inside words and emoji (`spec/extraction.md` §23.7). Idempotent.
    """
    plain = _without_controls(text, keep_joiners=mode == "substitute")
    plain = plain.translate(_LOOK_ALIKES if mode == "substitute" else _DELETED)
    return collapse(_TILDES.sub("~", plain))


def canonical(text: str, mode: Neutralize = "substitute") -> str:
    """C(): the content that ledger ids and prompts use; "" when nothing is left. Secrets are masked."""
    return neutralise(mask(normalise(text)), mode)[:CONTENT_POINTS]


def statement(text: str) -> str:
    """The content as it is stored: C() but with the person's own characters (`decisions.md` §4.7)."""
    return collapse(_without_controls(mask(normalise(text)), keep_joiners=True))[:CONTENT_POINTS]


def _without_controls(text: str, *, keep_joiners: bool) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        " " if _hidden(char) and not (keep_joiners and _joins(text, index)) else char for index, char in enumerate(text)
    )


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf"}


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands between two letters or emoji, where it changes what is read."""
    if text[index] not in _JOINERS or not 0 < index < len(text) - 1:
        return False
    return _carries(text[index - 1], "LM") and _carries(text[index + 1], "L")


def _carries(char: str, classes: str) -> bool:
    """Whether a joiner may stand beside it: a letter (or its mark), an emoji or a skin tone."""
    category = unicodedata.category(char)
    return category[0] in classes or category == "So" or "\U0001f3fb" <= char <= "\U0001f3ff"
