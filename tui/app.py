"""The workbench: hears what becomes of the changes that were asked for, and what else happens to the bank."""

from __future__ import annotations

from textual import on, work

from store.errors import Conflict, MemdeskError, SecretFound
from tui.bank_search import IndexRenewed
from tui.leaving import Leaving
from tui.messages import TEXT, AskedFor, BankMoved, Refused, Task, Waiting, Written

PATIENCE = 1.0
"""Seconds after which it is said that a change is not written yet."""
RETURNS = {"undo": "Took back", "redo": "Did again"}


class Workbench(Leaving):
    """Opens on `bank`, on what `opener` gives (read on a thread), or on the welcome screen when there is neither."""

    # --- news of the bank

    @on(AskedFor)
    def _asked_for(self) -> None:
        self.call_after_refresh(self.desk.drawn)
        self.set_timer(PATIENCE, self._look_whether_it_waits)

    def _look_whether_it_waits(self) -> None:
        if not self.desk.stuck(PATIENCE / 2):
            if self.desk.busy:  # its turn came late
                self.set_timer(PATIENCE, self._look_whether_it_waits)
        elif (framed := self.seen) is not None:
            framed.say("Not written yet: the bank is slow, or another program holds it. It is tried on.")

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
        again = task.kind == "redo" or committed.redoes is not None  # taking back an undo makes its change again
        returned = RETURNS["redo" if again else "undo"]
        done = task.done or f"{returned}: {committed.reason.partition(': ')[2] or committed.reason}."
        sentence = " ".join([done, *committed.notes])
        framed.say(sentence, "app.redo" if task.kind == "undo" and not again else "app.undo")

    @on(Refused)
    def _refused(self, message: Refused) -> None:
        self.desk.settle(message.task)
        self.framed.refused(message.task)
        changeset = message.task.changeset
        if isinstance(message.error, SecretFound) and changeset is not None and not changeset.proposed:
            self._ask_secret(message)
        else:
            self.framed.say(f"{message.error}{self._keep_typed(message.task, message.error)}")

    def _keep_typed(self, task: Task, error: MemdeskError) -> str:
        """Nothing that was typed is lost: form or editor open with it the next time; the words that say so."""
        if task.typed is None:
            return ""
        id = task.ids[0] if task.ids else ""
        opens = "item.new" if not id else "item.editor" if TEXT in task.typed else "item.edit"
        if opens == "item.editor" and isinstance(error, Conflict):
            return ""  # the store keeps both texts, and says so
        self.typed[(opens, id)] = task.typed
        return f" What you typed is kept: {self.pressed_id(opens)} opens it again."

    @work
    async def _ask_secret(self, message: Refused) -> None:
        self.framed.say(str(message.error))
        if await self.sure(f"{message.error} Keep it all the same?", "keep it", "do not"):
            self.desk.again_with_secret(message.task)
        else:
            self.framed.say(f"Nothing was saved.{self._keep_typed(message.task, message.error)}")

    @on(Waiting)
    def _waiting(self) -> None:
        if (framed := self.seen) is not None:
            framed.say("Another program holds the bank; the change waits and is tried again.")

    @on(IndexRenewed)
    def _index_renewed(self) -> None:
        if (framed := self.seen) is not None:
            framed.index_renewed()

    @on(BankMoved)
    def _moved(self, message: BankMoved) -> None:
        framed = self.seen
        if framed is None:
            return
        framed.catch_up()
        if message.event.message and message.event.kind != "committed":
            framed.say(message.event.message)
