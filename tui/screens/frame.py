"""What every screen has: the line at the top, its own body, what happened, the keys. A screen fills in the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from store.view import View
from tui import keys
from tui.messages import Said, Task
from tui.text import count
from tui.widgets.header import Fact, Header
from tui.widgets.line import Line, takes_text
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows
from tui.widgets.status import KeyLine, Status

if TYPE_CHECKING:
    from pipeline.review.following import Following
    from store.changes import Committed
    from tui.bench import Bench

MIDDLE_FROM, WIDE_FROM = 80, 110
"""Cells from which a second pane stands under the list, and at its side; below, it closes."""


class Framed(Screen[None], inherit_bindings=False):
    """A screen of the workbench.

    A subclass names its `MODE`, gives `body()` with a list `rows` and a pane `detail`, and answers `show_view` whenever
    the bank has moved on. Its keys stand in `tui.keys` under its mode; `item.trash` there is `do_item_trash` here.
    """

    MODE: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,super+c", "screen.copy_text", show=False)]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"),
        (MIDDLE_FROM, "-middle"),
        (WIDE_FROM, "-wide"),
    ]
    DEFAULT_CSS = """
    Framed { layout: vertical; background: $background; color: $foreground; }
    Framed > .body { height: 1fr; border-top: solid $rule; border-bottom: solid $rule; }
    """

    rows = query_one("#rows", Rows)
    detail = query_one("#detail", Pane)

    def __init__(self, workbench: Bench) -> None:
        super().__init__()
        self.workbench = workbench
        self._seen = -1
        for size, steps in zip(workbench.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True):
            self.add_class(*[name for least, name in sorted(steps or ()) if size >= least][-1:])

    def compose(self) -> ComposeResult:
        """Top line, body, what happened, keys."""
        yield Header()
        yield from self.body()
        yield Status()
        yield KeyLine(self.why_not)

    # --- for a screen to fill in

    def body(self) -> Iterable[Widget]:
        """The widgets between the top line and the status line."""
        return ()

    def show_view(self, view: View) -> None:
        """The bank has a newer view, or is shown for the first time."""

    def show_queue(self, queue: Following) -> None:
        """What waits for the person was found out anew."""

    def written(self, task: Task, committed: Committed | None) -> None:
        """A change that was asked for is in the bank."""

    def refused(self, task: Task) -> None:
        """A change that was asked for is not in the bank."""

    def jump(self, id: str) -> None:
        """Show this memory, if the screen shows memories."""

    def actors(self) -> Sequence[object]:
        """Widgets that carry out list keys when none of them has the focus (from the help or the palette)."""
        return (self.rows,)

    def place(self) -> str:
        """Whose key line is shown."""
        return keys.TEXT if takes_text(self.focused) else self.MODE

    def do_app_search(self) -> None:
        """To the search box of this screen, where it has one."""
        self.say("There is nothing to search on this screen; the command palette goes anywhere.", "app.commands")

    def do_app_back(self) -> None:
        """One step back; where there is none left, the line that says what happened is cleared."""
        self.say("")

    def do_detail_up(self) -> None:
        """Scroll the detail from the list."""
        self.detail.scroll_lines(-1)

    def do_detail_down(self) -> None:
        """Scroll the detail from the list."""
        self.detail.scroll_lines(1)

    @property
    def unfinished(self) -> str:
        """Why leaving the workbench should ask first (a run that is going on), as a sentence; "" when nothing is."""
        return ""

    def leave(self) -> None:
        """The workbench is left, and nothing is left to ask: end what runs."""

    def why_not(self, id: str) -> str:
        """Why a key cannot act now, as a sentence; "" when it can."""
        key = keys.BY_ID[id]
        return self.workbench.desk.read_only if key.writes else ""

    # --- what every screen does

    def say(self, sentence: str, todo: str = "") -> None:
        """Put a sentence into the status line; `todo` is the id of the key that answers it."""
        shown = self.workbench.hint(todo) if todo else ""
        if not self.query(Status):
            self.call_after_refresh(self.say, sentence, todo)  # the screen is still being built
            return
        self.query_one(Status).say(sentence, shown, todo)

    @work(thread=True, group="copy", exclusive=True, description="copy", exit_on_error=False)
    def copy(self, text: str, what: str) -> None:
        """Copy on a thread, since the system's tool may take its time; the answer says only what is known."""
        from tui import clipboard

        self.app.call_from_thread(self.say, clipboard.copy(self.app, text, what))

    def count_marked(self, words: str) -> None:
        """What stands before the sentence: how many rows are marked."""
        self.query_one(Status).count = words

    def catch_up(self) -> None:
        """Show the bank as it is now, unless that is what is shown."""
        view = self.workbench.desk.view
        if self.is_mounted and view.revision != self._seen:
            self._seen = view.revision
            self.show_view(view)
            self.workbench.follow_queue()
        self.show_frame()

    def index_renewed(self) -> None:
        """The search index covers the whole bank now: a screen that searches with it looks again."""

    def show_frame(self) -> None:
        """The top line and the keys, as they are now."""
        bench, view = self.workbench, self.workbench.desk.view
        facts = [
            Fact(bench.desk.name, 1),
            Fact("folder gone" if bench.desk.gone else count(len(view.live) + view.unread, "memory", "memories"), 2),
            Fact("read only", 6)
            if bench.desk.read_only
            else Fact("as you" if self.size.width >= WIDE_FROM else "you", 4),
            Fact(bench.hint("app.commands"), 3),
            Fact(bench.hint("app.keys"), 5),
        ]
        self.query_one(Header).show(bench.tabs(), self.MODE, facts)
        self.show_keys()

    def show_keys(self) -> None:
        """The keys that work where the focus is."""
        bench = self.workbench
        self.query_one(KeyLine).show([(key, bench.pressed(key)) for key in keys.hints(self.place())])

    def on_mount(self) -> None:
        """Show the bank."""
        self.catch_up()

    def on_screen_resume(self) -> None:
        """Coming back: the bank may have moved on meanwhile."""
        if self.is_mounted:
            self.catch_up()

    def on_descendant_focus(self) -> None:
        """Other keys work elsewhere."""
        self.show_keys()

    def on_descendant_blur(self) -> None:
        """Other keys work elsewhere."""
        self.show_keys()

    def on_paste(self, event: events.Paste) -> None:
        """A paste outside a text field never acts: it is offered to the search."""
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """What to do with text pasted outside a field."""
        self.say("Pasted text does nothing here; press / first to search for it.", "app.search")

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """A fault in what was looked for leaves the screen as it was, and is said."""
        if event.state == WorkerState.ERROR and event.worker.error is not None:
            self.say(self.workbench.fault(event.worker.error))

    @on(Said)
    def _said(self, message: Said) -> None:
        message.stop()
        self.say(message.sentence, message.todo)

    @on(Line.Joined)
    def _joined(self, message: Line.Joined) -> None:
        self.say(f"{message.lines:,} pasted lines were joined into one.")

    @on(Header.Picked)
    def _picked(self, message: Header.Picked) -> None:
        self.workbench.open_screen(message.mode)
