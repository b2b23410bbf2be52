"""The first thing a person without a bank sees: make one, open one, or look at the demo. Nothing is made unasked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import Screen
from textual.widgets import Static

from tui.asking import Asking, asks
from tui.home import at_home
from tui.text import content, fit, one_line
from tui.widgets.ask import Ask
from tui.widgets.confirm import Confirm
from tui.widgets.foot import foot
from tui.widgets.rows import Piece, Rows

if TYPE_CHECKING:
    from store.bank import Bank
    from tui.app import Workbench

WHAT = "Memdesk is the review desk for what your AI agents remember."
HOW = "The pipeline proposes, a person decides, the store commits. Every change can be taken back."


class Offers:
    """What can be done, one row each: key, words, place."""

    def __init__(self, offers: Sequence[tuple[str, str, str]]) -> None:
        self.offers = tuple(offers)

    def __len__(self) -> int:
        return len(self.offers)

    def id(self, index: int) -> str:
        """The key that takes the offer."""
        return self.offers[index][0]

    def find(self, id: str) -> int | None:
        """Where an offer stands."""
        return next((at for at, offer in enumerate(self.offers) if offer[0] == id), None)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Key, words, place."""
        key, words, where = self.offers[index]
        about = fit(one_line(where), max(0, width - 30))
        return [(" ", ""), (key, "match"), ("  ", ""), (fit(words, 26), ""), (about, "muted")]


class Welcome(Screen[None]):
    """Shown when there is no bank to open, and while one is being read."""

    TITLE = "Memdesk"
    CSS_PATH = "welcome.tcss"
    AUTO_FOCUS = "Rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "take('m')", "make"),
        Binding("o", "take('o')", "open"),
        Binding("d", "take('d')", "demo"),
        Binding("L", "take('L')", "loss"),
    ]

    rows = query_one(Rows)
    said = query_one("#said", Static)

    def __init__(self, place: Path, demo: Callable[[], Bank] | None = None, *, opening: str = "") -> None:
        super().__init__()
        self._place, self._demo, self._opening = place, demo, opening
        self._failure = ""
        self._loaded: Path | None = None

    def compose(self) -> ComposeResult:
        """What it is, what can be done, what happened."""
        with Vertical():
            yield Static(content(WHAT, "bold"))
            yield Static(content(HOW, "$text-muted"), id="how")
            yield Static(id="said")
            yield Rows(Offers(self._offers()))
            yield Static(foot(("enter", "take it"), ("q", "leave")), id="keys")

    def on_mount(self) -> None:
        """Say what is going on."""
        if not self._failure:
            self.say(self._opening or f"There is no bank at {at_home(self._place)} yet.")
            self.set_class(bool(self._opening), "-opening")
        else:
            self._show_failure()

    def say(self, sentence: str) -> None:
        """One sentence above the offers."""
        self.said.update(content(sentence))

    def fail(self, sentence: str, loaded: Path | None = None) -> None:
        """Opening did not work: the sentence says why, the offers are there. `loaded` is a folder that agents load."""
        self._failure, self._loaded = sentence, loaded
        if self.is_mounted:
            self._show_failure()

    def _show_failure(self) -> None:
        self.remove_class("-opening")
        self.rows.show(Offers(self._offers()))
        self.said.update(content(self._failure, "$text-warning"))
        self.rows.focus()

    def _offers(self) -> list[tuple[str, str, str]]:
        offers = [("m", "make a bank here", at_home(self._place)), ("o", "open a folder", "type where it is")]
        if self._demo is not None:
            offers.append(("d", "look at the demo", "invented, private, gone when you leave"))
        where = "on this machine, and what of it is lost" if self._loaded is None else at_home(self._loaded)
        return [*offers, ("L", "see what agents load", where)]

    @on(Rows.Opened)
    def _picked(self) -> None:
        if self.rows.current is not None:
            self.action_take(self.rows.current)

    def action_take(self, key: str) -> None:
        """Take an offer, unless a bank is being opened already."""
        if self.has_class("-opening"):
            return
        if key == "m":
            self.make(self._place)
        elif key == "o":
            self.ask_folder()
        elif key == "d" and self._demo is not None:
            self._open(self._demo, "Making a copy of the demo ...")
        elif key == "L":
            cast("Workbench", self.app).show_loss(self._loaded)

    @asks
    def ask_folder(self) -> Asking:
        """Ask for a folder and open it."""
        answer = yield Ask(
            "Which folder holds the bank?", placeholder="~/.yottamemory", enter="open it", check=_folder_fault
        )
        if answer:
            place = Path(answer).expanduser()
            self._open(lambda: _open_bank(place), f"Opening {at_home(place)} ...", place)

    @asks
    def make(self, place: Path) -> Asking:
        """Make a bank, after saying where."""
        question = f"Make a bank at {one_line(at_home(place))}? It is a plain folder of Markdown files."
        if (yield Confirm(question, "make it", "not now")):
            self._open(lambda: _make_bank(place), f"Making a bank at {at_home(place)} ...")

    def _open(self, opener: Callable[[], Bank], sentence: str, place: Path | None = None) -> None:
        self.add_class("-opening")
        self.say(sentence)
        cast("Workbench", self.app).open_bank(opener, place)


def _folder_fault(answer: str) -> str:
    if not answer.strip():
        return "Type the path of a folder."
    try:
        there = Path(answer).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        there = False
    return "" if there else f"There is no folder {one_line(answer, 200)}."


def _open_bank(place: Path) -> Bank:
    from store.bank import Bank

    return Bank.open(place)


def _make_bank(place: Path) -> Bank:
    from store.bank import Bank

    return Bank.create(place)
