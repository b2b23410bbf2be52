"""Review: everything that waits for a decision, each with the words that it rests on and what it would change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Container
from textual.getters import query_one
from textual.widget import Widget
from textual.widgets import Static

from pipeline.review.following import Following
from pipeline.review.inspection import Inspection
from pipeline.review.waiting import Waiting
from store import clock
from store.changes import Committed
from store.view import View
from tui import keys
from tui.asking import Asking, asks
from tui.messages import Task
from tui.screens import review_detail, review_said
from tui.screens.review_look import Detail, Looking
from tui.screens.review_open import opened, places
from tui.screens.review_rows import FOLDS, Asked, Fold, ReviewRows, arrange, row_id
from tui.screens.transcript import Transcript
from tui.text import count, line, one_line
from tui.widgets.pick import Pick
from tui.widgets.query import Query
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

AHEAD = 2
"""Proposals looked into before the cursor comes to them."""
ROOMY_FROM = 30
"""Lines of the screen from which the detail has empty lines."""
TABLES = ("gaps", "profile", "proposals")


class ReviewScreen(Looking):
    """The queue at the left, one proposal at the right; where there is no room, one proposal at a time."""

    MODE = "review"
    TITLE = "Review"
    CSS_PATH = "review.tcss"
    AUTO_FOCUS = ""
    BINDINGS = keys.bindings("review", keys.LISTS)

    query_box = query_one(Query)
    rows = query_one("#rows", Rows)
    detail = query_one("#detail", Detail)
    place_line = query_one("#place", Static)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.asked = Asked(opened=frozenset(filter(None, workbench.remembered.get("review-open").split())))
        self.queue: Following | None = None
        self._hidden: dict[tuple[str, int], int | None] = {}
        """Rows that were decided about, and from which revision of the bank on that shows (None: not written yet)."""
        self._go_to: str | None = None
        self._shown: Waiting | Fold | None = None

    def body(self) -> Iterable[Widget]:
        """The line that says where we are, the box, the queue, the proposal."""
        yield Static(id="place")
        yield Query("words of a proposal, a kind, an agent")
        with Container(classes="body"):
            yield Rows(id="rows")
            yield Detail(id="detail")

    def on_mount(self) -> None:
        """Begin with the proposal."""
        super().on_mount()
        self.add_class("-reading")
        self._focus()

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
        """Show the rows for what is asked; the cursor stays on its row, or on the next one."""
        if self.queue is None:
            return
        rows = arrange(self.queue, self.asked, self._hidden, clock.millis())
        self.rows.show(rows, to=self._go_to)
        if self._go_to is not None and rows.find(self._go_to) is not None:
            self._go_to = None
        if self.rows.marks:
            self.rows.keep_marks({id for id in self.rows.marks if rows.find(id) is not None})
        self.query_box.show([count(len(rows), "row")] if self.asked.text else [])
        self.show_detail()

    @property
    def listed(self) -> ReviewRows:
        """The rows as they are shown."""
        source = self.rows.source
        return source if isinstance(source, ReviewRows) else ReviewRows(())

    def current_item(self) -> Waiting | None:
        """The proposal under the cursor."""
        row = self.listed.get(self.rows.current)
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
        """All that is shown of the same kind and state, the one under the cursor first."""
        rows = [row for row in self.listed.rows if isinstance(row, Waiting)]
        return [row for row in rows if (row.kind, row.state) == (item.kind, item.state)]

    def hide(self, items: Sequence[Waiting]) -> None:
        """These rows leave with the key that decided about them."""
        for item in items:
            self._hidden[row_id(item), item.rev] = None
        if self.rows.marks:
            self.rows.unmark()
        self.present()

    def ask(self, asked: Asked) -> None:
        """Ask for other rows."""
        self.asked = asked
        self.workbench.remembered.set("review-open", " ".join(sorted(asked.opened)))
        self.present()

    # --- the proposal

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        if self._shown is not self.listed.get(self.rows.current) or self._shown is None:
            self.show_detail()
        self.show_keys()

    def show_detail(self) -> None:
        """Show what is known of the proposal under the cursor; what has to be read follows."""
        self.show_place()
        row = self._shown = self.listed.get(self.rows.current)
        if isinstance(row, Fold):
            self.detail.show(review_said.folded(row, self.workbench))
        elif row is None:
            view = self.workbench.desk.view
            empty = self.queue and review_said.nothing(view, self.queue, self.asked, self.workbench)
            self.detail.show(empty or line(""))
        else:
            self.detail.show(review_detail.show(self._sheet(row)))
            self.look_into([row, *self._next_items()])

    def _sheet(self, item: Waiting) -> review_detail.Sheet:
        return review_detail.Sheet(
            item,
            self.workbench.desk.view,
            self.known(item),
            max(24, self.detail.scrollable_content_region.width - 1),
            wide=self.has_class("-wide"),
            roomy=self.size.height >= ROOMY_FROM,
        )

    def show_place(self) -> None:
        """Where in the queue we are."""
        wide = self.has_class("-wide") or not self.has_class("-reading")
        place = review_said.Place(self.listed, self.rows.cursor, self.asked, self.queue is not None)
        self.place_line.update(review_said.place(place, self.size.width, wide=wide))

    def _next_items(self) -> list[Waiting]:
        after = self.listed.rows[self.rows.cursor + 1 : self.rows.cursor + 1 + AHEAD]
        return [row for row in after if isinstance(row, Waiting)]

    def inspected(self, found: Inspection, first: bool) -> None:
        """More is known about a proposal."""
        item = self.current_item()
        if item is not None and (row_id(item), item.rev) == (row_id(found.item), found.item.rev):
            self.detail.show(review_detail.show(self._sheet(item)), top=first)

    def on_resize(self) -> None:
        """Another width wraps otherwise."""
        self.call_after_refresh(self._sized)

    def _sized(self) -> None:
        self._focus()
        self.show_detail()

    def _focus(self) -> None:
        """The queue has the focus where it is shown, else the proposal."""
        if self.query_box.box.has_focus:
            return
        if self.rows.display and not (self.detail.has_focus and self.detail.display):
            self.rows.focus()
        elif not self.rows.display:
            self.detail.focus()

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

    def refused(self, task: Task) -> None:
        """Nothing was decided: the rows come back, and the cursor with them."""
        self._hidden = {key: since for key, since in self._hidden.items() if key[0] not in task.ids}
        self._go_to = task.ids[0] if task.ids else None
        self.present()

    def jump(self, id: str) -> None:
        """Show a proposal by its row."""
        self._go_to = id
        self.present()

    # --- keys

    def actors(self) -> Sequence[object]:
        """List keys go to the queue, whatever has the focus."""
        return (self.rows,)

    def place(self) -> str:
        """The rejected ones have their own key line, and so has a conflict."""
        place = super().place()
        if place != self.MODE:
            return place
        item = self.current_item()
        in_conflict = item is not None and item.state == "conflict"
        return "refused" if self.asked.refused else "conflict" if in_conflict else place

    def _nothing_here(self) -> str:
        row = self.listed.get(self.rows.current)
        return f"These are {row.words}; enter shows them." if isinstance(row, Fold) else "Nothing waits here."

    @on(Rows.Marked)
    def _marked(self) -> None:
        marked = sum(id not in FOLDS for id in self.rows.marks)
        self.count_marked(f"{marked:,} marked" if marked else "")
        self.show_keys()

    def do_list_open(self) -> None:
        """Open or close what is folded; else into the proposal."""
        row = self.listed.get(self.rows.current)
        if isinstance(row, Fold):
            self.ask(replace(self.asked, opened=self.asked.opened ^ {row.id}))
        else:
            self.add_class("-reading")
            self.call_after_refresh(self._read)

    def _read(self) -> None:
        self.detail.focus()
        self.show_detail()

    @on(Rows.Opened)
    def _opened(self) -> None:
        self.do_list_open()

    def do_app_search(self) -> None:
        """To the box."""
        self.add_class("-searching")
        self.call_after_refresh(self.query_box.box.focus)

    @on(Query.Changed)
    def _typed(self, message: Query.Changed) -> None:
        self.ask(replace(self.asked, text=message.text))

    @on(Query.Left)
    def _left_box(self) -> None:
        self._leave_box()

    def _leave_box(self) -> None:
        self.set_class(bool(self.asked.text), "-searching")
        (self.rows if self.rows.display else self.detail).focus()

    def paste(self, text: str) -> None:
        """Text pasted onto the queue is put into the box, where it can only be searched for."""
        self.add_class("-searching")
        self.query_box.box.value = one_line(text, 200)
        self.call_after_refresh(self.query_box.box.focus)
        self.say("The pasted text stands in the search box; escape clears it.")

    def do_app_back(self) -> None:
        """One step back: out of the box, out of the proposal, marks, the rejected ones, the kind, the search."""
        if self.query_box.box.has_focus:
            self._leave_box()
        elif self.has_class("-wide") and self.detail.has_focus:
            self.rows.focus()
        elif self.rows.unmark():
            return
        elif self.asked.text:
            self.query_box.clear()
            self.remove_class("-searching")
        elif self.asked.kind:
            self.ask(replace(self.asked, kind=""))
        elif self.asked.refused:
            self.do_review_refused()
        elif not self.has_class("-wide") and self.has_class("-reading"):
            self.remove_class("-reading")
            self.call_after_refresh(self._sized)

    def do_review_only(self) -> None:
        """One kind after the other, then all again."""
        items = (self.queue.refused if self.asked.refused else self.queue.waiting) if self.queue else ()
        kinds = ["", *dict.fromkeys(sorted(item.kind for item in items))]
        at = kinds.index(self.asked.kind) if self.asked.kind in kinds else 0
        self.ask(replace(self.asked, kind=kinds[(at + 1) % len(kinds)]))

    def do_review_refused(self) -> None:
        """What was rejected instead of what waits, and back."""
        self.rows.unmark()
        self.ask(replace(self.asked, refused=not self.asked.refused, kind=""))
        back = "Rejected ones: p brings one back, T shows what waits again."
        self.say(back if self.asked.refused else "")

    def do_detail_up(self) -> None:
        """Scroll the proposal from the queue."""
        self.detail.scroll_lines(-1)

    def do_detail_down(self) -> None:
        """Scroll the proposal from the queue."""
        self.detail.scroll_lines(1)

    def do_review_source(self) -> None:
        """Open the transcript at the words; with several transcripts, ask which."""
        item = self.current_item()
        if item is None:
            return
        found = places(self.workbench.desk.view, item.quotes)
        if len(found) > 1:
            self._ask_source(item, found)
        else:
            self._open_source(item, next(iter(found.values()))[0])

    @asks
    def _ask_source(self, item: Waiting, found: Mapping[str, tuple[str, str]]) -> Asking:
        words = {name: said for name, (_, said) in found.items()}
        name = yield Pick("Which transcript?", words)
        if name is not None:
            self._open_source(item, found[name][0])

    def _open_source(self, item: Waiting, path: str) -> None:
        if path:
            self.app.push_screen(Transcript(review_detail.title(item), opened(path, item.quotes)))
        else:
            self.say("No transcript is known for these words; extract it again to open it here.")
