"""Whose pack: the agents that the bank knows, or another name, typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.screens.context_inputs import check_agent
from tui.text import content, count, fit, line, one_line
from tui.widgets.line import Line
from tui.widgets.rows import Piece, Rows


class AgentRows:
    """The known agents with how much is private to each; a name that is typed and not known is the last row."""

    def __init__(self, agents: Mapping[str, int], typed: str) -> None:
        wanted = typed.strip().casefold()
        self.names = [name for name in agents if wanted in name.casefold()]
        if typed.strip() and typed.strip() not in agents:
            self.names.append(typed.strip())
        self._agents = agents

    def __len__(self) -> int:
        return len(self.names)

    def id(self, index: int) -> str:
        """The name."""
        return self.names[index]

    def find(self, id: str) -> int | None:
        """Where a name stands."""
        return self.names.index(id) if id in self.names else None

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The name, and what is private to it."""
        name = self.names[index]
        number = self._agents.get(name)
        words = (
            "not known to this bank yet" if number is None else f"{count(number, 'private memory', 'private memories')}"
        )
        left = min(28, width // 2)
        return [
            (" ", ""),
            (fit(one_line(name, 80), left), "strong"),
            ("  ", ""),
            (fit(words, width - left - 3), "muted"),
        ]


class Agents(ModalScreen[str | None]):
    """Gives the name of an agent, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
    ]
    AUTO_FOCUS = "Line"
    DEFAULT_CSS = """
    Agents {
        align: center middle;
        & > Vertical {
            width: 72; max-width: 96%; height: 16; max-height: 100%;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
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

    def __init__(self, agents: Mapping[str, int], current: str = "") -> None:
        super().__init__()
        self._agents, self._current = agents, current

    def compose(self) -> ComposeResult:
        """The question, the box, the agents, the keys."""
        key = "bold $text-primary"
        with Vertical():
            yield Static(
                content("Whose pack? An agent is given its own private memories and all public ones."), id="question"
            )
            yield Line(placeholder="type to find one, or another name")
            yield Static(id="fault")
            yield Rows(AgentRows(self._agents, ""))
            yield Static(line(("enter", key), " this one     ", ("escape", key), " back"), id="keys")

    def on_mount(self) -> None:
        """The box keeps the focus; the rows are moved from here."""
        self.rows.can_focus = False
        self.rows.go_to(self._current)

    def action_move(self, step: int) -> None:
        """Move the cursor without leaving the box."""
        self.rows.cursor += step

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.fault.update(content(""))
        self.rows.show(AgentRows(self._agents, event.value))

    @on(Input.Submitted)
    @on(Rows.Opened)
    def _chosen(self) -> None:
        name = self.rows.current or ""
        sentence = check_agent(name)
        if sentence:
            self.fault.update(content(sentence))
        else:
            self.dismiss(name)
