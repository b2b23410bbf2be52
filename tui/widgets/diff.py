"""What a change alters: lines that go begin with `-`, lines that come with `+`, the changed words are underlined."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from textual.content import Content

from tui.text import content, literal

LIMIT = 20_000
"""Characters of each side that are compared; more would hold up the keys."""
GONE, COME = "$text-warning", "$text-success"
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def diff(before: str, after: str) -> Content:
    """Two texts line by line; texts beyond `LIMIT` are compared as far as that and say so."""
    old, new = literal(before[:LIMIT]).splitlines(), literal(after[:LIMIT]).splitlines()
    parts: list[Content] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts += [content(f"  {text}", "$text-muted") for text in _near(old[i1:i2])]
        else:
            parts += _changed(old[i1:i2], new[j1:j2])
    if len(before) > LIMIT or len(after) > LIMIT:
        parts.append(content("  the rest is too long to compare here", "$text-muted"))
    return Content("\n").join(parts)


def row_diff(before: Iterable[str], after: Iterable[str]) -> Content:
    """The same for short rows that already stand side by side: all that go, then all that come."""
    return Content("\n").join(_changed([literal(text) for text in before], [literal(text) for text in after]))


def _near(lines: list[str]) -> list[str]:
    """Unchanged lines: the nearest two on each side tell the place, the others are counted."""
    if len(lines) <= 5:
        return lines
    return [*lines[:2], f"({len(lines) - 4} lines alike)", *lines[-2:]]


def _changed(old: list[str], new: list[str]) -> list[Content]:
    pairs = min(len(old), len(new))
    gone = [_words(text, new[at] if at < pairs else "", "- ", GONE) for at, text in enumerate(old)]
    come = [_words(text, old[at] if at < pairs else "", "+ ", COME) for at, text in enumerate(new)]
    return gone + come


def _words(text: str, other: str, sign: str, style: str) -> Content:
    """One line; the words that the other side has not are underlined."""
    if not other:
        return Content.assemble((sign + text, style))
    mine, theirs = _WORD.findall(text), _WORD.findall(other)
    pieces: list[tuple[str, str]] = [(sign, style)]
    for tag, i1, i2, _, _ in difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        piece = "".join(mine[i1:i2])
        if piece:
            pieces.append((piece, style if tag == "equal" else f"underline {style}"))
    return Content.assemble(*pieces)
