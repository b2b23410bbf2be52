"""The packs of two agents side by side: two panes in a wide window, one column with signs in a narrow one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.beside import Beside, Pair, beside
from pipeline.context.budget import Line
from pipeline.context.pack import Pack
from store.errors import MemdeskError
from tui.screens.context_agents import whose_pack
from tui.screens.context_baseline import ComparesBaselines
from tui.screens.context_build import Wish, pack_for
from tui.screens.context_inputs import agents
from tui.screens.context_rows import look
from tui.screens.context_show import parts_of
from tui.screens.context_text import flat
from tui.screens.context_words import why
from tui.text import content, count, fit, line, lines, literal, one_line
from tui.widgets.budget import BudgetBar
from tui.widgets.reader import Reader
from tui.widgets.rows import Piece, Rows

WIDE_FROM = 110
"""Cells from which the packs stand in two panes."""
STYLES = {" ": "", "<": "warn", ">": "good", "~": "accent"}
NAME = 24


@dataclass(frozen=True, slots=True)
class Shown:
    """One row: a pair of lines, or in a narrow window one side of it. `at` is the number of the pair.

    `elsewhere` says that its memory stands in another place of the other pack: both are given it.
    """

    at: int
    pair: Pair
    sides: Literal["both", "left", "right"] = "both"
    elsewhere: bool = False

    @property
    def id(self) -> str:
        """What stays the same in every width."""
        return f"{self.at}{'>' if self.sides == 'right' else ''}"

    @property
    def sign(self) -> str:
        """`<` and `>` for what only one is given, `~` for what both are given in other words or another place."""
        side = "~" if self.elsewhere else self.pair.side
        return " " if side == "=" else side

    @property
    def signs(self) -> str:
        """The sign in a narrow window, which has to say the side too."""
        if self.sign != "~":
            return f"{self.sign} "
        left = self.sides == "left" or self.pair.right is None
        return "<~" if left else ">~"


class BesideRows:
    """A row source over the pairs of two packs, all of them or those that differ with their headings."""

    def __init__(self, found: Beside, *, panes: bool, only_different: bool = False) -> None:
        self.panes = panes
        kept = _different(found.pairs) if only_different else enumerate(found.pairs)
        self.shown = [row for at, pair in kept for row in _rows(at, pair, panes, found.whose.get(pair.entry) == "both")]
        self._places = {row.id: place for place, row in enumerate(self.shown)}

    def __len__(self) -> int:
        return len(self.shown)

    def id(self, index: int) -> str:
        """The number of the pair, and the side where both have a row."""
        return self.shown[index].id

    def find(self, id: str) -> int | None:
        """Where a pair stands."""
        found = self._places.get(id)
        return self._places.get(id.removesuffix(">")) if found is None else found

    def first_of(self, entry: str) -> int | None:
        """The first row that shows a memory."""
        return next((at for at, row in enumerate(self.shown) if row.pair.entry == entry), None)

    @property
    def first_difference(self) -> int:
        """The first row of a memory that only one is given, else the first that differs, else the top."""
        lone = (at for at, row in enumerate(self.shown) if row.sign in {"<", ">"} and row.pair.entry)
        other = (at for at, row in enumerate(self.shown) if row.sign != " ")
        return next(lone, next(other, 0))

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Both lines with the sign between them, or the sign and one line."""
        shown = self.shown[index]
        pair = shown.pair
        style = STYLES[shown.sign]
        if not self.panes:
            told = pair.right if shown.sides == "right" or pair.left is None else pair.left
            return [(f"{shown.signs} ", style), *_half(told, style, width - 3)]
        half = (width - 3) // 2
        left, right = _half(pair.left, style, half), _half(pair.right, style, width - 3 - half)
        return [*left, (f" {shown.sign} ", style), *right]


def _rows(at: int, pair: Pair, panes: bool, both: bool) -> Iterator[Shown]:
    """One row for a pair; in one column a pair that differs has two."""
    if panes or pair.side != "~":
        yield Shown(at, pair, elsewhere=both and pair.side != "=")
    else:
        yield from (Shown(at, pair, "left"), Shown(at, pair, "right"))


def _different(pairs: Sequence[Pair]) -> Iterator[tuple[int, Pair]]:
    """The pairs that differ, each section with its heading."""
    heading: tuple[int, Pair] | None = None
    for at, pair in enumerate(pairs):
        if pair.side != "=":
            yield from [heading] if heading is not None else []
            heading = None
            yield at, pair
        elif pair.right is not None and pair.right.text.startswith("## "):
            heading = at, pair


def _half(shown: Line | None, style: str, cells: int) -> list[Piece]:
    if shown is None:
        return [(" " * cells, "")]
    style = style or ("strong" if shown.text.startswith("#") else "" if shown.entry else "muted")
    return [(fit(flat(shown.text, cells), cells), style)]


class BesideScreen(ModalScreen[str | None]):
    """Shows two packs; gives the id of a memory that is to be shown in the list, or None."""

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

    def __init__(self, found: Beside, current: str = "") -> None:
        super().__init__()
        self.found, self._current = found, current
        self._only_different = False

    def compose(self) -> ComposeResult:
        """Title, a budget bar for each, the lines, what became of the memory with both, keys."""
        key = "bold $text-primary"
        with Vertical():
            yield Static(self._title(), id="title")
            with Horizontal(id="bars"):
                for id, sign, pack in (("left", "<", self.found.left), ("right", ">", self.found.right)):
                    with Vertical():
                        yield Static(self._whose(sign, pack), classes="whose")
                        yield BudgetBar(id=id)
            yield Rows()
            yield Static(id="told")
            words = (
                ("escape", "back"),
                ("n", "next difference"),
                ("t", "only these"),
                ("enter", "line"),
                ("o", "to it"),
            )
            yield Static(line(*(part for name, does in words for part in ((name, key), f" {does}   "))), id="keys")

    def on_mount(self) -> None:
        """On the memory that the list was on, if one of them is given it."""
        for id, pack in (("left", self.found.left), ("right", self.found.right)):
            self.query_one(f"#{id}", BudgetBar).show(parts_of(pack), pack.budget)
        self._show(self.app.size.width)
        source = self._source
        at = source.first_of(self._current) if self._current else None
        self.rows.cursor = source.first_difference if at is None else at

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

    def _title(self) -> Content:
        left, right = self._names()
        found = self.found
        sizes = f"   both get {found.count('both'):,}   "
        return line(
            ("side by side", "bold"),
            (sizes, "$text-muted"),
            (f"< only {left} {found.count('left'):,}", "$text-warning"),
            (f"   > only {right} {found.count('right'):,}", "$text-success"),
            ("   ~ otherwise", "$text-accent"),
        )

    def _names(self) -> tuple[str, str]:
        return one_line(self.found.left.request.agent, NAME), one_line(self.found.right.request.agent, NAME)

    def _whose(self, sign: str, pack: Pack) -> Content:
        hook = "hook not asked" if pack.hook is None else f"hook took out {len(pack.removed | pack.paged):,}"
        hook = "no hook" if pack.hook is not None and not pack.hook.shows else hook
        size = f"   {count(pack.bar.used, pack.layout.measure.word.removesuffix('s'))} up to the budget's end, {hook}"
        return line((f"{sign} ", "bold"), (one_line(pack.request.agent, NAME), "bold"), (size, "$text-muted"))

    # --- what is told of the row

    @on(Rows.Highlighted)
    def _tell(self) -> None:
        self.told.update(lines(self._words()))

    def _words(self) -> list[Content]:
        """What became of the memory with both agents."""
        source, at = self._source, self.rows.cursor
        entry = source.shown[at].pair.entry if at < len(source.shown) else ""
        if not entry:
            return [content("A line of the pack that shows no memory.", "$text-muted")]
        left, right = self._names()
        return [
            line((f"< {left}: ", "bold"), self._fate(entry, "left")),
            line((f"> {right}: ", "bold"), self._fate(entry, "right")),
        ]

    def _fate(self, entry: str, side: Literal["left", "right"]) -> str:
        fate = self.found.fate(entry, side)
        if fate is None:
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
        if entry and self.found.fate(entry, "left") is not None:
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
            self.say(f"Making the pack of {one_line(name, 40)} ...")
            self.put_beside(self.preview.wish, self.preview.pack, name, self.rows.current or "")

    @work(thread=True, group="beside", exclusive=True, exit_on_error=False)
    def put_beside(self, wish: Wish, pack: Pack, name: str, current: str) -> None:
        """Make the other pack on a thread, the provider's answer for it included."""
        try:
            found = beside(pack, pack_for(wish, name, *self.ask_for(wish, name)))
        except MemdeskError as error:
            self.app.call_from_thread(self.say, str(error))
            return
        self.app.call_from_thread(self._put, BesideScreen(found, current))

    def _put(self, screen: BesideScreen) -> None:
        self.say("")
        self.app.push_screen(screen, self._back_from_beside)

    def _back_from_beside(self, id: str | None) -> None:
        if id is not None:
            self.jump(id)
