"""Baselines on the Context screen: the pack kept under a name, and what changed since one was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.baseline import Baseline
from pipeline.context.pack import Pack
from pipeline.context.since import KINDS
from store.baselines import Saved, baselines, check_baseline_name, delete_baseline
from store.errors import BadInput, MemdeskError
from tui.asking import Asking, asks
from tui.baselines import KIND_WORDS, keep, other_words, read, size_words, sums
from tui.dates import moment
from tui.screens.context_build import Preview
from tui.screens.context_making import MakesPreview
from tui.text import content, count, fit, line, one_line
from tui.widgets.ask import Ask
from tui.widgets.confirm import Confirm
from tui.widgets.foot import foot
from tui.widgets.rows import Piece, Rows

NEW = "new:"
"""Id of the row that keeps the pack as it is now."""
NAME = 26


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen: to save under a name, or to compare with the baseline of that name."""

    act: str
    name: str


class Kept:
    """A row source: the one that saves, then the baselines, newest first."""

    def __init__(self, found: Sequence[Saved]) -> None:
        self.found = found

    def __len__(self) -> int:
        return 1 + len(self.found)

    def id(self, index: int) -> str:
        """The name of the baseline."""
        return self.found[index - 1].name if index else NEW

    def find(self, id: str) -> int | None:
        """Where a name stands."""
        return next((at for at in range(len(self)) if self.id(at) == id), None)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The name, when and for whom it was kept."""
        if not index:
            return [(fit(" + keep the pack as it is now", width), "good")]
        saved = self.found[index - 1]
        cells = min(NAME, width // 2)
        name = fit(one_line(saved.name, 80), cells)
        words = f"{moment(saved.made):<12}  as {one_line(saved.agent, 24)}, {count(saved.lines, 'line')}"
        return [
            (" ", ""),
            (name, "strong"),
            ("  ", ""),
            (fit(words, max(0, width - min(NAME, width // 2) - 3)), "muted"),
        ]


class BaselinePanel(ModalScreen[Chosen | None]):
    """Gives what was chosen, or None when the person leaves; a baseline is deleted here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("x,delete", "delete", "delete"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    BaselinePanel {
        align: center middle;
        & > Vertical {
            width: 78; max-width: 100%; height: 18; max-height: 100%;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: auto; margin: 0 0 1 0; padding: 0 1; }
        Rows { background: $panel; }
        #said { height: auto; padding: 0 1; color: $text-muted; }
        #keys { height: 1; padding: 0 1; }
    }
    """

    rows = query_one(Rows)
    said = query_one("#said", Static)

    def __init__(self, root: Path, found: Sequence[Saved], compared: str) -> None:
        super().__init__()
        self._root, self._found, self._compared = root, list(found), compared

    def compose(self) -> ComposeResult:
        """Title, the baselines, what happened, the keys."""
        with Vertical():
            yield Static(content("Kept packs: what changed since one of them, or keep this one.", "bold"), id="title")
            yield Rows(Kept(self._found))
            yield Static(id="said")
            yield Static(foot(("enter", "what changed since"), ("x", "delete"), ("escape", "back")), id="keys")

    def on_mount(self) -> None:
        """On the one that is compared with, else on the newest, else on the row that saves."""
        self.rows.go_to(self._compared) or self.rows.go_to(self._found[0].name if self._found else NEW)

    @asks
    def _save(self) -> Asking:
        name = yield Ask("Under which name?", placeholder="before the new hook", enter="keep it", check=_fault)
        if name is None:
            return
        there = any(saved.name == check_baseline_name(name) for saved in self._found)
        question = f"There is a kept pack {one_line(name, 60)} already. Put this one in its place?"
        if not there or (yield Confirm(question, "put it in its place", "leave it")):
            self.dismiss(Chosen("save", name))

    @on(Rows.Opened)
    def _opened(self) -> None:
        if self.rows.current == NEW:
            self._save()
        elif self.rows.current is not None:
            self.dismiss(Chosen("since", self.rows.current))

    @asks
    def action_delete(self) -> Asking:
        """Delete the baseline under the cursor, after a question."""
        name = self.rows.current
        if name is None or name == NEW:
            return
        if not (yield Confirm(f"Delete the kept pack {one_line(name, 60)}? This cannot be undone.", "delete", "keep")):
            return
        try:
            delete_baseline(self._root, name)
        except MemdeskError as error:
            self.said.update(content(str(error)))
            return
        self._found = [saved for saved in self._found if saved.name != name]
        self.rows.show(Kept(self._found))
        self.said.update(content(f"Deleted {one_line(name, 60)}."))


def _fault(name: str) -> str:
    """What is wrong with a name, as a sentence."""
    try:
        check_baseline_name(name)
    except BadInput as error:
        return str(error)
    return ""


class ComparesBaselines(MakesPreview):
    """The part of the Context screen that keeps packs and compares with them. The screen gives `show_text()`."""

    text_mode: str

    def show_detail(self) -> None:
        """Explain the row under the cursor."""

    def show_text(self, mode: str) -> None:
        """Show the pack (`pack`), its difference from today's (`today`) or from a baseline (`since`), or hide it."""

    def do_context_baseline(self) -> None:
        """Keep this pack under a name, or see what changed since one was kept."""
        root = self.workbench.desk.bank.path
        try:
            panel = BaselinePanel(root, baselines(root), self.baseline.name if self.baseline else "")
        except MemdeskError as error:
            self.say(str(error))
            return
        self.app.push_screen(panel, self._baseline_chosen)  # at once: no key slips past the question

    def _baseline_chosen(self, chosen: Chosen | None) -> None:
        if chosen is None:
            return
        root = self.workbench.desk.bank.path
        if chosen.act == "since":
            self.read_baseline(root, chosen.name, self.now.agent)
        elif self.preview is not None:
            self.keep_baseline(root, chosen.name, self.preview.pack)

    @work(thread=True, group="baselines", exclusive=True, exit_on_error=False)
    def keep_baseline(self, root: Path, name: str, pack: Pack) -> None:
        """Write the pack on a thread, into the state folder."""
        try:
            replaced = keep(root, name, pack, {"": self.workbench.desk.bank})
            again = ", in place of the earlier one" if replaced else ""
            said = f"Kept the pack as {one_line(check_baseline_name(name), 60)}{again}; the bank is as it was."
        except MemdeskError as error:
            said = str(error)
        self.app.call_from_thread(self.say, said)

    @work(thread=True, group="baselines", exclusive=True, exit_on_error=False)
    def read_baseline(self, root: Path, name: str, agent: str) -> None:
        """Read a baseline on a thread."""
        try:
            self.app.call_from_thread(self.compare_with, read(root, name, agent))
        except MemdeskError as error:
            self.app.call_from_thread(self.say, str(error))

    def compare_with(self, baseline: Baseline) -> None:
        """Show what changed since this baseline, now and after every change until the text is closed."""
        if self.text_mode != "since":
            self.show_text("since")
        self.baseline = baseline
        self.rebuild("")

    def forget_baseline(self) -> None:
        """Nothing is compared with any more."""
        self.baseline = None
        if self.preview is not None and self.preview.since is not None:
            self.preview = replace(self.preview, since=None, since_rows=None)
            self.show_detail()

    def say_since(self, preview: Preview) -> None:
        """Say what changed since, and what was asked for otherwise then."""
        found = preview.since
        if found is not None:
            words = [other_words(other) for other in found.inputs[:3]]
            others = "".join(f" {one[0].upper()}{one[1:]}." for one in words)
            self.say(f"Since {one_line(found.baseline.name, 40)}: {sums(found)}.{others}")


def since_title(preview: Preview) -> Content:
    """What stands above the lines of a comparison with a baseline."""
    found = preview.since
    if found is None:
        return content("comparing ...")
    counts = [f"{found.count(kind):,} {KIND_WORDS[kind]}" for kind in KINDS if found.count(kind)]
    sizes = ", ".join([*counts, size_words(found)]) if found.told.changed else "nothing changed"
    when = f"   {moment(found.baseline.made)}   {sizes}"
    return line(("since ", "bold"), (one_line(found.baseline.name, 40), "bold"), (when, "$text-muted"))
