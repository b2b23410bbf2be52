"""A form: fields one under the other, `^s` saves, `escape` leaves and asks only when something would be lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.asking import Asking, asks
from tui.text import altered, content, editable, one_line
from tui.widgets.choice import Choice
from tui.widgets.confirm import Confirm
from tui.widgets.foot import foot
from tui.widgets.line import Line
from tui.widgets.text_box import TextBox

LABEL = 11
"""Cells of the column of labels."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `kind`: a `line`, a `text` of several lines, or a `choice` among words."""

    name: str
    label: str
    value: str = ""
    kind: Literal["line", "text", "choice"] = "line"
    words: tuple[str, ...] = ()
    placeholder: str = ""

    @property
    def shown(self) -> str:
        """What the field shows at first: controls visible, one line where there is one."""
        if self.kind == "line":
            return one_line(self.value, len(self.value))
        return editable(self.value) if self.kind == "text" else self.value


def changed(fields: Sequence[Field], values: Mapping[str, str]) -> dict[str, str]:
    """The values that a person changed: a field that was only looked at keeps what is stored, byte for byte."""
    return {field.name: values[field.name] for field in fields if values[field.name] != field.shown}


class Form(ModalScreen[dict[str, str] | None]):
    """Gives all values by name, or None when the person leaves. `check` gives a sentence for what cannot be saved.

    `typed` is what stands in the fields at first, where a person had typed something already.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "save", priority=True),
        Binding("escape", "leave", "back"),
    ]
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Form {
        align: right middle;
        & > Vertical {
            width: 96; max-width: 100%; height: 100%; padding: 1 2 0 2;
            background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { text-style: bold; height: 1; margin: 0 0 1 0; }
        VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        .field { height: auto; margin: 0 0 1 0; }
        .field > .label { width: 11; color: $text-muted; }
        .field:focus-within > .label { color: $text-primary; text-style: bold; }
        .field > Line { width: 1fr; background: $surface; padding: 0 1; }
        .field > Choice { width: 1fr; }
        .field.-text { height: 1fr; min-height: 4; max-height: 12; }
        .field > TextBox, .field > TextBox:focus { width: 1fr; height: 100%; background: $surface; padding: 0 1; }
        #fault { height: auto; color: $text-warning; }
        #keys { height: 1; }
    }
    """

    fault = query_one("#fault", Static)

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        *,
        check: Callable[[Mapping[str, str]], str] | None = None,
        focus: str = "",
        verb: str = "save",
        typed: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._typed = typed or {}
        self._title, self._fields, self._check, self._verb = title, tuple(fields), check, verb
        self._first = focus or self._fields[0].name

    def compose(self) -> ComposeResult:
        """Title, fields, what is wrong, keys."""
        with Vertical():
            yield Static(content(self._title), id="title")
            with VerticalScroll(can_focus=False):
                for field in self._fields:
                    with Horizontal(classes=f"field -{field.kind}"):
                        yield Static(content(field.label), classes="label")
                        yield _widget(field, self._typed.get(field.name, field.shown))
            yield Static(id="fault")
            yield Static(foot(("^s", self._verb), ("escape", "back"), ("tab", "next")), id="keys")

    def on_mount(self) -> None:
        """The first field to change has the focus; text that cannot be shown exactly is said."""
        self.set_focus(self.query_one(f"#field-{self._first}"))  # at once: what is typed next goes there
        strange = [field.label for field in self._fields if field.kind != "choice" and altered(field.value)]
        if strange:
            words = " and ".join(strange)
            self.fault.update(content(f"{words} holds control characters; if you change it, signs are saved instead."))

    @property
    def values(self) -> dict[str, str]:
        """What stands in the fields now."""
        return {field.name: _value(self.query_one(f"#field-{field.name}")) for field in self._fields}

    @property
    def unsaved(self) -> bool:
        """Whether leaving would lose something; what is only tried out is not worth a question."""
        return self._verb == "save" and bool(changed(self._fields, self.values))

    @property
    def unfinished(self) -> str:
        """Why leaving the workbench should ask first."""
        return "This form has changes that are not saved." if self.unsaved else ""

    def action_save(self) -> None:
        """Give the values, unless something is wrong with them."""
        values = self.values
        sentence = self._check(values) if self._check else ""
        if sentence:
            self.fault.update(content(sentence))
        else:
            self.dismiss(values)

    @asks
    def action_leave(self) -> Asking:
        """Leave; ask when something was typed."""
        if not self.unsaved or (yield Confirm("Leave without saving what you changed?", "leave", "go on editing")):
            self.dismiss(None)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.focus_next()

    @on(Line.Joined)
    def _joined(self, event: Line.Joined) -> None:
        self.fault.update(content(f"{event.lines:,} lines were joined into one."))


def _widget(field: Field, shown: str) -> Widget:
    id = f"field-{field.name}"
    if field.kind == "choice":
        return Choice(field.words, shown, id=id)
    if field.kind == "text":
        return TextBox(shown, id=id)
    box = Line("", placeholder=field.placeholder, id=id)
    box.value = shown
    return box


def _value(widget: Widget) -> str:
    if isinstance(widget, TextBox):
        return widget.text
    return widget.value if isinstance(widget, (Line, Choice)) else ""
