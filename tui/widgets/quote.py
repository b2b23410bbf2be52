"""A person's words as evidence: the match stands between `»` and `«`, with a little of what is around it."""

from __future__ import annotations

from textual.content import Content

from tui.text import literal

AROUND = 90
"""Characters shown before and after the match."""


def quote(text: str, start: int, end: int, around: int = AROUND) -> Content:
    """The words `text[start:end]` of a turn, marked; what is left out at either side is three dots."""
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    first, last = _edge(text, start - around, -1), _edge(text, end + around, 1)
    before = ("... " if first > 0 else "") + _flat(text[first:start])
    after = _flat(text[end:last]) + (" ..." if last < len(text) else "")
    return Content.assemble(
        before,
        ("» ", "$text-muted"),
        (_flat(text[start:end]).strip(), "bold $text-primary"),
        (" «", "$text-muted"),
        after,
    )


def bare(text: str) -> Content:
    """Words whose surroundings are not known."""
    return Content.assemble(("» ", "$text-muted"), (_flat(text).strip(), "bold $text-primary"), (" «", "$text-muted"))


def _edge(text: str, at: int, step: int) -> int:
    """The nearest word boundary inside the window, so that no word is cut in half."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    space = text.find(" ", at, at + 20) if step < 0 else text.rfind(" ", at - 20, at)
    return at if space < 0 else space + (1 if step < 0 else 0)


def _flat(text: str) -> str:
    return literal(text).replace("\n", " ")
