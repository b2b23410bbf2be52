"""A list that costs the same for ten rows or a hundred thousand.

It holds no widget and no text per row: it asks its source for the rows on screen and keeps the strips that it drew.
The cursor and the marks belong to ids, so they stay where they are when rows move.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.keys import LISTS, bindings
from tui.widgets.row_source import Nothing, Piece, RowSource

__all__ = ["STYLES", "Nothing", "Piece", "RowSource", "Rows"]

TYPES = ("fact", "pref", "bound", "commit")
STYLES = ("muted", "strong", "match", "good", "accent", "warn", "bad", "second", "loud", *TYPES)
GUTTER = 1
"""Cells at the left for the cursor (`>`) and the marks (`*`)."""
KEPT_STRIPS = 2048
NEIGHBOURS = 200
"""How far the cursor looks for a row that is still there when its own has gone."""


class Rows(ScrollView, can_focus=True):
    """One line per row, a cursor, marks, and nothing else."""

    ALLOW_SELECT = False  # rows are copied with a key; dragging would select nothing
    BINDINGS = bindings(LISTS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor", "rows--marked", *(f"rows--{name}" for name in STYLES)}
    DEFAULT_CSS = """
    Rows {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & > .rows--cursor {
            color: $block-cursor-blurred-foreground;
            background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
        &:focus > .rows--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
        &:nocolor > .rows--cursor { text-style: underline; }
        &:nocolor:focus > .rows--cursor { text-style: reverse; }
        & > .rows--marked { background: $mark-background; }
        & > .rows--muted { color: $text-muted; }
        & > .rows--strong { text-style: bold; }
        & > .rows--match { color: $text-primary; text-style: bold underline; }
        & > .rows--good { color: $text-success; }
        & > .rows--accent { color: $text-accent; text-style: bold; }
        & > .rows--warn { color: $text-warning; }
        & > .rows--bad { color: $text-error; }
        & > .rows--second { color: $text-secondary; text-style: italic; }
        & > .rows--fact { color: $text-primary; }
        & > .rows--pref { color: $text-secondary; }
        & > .rows--bound { color: $text-accent; }
        & > .rows--commit { color: $text-success; }
        & > .rows--loud { color: $text-error; text-style: reverse; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """Other rows need another scrollbar, in their own frame; without this the whole screen would be laid out first."""

    class Highlighted(Message):
        """The cursor is on another row. Only the latest one matters."""

        def __init__(self, rows: Rows, index: int) -> None:
            self.rows, self.index = rows, index
            super().__init__()

        @property
        def control(self) -> Rows:
            """The list that it happened in."""
            return self.rows

        def can_replace(self, message: Message) -> bool:
            """A later row replaces an earlier one that nobody has shown yet."""
            return isinstance(message, Rows.Highlighted) and message.rows is self.rows

    class Opened(Message):
        """A row was opened with enter or a double click."""

        def __init__(self, rows: Rows, index: int) -> None:
            self.rows, self.index = rows, index
            super().__init__()

        @property
        def control(self) -> Rows:
            """The list that it happened in."""
            return self.rows

    class Marked(Message):
        """The marks are others than before."""

        def __init__(self, rows: Rows) -> None:
            self.rows = rows
            super().__init__()

        @property
        def control(self) -> Rows:
            """The list that it happened in."""
            return self.rows

    def __init__(self, source: RowSource | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source: RowSource = source if source is not None else Nothing()
        self.marks: set[str] = set()
        self._anchor: int | None = None
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(KEPT_STRIPS)
        self._mixed: dict[tuple[str, str], Style] = {}

    # --- what is shown

    @property
    def current(self) -> str | None:
        """The id under the cursor."""
        return self.source.id(self.cursor) if len(self.source) else None

    def show(self, source: RowSource, *, to: str | None = None) -> None:
        """Replace every row; the cursor stays on its id, or goes to `to`. This is the whole cost of a new search."""
        cursor = self._place(source, to)
        self.source = source
        self._anchor = None
        self._forget()
        self.virtual_size = Size(self.size.width, len(source))
        self._scroll_update(self.virtual_size)
        moved = cursor != self.cursor
        self.cursor = cursor
        if not moved:
            self._cursor_moved()
        self.refresh()

    def redraw(self) -> None:
        """Ask the source for its rows again: something else than their order changed."""
        self._forget()
        self.refresh()

    def go_to(self, id: str) -> bool:
        """Put the cursor on an id; whether it is there."""
        index = self.source.find(id)
        if index is None:
            return False
        self.cursor = index
        return True

    def _place(self, source: RowSource, to: str | None) -> int:
        if to is not None and (index := source.find(to)) is not None:
            return index
        if not len(self.source) or not len(source):
            return 0
        here = min(self.cursor, len(self.source) - 1)
        below = range(here, min(here + NEIGHBOURS, len(self.source)))
        above = range(here - 1, max(here - NEIGHBOURS, -1), -1)
        for index in (*below, *above):
            if (found := source.find(self.source.id(index))) is not None:
                return found
        return min(here, len(source) - 1)

    # --- drawing

    def notify_style_update(self) -> None:
        """A theme or the focus changed: nothing drawn before is right."""
        super().notify_style_update()
        self._forget()
        self._mixed.clear()

    def on_resize(self, event: events.Resize) -> None:
        """The window has another size; the cursor stays in sight."""
        self._forget()
        self.virtual_size = Size(event.size.width, len(self.source))
        self._reveal()

    def on_focus(self) -> None:
        """The terminal's own cursor goes to the row, for those who follow it."""
        self._point()

    def render_line(self, y: int) -> Strip:
        """One line of the window."""
        index = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if index >= len(self.source):
            return Strip.blank(width, self.rich_style)
        if index == self.cursor:
            return self._draw(index, width, "cursor")
        strip = self._strips.get((index, width))
        if strip is None:
            strip = self._draw(index, width, "marked" if self._is_marked(index) else "")
            self._strips[(index, width)] = strip
        return strip

    def _draw(self, index: int, width: int, base_name: str) -> Strip:
        base = self._style(base_name, "")
        gutter = "*" if self._is_marked(index) else ">" if index == self.cursor else " "
        pieces = self.source.row(index, width - GUTTER)
        segments = [Segment(gutter, self._style(base_name, "strong" if gutter == "*" else ""))]
        segments += [Segment(text, self._style(base_name, style)) for text, style in pieces]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, base_name: str, name: str) -> Style:
        key = (base_name, name)
        if key not in self._mixed:
            base = self.get_component_rich_style(f"rows--{base_name}") if base_name else self.rich_style
            self._mixed[key] = self._mix(base, name, keep_colour=base_name != "cursor") if name else base
        return self._mixed[key]

    def _mix(self, base: Style, name: str, keep_colour: bool) -> Style:
        """A piece's own attributes on the row's ground; the cursor row has one pair of colours, so it stays legible."""
        own = self.get_component_rich_style(f"rows--{name}")
        return base + Style(
            color=own.color if keep_colour else None,
            bold=own.bold or None,
            italic=own.italic or None,
            underline=own.underline or None,
            reverse=own.reverse or None,
            dim=own.dim or None,
        )

    def _is_marked(self, index: int) -> bool:
        return self._in_range(index) or (bool(self.marks) and self.source.id(index) in self.marks)

    def _in_range(self, index: int) -> bool:
        if self._anchor is None:
            return False
        return min(self._anchor, self.cursor) <= index <= max(self._anchor, self.cursor)

    def _forget(self) -> None:
        self._strips.clear()

    # --- the cursor

    def validate_cursor(self, cursor: int) -> int:
        """The cursor never leaves the rows."""
        return max(0, min(cursor, len(self.source) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Two lines are drawn again, and the row's owner is told."""
        if self._anchor is not None:
            self.redraw()
        self.refresh_line(old - self.scroll_offset.y)
        self.refresh_line(new - self.scroll_offset.y)
        self._cursor_moved()

    def _cursor_moved(self) -> None:
        self._reveal()
        self._point()
        if self.is_mounted:
            self.post_message(self.Highlighted(self, self.cursor))

    def _reveal(self) -> None:
        region = Region(0, self.cursor, 1, 1)
        self.scroll_to_region(region, animate=False, force=True, immediate=True, x_axis=False)

    def _point(self) -> None:
        if self.has_focus and self.is_mounted:
            self.app.cursor_position = self.content_region.offset + Offset(0, self.cursor - self.scroll_offset.y)

    # --- marks

    @property
    def targets(self) -> tuple[str, ...]:
        """What an action applies to: the marked rows shown, in their order, else the row under the cursor."""
        marked = self.marks | self._ranged()
        if marked:
            places = sorted((place, id) for id in marked if (place := self.source.find(id)) is not None)
            return tuple(id for _, id in places)
        return () if self.current is None else (self.current,)

    def unmark(self) -> bool:
        """Take all marks away; whether there were any."""
        had = bool(self.marks) or self._anchor is not None
        self._anchor = None
        self._set_marks(set())
        return had

    def mark(self, ids: set[str]) -> None:
        """Mark these, too."""
        self._anchor = None
        self._set_marks(self.marks | ids)

    def keep_marks(self, ids: set[str]) -> None:
        """Marks of rows that are gone fall away."""
        if self.marks - ids:
            self._set_marks(self.marks & ids)

    def _close_range(self) -> None:
        ranged = self._ranged()
        self._anchor = None
        if ranged:
            self._set_marks(self.marks | ranged)

    def _ranged(self) -> set[str]:
        """The ids of the range that was started, up to the cursor."""
        if self._anchor is None or not len(self.source):
            return set()
        first, last = sorted((self._anchor, self.cursor))
        return {self.source.id(index) for index in range(first, last + 1)}

    def _set_marks(self, marks: set[str]) -> None:
        self.marks = marks
        self.redraw()
        self.post_message(self.Marked(self))

    # --- keys

    def do_list_up(self) -> None:
        """One row up."""
        self.cursor -= 1

    def do_list_down(self) -> None:
        """One row down."""
        self.cursor += 1

    def do_list_page_up(self) -> None:
        """A page up."""
        self.cursor -= self._page()

    def do_list_page_down(self) -> None:
        """A page down."""
        self.cursor += self._page()

    def do_list_half_up(self) -> None:
        """Half a page up."""
        self.cursor -= max(1, self._page() // 2)

    def do_list_half_down(self) -> None:
        """Half a page down."""
        self.cursor += max(1, self._page() // 2)

    def do_list_first(self) -> None:
        """To the first row."""
        self.cursor = 0

    def do_list_last(self) -> None:
        """To the last row."""
        self.cursor = len(self.source) - 1

    def do_list_open(self) -> None:
        """Open the row under the cursor."""
        if len(self.source):
            self.post_message(self.Opened(self, self.cursor))

    def do_list_mark(self) -> None:
        """Mark or unmark, and go on; in a range: mark the range."""
        if self._anchor is not None:
            self._close_range()
        elif (id := self.current) is not None:
            self._set_marks(self.marks ^ {id})
            self.cursor += 1

    def do_list_range(self) -> None:
        """Start a range here, or mark the one that was started."""
        if self._anchor is not None:
            self._close_range()
        elif len(self.source):
            self._anchor = self.cursor
            self.redraw()
            self.post_message(self.Marked(self))

    def do_list_mark_all(self) -> None:
        """Mark all rows shown, or none when all are."""
        shown = {self.source.id(index) for index in range(len(self.source))}
        self._anchor = None
        self._set_marks(set() if shown <= self.marks else self.marks | shown)

    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    # --- mouse

    def on_click(self, event: events.Click) -> None:
        """One click moves the cursor, in the gutter or with ctrl it marks, two clicks open."""
        offset = event.get_content_offset(self)
        if offset is None or (index := self.scroll_offset.y + offset.y) >= len(self.source):
            return
        self.cursor = index
        if event.chain == 2:
            self.do_list_open()
        elif offset.x < GUTTER or event.ctrl:
            self._set_marks(self.marks ^ {self.source.id(index)})
