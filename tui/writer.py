"""The one thread that writes: changes in the order they were asked for, so that the screen never waits for the lock.

A bank held by another program is tried again; what cannot be written comes back as a message with its sentence
(`decisions.md` §4.10).
"""

from __future__ import annotations

import gc
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from store.errors import Busy, MemdeskError, StorageFailure
from tui.faults import report
from tui.messages import Refused, Task, Waiting, Written

if TYPE_CHECKING:
    from store.bank import Bank
    from store.changes import Committed

LOG = logging.getLogger("memdesk")
IDLE_AFTER = 1.0
"""Seconds without a change after which index and caches are brought up to date."""
RETRY_AFTER = 0.2
"""Seconds between two tries while another program holds the bank."""
FRAME = 0.05
"""Seconds that a change waits at most for the frame that answers its key: the two would share one processor."""
GIVE_UP_AFTER = 30.0
"""Seconds after which a bank that stays held refuses the change."""


class Writer:
    """Carries out tasks one after the other and posts a message about each."""

    def __init__(self, bank: Bank, post: Callable[[Message], object]) -> None:
        self._bank = bank
        self._post = post
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._drawn = threading.Event()
        self._open = 0
        self._since: float | None = None
        self.refused = 0
        """How many tasks were not written so far."""
        self._count = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def pending(self) -> int:
        """How many tasks are not done yet."""
        return self._open

    def stuck(self, seconds: float) -> bool:
        """Whether one change has been waiting for the bank as long as that."""
        return self._since is not None and time.monotonic() - self._since >= seconds

    def put(self, task: Task) -> None:
        """Ask for a task; returns at once."""
        with self._count:
            self._open += 1
            self._idle.clear()
            self._drawn.clear()
        self._tasks.put(task)

    def drawn(self) -> None:
        """What was asked for last is on the screen."""
        self._drawn.set()

    def finish(self, seconds: float) -> bool:
        """Wait until nothing is left to write, at most `seconds`; whether that is so."""
        return self._idle.wait(seconds)

    def close(self, seconds: float) -> bool:
        """Finish what was asked for, at most `seconds`; whether all of it is done."""
        self._tasks.put(None)
        self._drawn.set()
        self._thread.join(seconds)
        self._closing.set()
        return self._open == 0

    def _run(self) -> None:
        while (task := self._next()) is not None:
            self._drawn.wait(FRAME)
            self._since = time.monotonic()
            message = self._attempt(task)
            self._since = None
            with self._count:
                self._open -= 1
                self.refused += isinstance(message, Refused)
            self._post(message)
            if not self._open:
                self._idle.set()
        self._tidy(self._bank.close)

    def _next(self) -> Task | None:
        """The next task; while none comes, projections are brought up to date (`decisions.md` §3.5)."""
        try:
            return self._tasks.get(timeout=IDLE_AFTER)
        except queue.Empty:
            self._tidy(self._bank.flush)
            gc.collect()  # now, between two changes, and not while a key waits for its frame
            return self._tasks.get()

    def _tidy(self, work: Callable[[], None]) -> None:
        """What is not tidied now is tidied by the next session, so a refusal is only worth a line in the log."""
        try:
            work()
        except (MemdeskError, OSError) as error:
            LOG.warning("tidying the bank: %s", type(error).__name__)

    def _attempt(self, task: Task) -> Message:
        give_up = time.monotonic() + GIVE_UP_AFTER
        told = False
        while True:
            try:
                if task.plan is not None:
                    task = task.plan(self._bank.view())
                return Written(task, self._carry_out(task))
            except Busy as error:
                if time.monotonic() > give_up or self._closing.is_set():
                    return Refused(task, error)
            except MemdeskError as error:
                return Refused(task, error)
            except OSError as error:
                return Refused(task, StorageFailure(f"The bank could not be written: {error.strerror or error}."))
            except Exception as error:  # the one thread that writes outlives whatever one change runs into
                return Refused(task, StorageFailure(report(error)))
            if not told:
                told = True
                self._post(Waiting(task))
            self._closing.wait(RETRY_AFTER)

    def _carry_out(self, task: Task) -> Committed | None:
        if task.kind == "undo":
            return self._bank.undo(task.number, origin="screen")
        if task.kind == "redo":
            return self._bank.redo(origin="screen")
        return self._bank.commit(task.changeset) if task.changeset is not None else None
