"""The help: all keys of this place, filtered as you type, and enter runs the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.keys import Key
from tui.text import content, fit, line
from tui.widgets.foot import foot
from tui.widgets.line import Line
from tui.widgets.rows import Piece, Rows

KEYS_WIDTH = 16
IDS_FROM = 76
"""Cells from which the id, which a person's own keymap names, is shown as well."""


class Words(Protocol):
    """Who knows which key a person presses for something, and what it does."""

    def all_pressed(self, key: Key) -> str:
        """The keys."""

    def does(self, key: Key) -> str:
        """What it does."""


class KeyRows:
    """The keys as rows; those that cannot act now are dim and say why."""

    def __init__(self, keys: Sequence[Key], words: Words, why_not: Callable[[str], str]) -> None:
        self._keys, self._words, self._why_not = keys, words, why_not

    def __len__(self) -> int:
        return len(self._keys)

    def id(self, index: int) -> str:
        """The key's id."""
        return self._keys[index].id

    def find(self, id: str) -> int | None:
        """Where a key stands."""
        return next((index for index, key in enumerate(self._keys) if key.id == id), None)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Keys, words, id."""
        key = self._keys[index]
        reason = self._why_not(key.id)
        does = self._words.does(key)
        words = f"{does}  ({reason})" if reason else does
        ids = 24 if width >= IDS_FROM else 0
        text = fit(words, width - KEYS_WIDTH - 1 - ids)
        shown = fit(self._words.all_pressed(key), KEYS_WIDTH)
        return [
            (" ", ""),
            (shown, "muted" if reason else "match"),
            (text, "muted" if reason else ""),
            (fit(key.id, ids), "muted"),
        ]


class KeysHelp(ModalScreen[str | None]):
    """Gives the id of the key to run, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss(None)", "back"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
    ]
    AUTO_FOCUS = "Line"
    DEFAULT_CSS = """
    KeysHelp {
        align: center middle;
        & > Vertical {
            width: 100; max-width: 100%; height: 90%; max-height: 40;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; padding: 0 1; }
        Line, Line:focus { background: $surface; padding: 0 1; margin: 0 1 1 1; }
        Rows { background: $panel; }
        #nothing { display: none; height: 1fr; padding: 0 2; color: $text-muted; }
        #keys { height: 1; padding: 0 1; }
        .rows--match { text-style: bold; }
    }
    """

    rows = query_one(Rows)
    box = query_one(Line)

    def __init__(
        self,
        title: str,
        keys: Sequence[Key],
        words: Words,
        why_not: Callable[[str], str],
        note: str = "",
    ) -> None:
        super().__init__()
        self._title, self._keys, self._words, self._why_not, self._note = title, keys, words, why_not, note

    def compose(self) -> ComposeResult:
        """Title, box, rows, keys."""
        with Vertical():
            yield Static(line((f"Keys on {self._title}", "bold"), (f"   {self._note}", "$text-muted")), id="title")
            yield Line(placeholder="type to filter")
            yield Rows(KeyRows(self._keys, self._words, self._why_not))
            yield Static(content("Nothing matches; backspace takes a letter back."), id="nothing")
            yield Static(foot(("enter", "run it"), ("escape", "back")), id="keys")

    def on_mount(self) -> None:
        """The box keeps the focus; the rows are moved from here."""
        self.rows.can_focus = False

    def action_move(self, step: int) -> None:
        """Move the cursor without leaving the box."""
        self.rows.cursor += step

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        words = event.value.casefold().split()
        found = [key for key in self._keys if all(word in self._haystack(key) for word in words)]
        self.rows.show(KeyRows(found, self._words, self._why_not))
        self.rows.display, self.query_one("#nothing").display = bool(found), not found

    def _haystack(self, key: Key) -> str:
        return f"{key.id} {self._words.all_pressed(key)} {key.hint} {self._words.does(key)}".casefold()

    @on(Input.Submitted)
    @on(Rows.Opened)
    def _run(self) -> None:
        if self.rows.current is not None:
            self.dismiss(self.rows.current)
