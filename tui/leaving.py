"""Leaving: nothing that was asked for is lost, and a question comes only where something would be."""

from __future__ import annotations

import asyncio
import contextlib
import signal

from textual import work

from tui.opening import Opening
from tui.screens.frame import Framed
from tui.text import count

FINISH_SECONDS = 5.0
"""How long leaving waits for changes that are being written."""
ENDINGS = ("SIGTERM", "SIGHUP")
"""Signals that end a program that is not asked: an administrator's, and a terminal's that is closed."""


class Leaving(Opening):
    """Ends the workbench."""

    def on_load(self) -> None:
        """A closed terminal, or a request to end, leaves as a person does: changes written, the terminal given back."""
        loop = asyncio.get_running_loop()
        for name in ENDINGS:
            if (number := getattr(signal, name, None)) is not None:
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not here, or not this thread
                    loop.add_signal_handler(number, self._ended, 128 + number)

    @work(exclusive=True, group="leaving", description="ended from outside")
    async def _ended(self, code: int) -> None:
        if self.has_bank:
            await asyncio.to_thread(self.desk.close, FINISH_SECONDS)
        self.exit(return_code=code)

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
        reason = reason or ("What you typed last could not be saved." if self.typed else "")
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
