"""The open bank as the screens see it: its view, what is being written, and the one way to ask for a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message

from store.view import View
from tui.bank_search import BankSearch
from tui.home import at_home
from tui.messages import AskedFor, BankMoved, Task
from tui.writer import Writer

if TYPE_CHECKING:
    from pipeline.recall.encoding.chosen import Chosen
    from store.bank import Bank
    from store.changes import Change, Event

READ_ONLY = "The workbench was opened with --read-only; open it without to change anything."


class Desk:
    """One bank, its writer thread, and the ids that wait for it."""

    def __init__(
        self,
        bank: Bank,
        post: Callable[[Message], object],
        *,
        read_only: bool = False,
        name: str = "",
        encoder: Callable[[], Chosen] | None = None,
    ) -> None:
        self.bank = bank
        self._name = name
        self._read_only = READ_ONLY if read_only else ""
        self.pending: Counter[str] = Counter()
        self.search = BankSearch(post, encoder, sealed=lambda: bank.encrypted)
        self._writer = Writer(bank, post)
        self._post = post
        self._leave = bank.subscribe(self._told)
        self._stop_watching: Callable[[], None] | None = None
        self.gone = False
        """Whether the bank's folder was not there when it was looked for last: what is shown was read before."""

    @property
    def read_only(self) -> str:
        """Why nothing may be changed, as a sentence; "" when it may."""
        return self._read_only or self.bank.read_only

    @property
    def view(self) -> View:
        """The bank as it is now."""
        return self.bank.view()

    @property
    def name(self) -> str:
        """What the bank is called: as it was named, else its folder as a person writes it."""
        return self._name or at_home(self.view.root or ".")

    @property
    def busy(self) -> int:
        """How many changes are not written yet."""
        return self._writer.pending

    @property
    def refused(self) -> int:
        """How many changes were not written so far."""
        return self._writer.refused

    def stuck(self, seconds: float) -> bool:
        """Whether a change has been waiting for the bank as long as that."""
        return self._writer.stuck(seconds)

    def finish(self, seconds: float) -> bool:
        """Wait until every change that was asked for is written or refused, at most `seconds`; whether that is so."""
        return self._writer.finish(seconds)

    def commit(
        self,
        changes: Sequence[Change],
        reason: str,
        done: str,
        ids: Sequence[str] = (),
        typed: Mapping[str, str] | None = None,
    ) -> None:
        """Ask for a change; returns at once. `done` is said when it is written, `ids` show as pending until then.

        `typed` is what stood in a form or came from an editor, to go on with should the change be refused.
        """
        from store.changes import Changeset  # not before the first frame

        self.put(Task("commit", Changeset(tuple(changes), reason, origin="screen"), done, tuple(ids), typed=typed))

    def drawn(self) -> None:
        """The screen shows what was asked for: writing it need not wait any more."""
        self._writer.drawn()

    def put(self, task: Task) -> None:
        """Ask for a task; returns at once."""
        self.pending.update(task.ids)
        self._writer.put(task)
        self._post(AskedFor(task))

    def again_with_secret(self, task: Task) -> None:
        """Ask again for a change that looked like a secret, now that the person said to keep it."""
        if task.changeset is not None:
            self.put(replace(task, changeset=replace(task.changeset, allow_secrets=True)))

    def settle(self, task: Task) -> None:
        """A task is done or refused: its ids wait no more."""
        self.pending.subtract(task.ids)
        for id in task.ids:
            if self.pending[id] <= 0:
                del self.pending[id]

    def watch(self) -> None:
        """Notice what other programs do to the bank from now on; not before the first frame, for what it imports."""
        from store.watch import watch

        self._stop_watching = watch(self.bank, failed=self._failed)

    def _told(self, event: Event) -> None:
        self._post(BankMoved(event))

    def _failed(self, sentence: str) -> None:
        from store.changes import Event

        self._post(BankMoved(Event("notice", message=sentence)))

    def close(self, seconds: float) -> bool:
        """Finish what was asked for, at most `seconds`; whether all of it is written."""
        self._leave()
        self.search.close()
        if self._stop_watching is not None:
            self._stop_watching()
            self._stop_watching = None
        return self._writer.close(seconds)
