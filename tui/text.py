"""The one gate for text from outside: whatever it holds, it is shown literally and cannot act on the terminal.

Nothing here ever parses markup, and everything leaves as `Content`, which no widget parses either. The plain-text
half of the gate is `tui/literal.py`, which commands use without Textual.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size
from textual.content import Content, Span

from tui.literal import altered, count, editable, literal, one_line, preview

CUT = ".."
"""Ends a text that was cut: ASCII, since "…" is drawn two cells wide by some East Asian terminals."""


def width(text: str) -> int:
    """How many terminal cells a line takes."""
    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """A line of at most `cells` cells; where something is missing it ends in two dots."""
    if cells <= 0:
        return ""
    text = text[: cells * 8]
    if cell_len(text) <= cells:
        return text
    if cells <= len(CUT):
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - len(CUT)).rstrip() + CUT


def fit(text: str, cells: int) -> str:
    """A line of exactly `cells` cells, cut or filled with spaces."""
    return set_cell_size(cut(text, cells), cells) if cells > 0 else ""


def content(text: str, style: str = "") -> Content:
    """Text from outside as something a widget can show; `style` is ours, the text never is."""
    plain = literal(text)
    return Content(plain, [Span(0, len(plain), style)] if style else None)


def line(*parts: str | tuple[str, str] | Content) -> Content:
    """One line of `(text, style)` pieces; each text passes the gate."""
    return Content.assemble(*(part if isinstance(part, Content) else _piece(part) for part in parts))


def lines(rows: Iterable[Content]) -> Content:
    """Several lines under each other."""
    return Content("\n").join(list(rows))


def fields(rows: Iterable[tuple[str, str]], label: int, cells: int) -> list[Content]:
    """Names and values under each other, the names `label` cells wide; a long value goes on under itself."""
    shown: list[Content] = []
    for name, value in rows:
        pieces = Content(one_line(value)).wrap(max(8, cells - label)) or [Content("")]
        shown.append(Content.assemble((fit(name, label), "$text-muted"), pieces[0]))
        shown += [Content.assemble(" " * label, piece) for piece in pieces[1:]]
    return shown


def _piece(part: str | tuple[str, str]) -> Content:
    return content(part) if isinstance(part, str) else content(*part)


__all__ = [
    "altered",
    "content",
    "count",
    "cut",
    "editable",
    "fields",
    "fit",
    "line",
    "lines",
    "literal",
    "one_line",
    "preview",
    "width",
]
