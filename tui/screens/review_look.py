"""Looking into proposals: on a thread, the next ones ahead, so that each is known before the cursor comes to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from pipeline.review.inspection import Inspection, inspect
from pipeline.review.nearby import Neighbour
from pipeline.review.source import Sources
from pipeline.review.waiting import Waiting
from store.errors import Cancelled
from tui.screens.review_ledger import LedgerActs
from tui.screens.review_rows import row_id
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

INSPECT_AFTER = 0.06
"""Seconds that the cursor rests before a proposal is looked into: a held key reads no transcripts."""
KEPT = 64
"""Inspections that are kept."""


class Inspected(Message):
    """A proposal was looked into."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__()
        self.inspection = inspection


class Detail(Pane):
    """The proposal; where the queue has no room beside it, its keys for up and down go to the next proposal."""

    def do_list_up(self) -> None:
        """One line up, or the proposal before."""
        self._step(-1)

    def do_list_down(self) -> None:
        """One line down, or the next proposal."""
        self._step(1)

    def do_list_first(self) -> None:
        """To the top, or the first proposal."""
        self._step(-len(self._queue.source))

    def do_list_last(self) -> None:
        """To the end, or the last proposal."""
        self._step(len(self._queue.source))

    @property
    def _queue(self) -> Rows:
        return self.screen.query_one("#rows", Rows)

    def _step(self, step: int) -> None:
        if self._queue.display:
            self.scroll_lines(step)
        else:
            self._queue.cursor += step


class Looking(LedgerActs):
    """A screen that shows what was found out about proposals; it is told by `inspected`."""

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self._sources = Sources()
        self._known: OrderedDict[tuple[str, int], Inspection] = OrderedDict()
        self._rest: Timer | None = None

    def known(self, item: Waiting) -> Inspection | None:
        """What was found out about a proposal, perhaps in an earlier state of the bank."""
        return self._known.get((row_id(item), item.rev))

    def known_neighbours(self, item: Waiting) -> Sequence[Neighbour]:
        """What was found to resemble a proposal."""
        known = self.known(item)
        return known.resembles if known is not None else ()

    def inspected(self, found: Inspection, first: bool) -> None:
        """More is known about a proposal; `first` for the first time."""

    def look_into(self, items: Sequence[Waiting]) -> None:
        """Look into these when the cursor has rested; the first is the one that is shown."""
        if self._rest is not None:
            self._rest.stop()
        revision = self.workbench.desk.view.revision
        fresh = [one for one in items if (known := self.known(one)) is None or known.revision != revision]
        if fresh:
            self._rest = self.set_timer(INSPECT_AFTER, lambda: self.inspect_all(fresh, self.coming()))

    def coming(self) -> Sequence[Waiting]:
        """What stands below the cursor: one reading of a transcript finds the words of all of these."""
        return ()

    @work(thread=True, exclusive=True, group="inspect", description="inspect", exit_on_error=False)
    def inspect_all(self, items: Sequence[Waiting], coming: Sequence[Waiting]) -> None:
        """Look into proposals on a thread; a message comes back for each."""
        worker = get_current_worker()
        view = self.workbench.desk.view
        also = [quote for item in (*items[1:], *coming) for quote in item.quotes]
        for item in items:
            try:
                found = inspect(view, item, self._sources, also=also, cancelled=lambda: worker.is_cancelled)
            except Cancelled:
                return
            self.post_message(Inspected(found))
            if worker.is_cancelled:
                return

    @on(Inspected)
    def _inspected(self, message: Inspected) -> None:
        found = message.inspection
        first = self.known(found.item) is None
        self._known[row_id(found.item), found.item.rev] = found
        self._known.move_to_end((row_id(found.item), found.item.rev))
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        self.inspected(found, first)
