"""What a run would show a model, window by window: evidence, masked secrets, waiting facts, the prompt itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.extract.evidence import Record
from pipeline.preview import Plan, Window
from tui import clipboard
from tui.dates import moment
from tui.fates import plan_words
from tui.screens.sessions_progress import hanging
from tui.text import content, count, fit, line, lines, one_line
from tui.widgets.foot import foot
from tui.widgets.pane import Pane

MUTED = "$text-muted"
HEAD = "bold $text-primary"
KEYS = (("escape", "back"), ("n N", "next, previous window"), ("p", "evidence, whole prompt"), ("y", "copy"))
REF = 14
"""Cells of the names of messages."""


def sent(plan: Plan) -> tuple[Window, ...]:
    """The windows of which a model would see something."""
    return tuple(window for window in plan.windows if window.prompt)


def window_text(window: Window, cells: int) -> Content:
    """One window as a person checks it: its messages as the model would see them, the waiting facts it is told of."""
    masked = f"   {count(window.masked, 'secret')} masked" if window.masked else ""
    turns = f"turns {max(1, window.after + 1)} to {window.through}"
    size = f"   about {window.tokens:,} tokens" if window.tokens else ""
    head = f"{turns}   {count(len(window.records), 'message')} of yours{size}{masked}"
    shown = [content(head, MUTED), Content(""), line(("EVIDENCE", HEAD), "   as the model would see it")]
    shown += [row for record in window.records for row in _record(record, cells)]
    if window.open_gaps:
        shown += [Content(""), line(("WAITING FACTS", HEAD), "   offered, so that it can say that it saw one again")]
    for gap in window.open_gaps:
        seen = count(gap.sessions, "session")
        shown += hanging(f"  {seen}", content(one_line(gap.content, 600)), cells, REF)
    return lines(shown)


def _record(record: Record, cells: int) -> list[Content]:
    when = moment(datetime.fromtimestamp(record.observed_at / 1000, UTC).isoformat()) if record.observed_at else ""
    text = line(one_line(record.text, 5_000), (f"   {when}", MUTED))
    rows = hanging(f"  {record.source_ref}", text, cells, REF)
    asked = content(f"answers: {one_line(record.question, 600)}", MUTED)
    return [*rows, *hanging("", asked, cells, REF)] if record.question else rows


def prompt_text(window: Window) -> Content:
    """The prompt of the window's first call, as it is."""
    return lines(content(row) for row in window.prompt.split("\n"))


class PlanReader(ModalScreen[None]):
    """Shows one window at a time; nothing here was sent to anybody."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("n,right", "step(1)", "next window"),
        Binding("N,left", "step(-1)", "window before"),
        Binding("p", "prompt", "prompt"),
        Binding("y", "copy", "copy"),
    ]
    AUTO_FOCUS = "Pane"
    DEFAULT_CSS = """
    PlanReader {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 120; max-width: 100%; height: 96%; max-height: 60;
            padding: 1 2 0 2; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #place { height: auto; color: $text-muted; margin: 0 0 1 0; }
        Pane { background: $panel; }
        #keys { height: 1; }
    }
    """

    pane = query_one(Pane)
    place = query_one("#place", Static)

    def __init__(self, title: str, plan: Plan) -> None:
        super().__init__()
        self._title, self._plan = title, plan
        self._windows: Sequence[Window] = sent(plan)
        self._at = 0
        self._whole = False

    def compose(self) -> ComposeResult:
        """Title, figures, the window, the keys."""
        with Vertical():
            yield Static(content(self._title, "bold"), id="title")
            yield Static(id="place")
            yield Pane()
            yield Static(foot(*KEYS), id="keys")

    @property
    def _cells(self) -> int:
        return self.pane.scrollable_content_region.width or 80

    def on_resize(self) -> None:
        """Another width wraps otherwise; the first one shows the first window."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        words = f"Nothing was sent. {plan_words(self._plan)[:1].upper()}{plan_words(self._plan)[1:]}."
        if self._plan.problem:
            words = f"{words} {self._plan.problem}"
        if not self._windows:
            self.place.update(content(words))
            self.pane.show(_states(self._plan))
            return
        window = self._windows[self._at]
        kept = len(self._windows)
        left = f" (the first {kept} of {self._plan.calling:,} are shown)" if kept < self._plan.calling else ""
        self.place.update(content(f"{words} Window {self._at + 1} of {kept}{left}, {one_line(window.session, 80)}."))
        self.pane.show(prompt_text(window) if self._whole else window_text(window, self._cells))

    def action_step(self, step: int) -> None:
        """To the next window, or the one before."""
        if self._windows:
            self._at = min(len(self._windows) - 1, max(0, self._at + step))
            self._show()

    def action_prompt(self) -> None:
        """The whole prompt, or the evidence again."""
        self._whole = not self._whole
        self._show()

    def action_copy(self) -> None:
        """Copy what is shown."""
        if self._windows:
            window = self._windows[self._at]
            self._copy(window.prompt if self._whole else window_text(window, self._cells).plain)

    @work(thread=True, exclusive=True, group="copy", description="copy", exit_on_error=False)
    def _copy(self, text: str) -> None:
        self.app.call_from_thread(self._say, clipboard.copy(self.app, text, "the window"))

    def _say(self, sentence: str) -> None:
        self.place.update(content(sentence))


def _states(plan: Plan) -> Content:
    """Why there is no window."""
    rows = [line((fit(f"  {state}", 16), MUTED), one_line(key, 200)) for key, state in (plan.states or {}).items()]
    return lines(rows[:500])
