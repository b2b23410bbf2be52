"""What no run got through, over everything else: each range with its reason, the words in it, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import get_current_worker

from pipeline.extract.evidence import Record
from pipeline.formats.read import read
from pipeline.review.left_out import LeftOut, denied, failures, preview
from store.errors import Cancelled, MemdeskError
from store.view import View
from tui.asking import Asking, asks
from tui.screens.failures_rows import FailureRows, name, row_id, told, turns
from tui.text import content, count
from tui.widgets.ask import Ask
from tui.widgets.confirm import Confirm
from tui.widgets.foot import foot
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows

REST = 0.1
"""Seconds that the cursor rests before a transcript is read for the words of its range."""
KEYS = (
    ("R", "try again"),
    ("M", "with another model"),
    ("d", "in two halves"),
    ("x", "give up"),
    ("escape", "back"),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person wants of a range: evaluate it again (with this model, in halves), or give it up."""

    left_out: LeftOut
    model: str = ""
    halves: bool = False
    give_up: bool = False


class Previewed(Message):
    """The words of a range were read, or why they cannot be."""

    def __init__(self, id: str, records: Sequence[Record], problem: str) -> None:
        super().__init__()
        self.left_out_id, self.records, self.problem = id, records, problem


class LeftOutList(ModalScreen[Chosen | None]):
    """Shows the ranges; gives what is to be done about one. `model` is what runs use now, "" for the rules."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("R,enter", "again", "try again"),
        Binding("M", "other", "with another model"),
        Binding("d", "halves", "in two halves"),
        Binding("x", "give_up", "give up"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    LeftOutList {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 120; max-width: 100%; height: 96%; max-height: 44;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; padding: 0 1; }
        #said { height: auto; padding: 0 1; color: $text-warning; }
        Rows { background: $panel; height: auto; max-height: 40%; min-height: 1; margin: 1 0 0 0; }
        Pane { background: $panel; height: 1fr; padding: 0 1; border-top: solid $rule; }
        #keys { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    rows = query_one(Rows)
    pane = query_one(Pane)
    said = query_one("#said", Static)

    def __init__(self, view: View, *, model: str = "", read_only: str = "") -> None:
        super().__init__()
        self._view, self._model, self._read_only = view, model, read_only
        self._known: dict[str, tuple[Sequence[Record], str]] = {}
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """How many, the ranges, what one holds, the keys."""
        with Vertical():
            yield Static(id="title")
            yield Static(id="said")
            yield Rows()
            yield Pane()
            yield Static(id="keys")

    def on_mount(self) -> None:
        """Show them."""
        self.show_view(self._view)

    def show_view(self, view: View) -> None:
        """The bank is another one."""
        self._view = view
        items = (*failures(view), *denied(view))
        self.query_one("#title", Static).update(
            content(f"{count(len(items), 'range')} of sessions that no run got through", "bold")
            if items
            else content("Nothing was left out: every run got through what it read.", "bold")
        )
        keys = KEYS if items else KEYS[-1:]  # what cannot act is not offered
        self.query_one("#keys", Static).update(foot(*keys))
        self.rows.show(FailureRows(items))
        self._show()

    @property
    def current(self) -> LeftOut | None:
        """The range under the cursor."""
        source = self.rows.source
        there = isinstance(source, FailureRows) and len(source)
        return source.items[self.rows.cursor] if there and isinstance(source, FailureRows) else None

    @on(Rows.Highlighted)
    def _show(self) -> None:
        one = self.current
        if one is None:
            self.pane.show(content(""))
            return
        records, problem = self._known.get(row_id(one), (None, ""))
        self.pane.show(told(one, records, problem))
        if row_id(one) not in self._known:
            if self._rest is not None:
                self._rest.stop()
            self._rest = self.set_timer(REST, lambda: self.look(one))

    @work(thread=True, exclusive=True, group="preview", description="preview", exit_on_error=False)
    def look(self, one: LeftOut) -> None:
        """Read the transcript on a thread, for the words of the range."""
        worker = get_current_worker()
        records: Sequence[Record] = ()
        problem = "" if one.path else "No transcript is known for it; read its file again on Sessions (n)."
        try:
            sessions = read(one.path, cancelled=lambda: worker.is_cancelled) if one.path else ()
            session = next(
                (found for found in sessions if found.goes_by(one.session.removeprefix(f"{found.format}/"))), None
            )
            if session is not None:
                records = preview(session, one)
            elif not problem:
                problem = "The transcript does not hold this session any more."
        except Cancelled:
            return
        except MemdeskError as error:
            problem = str(error)
        self.post_message(Previewed(row_id(one), records, problem))

    @on(Previewed)
    def _previewed(self, message: Previewed) -> None:
        self._known[message.left_out_id] = message.records, message.problem
        if (one := self.current) is not None and row_id(one) == message.left_out_id:
            self._show()

    # --- what can be done

    def action_again(self) -> None:
        """Evaluate it again, as runs are set up now."""
        self._again()

    def action_halves(self) -> None:
        """Evaluate it again, in two calls."""
        self._again(halves=True)

    @asks
    def action_other(self) -> Asking:
        """Evaluate it again with another model."""
        one = self.current
        if one is None or self._refused(one):
            return
        typed = yield Ask("Which model?", self._model, placeholder="provider/name, as litellm calls it", enter="try it")
        if typed is not None and typed.strip():
            self._again(model=typed.strip())

    @asks
    def _again(self, *, model: str = "", halves: bool = False) -> Asking:
        one = self.current
        if one is None or self._refused(one):
            return
        off = f"{turns(one)} of {name(one)}: memory was switched off while this was written. Evaluate it all the same?"
        if one.state == "denied" and not (yield Confirm(off, "evaluate it", "leave it out")):
            return
        self.dismiss(Chosen(one, model, halves))

    def action_give_up(self) -> None:
        """Give a range up before its retry; it stays in the list."""
        one = self.current
        if one is None or self._refused(one):
            return
        if one.state != "frozen":
            self._say("It is left out already; R tries it again.")
        else:
            self.dismiss(Chosen(one, give_up=True))

    def _refused(self, one: LeftOut) -> bool:
        """Whether nothing may be done about it, which is said."""
        reason = self._read_only or (
            "" if one.path else "No transcript is known for it; read its file on Sessions (n)."
        )
        self._say(reason)
        return bool(reason)

    def _say(self, sentence: str) -> None:
        self.said.update(content(sentence))
