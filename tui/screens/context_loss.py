"""What agents load from files and what of it is lost, over everything else; it needs no bank, and writes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.loaded.loaded import Piece
from pipeline.context.loaded.loss import LossReport, folder_of, loss_report, summary
from pipeline.context.loaded.reading import read
from pipeline.context.loaded.told import loss_json
from store.errors import MemdeskError
from store.roots import absolute
from tui import clipboard
from tui.asking import Asking, asks
from tui.faults import report
from tui.home import at_home
from tui.screens.context_loss_rows import MUTED, LossRow, LossRows, plain, told
from tui.text import content, count, line, one_line
from tui.widgets.ask import Ask
from tui.widgets.foot import foot
from tui.widgets.pane import Pane
from tui.widgets.reader import Reader
from tui.widgets.rows import Rows

KEYS = (
    *(("enter", "open"), ("y", "copy"), ("escape", "back"), ("o", "another folder")),
    *(("r", "look again"), ("Y", "copy JSON")),
)
MOST_SHOWN = 2_000
"""Lines of a file that are opened at once."""


class Looked(Message):
    """The report on a folder is there, or why not."""

    def __init__(self, folder: Path | None, report: LossReport | None, problem: str = "") -> None:
        super().__init__()
        self.folder, self.report, self.problem = folder, report, problem


class LossScreen(ModalScreen[None]):
    """Shows the losses of a folder; without one those of the usual places and of the project `here`, if any."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "back"),
        Binding("y", "copy", "copy"),
        Binding("Y", "copy_json", "copy JSON"),
        Binding("r", "look", "look again"),
        Binding("o", "other", "another folder"),
    ]
    AUTO_FOCUS = "Rows"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    LossScreen {
        background: $background;
        & > Vertical { width: 100%; height: 100%; padding: 1 1 0 1; }
        #title, #said { height: auto; max-height: 5; padding: 0 1; }
        #body { height: 1fr; margin: 1 0 0 0; border-top: solid $rule; }
        Rows { height: 1fr; min-height: 3; }
        Pane { height: 50%; padding: 0 1; border-top: solid $rule; }
        Pane:focus { border-top: solid $text-primary; }
        #keys { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-low {
            & > Vertical { padding: 0 1; }
            #said { max-height: 2; }
            #body { margin: 0; }
            Pane { display: none; }
        }
        &.-wide {
            #body { layout: horizontal; }
            Rows { width: 1fr; height: 100%; }
            Pane { width: 45%; height: 100%; border-top: none; border-left: solid $rule; }
            Pane:focus { border-top: none; border-left: solid $text-primary; }
        }
    }
    """

    rows = query_one(Rows)
    pane = query_one(Pane)
    said = query_one("#said", Static)

    def __init__(self, folder: Path | None = None, *, here: Path | None = None) -> None:
        super().__init__()
        self._folder, self._here = folder, here
        self.report: LossReport | None = None

    def compose(self) -> ComposeResult:
        """What is lost in one sentence, the losses, what one is, the keys."""
        with Vertical():
            yield Static(id="title")
            yield Static(id="said")
            with Container(id="body"):
                yield Rows()
                yield Pane()
            yield Static(foot(*KEYS), id="keys")

    def on_mount(self) -> None:
        """Look."""
        self.action_look()

    def action_look(self) -> None:
        """Say what is looked at, and look at the files, again or for the first time."""
        where = "this machine" if self._folder is None else one_line(at_home(self._folder), 400)
        self.query_one("#title", Static).update(line(("What agents load", "bold"), (f"  {where}", MUTED)))
        self._say("Looking at the files ...")
        self.look(self._folder)

    @asks
    def action_other(self) -> Asking:
        """Look at another folder; nothing typed stands for the usual places."""
        typed: str | None = yield Ask(
            "Which folder?", placeholder="empty: the usual places of this machine", enter="look", check=_fault
        )
        if typed is not None:
            self._folder = absolute(typed) if typed.strip() else None
            self.action_look()

    @work(thread=True, exclusive=True, group="loss", exit_on_error=False)
    def look(self, folder: Path | None) -> None:
        """Read the files on a thread; one message comes back."""
        try:
            self.post_message(Looked(folder, loss_report(folder, here=self._here)))
        except MemdeskError as error:
            self.post_message(Looked(folder, None, str(error)))
        except Exception as error:  # else the screen would say for ever that it is looking
            self.post_message(Looked(folder, None, report(error)))

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        if message.folder != self._folder:
            return  # another folder was asked for meanwhile
        if message.report is None:
            self._say(message.problem)
            return
        self.report = message.report
        source = LossRows(message.report)
        self.rows.show(source, to=self.rows.current or source.first)
        self._say(self._sentence(message.report), *message.report.notes, style="$text-warning")
        self._show()

    def _sentence(self, found: LossReport) -> str:
        if not found.layouts and not found.losses:
            return "No agent that Memdesk knows loads anything here."
        return summary(found)

    def _say(self, sentence: str, *more: str, style: str = "") -> None:
        rows = [content(sentence), *(content(one_line(text, 600), style) for text in more)]
        self.said.update(Content("\n").join(rows))

    @property
    def current(self) -> LossRow | None:
        """The row under the cursor."""
        source = self.rows.source
        return source.rows[self.rows.cursor] if isinstance(source, LossRows) and len(source) else None

    @on(Rows.Highlighted)
    def _show(self) -> None:
        row = self.current
        shown = row is not None and self.report is not None
        self.pane.show(told(row, self.report) if row is not None and self.report is not None and shown else content(""))

    # --- keys

    def action_back(self) -> None:
        """From the detail to the list, from the list away."""
        if self.pane.has_focus:
            self.rows.focus()
        else:
            self.dismiss(None)

    def do_detail_up(self) -> None:
        """Scroll the detail from the list."""
        self.pane.scroll_lines(-1)

    def do_detail_down(self) -> None:
        """Scroll the detail from the list."""
        self.pane.scroll_lines(1)

    @on(Rows.Opened)
    def _opened(self) -> None:
        row = self.current
        if row is None or self.report is None:
            return
        if row.piece is not None and row.piece.last:
            self.open_piece(row.piece)
        else:
            title = row.loss.title if row.loss is not None else "What this is"
            self.app.push_screen(Reader(one_line(title, 300), told(row, self.report)))

    @work(thread=True, exclusive=True, group="open", exit_on_error=False)
    def open_piece(self, piece: Piece) -> None:
        """Read the lines of a piece on a thread, and show them with their numbers."""
        one = read(piece.file, Path(os.path.realpath(piece.file)).parent)
        last = min(piece.last, piece.first + MOST_SHOWN - 1, len(one.lines))
        numbers = range(piece.first, last + 1)
        rows = [line((f"{number:>6}  ", MUTED), one_line(one.lines[number - 1])) for number in numbers]
        rows += [content(one.fault, "$text-error")] if one.fault else []
        rows += [content(f"and {count(piece.last - last, 'more line')}", MUTED)] if piece.last > last else []
        reader = Reader(one_line(f"{piece.name}: {piece.fate}", 300), Content("\n").join(rows))
        self.app.call_from_thread(self._show_piece, reader)

    def _show_piece(self, reader: Reader) -> None:
        if self.app.screen is self:  # what was opened meanwhile is not covered
            self.app.push_screen(reader)

    def action_copy(self) -> None:
        """Copy the loss under the cursor: what, where, the lines, what to do."""
        row = self.current
        if row is not None and (text := plain(row)):
            self._copied(text, "this row")

    def action_copy_json(self) -> None:
        """Copy the whole report."""
        if self.report is not None:
            text = json.dumps({"schema": 1, **loss_json(self.report)}, ensure_ascii=False, indent=2)
            self._copied(text, "the report as JSON")

    def _copied(self, text: str, what: str) -> None:
        told_so = clipboard.copy(self.app, text, what)
        self._say(told_so, *([self._sentence(self.report)] if self.report is not None else []))


def _fault(answer: str) -> str:
    """Why a folder cannot be looked into, as a sentence."""
    try:
        if answer.strip():
            folder_of(absolute(answer))
    except MemdeskError as error:
        return str(error)
    return ""
