"""The box for a file's path: what fits is listed while a person types, `tab` completes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from pipeline.formats.read import files_of
from store.errors import MemdeskError
from tui.text import content, lines, one_line
from tui.widgets.foot import foot
from tui.widgets.line import Line

SHOWN = 8
"""Names listed under the box."""
LISTED = 2_000
"""Entries of a folder that are looked at."""
_RESTARTED = re.compile(r"(.*/)\s*((?:/|~/).*)", re.DOTALL)


def meant(text: str) -> str:
    """The path that a person means who typed a whole one behind what stood in the box: `~//tmp/a` is `/tmp/a`."""
    found = _RESTARTED.fullmatch(text)
    if found is None or (found[1] != "~/" and _is_there(text.rpartition("/")[0])):
        return text
    return found[2]


def _is_there(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def fitting(text: str) -> tuple[str, ...]:
    """The files and folders whose path begins like the text, as a person types it; folders end in a slash.

    Names with control characters are left out: completing would put them into the box.
    """
    folder, _, begin = text.rpartition("/")
    place = Path(f"{folder}/" if folder or text.startswith("/") else ".").expanduser()
    names: list[str] = []
    try:
        with os.scandir(place) as entries:
            for _, entry in zip(range(LISTED), entries, strict=False):
                fits = entry.name.startswith(begin) and (begin or not entry.name.startswith("."))
                if fits and entry.name.isprintable():
                    names.append(entry.name + ("/" if entry.is_dir() else ""))
    except OSError:
        return ()
    lead = text[: len(text) - len(begin)]
    return tuple(lead + name for name in sorted(names, key=lambda name: (not name.endswith("/"), name)))


def completed(text: str, fits: Sequence[str]) -> str:
    """The text up to where what fits differs."""
    common = os.path.commonprefix(list(fits))  # noqa: RUF071 (letters of names, not parts of paths)
    return common if len(common) > len(text) else text


class OpenFile(ModalScreen[tuple[str, ...] | None]):
    """Gives the path of a file, or those of the transcripts in a folder; None when the person leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back"),
        Binding("tab", "complete", "complete", priority=True),
    ]
    DEFAULT_CSS = """
    OpenFile {
        align: center middle;
        & > Vertical {
            width: 96; max-width: 96%; height: auto; padding: 1 2; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        Line, Line:focus { background: $surface; padding: 0 1; margin: 1 0; }
        #fits { height: 8; color: $text-muted; }
        #fault { height: auto; color: $text-error; }
        #keys { margin: 1 0 0 0; }
    }
    """

    box = query_one(Line)
    fits_shown = query_one("#fits", Static)
    fault = query_one("#fault", Static)

    class Fits(Message):
        """What begins like the text. Only the latest answer matters."""

        def __init__(self, text: str, fits: tuple[str, ...]) -> None:
            super().__init__()
            self.text, self.fits = text, fits

        def can_replace(self, message: Message) -> bool:
            """A newer list replaces one that nobody has shown yet."""
            return isinstance(message, OpenFile.Fits)

    def __init__(self, value: str) -> None:
        super().__init__()
        self._value = value
        self._fits: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """The question, the box, what fits, the keys."""
        with Vertical():
            yield Static(content("Read which transcript?", "bold"))
            yield Line(self._value, placeholder="path of a transcript, an export, or a folder of them")
            yield Static(id="fits")
            yield Static(id="fault")
            yield Static(foot(("enter", "read it"), ("tab", "complete"), ("escape", "back")), id="keys")

    def on_mount(self) -> None:
        """The cursor stands behind what is there."""
        self.box.cursor_position = len(self.box.value)
        self.look(self.box.value)

    @work(thread=True, exclusive=True, group="fits")
    def look(self, text: str) -> None:
        """List a folder on a thread; one message comes back."""
        worker = get_current_worker()
        fits = fitting(meant(text))
        if not worker.is_cancelled:
            self.post_message(self.Fits(text, fits))

    @on(Fits)
    def _found(self, message: Fits) -> None:
        if message.text == self.box.value:
            self._fits = message.fits
            rows = [
                content(one_line(fit.rstrip("/").rpartition("/")[2] + ("/" if fit.endswith("/") else "")))
                for fit in self._fits[:SHOWN]
            ]
            if len(self._fits) > SHOWN:
                rows[-1] = content(f"{len(self._fits) - SHOWN + 1:,} more")
            self.fits_shown.update(lines(rows))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.fault.update("")
        self.look(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.check(event.value.strip())

    @work(thread=True, exclusive=True, group="check")
    def check(self, text: str) -> None:
        """See on a thread whether there is such a file, or what lies in such a folder: both may be slow."""
        self.app.call_from_thread(self._take, *_checked(text))

    def _take(self, paths: tuple[str, ...], sentence: str) -> None:
        if sentence:
            self.fault.update(content(sentence))
        elif self.is_current:
            self.dismiss(paths)

    def action_complete(self) -> None:
        """As far as all that fits agrees."""
        text = completed(meant(self.box.value), self._fits)
        self.box.value = text
        self.box.cursor_position = len(text)

    @on(Line.Joined)
    def _joined(self, event: Line.Joined) -> None:
        self.fault.update(content(f"{event.lines} lines were joined into one."))

    def on_paste(self, event: events.Paste) -> None:
        """A dropped file arrives as its path in quotes."""
        event.stop()


def _checked(text: str) -> tuple[tuple[str, ...], str]:
    """The files that a path stands for, and what is wrong with it."""
    if not text:
        return (), "Give the path of a file."
    try:
        path = Path(meant(text)).expanduser().absolute()
        if not path.exists():
            return (), f"There is no file {path}."
        return tuple(map(str, files_of(path))), ""
    except MemdeskError as error:
        return (), str(error)
    except (OSError, ValueError, RuntimeError):
        return (), "There is no file of that name."
