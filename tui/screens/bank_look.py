"""Looking in the Bank: what is typed is found by its words at once, and by meaning when the person pauses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from store import clock
from store.view import View
from tui import keys
from tui.screens.bank_find import SORTS, Arranged, Asked, arrange, next_sort, with_meaning
from tui.screens.memory_acts import MemoryActs
from tui.text import one_line
from tui.widgets.query import Query

if TYPE_CHECKING:
    from pipeline.recall.filtering.completing import Completions
    from pipeline.recall.formula.meaning import Meaning
    from tui.bench import Bench

QUERY = 400
"""Characters of a search beyond which it was a paste, nothing to come back to."""
NAMED = 2
"""Letters from which a word is offered the operators that begin so: fewer begin most words."""
PAUSE = 0.08
"""Seconds without a letter after which it is looked for by meaning, too (`design/recall.md` §4)."""


class Found(Message):
    """The rows for what was asked. Only the latest answer matters."""

    def __init__(self, view: View, arranged: Arranged) -> None:
        super().__init__()
        self.view, self.arranged = view, arranged

    def can_replace(self, message: Message) -> bool:
        """A newer answer replaces one that nobody has shown yet."""
        return isinstance(message, Found)


class Meant(Message):
    """The rows with meaning. They come late, and replace no answer that was found by other words meanwhile."""

    def __init__(self, view: View, arranged: Arranged) -> None:
        super().__init__()
        self.view, self.arranged = view, arranged


class Offered(Message):
    """What can stand at a place of a text."""

    def __init__(self, text: str, at: int, found: Completions) -> None:
        super().__init__()
        self.text, self.at, self.found = text, at, found


class BankLook(MemoryActs):
    """The box and what it finds. `present` shows an answer."""

    query_box = query_one(Query)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        remembered = workbench.remembered
        sort = remembered.get("sort")
        self.asked = Asked(remembered.get("query"), sort if sort in SORTS else SORTS[0])
        self.arranged: Arranged | None = None
        self._pause: Timer | None = None
        self._partial = 0

    def present(self, view: View, arranged: Arranged) -> None:
        """Show what was found."""

    # --- asking

    def show_view(self, view: View) -> None:
        """The bank moved on: find again. The first rows come with the first frame."""
        if self.arranged is None and not self.asked.text:
            self.present(view, arrange(view, self.asked, clock.today()))
        else:
            self.look(view, self.asked, self.arranged)

    def ask(self, asked: Asked) -> None:
        """Ask for other rows."""
        self.asked = asked
        remembered = self.workbench.remembered
        remembered.set("query", asked.text if len(asked.text) <= QUERY else "")
        remembered.set("sort", asked.sort)
        self.look(self.workbench.desk.view, asked, self.arranged)

    @on(Query.Changed)
    def _typed(self, message: Query.Changed) -> None:
        self.ask(replace(self.asked, text=message.text))
        self._offer()

    @work(thread=True, exclusive=True, group="look", description="find", exit_on_error=False)
    def look(self, view: View, asked: Asked, before: Arranged | None) -> None:
        """Find and order on a thread; one message comes back.

        The worker has a description of its own: the default one spells out the arguments, all memories of them.
        """
        worker = get_current_worker()
        arranged = arrange(view, asked, clock.today(), before, self.workbench.desk.search.of)
        if not worker.is_cancelled:
            self.post_message(Found(view, arranged))

    @work(thread=True, group="warm", description="warm", exit_on_error=False)
    def warm(self) -> None:
        """While the person reaches for the first letter, make ready what it needs."""
        from pipeline.recall import marked  # noqa: F401  # what is loaded now is there for the first letter
        from pipeline.recall.filtering import completing  # noqa: F401

        self.workbench.desk.search.of(self.workbench.desk.view).sight()

    def index_renewed(self) -> None:
        """What was looked for in part of the bank, or without its meaning, is looked for again."""
        if self.asked.text:
            self.look(self.workbench.desk.view, self.asked, self.arranged)

    # --- answers

    @on(Meant)
    def _found_meaning(self, message: Meant) -> None:
        """A late answer, to other words or of another state of the bank, is dropped."""
        if message.arranged.asked == self.asked and message.view is self.workbench.desk.view:
            self.present(message.view, message.arranged)

    @on(Found)
    def _found(self, message: Found) -> None:
        if message.arranged.asked != self.asked:
            return
        self.present(message.view, message.arranged)
        self._tell_part()
        if self._pause is not None:
            self._pause.stop()
        if message.arranged.may_mean and not message.view.is_head and self.workbench.desk.search.means:
            self._pause = self.set_timer(PAUSE, partial(self._mean, message.view, message.arranged))

    def _mean(self, view: View, arranged: Arranged) -> None:
        """The person paused: the same question again, with meaning."""
        searched = arranged.searched
        if searched is not None and arranged.asked == self.asked:
            self.workbench.desk.search.mean(searched, arranged.query.words, partial(self._meant, view, arranged))

    def _meant(self, view: View, arranged: Arranged, meaning: Meaning) -> None:
        """The meaning is known; called on the encoder's thread."""
        if arranged.asked == self.asked:
            self.post_message(Meant(view, with_meaning(arranged, meaning, clock.today())))

    def _tell_part(self) -> None:
        """Say when only part of the bank is searched, once, and when that is over."""
        part, before = self.workbench.desk.search.partial, self._partial
        self._partial = part
        if part and not before:
            self.say(f"The newest {part:,} memories are searched while the index is made.")
        elif before and not part:
            self.say("The index is made: all memories are searched.")

    # --- what can stand in the box

    def _offer(self) -> None:
        """Offer what can stand where the cursor is: operators at once, values from a thread that looks for them."""
        from pipeline.recall.filtering.completing import Completions, complete
        from pipeline.recall.filtering.query import parts

        text, at = self.query_box.text, self.query_box.box.cursor_position
        part = next((part for part in parts(text[:at]) if part.end == at), None)
        if part is not None and part.kind == "operator":
            self.look_for_values(text, at, self.workbench.desk.view)
        elif part is not None and len(part.value) >= NAMED:
            self.query_box.offer(text, at, complete(text, at, self.workbench.desk.view))
        else:
            self.query_box.offer(text, at, Completions(at, at))

    @work(thread=True, exclusive=True, group="offer", description="offer", exit_on_error=False)
    def look_for_values(self, text: str, at: int, view: View) -> None:
        """The values of an operator; in a large bank counting them takes its time."""
        from pipeline.recall.filtering.completing import complete

        self.post_message(Offered(text, at, complete(text, at, view)))

    @on(Offered)
    def _offered(self, message: Offered) -> None:
        self.query_box.offer(message.text, message.at, message.found)

    @on(Query.Offering)
    def _offering(self) -> None:
        self.show_keys()

    def why_not(self, id: str) -> str:
        """The keys of an offer act while there is one."""
        if id in ("text.take", "text.next", "text.previous") and not self.query_box.offering:
            return "Nothing is offered here."
        return super().why_not(id)

    # --- keys

    def place(self) -> str:
        """A box that offers something has other keys."""
        place = super().place()
        return keys.OFFERS if place == keys.TEXT and self.query_box.offering else place

    @on(Query.Left)
    def _left_box(self) -> None:
        self.rows.focus()

    def paste(self, text: str) -> None:
        """Text pasted onto the list is put into the box, where it can only be searched for."""
        self.query_box.box.value = one_line(text, 200)
        self.set_focus(self.query_box.box)
        self.say("The pasted text stands in the search box; escape clears it.")

    def do_app_search(self) -> None:
        """To the box; where the detail hid the rows they come back."""
        self.remove_class("-reading")
        self.set_focus(self.query_box.box)
        self.warm()

    def do_list_sort(self) -> None:
        """The next order."""
        self.ask(replace(self.asked, sort=next_sort(self.asked, self.arranged)))
