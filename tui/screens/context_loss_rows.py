"""The loss report as rows: the losses by kind, then what each layout loads, and what is said of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from pipeline.context.loaded.loaded import KIND_WORDS, KINDS, Kind, Loaded, Loss, Piece
from pipeline.context.loaded.loss import LossReport
from tui.home import at_home
from tui.text import content, count, fit, line, one_line, width
from tui.theme import OUTCOMES
from tui.widgets.rows import Piece as Text

MUTED = "$text-muted"
SIGNS: Mapping[Kind, tuple[str, str]] = {
    "cut": ("!", "loud"),
    "link": ("x", "bad"),
    "unread": ("?", "warn"),
    "repeated": ("=", "second"),
    "contradiction": ("~", "warn"),
    "expiring": ("-", "warn"),
}
MEANS: Mapping[Kind, str] = {
    "cut": "The agent is given the beginning only; nothing tells it that there is more.",
    "link": "What a memory points to is not there, or lies where no agent should go.",
    "unread": "It stands in the folder, and no agent comes to see it.",
    "repeated": "Every copy takes room in the context, and one of them grows old first.",
    "contradiction": "One agent is given both; which one it follows nobody knows.",
    "expiring": "Claude Code deletes old transcripts by itself; what was not extracted is gone then.",
}
STANDS: Mapping[str, tuple[str, str]] = {"loaded": ("+", "good"), "cut": ("!", "loud"), "not loaded": (":", "muted")}
MOST_PIECES = 300


@dataclass(frozen=True, slots=True)
class LossRow:
    """One row: a heading, a loss, or a piece of a layout."""

    id: str
    kind: Kind | None = None
    loss: Loss | None = None
    loaded: Loaded | None = None
    piece: Piece | None = None

    @property
    def is_heading(self) -> bool:
        """Whether rows stand under it."""
        return self.loss is None and self.piece is None


class LossRows:
    """A row source over a report."""

    def __init__(self, report: LossReport) -> None:
        self.report = report
        self.rows = tuple(_rows(report))
        self._places = {row.id: at for at, row in enumerate(self.rows)}

    def __len__(self) -> int:
        return len(self.rows)

    def id(self, index: int) -> str:
        """The row's id."""
        return self.rows[index].id

    def find(self, id: str) -> int | None:
        """Where a row stands."""
        return self._places.get(id)

    @property
    def first(self) -> str | None:
        """The first row that is no heading."""
        return next((row.id for row in self.rows if not row.is_heading), None)

    def row(self, index: int, width: int) -> Sequence[Text]:
        """The pieces of one row."""
        row = self.rows[index]
        if row.loss is not None:
            return _loss_row(row.loss, width)
        if row.piece is not None:
            return _piece_row(row.piece, width)
        if row.kind is not None:
            many = f"{len(self.report.of(row.kind)):,}"
            return [(fit(f"{KIND_WORDS[row.kind].upper()}  {many}", width), "accent")]
        assert row.loaded is not None
        where = one_line(at_home(row.loaded.folder), 400)
        return [(fit(f"{row.loaded.title}  {where}", width), "accent")]


def _rows(report: LossReport) -> Iterator[LossRow]:
    for kind in KINDS:
        losses = report.of(kind)
        if losses:
            yield LossRow(kind, kind)
        yield from (LossRow(f"{kind} {at}", kind, loss) for at, loss in enumerate(losses))
    for number, loaded in enumerate(report.layouts):
        yield LossRow(f"layout {number}", loaded=loaded)
        shown = loaded.pieces[:MOST_PIECES]
        yield from (LossRow(f"piece {number} {at}", loaded=loaded, piece=one) for at, one in enumerate(shown))


def _loss_row(loss: Loss, cells: int) -> Sequence[Text]:
    sign, style = SIGNS[loss.kind]
    place = one_line(loss.place, 300)
    shown, room = _placed(place, cells)
    return [
        (f"{sign} ", style),
        (shown, "strong"),
        (fit(one_line(loss.title), max(0, cells - 2 - room)), ""),
    ]


def _placed(place: str, cells: int) -> tuple[str, int]:
    """A place in its column of a row that is so many cells wide, and how many of them the column takes."""
    room = min(max(16, cells * 2 // 5), max(0, cells - 2))
    return fit(place if width(place) <= room - 2 else f"..{_end(place, room - 4)}", room), room


def _end(text: str, cells: int) -> str:
    """The end of a place says more than its beginning: the file, the line."""
    while width(text) > max(0, cells):
        text = text[1:]
    return text


def _piece_row(piece: Piece, cells: int) -> Sequence[Text]:
    sign, style = STANDS[piece.fate]
    place = one_line(f"{piece.name} {piece.lines}", 300)
    shown, room = _placed(place, cells)
    return [
        (f"{sign} ", style),
        (shown, ""),
        (fit(f"{piece.fate}: {one_line(piece.reason)}", max(0, cells - 2 - room)), "muted" if sign == ":" else ""),
    ]


# --- what is said of one row


def told(row: LossRow, report: LossReport) -> Content:
    """All that is known of a row."""
    if row.loss is not None:
        return _lines(_loss(row.loss))
    if row.piece is not None:
        return _lines(_piece(row.piece))
    if row.kind is not None:
        return _lines([content(MEANS[row.kind])])
    assert row.loaded is not None
    return _lines(_layout(row.loaded))


def _lines(rows: Sequence[Content]) -> Content:
    return Content("\n").join(list(rows))


def _loss(loss: Loss) -> list[Content]:
    sign = SIGNS[loss.kind][0]
    where = at_home(loss.file) if loss.file is not None else loss.name
    rows = [line((f"{sign} {KIND_WORDS[loss.kind]}  ", "bold"), one_line(loss.title, 600))]
    rows.append(line((one_line(f"{where}{loss.place.removeprefix(loss.name)}", 1_000), MUTED)))
    rows += [content("")] if loss.lines else []
    rows += [_cited(place, text) for place, text in cited(loss)]
    if loss.more:
        rows.append(content(f"and {count(loss.more, 'more line')}", MUTED))
    return [*rows, content(""), line(("to do  ", "bold $text-primary"), loss.todo)]


def _cited(place: str, text: str) -> Content:
    return line((f"{place}  ", MUTED), text)


def cited(loss: Loss) -> list[tuple[str, str]]:
    """The lines of a loss: the number alone where all are of its own file, else file and number."""
    own = all(one.file == loss.file for one in loss.lines)
    places = [f"{one.line}" if own else one_line(one.place, 200) for one in loss.lines]
    wide = max((width(place) for place in places), default=0)
    return [(f"{place:>{wide}}", one_line(one.text)) for place, one in zip(places, loss.lines, strict=True)]


def _piece(piece: Piece) -> list[Content]:
    sign = STANDS[piece.fate][0]
    known = OUTCOMES.get(piece.outcome)
    word = known.word if known is not None and known.word != piece.fate else ""
    rows = [line((f"{sign} {piece.fate}  ", "bold"), one_line(piece.reason), (f"  {word}" if word else "", MUTED))]
    rows.append(line((one_line(at_home(piece.file), 1_000), MUTED)))
    spans = f"lines {piece.lines}, " if piece.last > piece.first else f"line {piece.lines}, " if piece.last else ""
    rows.append(content(f"{spans}{piece.size:,} {piece.unit}"))
    return rows + ([content(f"imported by {one_line(piece.via)}")] if piece.via else [])


def _layout(loaded: Loaded) -> list[Content]:
    rows = [line((loaded.title, "bold"), (f"  {one_line(at_home(loaded.folder), 1_000)}", MUTED))]
    rows += [content(f"limit  {limit.words}") for limit in loaded.limits]
    standing = [piece.fate for piece in loaded.pieces]
    parts = [f"{standing.count(fate):,} {fate}" for fate in STANDS if fate in standing]
    rows.append(content(f"pieces  {', '.join(parts)}"))
    more = len(loaded.pieces) - MOST_PIECES
    rows += [content(f"{more:,} more pieces are not listed here; memdesk context --loss --json has them.")] * (more > 0)
    return rows + [content(one_line(note, 600), "$text-warning") for note in loaded.notes]


def plain(row: LossRow) -> str:
    """A row as text for the clipboard: what, where, the exact lines, what to do."""
    if row.loss is None:
        return "" if row.piece is None else f"{row.piece.file} {row.piece.lines}: {row.piece.fate}, {row.piece.reason}"
    loss = row.loss
    where = f"{loss.file or loss.name}{loss.place.removeprefix(loss.name)}"
    lines = [f"  {one.place}  {one.text}" for one in loss.lines]
    more = [f"  and {loss.more:,} more"] if loss.more else []
    return "\n".join([f"{KIND_WORDS[loss.kind]}: {loss.title}", where, *lines, *more, loss.todo]) + "\n"
