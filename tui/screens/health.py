"""Health: how the bank stands, everything that was changed with its undo, and the trash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Container
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from pipeline.review import restore_memory
from store import clock
from store.bank import Bank
from store.called import called
from store.changes import Committed, PutMemory
from store.errors import MemdeskError
from store.memory import Memory
from store.view import View
from tui import keys
from tui.messages import Task
from tui.screens import health_detail
from tui.screens.frame import Framed
from tui.screens.health_report import Report, look
from tui.screens.health_rows import CHANGE, CHECK, GROUP, KEPT, KEPT_ASIDE, TRASH, HealthRows
from tui.text import content, count
from tui.widgets.confirm import Confirm
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench


class Looked(Message):
    """A report is ready. Only the latest matters."""

    def __init__(self, report: Report, said: str) -> None:
        super().__init__()
        self.report, self.said = report, said

    def can_replace(self, message: Message) -> bool:
        """A newer report replaces one that nobody has shown yet."""
        return isinstance(message, Looked)


class Detailed(Message):
    """The detail of a row is ready."""

    def __init__(self, row: str, detail: Content) -> None:
        super().__init__()
        self.row, self.detail = row, detail


class HealthScreen(Framed):
    """One list of checks, changes and trash, with the detail of the row under the cursor."""

    MODE = "health"
    TITLE = "Health"
    CSS_PATH = "health.tcss"
    AUTO_FOCUS = "Rows"
    BINDINGS = keys.bindings("health")

    rows = query_one("#health-rows", Rows)
    detail = query_one("#health-detail", Pane)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.source: HealthRows | None = None

    def body(self) -> Iterable[Widget]:
        """The list, and the detail."""
        with Container(classes="body"):
            yield Rows(id="health-rows")
            yield Pane(id="health-detail")

    # --- looking

    def show_view(self, view: View) -> None:
        """The bank moved on: look again."""
        self.look("")

    @work(thread=True, exclusive=True, group="look")
    def look(self, said: str) -> None:
        """Take a report on a thread."""
        desk = self.workbench.desk
        report = look(desk.bank, desk.read_only)
        if not get_current_worker().is_cancelled:
            self.post_message(Looked(report, said))

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        self.source = HealthRows(message.report, clock.today())
        self.rows.show(self.source)
        self.workbench.desk.gone = message.report.gone
        self.show_frame()
        if message.said:
            self.say(message.said)
        self.show_detail()

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        self.show_detail()
        self.show_keys()

    def show_detail(self) -> None:
        """Show what is known of the row under the cursor; a change is read on a thread."""
        kind, name = self.current()
        if self.source is None:
            return
        if kind == CHANGE:
            self.read(partial(health_detail.change_detail, self.source.changes[int(name)]), f"{kind}:{name}")
        elif kind == KEPT:
            self.read(partial(health_detail.kept_detail, self.source.kept[name]), f"{kind}:{name}")
        elif kind == CHECK:
            self.detail.show(health_detail.check_detail(self.source.checks[name], self.source.report))
        elif kind == TRASH and (memory := self.memory()) is not None:
            self.detail.show(health_detail.trash_detail(memory))
        else:
            self.detail.show(content(""))

    @work(thread=True, exclusive=True, group="detail", description="read a detail")
    def read(self, detail_of: Callable[[Bank], Content], row: str) -> None:
        """Read texts of the ledger on a thread."""
        detail = detail_of(self.workbench.desk.bank)
        if not get_current_worker().is_cancelled:
            self.post_message(Detailed(row, detail))

    @on(Detailed)
    def _detailed(self, message: Detailed) -> None:
        if message.row == self.rows.current:
            self.detail.show(message.detail)

    # --- where the cursor is

    def current(self) -> tuple[str, str]:
        """The kind and the name of the row under the cursor."""
        kind, _, name = (self.rows.current or "").partition(":")
        return kind, name

    def memory(self) -> Memory | None:
        """The memory of the trash under the cursor."""
        kind, name = self.current()
        return self.workbench.desk.view.memories.get(name) if kind == TRASH else None

    def trashed(self) -> Sequence[Memory]:
        """The memories of the trash that an action applies to."""
        memories = self.workbench.desk.view.memories
        ids = [row.partition(":")[2] for row in self.rows.targets if row.startswith(f"{TRASH}:")]
        return [memory for id in ids if (memory := memories.get(id)) is not None and memory.state == "trashed"]

    def why_not(self, id: str) -> str:
        """Putting back needs something from the trash, undoing a change needs one that stands."""
        if reason := super().why_not(id):
            return reason
        kind, name = self.current()
        if id in {"health.take", "health.drop"} and kind != KEPT:
            return "Go to a text that was kept aside first."
        if id == "health.restore" and not self.trashed():
            return "It is not in the trash; T goes there."
        if id == "health.undo":
            if kind != CHANGE or self.source is None:
                return "Go to a change first; H goes there."
            change = self.source.changes[int(name)]
            if change.undone_by is not None:
                return f"Change {change.number} is undone already, by change {change.undone_by}."
        return ""

    def written(self, task: Task, committed: Committed | None) -> None:
        """Marks of what was put back fall away with the next report."""
        self.rows.unmark()

    # --- keys

    @on(Rows.Opened)
    def _opened(self) -> None:
        """Put right what a check says can be put right; else go into the detail."""
        kind, name = self.current()
        if kind == CHECK and name == "ledger" and self.workbench.desk.bank.damaged:
            self.repair()
        elif kind == CHECK and name == "conflicts" and self.source is not None and self.source.kept:
            self._go(KEPT, KEPT_ASIDE)
        elif kind != GROUP:
            self.add_class("-reading")
            self.detail.focus()

    def do_app_back(self) -> None:
        """Out of the detail, then the marks, then up."""
        if self.has_class("-reading") or self.detail.has_focus:
            self.remove_class("-reading")
            self.rows.focus()
        elif not self.rows.unmark():
            self.rows.cursor = 0

    def do_health_history(self) -> None:
        """To the newest change."""
        self._go(CHANGE, "changes")

    def do_health_trash(self) -> None:
        """To the trash."""
        self._go(TRASH, "trash")

    def _go(self, kind: str, group: str) -> None:
        at = self.source.find(f"{GROUP}:{group}") if self.source else None
        if at is not None and self.source is not None:
            inside = at + 1 < len(self.source) and self.source.id(at + 1).startswith(f"{kind}:")
            self.rows.cursor = at + 1 if inside else at

    @work(thread=True, exclusive=True, group="check")
    def do_health_check(self) -> None:
        """Read the folder again, then look."""
        try:
            self.workbench.desk.bank.refresh()
        except MemdeskError as error:
            self.app.call_from_thread(self.look, str(error))
            return
        self.app.call_from_thread(self.look, "Checked: every file was looked at again.")

    def do_health_undo(self) -> None:
        """Take back the change under the cursor, whenever it was made."""
        _, name = self.current()
        self.workbench.desk.put(Task("undo", number=int(name)))

    def do_health_restore(self) -> None:
        """Put what is marked in the trash, or under the cursor, back into the bank."""
        chosen = self.trashed()
        desk = self.workbench.desk
        ids = tuple(memory.id for memory in chosen)
        changeset = restore_memory(desk.view, ids, origin="screen")
        what = chosen[0].subject or chosen[0].name if len(chosen) == 1 else count(len(chosen), "memory", "memories")
        desk.put(Task("commit", changeset, f"Put {what} back.", ids))

    def do_health_take(self) -> None:
        """Put the kept text under the cursor into its memory; its row goes, and comes back with `u`."""
        if self.source is None:
            return
        kept, bank = self.source.kept[self.current()[1]], self.workbench.desk.bank
        try:
            text = bank.kept_text(kept.file).decode("utf-8", "surrogateescape")
        except MemdeskError as error:
            self.say(str(error))
            return
        name = called(kept.id)
        changes = [PutMemory(kept.id, text=text)]
        self.workbench.desk.commit(changes, f"use the kept text of {name}", f"Used the kept text of {name}.", [kept.id])

    def do_health_drop(self) -> None:
        """Drop the kept text under the cursor; asked first, since nothing brings it back."""
        _, file = self.current()
        question = Confirm("Drop this text for good?", "drop it", "keep it")

        def answered(sure: bool | None) -> None:
            if sure:
                self.drop(file)

        self.app.push_screen(question, answered)

    @work(thread=True, exclusive=True, group="check", description="drop a kept text")
    def drop(self, file: str) -> None:
        """Delete one kept text."""
        try:
            self.workbench.desk.bank.settle(file)
        except MemdeskError as error:
            self.app.call_from_thread(self.say, str(error))
            return
        self.app.call_from_thread(self.look, "Dropped the kept text.")

    @work(thread=True, exclusive=True, group="check")
    def repair(self) -> None:
        """Go on from the last good state of a damaged ledger; the damaged files are kept in quarantine."""
        try:
            self.workbench.desk.bank.repair()
        except MemdeskError as error:
            self.app.call_from_thread(self.say, str(error))
            return
        self.app.call_from_thread(self.look, "Repaired; the damaged files are kept in quarantine.")

    def do_item_copy(self) -> None:
        """The report as text."""
        if self.source is not None:
            checks = [f"{check.level:<5} {check.name:<12} {check.words}" for check in self.source.report.checks]
            self.copy("\n".join([str(self.workbench.desk.bank.path), *checks]), "the report")

    def do_item_copy_json(self) -> None:
        """The report as JSON."""
        if self.source is not None:
            checks = [
                {"name": check.name, "level": check.level, "words": check.words} for check in self.source.report.checks
            ]
            body = {"schema": 1, "bank": str(self.workbench.desk.bank.path), "checks": checks}
            self.copy(json.dumps(body, ensure_ascii=False, indent=2), "the report as JSON")
