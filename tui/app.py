"""The workbench: opens a bank, hears what happens to it, and leaves without losing anything."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from textual import events, on, work

from store.errors import MemdeskError, SecretFound
from tui.bench import Bench
from tui.coming import Coming, opens_as_left
from tui.desk import Desk
from tui.messages import BankFailed, BankMoved, BankOpened, Refused, Waiting, Written
from tui.options import Options
from tui.remember import Remembered
from tui.screens.frame import Framed
from tui.screens.too_small import TooSmall, too_small
from tui.text import count

if TYPE_CHECKING:
    from textual.geometry import Size

    from store.bank import Bank
    from tui.screens.welcome import Welcome

RETURNS = {"undo": "Took back", "redo": "Did again"}
PATIENCE = 0.3
"""Seconds that a bank may take to open before the screen says that it is being opened."""
WATCH_AFTER = 0.3
"""Seconds after which the bank is watched: the first frame does not wait for what that imports."""
COLLECTED = (700, 10, 10)
"""When garbage is looked for once the workbench stands: Python's own measure (see `tui/__main__.py`)."""
FINISH_SECONDS = 5.0
"""How long leaving waits for changes that are being written."""


class Workbench(Bench):
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

    # --- opening

    def on_mount(self) -> None:
        """Textual draws nothing while it starts; what is shown after that is drawn once."""
        self.call_later(self._begin)

    def _begin(self) -> None:
        self._show_something()
        self._begun = True
        self._cover(self.size)

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
            self.call_after_refresh(coming.start, self._post_opened, self._post_failed)
        else:
            self.open_bank(self._opener)
            self.set_timer(PATIENCE, self._say_opening)

    def _post_opened(self, bank: Bank) -> None:
        self.post_message(BankOpened(bank))

    def _post_failed(self, sentence: str) -> None:
        self.post_message(BankFailed(sentence))

    def _welcome(self, opening: str = "") -> Welcome:
        from tui.screens.welcome import Welcome

        if not isinstance(self.screen, Welcome):
            self.push_screen(Welcome(self.options.place, self.options.demo, opening=opening))
        screen = self.screen
        assert isinstance(screen, Welcome)
        return screen

    def _say_opening(self) -> None:
        if not self.has_bank:
            self._welcome(self.options.opening or f"Opening {self.options.place} ...")

    @work(thread=True, exit_on_error=False)
    def open_bank(self, opener: Callable[[], Bank]) -> None:
        """Read a bank on a thread; one message comes back."""
        try:
            self.post_message(BankOpened(opener()))
        except MemdeskError as error:
            self.post_message(BankFailed(str(error)))
        except OSError as error:
            self.post_message(BankFailed(f"The bank cannot be read: {error.strerror or error}."))

    @on(BankOpened)
    def _opened(self, message: BankOpened) -> None:
        if not self.has_bank:
            self.take(message.bank)
            return
        self.framed.catch_up()
        self._follow()

    @on(BankFailed)
    def _failed(self, message: BankFailed) -> None:
        if self.has_bank:
            self.close_places()
        self._welcome().fail(message.sentence)

    def take(self, bank: Bank) -> None:
        """Open the screens on a bank, where the person left it."""
        self.desk = Desk(bank, self.post_message, read_only=self.options.read_only)
        self.remembered = Remembered(self.desk.view.root, lasting=self.options.remember)
        self.open_places()
        last = self.remembered.get("screen")
        known = [place.mode for place in self.places]
        self.switch_mode(last if last in known else known[0])
        self.call_after_refresh(self._greet)
        self._cover(self.size)
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

    # --- news of the bank

    @on(Written)
    def _written(self, message: Written) -> None:
        task, committed = message.task, message.committed
        self.desk.settle(task)
        framed = self.seen
        if framed is None:
            return
        framed.catch_up()
        framed.written(task, committed)
        if committed is None or not committed.number:
            framed.say("Nothing was changed.")
            return
        done = task.done or f"{RETURNS[task.kind]}: {committed.reason.partition(': ')[2] or committed.reason}."
        sentence = " ".join([done, *committed.notes])
        framed.say(sentence, "app.redo" if task.kind == "undo" else "app.undo")

    @on(Refused)
    def _refused(self, message: Refused) -> None:
        self.desk.settle(message.task)
        self.framed.refused(message.task)
        changeset = message.task.changeset
        if isinstance(message.error, SecretFound) and changeset is not None and not changeset.proposed:
            self._ask_secret(message)
        else:
            self.framed.say(str(message.error))

    @work
    async def _ask_secret(self, message: Refused) -> None:
        self.framed.say(str(message.error))
        if await self.sure(f"{message.error} Keep it all the same?", "keep it", "do not"):
            self.desk.again_with_secret(message.task)

    @on(Waiting)
    def _waiting(self) -> None:
        if (framed := self.seen) is not None:
            framed.say("Another program holds the bank; the change waits and is tried again.")

    @on(BankMoved)
    def _moved(self, message: BankMoved) -> None:
        framed = self.seen
        if framed is None:
            return
        framed.catch_up()
        if message.event.message and message.event.kind != "committed":
            framed.say(message.event.message)

    # --- size

    def on_resize(self, event: events.Resize) -> None:
        """Cover a window that is too small, and come back exactly as it was."""
        if self._begun:
            self._cover(event.size)

    def _cover(self, size: Size) -> None:
        covered = isinstance(self.screen, TooSmall)
        if too_small(size) and not covered:
            self.push_screen(TooSmall())
        elif covered and not too_small(size):
            self.pop_screen()

    # --- leaving

    def do_app_interrupt(self) -> None:
        """`ctrl+c`: the second one leaves."""
        if self.interrupted or not self.has_bank:
            self.do_app_quit()
        else:
            self.interrupted = True
            self.framed.say("Press ^c again to leave.")

    def do_app_leave(self) -> None:
        """Leave, also from a text field."""
        self.do_app_quit()

    @work(exclusive=True, group="leaving")
    async def do_app_quit(self) -> None:
        """Leave; ask only when a run or an unsaved form is open, and finish what is being written."""
        reason = next((words for screen in self.visited() if (words := getattr(screen, "unfinished", ""))), "")
        if reason and not await self.sure(f"{reason} Leave all the same?", "leave", "stay"):
            return
        if self.has_bank:
            if not await self._written_out():
                return
            self.remembered.keep()
            for screen in self.visited():
                if isinstance(screen, Framed):
                    screen.leave()
            await asyncio.to_thread(self.desk.close, FINISH_SECONDS)
        self.exit(0)

    async def _written_out(self) -> bool:
        """Whether leaving loses no change: one that is refused at the last moment is said instead of left behind."""
        refused = self.desk.refused
        if await asyncio.to_thread(self.desk.finish, FINISH_SECONDS):
            return self.desk.refused == refused
        waiting = count(self.desk.busy, "change is", "changes are")
        question = f"{waiting} not written: another program holds the bank. Leave without?"
        return await self.sure(question, "leave", "stay")

    async def sure(self, question: str, yes: str, no: str) -> bool:
        """Ask a question; only `y` is a yes."""
        from tui.widgets.confirm import Confirm

        return await self.push_screen_wait(Confirm(question, yes, no)) is True
