"""The Context: the pack as an agent would get it, the fate of every memory, and why. A preview; nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from store.changes import Committed
from store.memory import Memory
from tui import keys
from tui.baselines import KIND_WORDS, why
from tui.messages import Task
from tui.screens import context_detail
from tui.screens.bank_detail import MUTED
from tui.screens.context_agents import known_agents
from tui.screens.context_baseline import since_title
from tui.screens.context_build import Preview
from tui.screens.context_counts import CountsLine
from tui.screens.context_inputs import Inputs, agents, recalled
from tui.screens.context_keys import ContextKeys
from tui.screens.context_rows import ALL, MOVED, OUT, FateRows, head
from tui.screens.context_show import READ_ONLY, bar_parts, behind_bar, effect, inputs, nothing, text_title, unit_of
from tui.screens.context_text import TextRows
from tui.text import content, line, lines, literal, one_line
from tui.theme import OUTCOMES
from tui.widgets.budget import BudgetBar
from tui.widgets.pane import Pane
from tui.widgets.query import Query
from tui.widgets.reader import Reader
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from tui.bench import Bench

AHEAD_EVERY, AHEAD = 0.05, 800
"""Seconds between two steps down the long tail while nothing else is done, and the rows of a step."""


class ContextScreen(ContextKeys):
    """Inputs, budget, counts; the fates in a list, the pack's text and the detail beside it."""

    MODE = "context"
    TITLE = "Context"
    CSS_PATH = "context.tcss"
    AUTO_FOCUS = "#rows"
    BINDINGS = keys.bindings("context")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012

    bar = query_one(BudgetBar)
    counts = query_one(CountsLine)
    text = query_one("#text", Rows)
    empty = query_one("#empty", Static)

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.begin_making()
        self.preview: Preview | None = None
        self.now = self.today = recalled(workbench.remembered, workbench.desk.view)
        self.only = ALL
        self.text_mode = "pack"
        self._ahead: Timer | None = None

    def body(self) -> Iterable[Widget]:
        """The inputs, the bar, the counts; the list with the pack's text, the detail."""
        with Horizontal(id="inputs"):
            yield Static(id="who", markup=False)
            yield Query("focus: the task", self.now.focus)
        yield BudgetBar()
        yield CountsLine()
        with Container(classes="body"):
            with Vertical(id="list"):
                yield Static(id="head")
                yield Static(id="empty")
                yield Rows(id="rows")
                yield Rows(id="text")
            yield Pane(id="detail")

    # --- showing it

    def present(self, preview: Preview, because: str | None) -> None:
        """Show a preview; the cursor stays on its memory."""
        before, self.preview = self.preview, preview
        self.only = preview.rows.only
        self.rows.show(preview.rows, to=self._go_to)
        self._go_to = None
        self.show_lines()
        self.bar.mark(preview.ended)
        self.bar.show(bar_parts(preview), preview.pack.budget, behind_bar(preview), unit_of(preview))
        self.counts.show(preview.fates.counts, self.only)
        said = nothing(preview, self.workbench)
        self.empty.display = said is not None
        self.empty.update(said or "")
        self.show_inputs()
        self.show_detail()
        self.show_keys()
        if preview.wish.baseline is not None and (before is None or before.wish.baseline is not preview.wish.baseline):
            self._to_first_change()
            self.say_since(preview)
        elif because is not None:
            self._say_effect(before, because)
        self.ask_if_stale()
        self._soon_look_ahead()

    def _soon_look_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.stop()
        self._ahead = self.set_timer(AHEAD_EVERY, self._look_ahead)

    def _look_ahead(self) -> None:
        """Walk the tail in small steps, so that `G` in a large bank does not have to."""
        rows = self.rows.source
        if isinstance(rows, FateRows) and rows.look_ahead(AHEAD):
            self._soon_look_ahead()

    def _say_effect(self, before: Preview | None, because: str) -> None:
        """What the change did, and that it was none."""
        preview = self.preview
        if preview is None:
            return
        told = effect(before, preview) if because and not because.endswith(".") else ""
        ended = because.removesuffix(".")
        lead = f"{ended}: {told}. " if told else f"{ended}. " if ended else ""
        locked = self.workbench.desk.bank.read_only
        took = "" if lead else f"  Built in {preview.millis:,} ms."
        self.say(lead + (locked if locked and not because else READ_ONLY) + took)

    def show_nobody(self) -> None:
        """No agent is chosen: say so, and show the ones that the bank knows where the memories will be."""
        self.preview = None
        self.rows.show(known_agents(agents(self.workbench.desk.view)))
        self.empty.display = True
        self.empty.update(nothing(None, self.workbench) or "")
        self.show_inputs()
        self.show_detail()

    def show_inputs(self) -> None:
        """Whose pack, how much of it, and the hook; the columns in its unit."""
        self.query_one("#head", Static).update(
            line((f" {head(self.rows.size.width - 2, unit_of(self.preview))}", MUTED))
        )
        self.set_class(not self.now.agent, "-nobody")
        name = one_line(self.now.agent, 24) or "nobody yet"
        trying = self.now != self.today or self.mode != "on"
        who = line(" as ", (name, "bold"), ("  what if", "bold $text-accent") if trying else "")
        self.query_one("#who", Static).update(who)
        hook = self.hook_words(self.wish()) if self.now.agent else ("", "")
        layout = (self.now.layout_words, MUTED)
        words = [hook, (self.now.budget_words, MUTED), layout, (f"limit {self.now.limit:,}", MUTED)]
        room = self.query_box.room(self.size.width - who.cell_length)
        self.query_box.found.update(inputs([part for part in words if part[0]], room))

    def show_lines(self) -> None:
        """The pack's text, or what differs from today's."""
        preview = self.preview
        if preview is None:
            return
        sources = {"today": preview.told_rows, "since": preview.since_rows}
        self.text.show(sources.get(self.text_mode) or preview.text)
        titled = since_title(preview) if self.text_mode == "since" else text_title(preview, self.text_mode)
        self.text.border_title = line(" ", titled, " ")
        self._follow_rows()

    def show_detail(self) -> None:
        """Explain the row under the cursor."""
        current = self.rows.current
        if self.preview is None or current is None:
            self.detail.border_title = None
            self.detail.show(content(""))
            return
        row = context_detail.Row(current, self.preview, titled=self.has_class("-wide"))
        self.detail.border_title = line(" ", context_detail.title(row), " ")
        self.detail.show(context_detail.show(row))

    def show_only(self, only: str) -> None:
        """Show one outcome only."""
        if self.preview is None:
            return
        self.only = only
        self.rows.show(FateRows(self.preview.fates, only, self.preview.wish.unused))
        self.counts.show(self.preview.fates.counts, only)
        shown = f"{len(self.rows.source):,}"
        if only == ALL:
            self.say("Everything, in the order of the pack.")
        elif only == OUT:
            self.say(f"What did not get in, by reason: {shown} rows.", "context.only")
        else:
            word = OUTCOMES[only].word if only != MOVED else "moved up by an eviction"
            self.say(f"Only {word}: {shown}.", "context.only")

    def show_text(self, mode: str) -> None:
        """Show the pack or the difference in the list's place (wide: below it), or hide it again."""
        if self.has_class("-text") and self.text_mode == mode:
            self.remove_class("-text")
            self.text_mode = "pack"
            self.forget_baseline()
            self.rows.focus()
        else:
            self.text_mode = mode
            self.forget_baseline()  # whoever compares with one says so afterwards
            self.add_class("-text")
            self.text.focus()
        self.show_lines()
        if self.text_mode == "today":
            self._to_first_change()

    def _to_first_change(self) -> None:
        if isinstance(self.text.source, TextRows):
            self.text.cursor = self.text.source.first_change

    def on_resize(self) -> None:
        """Another width shows the columns and the title elsewhere."""
        self.call_after_refresh(self._show_widths)

    def _show_widths(self) -> None:
        self.show_inputs()
        self.show_detail()

    # --- moving about

    def current_memory(self) -> Memory | None:
        """The memory under the cursor, as the view has it now."""
        id = self.rows.current
        return None if id is None else self.workbench.desk.view.memories.get(id)

    def targets(self) -> Sequence[Memory]:
        """The marked memories shown, else the one under the cursor."""
        memories = self.workbench.desk.view.memories
        return [memory for id in self.rows.targets if (memory := memories.get(id)) is not None]

    @on(Rows.Highlighted, "#rows")
    def _moved(self) -> None:
        self.show_detail()
        self.show_keys()
        if not self.text.has_focus:
            self._follow_rows()

    def _follow_rows(self) -> None:
        """The pack's text shows the line of the memory under the cursor."""
        source, id = self.text.source, self.rows.current
        place = source.place(id) if isinstance(source, TextRows) and id is not None else None
        if place is not None:
            self.text.cursor = place

    @on(Rows.Highlighted, "#text")
    def _moved_in_text(self, message: Rows.Highlighted) -> None:
        source = self.text.source
        if self.text.has_focus and isinstance(source, TextRows) and (entry := source.entry(message.index)):
            self.rows.go_to(entry)

    @on(Rows.Opened, "#rows")
    def _opened(self) -> None:
        if not self.now.agent:
            self._agent_chosen(self.rows.current)
            return
        self.add_class("-reading")
        self.detail.focus()
        self.show_detail()

    @on(Rows.Opened, "#text")
    def _opened_line(self, message: Rows.Opened) -> None:
        source = self.text.source
        if isinstance(source, TextRows):
            entry = source.entry(message.index)
            if entry and self.rows.source.find(entry) is not None:
                self._opened()
            elif text := source.text(message.index):
                self.app.push_screen(
                    Reader("This line of the pack", lines([content(literal(text)), *self._since_words(entry)]))
                )

    def _since_words(self, entry: str) -> list[Content]:
        """Why a line is no longer there whose memory has no row."""
        item = self.preview.since.by_id.get(entry) if self.preview is not None and self.preview.since else None
        return [] if item is None else [content(""), content(f"{KIND_WORDS[item.kind].capitalize()}: {why(item)}.")]

    @on(CountsLine.Picked)
    def _picked_outcome(self, message: CountsLine.Picked) -> None:
        self.show_only(message.only if message.only != self.only else ALL)

    def on_screen_resume(self) -> None:
        """Coming back: a provider that was not there may be now, and the bank may have moved on."""
        if self.preview is not None and self.mode == "on":
            ready = self.answer is not None and self.answer.configuration.provider is not None
            self.ask_if_stale() if ready or self.asking else self.ask_now()

    @on(Rows.Marked, "#rows")
    def _marked(self) -> None:
        marked = len(self.rows.marks)
        self.count_marked(f"{marked:,} marked" if marked else "")
        self.show_keys()

    # --- the focus

    @on(Query.Changed)
    def _typed(self, message: Query.Changed) -> None:
        if message.text != self.now.focus:
            self.try_out(replace(self.now, focus=message.text), "Focus")

    @on(Query.Left)
    def _left_box(self) -> None:
        self.rows.focus()

    def try_out(self, inputs: Inputs, because: str | None) -> None:
        """Preview with other inputs; the box shows their focus."""
        super().try_out(inputs, because)
        if self.query_box.text != inputs.focus:
            self.query_box.box.value = inputs.focus

    def paste(self, text: str) -> None:
        """Text pasted onto the list becomes the focus, where it can only be searched for."""
        self.query_box.box.value = one_line(text, 200)
        self.set_focus(self.query_box.box)
        self.say("The pasted text is the focus now; escape clears it.")

    # --- what was written

    def acted(self) -> None:
        """The marks go; after a single memory the cursor is on the next one."""
        if not self.rows.unmark():
            self.rows.cursor += 1

    def written(self, task: Task, committed: Committed | None) -> None:
        """Undo and redo bring the cursor to what they touched."""
        if committed is not None and committed.ids and task.kind != "commit":
            self.jump(committed.ids[0])
