"""What the workbench's parts say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from store.changes import Changeset, Committed, Event
from store.errors import MemdeskError

if TYPE_CHECKING:
    from store.bank import Bank


@dataclass(frozen=True, slots=True)
class Task:
    """One thing for the writer: a changeset, or a step of undo or redo.

    `done` is the sentence for the status line once it is written ("" takes the history's own words). `ids` are the
    memories that show as pending until then.
    """

    kind: Literal["commit", "undo", "redo"]
    changeset: Changeset | None = None
    done: str = ""
    ids: tuple[str, ...] = ()


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
    """The bank was read and can be shown."""

    def __init__(self, bank: Bank) -> None:
        super().__init__()
        self.bank = bank


class BankFailed(Message):
    """The bank cannot be opened; the sentence says what is wrong and what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class Said(Message):
    """A sentence for the status line; `todo` is the key that answers it ("u undo")."""

    bubble = True

    def __init__(self, sentence: str, todo: str = "") -> None:
        super().__init__()
        self.sentence, self.todo = sentence, todo
