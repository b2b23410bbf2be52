"""Sessions: the transcripts that there are, what was found in each, and the runs that look for more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Container, Vertical
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from pipeline.formats.find import search
from pipeline.formats.table import load_own, packaged
from pipeline.transcripts import Fact, Transcript, facts_of, transcripts
from store import clock
from store.view import View
from tui import keys
from tui.options import DEMO
from tui.screens import sessions_detail
from tui.screens.sessions_acts import SessionActs
from tui.screens.sessions_detail import Detail
from tui.screens.sessions_empty import nothing
from tui.screens.sessions_files import model_words, named_file, sizes
from tui.screens.sessions_rows import TranscriptRows, head, matching
from tui.screens.sessions_runs import job_for
from tui.text import content, count, line, one_line
from tui.widgets.pane import Pane
from tui.widgets.query import Query
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

ACTING = {
    "run": "session.run",
    "dry": "session.dry-run",
    "plan": "session.plan",
    "open": "list.open",
    "stop": "session.stop",
}
"""The keys that the pane names."""
REST = 0.1
"""Seconds that the cursor rests before the facts of its transcript are looked up."""


class Listed(Message):
    """The transcripts that there are. Only the latest list matters."""

    def __init__(self, view: View, items: tuple[Transcript, ...], model: str, complete: bool = True) -> None:
        super().__init__()
        self.view, self.items, self.model, self.complete = view, items, model, complete

    def can_replace(self, message: Message) -> bool:
        """A newer list replaces one that nobody has shown yet."""
        return isinstance(message, Listed)


class FactsFound(Message):
    """The facts that rest on one transcript."""

    def __init__(self, id: str, revision: int, facts: tuple[Fact, ...]) -> None:
        super().__init__()
        self.transcript_id, self.revision, self.facts = id, revision, facts


class SessionsScreen(SessionActs):
    """List and pane; files are read only when a person asks for it."""

    MODE = "sessions"
    TITLE = "Sessions"
    CSS_PATH = "sessions.tcss"
    AUTO_FOCUS = "Rows"
    BINDINGS = keys.bindings("sessions")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012

    query_box = query_one(Query)
    empty = query_one("#empty", Static)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.items: tuple[Transcript, ...] = ()
        self.shown = TranscriptRows((), self.runs, {}, 0)
        self.model = ""
        self._view: View | None = None
        self._facts: tuple[str, int, tuple[Fact, ...]] = ("", -1, ())
        self._rest: Timer | None = None
        self._go_to: str | None = None
        self._complete = True
        """Whether all usual places could be looked through in time."""

    def body(self) -> Iterable[Widget]:
        """The box, the model, the list with its head, the pane."""
        yield Query("words of a session, project, source or state, -not", shorter="words, a project, a state, -not")
        yield Static(id="model")
        with Container(classes="body"):
            with Vertical(id="list"):
                yield Static(id="head")
                yield Static(id="empty")
                yield Rows(id="rows")
            yield Pane(id="detail")

    # --- looking

    def show_view(self, view: View) -> None:
        """The bank moved on: the ledger may say other things of a session."""
        self.look(view)

    def look_again(self) -> None:
        """List again what there is."""
        self.look(self.workbench.desk.view)

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def look(self, view: View) -> None:
        """List files and ledger on a thread; names, sizes and times only."""
        worker = get_current_worker()
        formats = packaged() if self.workbench.options.name == DEMO else load_own()[0]  # a demo shows nothing of theirs
        looked = search(formats=formats)
        items = transcripts(view, looked.found, sizes(view), formats)
        if not worker.is_cancelled:
            self.post_message(Listed(view, items, model_words(), looked.complete))

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        self._view, self.model, self._complete = message.view, message.model, message.complete
        known = {item.path for item in message.items}
        self.named = {path: item for path, item in self.named.items() if path not in known}
        self.items = (*self.named.values(), *message.items)
        self.forget_changed(message.items)
        self.present()

    def present(self) -> None:
        """Show what passes the box; the cursor and the marks stay on their transcripts."""
        found = matching(self.items, self.query_box.text, self.runs)
        self.shown = TranscriptRows(found, self.runs, self.new, len(self.items))
        self.rows.show(self.shown, to=self._go_to)
        self._go_to = None if self._go_to is None or self.shown.find(self._go_to) is not None else self._go_to
        self.rows.keep_marks({item.id for item in self.items})
        empty = nothing(self.shown, self.query_box.text, self.workbench) if self._view is not None else None
        self.empty.display = empty is not None
        self.empty.update(empty or "")
        self.query_one("#model", Static).update(line(("model  ", "$text-muted"), self.model))
        self._show_counts()
        self.show_detail()

    def _show_counts(self) -> None:
        shown, total = len(self.shown), self.shown.total
        found = f"{shown:,} of {total:,}" if shown != total else count(total, "session")
        new = sum(item.to_read for item in self.items)
        going, waiting = len(self.going), self.waiting
        busy = (f"{going:,} running" if going > 1 else "running") if going else ""
        busy += f", {waiting:,} wait" if going and waiting else ""
        slow = "" if self._complete else "more may lie on a slow disk"
        parts = [busy, found, f"{new:,} with something new" if new else "", "newest first" if shown else "", slow]
        self.query_box.show([part for part in parts if part])

    @on(Query.Changed)
    def _typed(self) -> None:
        self.present()

    @on(Query.Left)
    def _left_box(self) -> None:
        self.rows.focus()

    def paste(self, text: str) -> None:
        """A path that is pasted or dropped is offered to be read, anything else to be searched for."""
        path = one_line(text, 4_000).strip("'\"")
        if "/" in path:
            self.ask_for_file(path)
        else:
            self.query_box.box.value = one_line(text, 200)
            self.set_focus(self.query_box.box)

    def add(self, *paths: str) -> None:
        """Files that the person named stand in the list from now on, with the cursor on the first."""
        if any(self.shown.find(path) is None for path in paths):
            self.query_box.clear()
        known = {item.id for item in self.items}
        fresh = {path: named_file(path) for path in paths if path not in known}
        self.named |= fresh
        self.items = (*fresh.values(), *self.items)
        self._go_to = next(iter(paths), None)
        self.present()

    # --- the pane

    def current_item(self) -> Transcript | None:
        """The transcript under the cursor."""
        return self.shown.get(self.rows.current)

    def targets(self) -> Sequence[Transcript]:
        """The marked transcripts shown, else the one under the cursor."""
        return [item for id in self.rows.targets if (item := self.shown.get(id)) is not None]

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        self.show_detail()
        self.show_keys()

    def show_detail(self, *, top: bool = True) -> None:
        """Show the transcript under the cursor; what rests on it follows when the cursor rests."""
        item = self.current_item()
        if item is None:
            self.detail.border_title = None
            self.detail.show(content(""))
            return
        detail = self.detail_of(item)
        self.detail.border_title = None if detail.tall else line(" ", sessions_detail.title(detail), " ")
        self.detail.show(sessions_detail.show(detail), top=top)
        if item.key and self._facts[:2] != (item.id, self._revision()):
            if self._rest is not None:
                self._rest.stop()
            self._rest = self.set_timer(REST, lambda: self.look_up(item, self.workbench.desk.view))

    def pane_text(self) -> str:
        """The log of the run where there is one, else what the pane says."""
        item = self.current_item()
        return "" if item is None else sessions_detail.as_text(self.detail_of(item))

    def detail_of(self, item: Transcript) -> Detail:
        """What is known about a transcript."""
        bench = self.workbench
        facts = self._facts[2] if self._facts[0] == item.id else ()
        return Detail(
            item,
            {name: bench.pressed_id(id) for name, id in ACTING.items()},
            clock.millis(),
            self.runs.get(item.id),
            self.contents.get(item.id, ()),
            facts,
            self.model.partition(";")[0],
            self.detail.scrollable_content_region.width or 80,
            tall=self.has_class("-wide"),
            full=self.has_class("-reading"),
            spans=self.spans.get(item.id, ()),
        )

    def _revision(self) -> int:
        return self.workbench.desk.view.revision

    @work(thread=True, exclusive=True, group="facts", exit_on_error=False)
    def look_up(self, item: Transcript, view: View) -> None:
        """Find what rests on a transcript, on a thread: the ledger may be long."""
        self.post_message(FactsFound(item.id, view.revision, facts_of(view, item)))

    @on(FactsFound)
    def _facts_found(self, message: FactsFound) -> None:
        self._facts = (message.transcript_id, message.revision, message.facts)
        if message.transcript_id == self.rows.current:
            self.show_detail(top=False)

    def changed(self, id: str) -> None:
        """A run went on."""
        self.rows.redraw()
        self._show_counts()
        self.show_keys()
        if id == self.rows.current:
            self.show_detail(top=False)

    @on(Rows.Opened)
    def _opened(self) -> None:
        """Into the pane; a file whose contents nobody has seen is read."""
        item = self.current_item()
        if item is None:
            return
        self.add_class("-reading")
        self.detail.focus()
        if item.there and item.id not in self.contents:
            self.enqueue([job_for(item, only_read=True)])
        self.show_detail()

    def on_resize(self) -> None:
        """Another width has other columns."""
        self.call_after_refresh(self._show_widths)

    def _show_widths(self) -> None:
        self.query_one("#head", Static).update(line((f" {head(self.rows.size.width - 1)}", "$text-muted")))
        self.show_detail()

    def queued(self) -> None:
        """The marks have done their work."""
        self.rows.unmark()

    # --- keys

    def why_not(self, id: str) -> str:
        """Runs need a transcript, and only what goes on can be stopped."""
        if reason := super().why_not(id):
            dry = self.workbench.pressed_id("session.dry-run")
            return f"{dry} tries it and keeps nothing. {reason}" if id == "session.run" else reason
        if id == "session.stop" and not any(run.going or run.waits for run in self.runs.values()):
            return "Nothing is running."
        if id in ("session.run", "session.dry-run", "session.plan", "session.span") and not len(self.shown):
            return "There is no transcript to run; n reads a file."
        return ""

    @on(Rows.Marked)
    def _marked(self) -> None:
        marked = len(self.rows.marks)
        self.count_marked(f"{marked:,} marked" if marked else "")
        self.show_keys()

    def do_app_search(self) -> None:
        """To the box; where the detail hid the rows they come back."""
        self.remove_class("-reading")
        self.set_focus(self.query_box.box)

    def do_app_back(self) -> None:
        """One step back: out of the box, out of the pane, marks, the search."""
        if self.query_box.box.has_focus:
            self.rows.focus()
        elif self.has_class("-reading") or self.detail.has_focus:
            self.remove_class("-reading")
            self.rows.focus()
            self.show_detail()
        elif self.rows.unmark():
            return
        elif self.query_box.text:
            self.query_box.clear()
        else:
            self.rows.focus()
