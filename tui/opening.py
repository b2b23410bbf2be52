"""Coming to a bank: the one that was named, read on a thread, or the welcome screen where there is none."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import events, on, work

from store.errors import MemdeskError, NotABank
from tui.bench import Bench
from tui.coming import Coming, opens_as_left
from tui.desk import Desk
from tui.faults import report
from tui.home import at_home
from tui.messages import BankFailed, BankOpened
from tui.options import DEMO, Options
from tui.remember import Remembered

if TYPE_CHECKING:
    from pathlib import Path

    from store.bank import Bank
    from tui.screens.welcome import Welcome

PATIENCE = 0.3
"""Seconds that a bank may take to open before the screen says that it is being opened."""
READ_AFTER = 0.03
"""Seconds between the first frame and reading the bank behind it: the terminal is written to by a thread as well."""
WATCH_AFTER = 0.3
"""Seconds after which the bank is watched: the first frame does not wait for what that imports."""
COLLECTED = (700, 10, 1000)
"""When garbage is looked for once the workbench stands: Python's own measure (see `tui/__main__.py`), but seldom among
everything, since a key would wait for it: that is done when nobody presses one (`tui/writer.py`)."""


class Opening(Bench):
    """Opens on `bank`, on what `opener` gives (read on a thread), or on the welcome screen when there is neither."""

    def __init__(
        self,
        bank: Bank | None = None,
        *,
        opener: Callable[[], Bank] | None = None,
        options: Options | None = None,
    ) -> None:
        super().__init__(options)
        self._bank, self._opener = bank, opener
        self._begun = False

    def on_mount(self) -> None:
        """Textual draws nothing while it starts; what is shown after that is drawn once."""
        self.call_later(self._begin)

    def _begin(self) -> None:
        self._show_something()
        self._begun = True
        self.cover(self.size)

    def on_resize(self, event: events.Resize) -> None:
        """Cover a window that is too small, and come back exactly as it was."""
        if self._begun:
            self.cover(event.size)

    def _show_something(self) -> None:
        """Show the bank, or how to come to one."""
        if self._bank is not None:
            self.take(self._bank)
            return
        head = self.options.head
        if self._opener is None:
            self._welcome()
        elif head is not None and opens_as_left(Remembered(head.root, lasting=self.options.remember)):
            coming = Coming(head, self._opener)
            self.take(cast("Bank", coming))
            self.call_after_refresh(
                self.set_timer, READ_AFTER, partial(coming.start, self._post_opened, self._post_failed)
            )
        else:
            self.open_bank(self._opener)
            self.set_timer(PATIENCE, self._say_opening)

    def _post_opened(self, bank: Bank) -> None:
        self.post_message(BankOpened(bank))

    def _post_failed(self, sentence: str) -> None:
        self.post_message(BankFailed(sentence))

    def _welcome(self, opening: str = "") -> Welcome:
        from tui.screens.welcome import Welcome

        shown = next((screen for screen in self.screen_stack if isinstance(screen, Welcome)), None)
        if shown is None:
            shown = Welcome(self.options.place, self.options.demo, opening=opening)
            self.push_screen(shown)
        return shown

    def _say_opening(self) -> None:
        if not self.has_bank:
            self._welcome(self.options.opening or f"Opening {at_home(self.options.place)} ...")

    @work(thread=True, exit_on_error=False)
    def open_bank(self, opener: Callable[[], Bank], place: Path | None = None) -> None:
        """Read a bank on a thread; one message comes back. `place` is its folder, where the options name another."""
        try:
            self.post_message(BankOpened(opener(), demo=opener is self.options.demo))
        except NotABank as error:
            self.post_message(BankFailed(str(error), _loaded(place or self.options.place)))
        except MemdeskError as error:
            self.post_message(BankFailed(str(error)))
        except OSError as error:
            self.post_message(BankFailed(f"The bank cannot be read: {error.strerror or error}."))
        except Exception as error:  # else the welcome screen would say for ever that the bank is being opened
            self.post_message(BankFailed(report(error)))

    @on(BankOpened)
    def _opened(self, message: BankOpened) -> None:
        if message.demo:
            self.options = self.options.in_demo
        if not self.has_bank:
            self.take(message.bank)
            return
        self.framed.catch_up()
        self._follow()

    @on(BankFailed)
    def _failed(self, message: BankFailed) -> None:
        if self.has_bank:
            self.close_places()
        self._welcome().fail(message.sentence, message.loaded)
        if message.loaded is not None:
            self.show_loss(message.loaded)

    def do_context_loss(self) -> None:
        """What agents load from files on this machine, and what is lost."""
        self.show_loss()

    def show_loss(self, folder: Path | None = None) -> None:
        """What agents load of a folder (None: of the usual places), and what is lost: it needs no bank."""
        from tui.screens.context_loss import LossScreen

        own = self.options.name != DEMO  # the demo is about its own files, and not about the folder it is started in
        self.push_screen(LossScreen(folder, here=_here() if own else None))

    def take(self, bank: Bank) -> None:
        """Open the screens on a bank, where the person left it."""
        options = self.options
        self.desk = Desk(
            bank, self.post_message, read_only=options.read_only, name=options.name, encoder=options.encoder
        )
        self.remembered = Remembered(self.desk.view.root, lasting=self.options.remember)
        self.open_places()
        last = self.remembered.get("screen")
        known = [place.mode for place in self.places]
        self.switch_mode(last if last in known else known[0])
        self.call_after_refresh(self._greet)
        self.cover(self.size)
        if not self.desk.view.is_head:
            self._follow()

    def _follow(self) -> None:
        """The bank is read: from now on what other programs do to it is noticed."""
        gc.set_threshold(*COLLECTED)
        gc.freeze()  # what was read lives as long as the workbench: looking through it again and again costs keys
        if self.options.watch:
            self.set_timer(WATCH_AFTER, self.desk.watch)

    def _greet(self) -> None:
        notices = [*self.options.notices, *self.key_problems]
        if notices:
            more = f"  ({len(notices) - 1} more: memdesk config get)" if len(notices) > 1 else ""
            self.framed.say(notices[0] + more)
        elif self.remembered.first_time("identity"):
            self.framed.say("You see every memory here. In a plain bank an identity is a label, not a lock.")


def _here() -> Path | None:
    from pathlib import Path

    try:
        return Path.cwd()
    except FileNotFoundError:  # the folder that we are in was deleted
        return None


def _loaded(folder: Path) -> Path | None:
    """The folder, when it is one that an agent loads."""
    from pipeline.context.loaded.loss import loads

    return folder if loads(folder) else None
