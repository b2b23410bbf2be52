"""The lines of a transcript: who said it, then what was said, the person's quoted words marked."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content

from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session, Turn
from store import clock
from tui.dates import moment
from tui.screens.review_detail import AUTHORS
from tui.text import literal, one_line
from tui.widgets.rows import Piece

STYLES: Mapping[Author, str] = {
    Author.TYPED: "fact",
    Author.CHOSEN: "fact",
    Author.MODEL: "muted",
    Author.TOOL: "second",
    Author.COMMAND: "second",
    Author.DOCUMENT: "second",
    Author.INJECTED: "warn",
    Author.OTHER_AGENT: "warn",
    Author.SUMMARY: "warn",
}
TURN = 8_000
"""Characters of a turn that are shown; a longer one says how many are left out."""
SIDE, SIDE_TEXT = 1_000, 500_000
"""Turns, and characters of them, that are wrapped on either side of the one that the screen is opened at."""
INDENT = 7
Span = tuple[int, int]
"""From a character of a text up to another one."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of the screen: the turn that it belongs to and its pieces; `place` marks a line with quoted words.

    `part` is the span of the turn's text that the line of the message takes of which this is a piece; None for a head.
    """

    turn: int
    pieces: tuple[Piece, ...]
    place: bool = False
    part: Span | None = None


class TranscriptRows:
    """A row source over the wrapped lines of some turns of a session: those in `turns`, of `of` altogether."""

    def __init__(self, lines: Sequence[TextLine], heads: Sequence[int], turns: range, of: int) -> None:
        self.lines, self._heads, self.turns, self.of = lines, heads, turns, of

    def __len__(self) -> int:
        return len(self.lines)

    def id(self, index: int) -> str:
        """Turn and line in it, so that the cursor stays on its turn when the width changes."""
        turn = self.lines[index].turn
        return f"{turn}.{index - self._heads[turn - self.turns.start]}"

    def find(self, id: str) -> int | None:
        """Where a line stands now."""
        turn, _, within = id.partition(".")
        if int(turn) not in self.turns:
            return None
        at = int(turn) - self.turns.start
        end = self._heads[at + 1] if at + 1 < len(self._heads) else len(self.lines)
        return min(self._heads[at] + int(within), end - 1)

    def beyond(self, index: int) -> int | None:
        """The turn at which to go on when `index` is the first or the last line and more of the session lies there."""
        if index <= 0 and self.turns.start > 0:
            return self.turns.start
        return self.turns[-1] if index >= len(self.lines) - 1 and self.turns.stop < self.of else None

    def words_of(self, turn: int) -> int | None:
        """The first line of a turn that holds quoted words, else its first line; None when it is not among these."""
        head = self.find(f"{turn}.0")
        if head is None:
            return None
        own = itertools.takewhile(lambda at: self.lines[at].turn == turn, range(head, len(self.lines)))
        return next((at for at in own if self.lines[at].place), head)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The pieces of one line."""
        return self.lines[index].pieces

    def next_place(self, index: int, step: int) -> int | None:
        """The next line with quoted words, counted from `index`; a turn's words count once."""
        order = range(index + step, len(self.lines) if step > 0 else -1, step)
        here = self.lines[index] if 0 <= index < len(self.lines) else None
        for at in order:
            line = self.lines[at]
            if line.place and not (here is not None and here.place and line.turn == here.turn):
                return at
        return None


def window(turns: Sequence[Turn], centre: int) -> range:
    """The turns around one that are wrapped together, so that a session of any length is opened in the same time."""
    first = centre - _within_bounds(turns, range(centre - 1, -1, -1))
    return range(first, centre + _within_bounds(turns, range(centre, len(turns))))


def _within_bounds(turns: Sequence[Turn], places: Iterable[int]) -> int:
    """How many of the turns at these places are taken: until there are enough of them, or enough of their text."""
    taken = shown = 0
    for place in places:
        if taken >= SIDE or shown >= SIDE_TEXT:
            break
        taken, shown = taken + 1, shown + min(TURN, len(turns[place].text))
    return taken


def wrap(session: Session, places: Mapping[int, Sequence[Span]], cells: int, centre: int = 0) -> TranscriptRows:
    """The lines of a session around the turn `centre` in `cells` columns.

    `places` are the quoted spans by the index of their turn. Takes some tenths of a second, so it is for a thread.
    """
    lines: list[TextLine] = []
    heads: list[int] = []
    shown = window(session.turns, centre)
    for at in shown:
        turn = session.turns[at]
        heads.append(len(lines))
        lines.append(TextLine(at, _head(turn)))
        lines += _body(at, turn, places.get(at, ()), max(20, cells - INDENT))
    return TranscriptRows(lines, heads, shown, len(session.turns))


def _head(turn: Turn) -> tuple[Piece, ...]:
    name, style = AUTHORS[turn.author][0], STYLES[turn.author]
    words = f", {turn.author.value}" if turn.author in EVIDENCE_AUTHORS else ""
    more = [one_line(turn.reason, 120)] if turn.reason and turn.author not in EVIDENCE_AUTHORS else []
    more += ["taken back, a branch that was left"] if turn.abandoned else []
    more += ["copied from an earlier session"] if turn.inherited else []
    if turn.at is not None:
        more.insert(0, moment(datetime.fromtimestamp(turn.at / 1000, tz=clock.now().tzinfo).isoformat()))
    said = (f"   {'   '.join(more)}", "muted") if more else ("", "")
    return ((f"{turn.seq:>5}  ", "muted"), (f"{name}{words}", style), said)


def _body(at: int, turn: Turn, spans: Sequence[Span], cells: int) -> list[TextLine]:
    style = "" if turn.author in EVIDENCE_AUTHORS else "muted"
    lines: list[TextLine] = []
    if turn.question:
        asked = "asked: " + one_line(turn.question, 600)
        lines += [_line(at, pieces, "muted", None) for pieces in _wrapped(asked, (), cells)]
    for part in _parts(turn.text, spans):
        own = _within(spans, part)
        wrapped = _wrapped(turn.text[slice(*part)], own, cells) or [[]]
        lines += [_line(at, pieces, style, part) for pieces in wrapped]
    left = len(turn.text) - _cut(turn.text, spans)
    if left > 0:
        lines.append(TextLine(at, ((" " * INDENT, ""), (f"{left:,} more characters", "muted"))))
    return [*lines, TextLine(at, ())]


def _cut(text: str, spans: Sequence[Span]) -> int:
    """Up to where a text is shown: as far as its last quoted words in any case."""
    return min(len(text), max([TURN, *(end for _, end in spans)]))


def _parts(text: str, spans: Sequence[Span]) -> list[Span]:
    """The lines of a message that are shown, as spans; quoted words that run over a line end hold lines together."""
    end, start, parts = _cut(text, spans), 0, []
    while start <= end:
        stop = text.find("\n", start, end)
        while stop >= 0 and any(first < stop + 1 < last for first, last in spans):
            stop = text.find("\n", stop + 1, end)
        parts.append((start, end if stop < 0 else stop))
        start = end + 1 if stop < 0 else stop + 1
    return parts


def _within(spans: Sequence[Span], part: Span) -> tuple[Span, ...]:
    """The spans that lie in a part, counted from its beginning."""
    first, last = part
    return tuple((start - first, end - first) for start, end in spans if first <= start and end <= last)


def _line(at: int, pieces: Sequence[tuple[str, bool]], style: str, part: Span | None) -> TextLine:
    shown = tuple((text, "match" if inside else style) for text, inside in pieces)
    return TextLine(at, ((" " * INDENT, ""), *shown), any(inside for _, inside in pieces), part)


def _wrapped(text: str, spans: Sequence[Span], cells: int) -> list[list[tuple[str, bool]]]:
    """The lines of a text, each as pieces that are inside a span or not; the words are put between » and «."""
    marked = Content("")
    cuts = sorted({0, len(text), *(at for span in spans for at in span)})
    for start, end in itertools.pairwise(cuts):
        inside = any(first <= start and end <= last for first, last in spans)
        piece = literal(text[start:end])
        marked += Content.assemble("» ", (piece, "bold"), " «") if inside else Content(piece)
    return [_pieces(line) for line in marked.wrap(cells)]


def _pieces(line: Content) -> list[tuple[str, bool]]:
    cuts = sorted({0, len(line.plain), *(at for span in line.spans for at in (span.start, span.end))})
    found = []
    for start, end in itertools.pairwise(cuts):
        inside = any(span.start <= start and end <= span.end for span in line.spans)
        found.append((line.plain[start:end].replace("\n", " "), inside))
    return found
