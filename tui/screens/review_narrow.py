"""Looking at a part of the queue: one kind, state, project or session, in another order; and marking what is alike."""

from __future__ import annotations

from dataclasses import replace

from tui.asking import Asking, asks
from tui.screens.review_find import like, narrowed, offers, widened
from tui.screens.review_queue import Queued
from tui.screens.review_rows import kind_word, row_id
from tui.widgets.pick import Pick

EVERYTHING = "everything that waits"


class Narrowing(Queued):
    """The keys that narrow the queue and that mark many of it."""

    @asks
    def do_review_narrow(self) -> Asking:
        """Show only some, or another order."""
        if self.queue is None:
            return
        offered = offers(self.queue, self.workbench.desk.view)
        words = {name: said for name, (said, _) in offered.items()}
        if self.asked.narrowed:
            words = {EVERYTHING: f"{len(self.queue.waiting):,}"} | words
        name = yield Pick("Show only what?", words)
        if name == EVERYTHING:
            self.query_box.clear()
            self.searching(False)
            self.ask(self.asked.unnarrowed)
        elif name is not None:
            self.ask(narrowed(self.asked, offered[name][1]))

    def searching(self, shown: bool) -> None:
        """The box instead of the place, at once: the next key is text in it and decides nothing."""
        self.set_class(shown, "-searching")
        self.query_box.display = shown

    def do_review_only(self) -> None:
        """One kind after the other, then all again."""
        items = (self.queue.refused if self.asked.refused else self.queue.waiting) if self.queue else ()
        kinds = ["", *sorted({item.kind for item in items})]
        at = kinds.index(self.asked.kind) if self.asked.kind in kinds else 0
        self.ask(replace(self.asked, kind=kinds[(at + 1) % len(kinds)]))

    def do_review_refused(self) -> None:
        """What was rejected instead of what waits, and back."""
        self.rows.unmark()
        state = "" if self.asked.refused else "refused"
        self.ask(replace(self.asked.unnarrowed, text=self.asked.text, state=state))
        back = "Rejected ones: p brings one back, T shows what waits again."
        self.say(back if self.asked.refused else "")

    def widen(self) -> bool:
        """One step back to everything; whether there was one."""
        wider = widened(self.asked)
        if wider is not None:
            self.ask(wider)
        return wider is not None

    @asks
    def do_review_mark_like(self) -> Asking:
        """Mark all shown that have something in common with the one under the cursor."""
        item = self.current_item()
        if item is None:
            return
        groups = like(item, self.listed.items, self.workbench.desk.view)
        words = {name: said for name, (said, _) in groups.items()}
        name = yield Pick("Mark all shown of the same what?", words, kind_word(item.kind, many=True))
        if name is not None:
            self.rows.mark({row_id(one) for one in groups[name][1]})
