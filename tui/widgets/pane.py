"""A pane that shows one text, wrapped, and follows the cursor of a list at the price of the lines on screen."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.visual import Visual

from tui.keys import LISTS, bindings


class Pane(ScrollView, can_focus=True):
    """Shows `Content`, never a string: text from outside has passed `tui.text` before it comes here."""

    BINDINGS = bindings(LISTS)
    DEFAULT_CSS = """
    Pane {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.content = Content("")
        self._lines: list[Strip] | None = None
        self._cells = 0
        """The width that the lines were wrapped for."""

    def show(self, content: Content, *, top: bool = True) -> None:
        """Show another text, from its top unless `top` is False."""
        self.content = content
        self._lines = None
        self._measure()
        if top:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.refresh()

    def scroll_lines(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=step, animate=False, immediate=True)

    def notify_style_update(self) -> None:
        """Colours are in the drawn lines."""
        super().notify_style_update()
        self._lines = None

    def on_resize(self, event: events.Resize) -> None:
        """Another width wraps otherwise."""
        self._lines = None
        self._measure()

    def render_line(self, y: int) -> Strip:
        """One line of the window."""
        lines = self._wrapped()
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if index >= len(lines):
            return Strip.blank(width, self.rich_style)
        return lines[index].adjust_cell_length(width, self.rich_style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that was selected by dragging."""
        return selection.extract(self.content.plain), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """The selection is in the drawn lines."""
        self._lines = None
        self.refresh()

    def _wrapped(self) -> list[Strip]:
        width = max(1, self.scrollable_content_region.width)
        if self._lines is None or self._cells != width:
            self._lines = Visual.to_strips(self, self.content, width, None, self.visual_style)
            if self._cells != width:  # a scroll bar came or went, or a pane moved: the number of lines is another one
                self._cells = width
                self.call_later(self._measure)
        return self._lines

    def _measure(self) -> None:
        if not self.size.width:
            return
        size = Size(self.size.width, len(self._wrapped()))
        if max(size.height, self.virtual_size.height) <= self.scrollable_content_region.height:
            self.set_reactive(Pane.virtual_size, size)  # nothing to scroll before or after: no new layout of the screen
        else:
            self.virtual_size = size

    def do_list_up(self) -> None:
        """One line up."""
        self.scroll_lines(-1)

    def do_list_down(self) -> None:
        """One line down."""
        self.scroll_lines(1)

    def do_list_page_up(self) -> None:
        """A page up."""
        self.scroll_lines(-max(1, self.size.height - 1))

    def do_list_page_down(self) -> None:
        """A page down."""
        self.scroll_lines(max(1, self.size.height - 1))

    def do_list_half_up(self) -> None:
        """Half a page up."""
        self.scroll_lines(-max(1, self.size.height // 2))

    def do_list_half_down(self) -> None:
        """Half a page down."""
        self.scroll_lines(max(1, self.size.height // 2))

    def do_list_first(self) -> None:
        """To the top."""
        self.scroll_to(y=0, animate=False, immediate=True)

    def do_list_last(self) -> None:
        """To the end."""
        self.scroll_end(animate=False, immediate=True)
