"""The facts that a run proposed, one by one: what became of each and why, and where a quote is nearly right, how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content

from pipeline.extract.effects import Fate
from tui.fates import FATES, fate_words, reason_words
from tui.text import content, cut, fit, line, one_line
from tui.widgets.quote import bare

MUTED = "$text-muted"
WORD = 16
"""Cells of the sign and the word."""
NEAR = 9
"""Cells of the names before the words of a bad quote."""
WORDS = 300
"""Characters shown of a text."""
_MISQUOTED = frozenset({"not_verbatim", "unknown_source"})


def incident_rows(fates: Iterable[Fate], cells: int, most: int, *, brief: bool = False) -> list[Content]:
    """The newest first, at most so many; `brief`: one line each."""
    every = list(fates)
    shown = every[::-1][:most]
    rows = [row for fate in shown for row in ([_line(fate, cells)] if brief else _rows(fate, cells))]
    left = len(every) - len(shown)
    return [*rows, content(f"{left:,} more", MUTED)] if left else rows


def _line(fate: Fate, cells: int) -> Content:
    sign, style, _ = FATES[fate.outcome]
    why = reason_words(fate)
    text = one_line(fate.content, WORDS) or "not shown"
    room = max(8, cells - WORD - (len(why) + 3 if why else 0))
    parts: list[tuple[str, str]] = [(fit(f"{sign} {fate_words(fate)}", WORD), style), (cut(text, room), "")]
    return line(*parts, *([(f"   {why}", MUTED)] if why else []))


def _rows(fate: Fate, cells: int) -> list[Content]:
    sign, style, _ = FATES[fate.outcome]
    text = one_line(fate.content, WORDS)
    shown = content(text) if text else content("not shown", MUTED)
    rows = _beside(line((fit(f"{sign} {fate_words(fate)}", WORD), style)), shown, cells, WORD)
    if why := reason_words(fate):
        rows += _beside(Content(" " * WORD), content(why, MUTED), cells, WORD)
    return rows + _misquoted(fate, cells)


def _misquoted(fate: Fate, cells: int) -> list[Content]:
    """The words that were given as a quote, and those that stand there."""
    if not fate.quote or fate.reason not in _MISQUOTED:
        return []
    gap = Content(" " * WORD)
    given = line(gap, (fit("quoted", NEAR), MUTED))
    rows = _beside(given, bare(one_line(fate.quote, WORDS)), cells, WORD + NEAR)
    near = bare(one_line(fate.nearest, WORDS)) if fate.nearest else content("nothing like it", MUTED)
    where = line("  ", (one_line(fate.ref, 40), MUTED)) if fate.nearest and fate.ref else Content("")
    said = line(gap, (fit("said", NEAR), MUTED))
    return rows + _beside(said, Content.assemble(near, where), cells, WORD + NEAR)


def _beside(name: Content, value: Content, cells: int, label: int) -> list[Content]:
    """A text beside its name, going on under itself."""
    pieces: Sequence[Content] = value.wrap(max(8, cells - label)) or [Content("")]
    return [Content.assemble(name if not place else " " * label, piece) for place, piece in enumerate(pieces)]
