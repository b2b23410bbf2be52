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

from pipeline.review.inspection import Inspection
from pipeline.review.waiting import Waiting
from tui import keys
from tui.asking import Asking, asks
from tui.messages import Task
from tui.screens import review_detail, review_said
from tui.screens.review_look import Detail
from tui.screens.review_narrow import Narrowing
from tui.screens.review_open import not_known, opened, places
from tui.screens.review_rows import FOLDS, Fold, Row, row_id
from tui.screens.transcript import Transcript
from tui.screens.transcript_remember import rememberer
from tui.text import line, one_line
from tui.widgets.pick import Pick
from tui.widgets.query import Query
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

AHEAD = 2
"""Proposals looked into before the cursor comes to them."""
COMING = 80
"""Proposals whose words are looked up when their transcript is read anyway."""
ROOMY_FROM = 30
"""Lines of the screen from which the detail has empty lines."""


class ReviewScreen(Narrowing):
    """The queue at the left, one proposal at the right; where there is no room, one proposal at a time."""

    MODE = "review"
    TITLE = "Review"
    CSS_PATH = "review.tcss"
    AUTO_FOCUS = ""
    BINDINGS = keys.bindings("review", keys.LISTS)

    detail = query_one("#detail", Detail)
    place_line = query_one("#place", Static)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self._shown: Row | None = None

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

    # --- the proposal

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        if self._shown is not self.listed.at(self.rows.cursor) or self._shown is None:
            self.show_detail()
        self.show_keys()

    def show_detail(self) -> None:
        """Show what is known of the proposal under the cursor; what has to be read follows."""
        self.show_place()
        row = self._shown = self.listed.at(self.rows.cursor)
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
        self.place_line.update(review_said.place(place, self.size.width, wide=wide), layout=False)

    def _look_again(self) -> None:
        if (item := self.current_item()) is not None:
            self.look_into([item, *self._next_items()])

    def _next_items(self, number: int = AHEAD) -> list[Waiting]:
        after = (self.listed.at(at) for at in range(self.rows.cursor + 1, self.rows.cursor + 1 + number))
        return [row for row in after if isinstance(row, Waiting)]

    def coming(self) -> Sequence[Waiting]:
        """What is decided about next."""
        return self._next_items(COMING)

    def inspected(self, found: Inspection, first: bool) -> None:
        """More is known about a proposal."""
        item = self.current_item()
        if item is not None and (row_id(item), item.rev) == (row_id(found.item), found.item.rev):
            shown = review_detail.show(self._sheet(item))
            if not shown.is_same(self.detail.content):
                self.detail.show(shown, top=first)

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

    def refused(self, task: Task) -> None:
        """Nothing was decided: the rows come back, and the cursor with them where the bank could not be written.

        A proposal that cannot be decided as it is does not hold up the next ones.
        """
        self.show_again(task.ids, go=task.changeset is not None)

    # --- keys

    def place(self) -> str:
        """The rejected ones have their own key line, and so has a conflict."""
        place = super().place()
        if place != self.MODE:
            return place
        item = self.current_item()
        in_conflict = item is not None and item.state == "conflict"
        return "refused" if self.asked.refused else "conflict" if in_conflict else place

    def _nothing_here(self) -> str:
        row = self.listed.at(self.rows.cursor)
        return f"These are {row.words}; enter shows them." if isinstance(row, Fold) else "Nothing waits here."

    @on(Rows.Marked)
    def _marked(self) -> None:
        marked = sum(id not in FOLDS for id in self.rows.marks)
        self.count_marked(f"{marked:,} marked" if marked else "")
        self.show_keys()

    def do_list_open(self) -> None:
        """Open or close what is folded; else into the proposal."""
        row = self.listed.at(self.rows.cursor)
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
        self.searching(True)
        self.set_focus(self.query_box.box)

    @on(Query.Changed)
    def _typed(self, message: Query.Changed) -> None:
        self.ask(replace(self.asked, text=message.text))

    @on(Query.Left)
    def _left_box(self) -> None:
        self._leave_box()

    def _leave_box(self) -> None:
        self.searching(bool(self.asked.text))
        (self.rows if self.rows.display else self.detail).focus()

    def paste(self, text: str) -> None:
        """Text pasted onto the queue is put into the box, where it can only be searched for."""
        self.searching(True)
        self.query_box.box.value = one_line(text, 200)
        self.set_focus(self.query_box.box)
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
            self.searching(False)
        elif self.widen():
            return
        elif not self.has_class("-wide") and self.has_class("-reading"):
            self.remove_class("-reading")
            self.call_after_refresh(self._sized)

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
            title, load = review_detail.title(item), opened(path, item.quotes)
            self.app.push_screen(Transcript(title, load, rememberer(self.workbench)))
        else:
            self.say(not_known(item.quotes))
