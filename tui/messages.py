"""What the workbench's parts say to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from store.errors import MemdeskError

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.review.following import Following
    from store.bank import Bank
    from store.changes import Changeset, Committed, Event
    from store.view import View


TEXT, BASE = "text", "base"
"""What `Task.typed` holds of a whole file from an editor: the file, and the SHA-256 of the one it was made from."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing for the writer: a changeset, or a step of undo or redo.

    `done` is the sentence for the status line once it is written ("" takes the history's own words). `ids` are the
    memories that show as pending until then. `number` names the change that an undo takes back (None: the newest).
    `plan` works the task out on the writer's thread, from the bank as it is when its turn has come; what it gives is
    written instead, and has the same `ids`. `typed` is what stood in a form, or came from an editor: it comes back when
    the task is refused.
    """

    kind: Literal["commit", "undo", "redo"]
    changeset: Changeset | None = None
    done: str = ""
    ids: tuple[str, ...] = ()
    number: int | None = None
    plan: Callable[[View], Task] | None = None
    typed: Mapping[str, str] | None = None


class AskedFor(Message):
    """A task was given to the writer."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task

    def can_replace(self, message: Message) -> bool:
        """The newest stands for all of them."""
        return isinstance(message, AskedFor)


class Written(Message):
    """A task is in the bank; `committed` is its row of history, None when there was nothing to do."""

    def __init__(self, task: Task, committed: Committed | None) -> None:
        super().__init__()
        self.task, self.committed = task, committed


class Refused(Message):
    """A task was not written; the error's sentence says why. Nothing of it is in the bank."""

    def __init__(self, task: Task, error: MemdeskError) -> None:
        super().__init__()
        self.task, self.error = task, error


class Waiting(Message):
    """Another program holds the bank; the writer tries again."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task


class BankMoved(Message):
    """The bank has a newer view: by us, by another program, or with news for the person."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event


class BankOpened(Message):
    """The bank was read and can be shown; `demo` when it is the one of the welcome screen's offer."""

    def __init__(self, bank: Bank, *, demo: bool = False) -> None:
        super().__init__()
        self.bank, self.demo = bank, demo


class BankFailed(Message):
    """The bank cannot be opened; the sentence says what is wrong and what to do. `loaded` is a folder that is no bank
    and that an agent loads."""

    def __init__(self, sentence: str, loaded: Path | None = None) -> None:
        super().__init__()
        self.sentence, self.loaded = sentence, loaded


class Said(Message):
    """A sentence for the status line; `todo` is the key that answers it ("u undo")."""

    bubble = True

    def __init__(self, sentence: str, todo: str = "") -> None:
        super().__init__()
        self.sentence, self.todo = sentence, todo


class QueueFound(Message):
    """What waits for a person was found out anew."""

    def __init__(self, queue: Following) -> None:
        super().__init__()
        self.queue = queue
