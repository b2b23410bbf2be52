"""A transcript over everything else, opened at a place: every turn with its author, the quoted words marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from pipeline.formats.session import Session, Turn
from store.errors import Cancelled, MemdeskError
from tui import clipboard
from tui.screens.transcript_rows import Span, TranscriptRows, wrap
from tui.text import content, count, one_line
from tui.widgets.foot import foot
from tui.widgets.rows import Rows

Opened = tuple[Session, Mapping[int, Sequence[Span]]]
"""A session and the quoted spans by the index of their turn."""
Load = Callable[[Callable[[], bool]], Opened]
"""Reads the session; is given what to ask whether it should stop. Raises `MemdeskError`."""
Remember = Callable[[Session, Turn, Span], str]
"""Makes words of a turn a fact that waits for review; gives a sentence about it, or raises `MemdeskError`."""
ABOVE = 3
"""Lines shown above the place."""


class Transcript(ModalScreen[None]):
    """Reads a session on a thread and shows it; `load` gives the session and its marked places."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("n", "place(1)", "next words"),
        Binding("N", "place(-1)", "words before"),
        Binding("y", "copy", "copy the turn"),
        Binding("m", "remember", "remember this line"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    Transcript {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 120; max-width: 100%; height: 96%; max-height: 60;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #place { height: 1; padding: 0 1; color: $text-muted; margin: 0 0 1 0; text-wrap: nowrap; }
        #place.-wrong { height: auto; text-wrap: wrap; color: $text-error; }
        Rows { background: $panel; }
        #keys { height: 1; padding: 0 1; }
    }
    """

    rows = query_one(Rows)
    place = query_one("#place", Static)

    class Wrapped(Message):
        """The lines for a width are ready; `words` is the turn whose words the cursor is to go to, None to stay."""

        def __init__(self, lines: TranscriptRows, words: int | None) -> None:
            super().__init__()
            self.lines, self.words = lines, words

    class Failed(Message):
        """The session cannot be shown; the sentence says why."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    def __init__(self, title: str, load: Load, remember: Remember | None = None) -> None:
        super().__init__()
        self._title, self._load, self._remember = title, load, remember
        self._opened: Opened | None = None
        self._at = 0
        """The row that the cursor was on before it moved."""

    def compose(self) -> ComposeResult:
        """Title, where we are, the lines, the keys."""
        with Vertical():
            yield Static(content(one_line(self._title, 400), "bold"), id="title")
            yield Static(content("reading ..."), id="place")
            yield Rows()
            keys = [("escape", "back"), ("n N", "next, previous words"), ("y", "copy")]
            keys += [("m", "remember this line")] if self._remember is not None else []
            yield Static(foot(*keys), id="keys")

    def on_resize(self) -> None:
        """Another width wraps otherwise; the first one opens the session."""
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        if self.rows.size.width:
            lines = self.rows.source
            here = lines.lines[self.rows.cursor].turn if isinstance(lines, TranscriptRows) and len(lines) else None
            self.read_and_wrap(self.rows.size.width - 2, here)

    def _show(self, centre: int, words: int | None = None) -> None:
        self.read_and_wrap(self.rows.size.width - 2, centre, words)

    @work(thread=True, exclusive=True, group="transcript", description="read", exit_on_error=False)
    def read_and_wrap(self, cells: int, centre: int | None, words: int | None = None) -> None:
        """Read the session if it was not yet, and wrap the lines around a turn, at first the first quoted one."""
        worker = get_current_worker()
        try:
            opened = self._opened or self._load(lambda: worker.is_cancelled)
        except Cancelled:
            return
        except MemdeskError as error:
            self.post_message(self.Failed(str(error)))
            return
        self._opened = opened
        if centre is None:
            centre = words = min(opened[1], default=0)
        lines = wrap(*opened, cells, centre)
        if not worker.is_cancelled:
            self.post_message(self.Wrapped(lines, words))

    @on(Failed)
    def _failed(self, message: Failed) -> None:
        self.place.add_class("-wrong")
        self.place.update(content(message.sentence))

    @on(Wrapped)
    def _wrapped(self, message: Wrapped) -> None:
        self.rows.show(message.lines)
        if message.words is not None and (at := message.lines.words_of(message.words)) is not None:
            self.rows.cursor = at
            self.rows.scroll_to(y=max(0, at - ABOVE), animate=False, immediate=True)
        self._at = self.rows.cursor
        self._tell()

    @on(Rows.Highlighted)
    def _moved(self) -> None:
        self._tell()
        lines, before, now = self.rows.source, self._at, self.rows.cursor
        self._at = now
        if not isinstance(lines, TranscriptRows) or before == now or (turn := lines.beyond(now)) is None:
            return
        if abs(now - before) > self.rows.size.height:
            turn = 0 if now < before else lines.of - 1
        self._show(turn, turn if turn in (0, lines.of - 1) else None)

    def _tell(self) -> None:
        lines = self.rows.source
        if self._opened is None or not isinstance(lines, TranscriptRows) or not len(lines):
            return
        session, places = self._opened
        turn = lines.lines[self.rows.cursor].turn
        damage = f"   {count(len(session.damage), 'damaged line')} left out" if session.damage else ""
        marked = f"   {count(len(places), 'turn')} with quoted words" if places else ""
        words = f"turn {turn + 1:,} of {len(session.turns):,}{marked}{damage}   {one_line(session.path, 400)}"
        self.place.update(content(words))

    def action_place(self, step: int) -> None:
        """To the next quoted words, or the ones before."""
        lines = self.rows.source
        if self._opened is None or not isinstance(lines, TranscriptRows) or not len(lines):
            return
        if (at := lines.next_place(self.rows.cursor, step)) is not None:
            self.rows.cursor = at
            return
        turns = sorted(self._opened[1])
        outside = [turn for turn in turns if (turn >= lines.turns.stop if step > 0 else turn < lines.turns.start)]
        if outside:
            turn = outside[0] if step > 0 else outside[-1]
            self._show(turn, turn)

    def action_copy(self) -> None:
        """Copy the turn under the cursor."""
        lines = self.rows.source
        if self._opened is not None and isinstance(lines, TranscriptRows) and len(lines):
            self._copy(self._opened[0].turns[lines.lines[self.rows.cursor].turn].text)

    def action_remember(self) -> None:
        """Make the line of the message under the cursor a fact that waits for review."""
        lines = self.rows.source
        if self._remember is None or self._opened is None or not isinstance(lines, TranscriptRows) or not len(lines):
            return
        under = lines.lines[self.rows.cursor]
        if under.part is None:
            self._say("Put the cursor on words of yours; m remembers their line.")
        else:
            self._keep(self._opened[0].turns[under.turn], under.part)

    @work(thread=True, exclusive=True, group="remember", description="remember", exit_on_error=False)
    def _keep(self, turn: Turn, part: Span) -> None:
        if self._remember is None or self._opened is None:
            return
        try:
            sentence = self._remember(self._opened[0], turn, part)
        except MemdeskError as error:
            sentence = str(error)
        self.app.call_from_thread(self._say, sentence)

    @work(thread=True, exclusive=True, group="copy", description="copy", exit_on_error=False)
    def _copy(self, text: str) -> None:
        self.app.call_from_thread(self._say, clipboard.copy(self.app, text, "the turn"))

    def _say(self, sentence: str) -> None:
        self.place.update(content(sentence))
