"""The Bank: all memories in a list, the one under the cursor beside it, found by typing, changed in place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Container, Vertical
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from store import clock
from store.memory import Memory
from store.view import View
from tui import keys
from tui.messages import Task
from tui.screens import bank_detail
from tui.screens.bank_detail import MUTED, Detail
from tui.screens.bank_empty import nothing
from tui.screens.bank_find import Arranged
from tui.screens.bank_look import BankLook
from tui.text import content, count, line, lines, one_line
from tui.widgets.pane import Pane
from tui.widgets.query import Query
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from store.changes import Committed
    from tui.bench import Bench

HISTORY_AFTER = 0.15
"""Seconds that the cursor rests before the history of its memory is looked up."""


class HistoryFound(Message):
    """The changes of one memory."""

    def __init__(self, id: str, changes: Sequence[Committed]) -> None:
        super().__init__()
        self.memory_id, self.changes = id, changes


class BankScreen(BankLook):
    """List and detail over one view; keeps ids, and asks the pipeline for everything it shows."""

    MODE = "bank"
    TITLE = "Bank"
    CSS_PATH = "bank.tcss"
    AUTO_FOCUS = "Rows"
    BINDINGS = keys.bindings("bank")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012

    empty = query_one("#empty", Static)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self._history: tuple[str, Sequence[Committed]] = ("", ())
        self._shows_why = False
        self._detailed: str | None = None
        """The memory that the detail shows."""
        self._rest: Timer | None = None
        self._go_to: str | None = None
        self._placed: str | None = None
        """The memory that the cursor came to by itself: nobody chose it."""

    def body(self) -> Iterable[Widget]:
        """The box, the list with its head, the detail."""
        whole = 'words, type: tag: owner: before: is: sort: "a phrase" -not'
        yield Query(whole, self.asked.text, shorter='words, type: tag: "a phrase" -not')
        with Container(classes="body"):
            with Vertical(id="list"):
                yield Static(id="head")
                yield Static(id="empty")
                yield Rows(id="rows")
            yield Pane(id="detail")

    # --- the rows

    def present(self, view: View, arranged: Arranged) -> None:
        """Show what was found; the cursor and the marks stay on their memories."""
        best = self._best(arranged)
        first, self.arranged = self.arranged is None, arranged
        arranged.rows.pending = self.workbench.desk.pending
        self.rows.show(arranged.rows, to=self._go_to or best)
        if first or best is not None:
            self._placed = self.rows.current
        self._go_to = None
        if self.rows.marks:
            state = "trashed" if self.asked.trash else "live"
            there = {id for id in self.rows.marks if (one := view.memories.get(id)) is not None and one.state == state}
            self.rows.keep_marks(there)
        empty = nothing(view, arranged, self.workbench)
        if empty is not None:
            self.empty.update(empty)
        self.empty.display = empty is not None
        self._show_counts(view, arranged)
        self.show_detail()  # in the frame of the rows, not in the next one

    def _best(self, arranged: Arranged) -> str | None:
        """Where the cursor goes for other words: to the best row, unless a person put it on one that they find, too."""
        before, text, id = self.arranged, arranged.asked.text, self.rows.current
        if before is None or not text or text == before.asked.text or not len(arranged.rows):
            return None
        chosen = id is not None and id != self._placed and arranged.rows.find(id) is not None
        return None if chosen else arranged.rows.id(0)

    def _show_counts(self, view: View, arranged: Arranged) -> None:
        shown, total = arranged.found, arranged.total + view.unread
        found = f"{shown:,} of {total:,}" if shown != total else count(total, "memory", "memories")
        found = "" if arranged.waiting is not None and not total else found
        near = f"+ {arranged.near:,} by meaning" if arranged.near else ""
        problems = f"! {count(len(view.problems), 'problem')}" if view.problems else ""
        order = arranged.order_words if shown else ""
        waits = f"{arranged.waiting:,} in Review" if arranged.waiting else ""
        parts = [problems, "trash" if self.asked.trash else "", arranged.instead, waits, found, near, order]
        self.query_box.show([part for part in parts if part], arranged.fault)

    # --- the detail

    def current_memory(self) -> Memory | None:
        """The memory under the cursor, as the view has it now."""
        id = self.rows.current
        return None if id is None else self.workbench.desk.view.memories.get(id)

    def targets(self) -> Sequence[Memory]:
        """The marked memories shown, else the one under the cursor."""
        memories = self.workbench.desk.view.memories
        return [memory for id in self.rows.targets if (memory := memories.get(id)) is not None]

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        if self.rows.current != self._detailed:
            self.show_detail()
        self.show_keys()

    def show_detail(self) -> None:
        """Show the memory under the cursor; its history follows when the cursor rests."""
        memory = self.current_memory()
        self._detailed = memory.id if memory else None
        self.detail.border_title = line(" ", bank_detail.title(memory), " ") if memory else None
        if memory is None:
            self.detail.show(content(""))
            return
        self.detail.show(bank_detail.show(self._detail(memory)))
        if self._rest is not None:
            self._rest.stop()
        if self._history[0] != memory.id and not self.workbench.desk.view.is_head:
            self._rest = self.set_timer(HISTORY_AFTER, lambda: self.look_up_history(memory.id))

    def _detail(self, memory: Memory) -> Detail:
        hit = self.arranged.hit(memory.id) if self.arranged and self._shows_why else None
        return Detail(
            memory,
            self.workbench.desk.view,
            clock.today(),
            self.arranged.sought if self.arranged else None,
            self._history[1] if self._history[0] == memory.id else None,
            hit,
            self._shows_why,
            full=self.has_class("-reading"),
            width=max(20, self.detail.size.width - 1),  # a scrollbar may still come
            titled=self.has_class("-wide"),
        )

    @work(thread=True, exclusive=True, group="history", exit_on_error=False)
    def look_up_history(self, id: str) -> None:
        """Find the changes of a memory on a thread: old ones lie in files."""
        changes = list(self.workbench.desk.bank.history(id=id))
        self.post_message(HistoryFound(id, changes))

    @on(HistoryFound)
    def _history_found(self, message: HistoryFound) -> None:
        if message.memory_id == self.rows.current:
            self._history = (message.memory_id, message.changes)
            memory = self.current_memory()
            if memory is not None and message.changes:
                self.detail.show(bank_detail.show(self._detail(memory)), top=False)

    @on(Rows.Opened)
    def _opened(self) -> None:
        self.add_class("-reading")
        self.detail.focus()
        self.show_detail()

    def on_resize(self) -> None:
        """Another width shows the title elsewhere."""
        self.call_after_refresh(self._show_widths)

    def _show_widths(self) -> None:
        room = self.rows.size.width
        self.query_one("#head", Static).update(
            line((f"   {'type':<7}{'memory':<{max(0, room - 21)}}    updated", MUTED))
        )
        self.show_detail()

    # --- what was written

    def acted(self) -> None:
        """The marks go; after a single memory the cursor is on the next one, so that `x x x` takes three."""
        if not self.rows.unmark():
            self.rows.cursor += 1

    def awaited(self) -> None:
        """What waits to be written is marked so."""
        self.rows.redraw()

    def written(self, task: Task, committed: Committed | None) -> None:
        """Undo, redo and a new memory bring the cursor to what they touched."""
        self._history = ("", ())
        self.rows.redraw()
        new = task.changeset is not None and not task.ids
        if committed is not None and committed.ids and (new or task.kind != "commit"):
            self.jump(committed.ids[0])

    def refused(self, task: Task) -> None:
        """Nothing was changed: the rows are as they were."""
        self.rows.redraw()

    def jump(self, id: str) -> None:
        """Put the cursor on a memory; a search that hides it is cleared."""
        self._go_to = None if self.rows.go_to(id) else id
        memory = self.workbench.desk.view.memories.get(id)
        if self._go_to and memory is not None and self._hides(memory):
            self.query_box.clear()
            self.ask(replace(self.asked, text="", trash=memory.state == "trashed"))

    def _hides(self, memory: Memory) -> bool:
        if memory.state not in {"live", "trashed"}:
            return False
        return bool(self.asked.text) or self.asked.trash != (memory.state == "trashed")

    # --- keys

    def place(self) -> str:
        """The trash and the detail have their own key lines."""
        place = super().place()
        if place != self.MODE:
            return place
        return "reading" if self.detail.has_focus else "trash" if self.asked.trash else place

    @on(Rows.Marked)
    def _marked(self) -> None:
        marked = len(self.rows.marks)
        self.count_marked(f"{marked:,} marked" if marked else "")
        self.show_keys()

    def do_app_back(self) -> None:
        """One step back: what is offered closes; out of the box, out of the detail, marks, the trash, the search."""
        if self.query_box.refuse_offer():
            return
        if self.query_box.box.has_focus:
            self.rows.focus()
        elif self.has_class("-reading"):
            self.remove_class("-reading")
            self.rows.focus()
            self.show_detail()
        elif self.rows.unmark():
            return
        elif self.asked.trash:
            self.do_bank_trash()
        elif self.asked.text:
            self.query_box.clear()
        else:
            self.rows.focus()

    def do_list_why(self) -> None:
        """Show or hide why the row stands where it does; where the detail is closed, open it to show it."""
        self._shows_why = not self._shows_why
        if self._shows_why and not self.detail.display:
            self._opened()
        else:
            self.show_detail()

    def do_bank_trash(self) -> None:
        """The trash instead of the bank, and back."""
        self.rows.unmark()
        self.ask(replace(self.asked, trash=not self.asked.trash))
        self.say("The trash: r puts back, T shows the bank again." if self.asked.trash else "")

    def do_bank_problems(self) -> None:
        """The files that could not be read, and why."""
        problems = self.workbench.desk.view.problems
        if not problems:
            self.say("Every file of the bank could be read.")
            return
        parts = [line((one_line(one.path, 400), "bold"), "  ", one_line(one.message, 400)) for one in problems]
        from tui.widgets.reader import Reader

        self.app.push_screen(Reader(f"{count(len(problems), 'problem')} in this bank", lines(parts)))

    @work(exclusive=True, group="history", exit_on_error=False)
    async def do_item_links(self) -> None:
        """All that is known of the memory, with its whole history."""
        memory = self.current_memory()
        if memory is not None:
            history = await asyncio.to_thread(self.workbench.desk.bank.history, id=memory.id)
            detail = replace(self._detail(memory), why=True, full=True, titled=False, history=history)
            from tui.widgets.reader import Reader

            self.app.push_screen(Reader(bank_detail.title(memory).plain, bank_detail.show(detail)))

    def do_item_copy(self) -> None:
        """The path: what another program or a command wants."""
        paths = [memory.path for memory in self.targets()]
        self.copy("\n".join(paths), count(len(paths), "path"))
