"""The packs of two agents side by side: two panes in a wide window, one column with signs in a narrow one."""

from __future__ import annotations

import threading
from typing import ClassVar, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.beside import Beside, beside
from pipeline.context.pack import Pack
from store.errors import MemdeskError
from tui.screens.context_agents import whose_pack
from tui.screens.context_baseline import ComparesBaselines
from tui.screens.context_beside_rows import BesideRows
from tui.screens.context_build import Wish, pack_for
from tui.screens.context_inputs import agents
from tui.screens.context_rows import look
from tui.screens.context_show import parts_of
from tui.screens.context_words import taken, unit_word, why
from tui.text import content, count, line, lines, literal, one_line
from tui.widgets.budget import BudgetBar
from tui.widgets.foot import foot
from tui.widgets.reader import Reader
from tui.widgets.rows import Rows

WIDE_FROM = 110
"""Cells from which the packs stand in two panes."""
NAME = 24
Side = Literal["left", "right"]
SIDES: tuple[Side, ...] = ("left", "right")


class Paired(Message):
    """The other pack was made, or the sentence says why it was not."""

    def __init__(self, found: Beside | None, sentence: str = "") -> None:
        super().__init__()
        self.found, self.sentence = found, sentence


class BesideScreen(ModalScreen[str | None]):
    """Shows two packs; gives the id of a memory that is to be shown in the list, or None.

    It stands before the other pack is made, so that nothing that a person opens meanwhile is covered; `left_it` is set
    when it is left.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,A", "dismiss(None)", "back"),
        Binding("t", "only", "only what differs"),
        Binding("n", "next(1)", "next difference"),
        Binding("N", "next(-1)", "difference before"),
        Binding("o", "show", "show it in the list"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    BesideScreen {
        & > Vertical { width: 100%; height: 100%; background: $background; }
        #title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #bars { height: 4; }
        #bars > Vertical { height: 2; width: 100%; }
        #bars { layout: vertical; }
        .whose { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        BudgetBar { height: 1; }
        Rows { border-top: solid $rule; }
        #told { height: 3; padding: 0 1; border-top: solid $rule; text-wrap: nowrap; text-overflow: ellipsis; }
        #keys { height: 1; padding: 0 1; }
        &.-panes #bars { layout: horizontal; height: 3; }
        &.-panes #bars > Vertical { width: 1fr; height: 3; }
        &.-panes BudgetBar { height: 2; }
    }
    """

    rows = query_one(Rows)
    told = query_one("#told", Static)

    def __init__(self, left: Pack, other: str, current: str = "") -> None:
        super().__init__()
        self.found: Beside | None = None
        self.left_it = threading.Event()
        self._left, self._other, self._current = left, other, current
        self._only_different = False

    def compose(self) -> ComposeResult:
        """Title, a budget bar for each, the lines, what became of the memory with both, keys."""
        with Vertical():
            yield Static(id="title")
            with Horizontal(id="bars"):
                for side in SIDES:
                    with Vertical():
                        yield Static(id=f"whose-{side}", classes="whose")
                        yield BudgetBar(id=side)
            yield Rows()
            yield Static(id="told")
            yield Static(
                foot(
                    ("escape", "back"), ("n", "next difference"), ("t", "only these"), ("enter", "line"), ("o", "to it")
                ),
                id="keys",
            )

    def on_mount(self) -> None:
        """The pack that is there already; the other one comes."""
        self.query_one("#title", Static).update(
            line(("side by side", "bold"), (f"   making the pack of {one_line(self._other, 40)} ...", "$text-muted"))
        )
        self._show_side("left", self._left)
        self._show(self.app.size.width)

    def on_unmount(self) -> None:
        """Nobody waits for the other pack any more."""
        self.left_it.set()

    @on(Paired)
    def _paired(self, message: Paired) -> None:
        """On the memory that the list was on, if one of the two is given it."""
        found = self.found = message.found
        if found is None:
            self.query_one("#title", Static).update(content(message.sentence, "$text-error"))
            return
        self.query_one("#title", Static).update(self._title(found))
        self._show_side("left", found.left)
        self._show_side("right", found.right)
        self._show(self.app.size.width)
        at = self._source.first_of(self._current) if self._current else None
        self.rows.cursor = self._source.first_difference if at is None else at
        middle = self.rows.cursor - self.rows.size.height // 2  # what stands around it is seen too
        self.rows.scroll_to(y=middle, animate=False, force=True, immediate=True)

    def _show_side(self, side: Side, pack: Pack) -> None:
        sign = "<" if side == "left" else ">"
        size = f"   {count(pack.bar.used, pack.layout.measure.word.removesuffix('s'))}"
        name = (one_line(pack.request.agent, NAME), "bold")
        whose = line((f"{sign} ", "bold"), name, (f"{size}, {taken(pack)}", "$text-muted"))
        self.query_one(f"#whose-{side}", Static).update(whose)
        self.query_one(f"#{side}", BudgetBar).show(parts_of(pack), pack.budget, unit=unit_word(pack))

    def on_resize(self, event: events.Resize) -> None:
        """Another width shows two panes or one column; the cursor stays on its pair."""
        self._show(event.size.width)

    def _show(self, width: int) -> None:
        panes = width >= WIDE_FROM
        self.set_class(panes, "-panes")
        here = self.rows.current
        self.rows.show(BesideRows(self.found, panes=panes, only_different=self._only_different), to=here)
        self._tell()

    @property
    def _source(self) -> BesideRows:
        source = self.rows.source
        return source if isinstance(source, BesideRows) else BesideRows(self.found, panes=True)

    def _title(self, found: Beside) -> Content:
        left, right = self._names()
        sizes = f"   both get {found.count('both'):,}   "
        return line(
            ("side by side", "bold"),
            (sizes, "$text-muted"),
            (f"< only {left} {found.count('left'):,}", "$text-warning"),
            (f"   > only {right} {found.count('right'):,}", "$text-success"),
            ("   ~ otherwise", "$text-accent"),
        )

    def _names(self) -> tuple[str, str]:
        return one_line(self._left.request.agent, NAME), one_line(self._other, NAME)

    # --- what is told of the row

    @on(Rows.Highlighted)
    def _tell(self) -> None:
        self.told.update(lines(self._words()))

    def _words(self) -> list[Content]:
        """What became of the memory with both agents."""
        source, at = self._source, self.rows.cursor
        if self.found is None:
            return [content("")]
        entry = source.shown[at].pair.entry if at < len(source.shown) else ""
        if not entry:
            return [content("A line of the pack that shows no memory.", "$text-muted")]
        left, right = self._names()
        return [
            line((f"< {left}: ", "bold"), self._fate(entry, "left")),
            line((f"> {right}: ", "bold"), self._fate(entry, "right")),
        ]

    def _fate(self, entry: str, side: Side) -> str:
        fate = self.found.fate(entry, side) if self.found is not None else None
        if self.found is None or fate is None:
            return "may not read it; it is private to others."
        pack = self.found.right if side == "right" else self.found.left
        reason = why(fate, pack.hook)
        place = f", {fate.place}" if fate.place else ""
        size = f"{fate.chars:,} {pack.layout.measure.word}"
        return f"{look(fate).word}{place}{f', {reason}' if reason else ''}, {size}."

    # --- keys

    def action_only(self) -> None:
        """Only the lines that differ, or all."""
        self._only_different = not self._only_different
        self._show(self.size.width)

    def action_next(self, step: int) -> None:
        """To the next row that differs, forwards or back."""
        shown = self._source.shown
        places = range(self.rows.cursor + step, len(shown) if step > 0 else -1, step)
        self.rows.cursor = next((at for at in places if shown[at].sign != " "), self.rows.cursor)

    def action_show(self) -> None:
        """Back to the list, with the cursor on this memory."""
        source = self._source
        entry = source.shown[self.rows.cursor].pair.entry if len(source) else ""
        if entry and self.found is not None and self.found.fate(entry, "left") is not None:
            self.dismiss(entry)

    @on(Rows.Opened)
    def _opened(self, message: Rows.Opened) -> None:
        pair = self._source.shown[message.index].pair
        names = self._names()
        both = [
            (name, told.text) for name, told in zip(names, (pair.left, pair.right), strict=True) if told is not None
        ]
        same = pair.side == "="
        parts = [line((f"{' and '.join(names) if same else name}: ", "bold"), literal(text)) for name, text in both]
        self.app.push_screen(Reader("This line", lines([*parts[: 1 if same else 2], content(""), *self._words()])))


class ShowsBeside(ComparesBaselines):
    """The part of the Context screen that puts another agent's pack beside its own."""

    def do_context_beside(self) -> None:
        """Choose the other agent, and show both packs."""
        others = {name: number for name, number in agents(self.workbench.desk.view).items() if name != self.now.agent}
        question = f"Whose pack beside that of {one_line(self.now.agent, 40)}?"
        self.app.push_screen(whose_pack(others, question=question), self._other_chosen)

    def _other_chosen(self, name: str | None) -> None:
        if name is not None and self.preview is not None:
            panel = BesideScreen(self.preview.pack, name, self.rows.current or "")
            self.app.push_screen(panel, self._back_from_beside)
            self.put_beside(self.preview.wish, self.preview.pack, name, panel)

    @work(thread=True, group="beside", exclusive=True, exit_on_error=False)
    def put_beside(self, wish: Wish, pack: Pack, name: str, panel: BesideScreen) -> None:
        """Make the other pack on a thread, the provider's answers for it included; one message goes to its panel."""
        try:
            answers = self.ask_for(wish, name, panel.left_it)
            panel.post_message(Paired(beside(pack, pack_for(wish, name, *answers))))
        except MemdeskError as error:
            panel.post_message(Paired(None, str(error)))

    def _back_from_beside(self, id: str | None) -> None:
        if id is not None:
            self.jump(id)
