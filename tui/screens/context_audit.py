"""The audit: a text that a host is about to discard against the bank, line by line; what is lost goes to Review."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from pipeline.context.audit.comparison import STATUSES, Audit, Item, Status, audit, report
from pipeline.context.audit.segments import Segment
from pipeline.context.request import Request
from pipeline.review.from_audit import Sending, Sent, send_lines
from store.errors import MemdeskError
from store.roots import read_yotta_config
from store.settings import audit_min_coverage
from store.view import View
from tui import clipboard
from tui.audited import WORDS, named_text, same_bank
from tui.literal import editable, pasted
from tui.messages import Task
from tui.screens.context_audit_form import Text, pasted_now
from tui.screens.context_audit_rows import AuditRows, told, told_sending
from tui.text import content, count, line, one_line
from tui.widgets.foot import foot
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

AGAIN = "again"
"""What the panel gives when another text is to be audited; anything else that it gives is the id of a memory."""
KEYS = (
    ("escape", "back"),
    ("space", "mark"),
    ("m", "to Review"),
    ("enter", "memory"),
    ("t", "kind"),
    ("y", "copy"),
    ("n", "new"),
)
MANY = 200
"""Lines that have not landed, from which they are shown before it is known what Review would make of each."""
WRITTEN_WITHIN = 30.0
"""Seconds that the panel waits for the bank before it looks again."""


class Audited(Message):
    """A text was compared with the bank; `fates` say of each line that has not landed what Review would make of it."""

    def __init__(self, done: Audit, fates: Mapping[int, Sent], said: str) -> None:
        super().__init__()
        self.done, self.fates, self.said = done, fates, said


class Unaudited(Message):
    """Something cannot be done; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class AuditPanel(ModalScreen[str | None]):
    """The lines of a text, what became of each, and the memory that holds it or comes nearest."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("q", "dismiss(None)", "back"),
        Binding("m", "send", "to Review"),
        Binding("t", "only", "one kind"),
        Binding("y", "copy", "copy"),
        Binding("Y", "copy_json", "copy as JSON"),
        Binding("n", "again", "another text"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    AuditPanel {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 120; max-width: 100%; height: 96%; max-height: 50;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #counts { height: auto; max-height: 2; padding: 0 1; }
        #said { height: auto; max-height: 3; padding: 0 1; color: $text-warning; }
        Rows { background: $panel; height: 1fr; min-height: 3; margin: 1 0 0 0; }
        Pane { background: $panel; height: 45%; padding: 0 1; border-top: solid $rule; }
        #keys { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    rows = query_one(Rows)
    pane = query_one(Pane)

    def __init__(self, workbench: Bench, request: Request, text: Text) -> None:
        super().__init__()
        self._bench, self._request, self.text = workbench, request, text
        self._done: Audit | None = None
        self._fates: Mapping[int, Sent] = {}
        self._only: Status | None = None
        self._more = same_bank(request.agent, workbench.desk.bank.path)

    def compose(self) -> ComposeResult:
        """What is audited, the counts, the lines, all about one, the keys."""
        with Vertical():
            yield Static(id="title")
            yield Static(content("comparing with the bank ..."), id="counts")
            yield Static(id="said")
            yield Rows()
            yield Pane()
            yield Static(foot(*KEYS, gap=2), id="keys")

    def on_mount(self) -> None:
        """Compare the text with the bank."""
        self._begin(self.text)

    @property
    def busy(self) -> bool:
        """Whether a text is being compared, or lines are on their way to Review."""
        return any(worker.group == "audit" and not worker.is_finished for worker in self.workers)

    def _begin(self, text: Text) -> None:
        self.text, self._fates = text, {}
        source = text.source or one_line(text.file, 300)
        agent = one_line(self._request.agent, 60)
        self.query_one("#title", Static).update(
            line(("Audit", "bold"), f"   {source}", (f"   as {agent}", "$text-muted"))
        )
        self.compare(text)

    # --- on a thread

    @work(thread=True, exclusive=True, group="audit", description="audit", exit_on_error=False)
    def compare(self, text: Text) -> None:
        """Read the text and compare it; one message comes back."""
        try:
            self._compare(text, "")
        except MemdeskError as error:
            self.post_message(Unaudited(str(error)))

    def _compare(self, text: Text, said: str) -> None:
        body, source = named_text(text.file) if text.file else (text.text, text.source)
        view = self._bench.desk.view
        done = audit(view, self._request, body, source, audit_min_coverage(view, read_yotta_config()))
        open_items = [item for item in done.items if item.status != "landed"]
        if len(open_items) > MANY and not get_current_worker().is_cancelled:
            self.post_message(Audited(done, self._fates, ""))
        would = self._sending(view, [item.segment for item in open_items], source)
        fates = {item.segment.line: fate for item, fate in zip(open_items, would.fates, strict=True)}
        if not get_current_worker().is_cancelled:
            self.post_message(Audited(done, fates, said))

    def _sending(self, view: View, lines: Sequence[Segment], source: str) -> Sending:
        return send_lines(view, lines, source, self._request.agent)

    @work(thread=True, exclusive=True, group="audit", description="send", exit_on_error=False)
    def send(self, items: Sequence[Item], source: str) -> None:
        """Ask for the proposals, wait until they are written, and compare again."""
        desk, lines = self._bench.desk, [item.segment for item in items]
        sending = self._sending(desk.view, lines, source)
        said = told_sending(sending)

        def plan(view: View) -> Task:
            return Task("commit", self._sending(view, lines, source).changeset, said)

        if sending.changeset.changes:
            refused = desk.refused
            self.app.call_from_thread(desk.put, Task("commit", done=said, plan=plan))
            desk.finish(WRITTEN_WITHIN)
            said = said if desk.refused == refused else "The bank refused it; the line under the screen says why."
        try:
            self._compare(self.text, said)
        except MemdeskError as error:
            self.post_message(Unaudited(str(error)))

    # --- what came of it

    @on(Audited)
    def _audited(self, message: Audited) -> None:
        self._done, self._fates = message.done, message.fates
        self._show()
        if message.said:
            self.rows.unmark()
        self._say(message.said)

    @on(Unaudited)
    def _unaudited(self, message: Unaudited) -> None:
        self._say(message.sentence)

    def _show(self) -> None:
        done = self._done
        if done is None:
            return
        self.rows.show(AuditRows(done, self._fates, self._only))
        counts = [f"{done.counts[name]:,} {WORDS[name]}" for name in STATUSES]
        kinds = f"   only {WORDS[self._only]}" if self._only else ""
        waits = sum(fate == "waits already" for fate in self._fates.values())
        counts += [f"{waits:,} of them in Review"] if waits else []
        found = f"{count(len(done.items), 'line')} worth keeping: {', '.join(counts)}"
        none = "No line of it decides or promises something: nothing would be lost."
        self.query_one("#counts", Static).update(line(found if done.items else none, (kinds, "$text-accent")))
        self._explain()

    @on(Rows.Highlighted)
    def _explain(self) -> None:
        item = self.current
        fate = self._fates.get(item.segment.line) if item else None
        self.pane.show(told(item, fate, self._request.agent, self._more) if item else content(""))

    @property
    def current(self) -> Item | None:
        """The line under the cursor."""
        return next(iter(self._items([self.rows.current or ""])), None)

    def targets(self) -> list[Item]:
        """The marked lines, else the one under the cursor."""
        return self._items(self.rows.targets)

    def _items(self, ids: Sequence[str]) -> list[Item]:
        source = self.rows.source
        places = [place for id in ids if (place := source.find(id)) is not None]
        return [source.items[place] for place in places] if isinstance(source, AuditRows) else []

    # --- keys

    def action_send(self) -> None:
        """Send the marked lines that have not landed to Review."""
        items = [item for item in self.targets() if item.status != "landed"]
        if self._bench.desk.read_only:
            self._say(self._bench.desk.read_only)
        elif items and self._done is not None:
            self.send(items, self._done.source)
        elif self.targets():
            self._say("The bank holds it already; only what is lost or uncertain goes to Review.")

    def action_only(self) -> None:
        """Show one kind only, then the next one, then all."""
        steps: list[Status | None] = [None, *STATUSES]
        self._only = steps[(steps.index(self._only) + 1) % len(steps)]
        self._show()

    def action_copy(self) -> None:
        """Copy the marked lines."""
        items = self.targets()
        if items:
            self._copy("\n".join(item.text for item in items), count(len(items), "line"))

    def action_copy_json(self) -> None:
        """Copy the whole audit."""
        if self._done is not None:
            body = report(self._done, self._more)
            self._copy(json.dumps(body, ensure_ascii=False, indent=2), "the audit as JSON")

    @work(thread=True, exclusive=True, group="copy", description="copy", exit_on_error=False)
    def _copy(self, text: str, what: str) -> None:
        self.app.call_from_thread(self._say, clipboard.copy(self.app, text, what))

    def action_again(self) -> None:
        """Audit another text."""
        self.dismiss(AGAIN)

    def action_back(self) -> None:
        """Take the marks away, show every kind, or leave."""
        if self.rows.unmark():
            return
        if self._only is not None:
            self._only = None
            self._show()
        else:
            self.dismiss(None)

    @on(Rows.Opened)
    def _opened(self) -> None:
        item = self.current
        if item is not None and item.memory is not None:
            self.dismiss(item.memory.id)
        else:
            self._say("No memory is like this line.")

    def on_paste(self, event: events.Paste) -> None:
        """A text that is pasted onto the panel is audited."""
        event.stop()
        if event.text.strip():
            self._begin(Text(editable(pasted(event.text)), pasted_now()))

    def _say(self, sentence: str) -> None:
        self.query_one("#said", Static).update(content(sentence))
