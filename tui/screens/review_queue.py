"""The queue of the Review screen: which rows are shown, how it follows the bank, and the rows that were decided about.

A decided row leaves with the key. What the bank says comes later and changes the rows only where it says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.getters import query_one
from textual.message import Message
from textual.worker import get_current_worker

from pipeline.review.following import Following
from pipeline.review.waiting import Waiting
from store import clock
from store.changes import Committed
from store.view import View
from tui.messages import Task
from tui.screens.review_find import Finder, is_quick
from tui.screens.review_look import Looking
from tui.screens.review_rows import NOTHING, Asked, ReviewRows, opened_again, row_id
from tui.text import count
from tui.widgets.query import Query

if TYPE_CHECKING:
    from tui.bench import Bench

OPENED, ORDER = "review-open", "review-order"
"""Under these keys it is remembered which folds are open, and in which order the queue stands."""
TABLES = ("gaps", "profile", "proposals")


class Arranged(Message):
    """The rows for what was asked were found."""

    def __init__(self, queue: Following, asked: Asked, rows: ReviewRows) -> None:
        super().__init__()
        self.queue, self.asked, self.rows = queue, asked, rows

    def can_replace(self, message: Message) -> bool:
        """Only the latest ones matter."""
        return isinstance(message, Arranged)


class Queued(Looking):
    """A screen with the queue; `show_detail` is told whenever another row may be under the cursor."""

    query_box = query_one(Query)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        remembered = workbench.remembered
        opened = frozenset(filter(None, remembered.get(OPENED).split()))
        self.asked = Asked(opened=opened, order=remembered.get(ORDER) or "ready")
        self.queue: Following | None = None
        self._finder = Finder()
        self._hidden: dict[tuple[str, int], int | None] = {}
        """Rows that were decided about, and from which revision of the bank on that shows (None: not written yet)."""
        self._go_to: str | None = None
        self._presented = self.asked

    def show_detail(self) -> None:
        """Another row may be under the cursor."""

    # --- what waits

    def show_view(self, view: View) -> None:
        """The bank moved on; what waits in it is found on a thread and comes with `show_queue`."""
        self._take_queue()

    def on_screen_resume(self) -> None:
        """Coming back: what waits may have been found out while another screen was open."""
        super().on_screen_resume()
        self._take_queue()

    def _take_queue(self) -> None:
        if (queue := self.workbench.queue) is not None and queue is not self.queue:
            self.show_queue(queue)

    def show_queue(self, queue: Following) -> None:
        """What waits now; rows that were decided about and are still there come back."""
        self.queue = queue
        revision = queue.view.revision
        self._hidden = {key: since for key, since in self._hidden.items() if since is None or since > revision}
        self.present()

    def present(self) -> None:
        """Find the rows for what is asked, on a thread where all that waits has to be looked through."""
        if self.queue is None:
            return
        if is_quick(self.asked):
            self._show(self._finder.arrange(self.queue, self.asked, clock.millis()))
        else:
            self.find(self.queue, self.asked)

    @work(thread=True, exclusive=True, group="find", description="find", exit_on_error=False)
    def find(self, queue: Following, asked: Asked) -> None:
        """Look through what waits; one message comes back."""
        rows = self._finder.arrange(queue, asked, clock.millis())
        if not get_current_worker().is_cancelled:
            self.post_message(Arranged(queue, asked, rows))

    @on(Arranged)
    def _found(self, message: Arranged) -> None:
        if message.queue is self.queue and message.asked == self.asked:
            self._show(message.rows)

    def _show(self, found: ReviewRows) -> None:
        """Show these rows but those that were decided about; the cursor stays on its row, or on the next one."""
        rows = found.without(self._decided())
        told, self._presented = self._presented == self.asked, self.asked
        if told and len(rows) and rows.same(self.listed) and self._go_to is None:
            self.rows.source = rows  # nothing to draw: what the bank says now is what is shown
            self._look_again()
        else:
            self.rows.show(rows, to=self._go_to)
            if self._go_to is not None and rows.find(self._go_to) is not None:
                self._go_to = None
            if self.rows.marks:
                self.rows.keep_marks({id for id in self.rows.marks if rows.find(id) is not None})
            self.show_detail()
        self.query_box.show([count(len(rows), "row")] if self.asked.text else [])

    def _look_again(self) -> None:
        """The bank is another one, the rows are not: what is known of the one that is shown may be."""

    def _decided(self) -> list[Waiting]:
        """The proposals that were decided about and that the queue still holds."""
        found = []
        for id, rev in self._hidden:
            table, _, key = id.partition("/")
            item = self.item_of(table, key)
            if item is not None and item.rev == rev:
                found.append(item)
        return found

    @property
    def listed(self) -> ReviewRows:
        """The rows as they are shown."""
        source = self.rows.source
        return source if isinstance(source, ReviewRows) else NOTHING

    def item_of(self, table: str, key: str) -> Waiting | None:
        """The proposal of a row, shown or not."""
        return self.queue.item(table, key) if self.queue is not None else None

    def current_item(self) -> Waiting | None:
        """The proposal under the cursor."""
        row = self.listed.at(self.rows.cursor)
        return row if isinstance(row, Waiting) else None

    def marked_item(self) -> Waiting | None:
        """One of the marked proposals, for when the cursor is on a row that is none."""
        marked = (self.listed.get(id) for id in self.rows.marks)
        return next((row for row in marked if isinstance(row, Waiting)), None)

    def targets(self) -> Sequence[Waiting]:
        """The marked proposals shown, else the one under the cursor, with what is known of their neighbours."""
        found = [self.listed.get(id) for id in self.rows.targets]
        items = [row for row in found if isinstance(row, Waiting)]
        return [replace(one, resembles=known.resembles) if (known := self.known(one)) else one for one in items]

    def alike(self, item: Waiting) -> Sequence[Waiting]:
        """All that is shown of the same kind and state, in the order in which they stand."""
        return [row for row in self.listed.items if (row.kind, row.state) == (item.kind, item.state)]

    def hide(self, items: Sequence[Waiting]) -> None:
        """These rows leave with the key that decided about them; nothing else is looked at."""
        for item in items:
            self._hidden[row_id(item), item.rev] = None
        if self.rows.marks:
            self.rows.unmark()
        self.rows.show(self.listed.without(items))
        self.show_detail()

    def ask(self, asked: Asked) -> None:
        """Ask for other rows, or for the same in another order or with other folds open."""
        before, self.asked = self.asked, asked
        if before.opened != asked.opened:
            self.workbench.remembered.set(OPENED, " ".join(sorted(asked.opened)))
        if before.order != asked.order:
            self.workbench.remembered.set(ORDER, asked.order)
        if replace(before, opened=asked.opened) == asked and not (asked.text or asked.state):
            self.rows.show(opened_again(self.listed, asked.opened))
            self.show_detail()
        else:
            self.present()

    # --- what was written

    def written(self, task: Task, committed: Committed | None) -> None:
        """Decided rows are gone for good once the queue of this revision is known; undo brings the cursor back."""
        revision = self.workbench.desk.view.revision
        for key in self._hidden:
            if key[0] in task.ids:
                self._hidden[key] = revision
        if committed is not None and task.kind == "undo":
            back = [f"{row.table}/{row.key}" for row in committed.rows if row.table in TABLES]
            self._go_to = back[0] if back else None
            self.present()  # the queue may have been shown already

    def show_again(self, ids: Sequence[str], *, go: bool) -> None:
        """Nothing was decided about these: they come back, with `go` the cursor with them."""
        self._hidden = {key: since for key, since in self._hidden.items() if key[0] not in ids}
        self._go_to = ids[0] if ids and go else None
        self.present()

    def jump(self, id: str) -> None:
        """Show a proposal by its row."""
        self._go_to = id
        self.present()
