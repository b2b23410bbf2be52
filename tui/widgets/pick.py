"""A question that is answered with one of several names, or with another one, typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.text import content, fit, one_line, width
from tui.widgets.foot import foot
from tui.widgets.line import Line
from tui.widgets.rows import Piece, Rows

MOST_NAME, MOST_TEXT = 40, 76
"""Cells of a name, and of one that is a whole sentence."""


class Names:
    """The names with a word about each; what is typed and is not among them is the last row, where that is allowed."""

    def __init__(self, names: Mapping[str, str], typed: str, other: str, most: int = MOST_NAME) -> None:
        wanted, new = typed.strip().casefold(), typed.strip()
        self.names = [name for name, words in names.items() if wanted in f"{name} {words}".casefold()]
        self._words = dict(names)
        if other and new and new not in names:
            self.names.append(new)
            self._words[new] = other
        self._cells = min(most, max((width(one_line(name, 200)) for name in self.names), default=0))

    def __len__(self) -> int:
        return len(self.names)

    def id(self, index: int) -> str:
        """The name."""
        return self.names[index]

    def find(self, id: str) -> int | None:
        """Where a name stands."""
        return self.names.index(id) if id in self.names else None

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The name, and the word about it."""
        name = self.names[index]
        cells = min(self._cells, width - 1)
        rest = max(0, width - cells - 4)
        return [
            (" ", ""),
            (fit(one_line(name, 200), cells), "strong"),
            ("  ", ""),
            (fit(one_line(self._words[name], 400), rest), "muted"),
        ]


class Pick(ModalScreen[str | None]):
    """Gives a name, or None when the person leaves.

    `names` maps each name to a word about it. `other` is the word for a name that is typed and not among them; without
    it only the given ones can be chosen. `check` gives a sentence for a name that cannot be taken. With `sentences`
    the names are whole sentences, which get more room. `placeholder` stands in the empty box, for the usual words.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
    ]
    AUTO_FOCUS = "Line"
    DEFAULT_CSS = """
    Pick {
        align: center middle;
        & > Vertical {
            width: 72; max-width: 96%; height: 16; max-height: 100%;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &.-sentences > Vertical { width: 116; }
        &:ansi > Vertical { border: solid ansi_default; }
        #question { height: auto; padding: 0 1; }
        Line, Line:focus { background: $surface; padding: 0 1; margin: 1 1 0 1; }
        #fault { color: $text-error; height: 1; padding: 0 1; }
        Rows { background: $panel; }
        #keys { height: 1; padding: 0 1; }
    }
    """

    rows = query_one(Rows)
    fault = query_one("#fault", Static)

    def __init__(
        self,
        question: str,
        names: Mapping[str, str],
        current: str = "",
        *,
        other: str = "",
        check: Callable[[str], str] | None = None,
        sentences: bool = False,
        placeholder: str = "",
    ) -> None:
        super().__init__(classes="-sentences" if sentences else None)
        self._most = MOST_TEXT if sentences else MOST_NAME
        self._question, self._names, self._current = question, names, current
        self._other, self._check = other, check
        self._placeholder = placeholder or ("type to find one, or another name" if other else "type to find one")

    def compose(self) -> ComposeResult:
        """The question, the box, the names, the keys."""
        with Vertical():
            yield Static(content(self._question, "bold"), id="question")
            yield Line(placeholder=self._placeholder)
            yield Static(id="fault")
            yield Rows(Names(self._names, "", self._other, self._most))
            yield Static(foot(("enter", "this one"), ("escape", "back")), id="keys")

    def on_mount(self) -> None:
        """The box keeps the focus; the rows are moved from here."""
        self.rows.can_focus = False
        self.rows.go_to(self._current)

    def action_move(self, step: int) -> None:
        """Move the cursor without leaving the box."""
        self.rows.cursor += step

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.rows.show(Names(self._names, event.value, self._other, self._most))
        self.fault.update(content("" if len(self.rows.source) or not event.value.strip() else "Nothing matches."))

    @on(Input.Submitted)
    @on(Rows.Opened)
    def _chosen(self) -> None:
        name = self.rows.current
        sentence = self._check(name) if self._check and name is not None else ""
        if name is None:
            self.fault.update(content("Type a name first." if self._other else "There is no such one."))
        elif sentence:
            self.fault.update(content(sentence))
        else:
            self.dismiss(name)
