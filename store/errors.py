"""What can go wrong in a bank, in sentences for people.

Every error carries one sentence that says what is wrong and what to do next, and the exit code that a command
ends with (`product.md`, "Commands").
"""

from __future__ import annotations

from collections.abc import Sequence


class MemdeskError(Exception):
    """The root of every error that a person may read; `str(error)` is the whole message."""

    exit_code = 2


class BadInput(MemdeskError):
    """The request itself cannot be carried out: wrong words, values or files (exit 2)."""


class NotABank(BadInput):
    """The folder is no bank; the message says what it looks like."""


class UnknownMemory(BadInput):
    """No memory answers to the reference."""


def unknown_memory(reference: str, agent: str | None = None) -> UnknownMemory | NotPermitted:
    """The refusal for a memory that is not there, or that the agent may not know of (`decisions.md` §8.9)."""
    if agent is None:
        return UnknownMemory(f"There is no memory {reference!r}; use an id that `memdesk list` prints.")
    return NotPermitted(f"There is no memory {reference!r} that {agent} may use; use an id that `memdesk list` prints.")


class AmbiguousMemory(BadInput):
    """More than one memory answers to the reference; `candidates` are their ids."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class DamagedLedger(BadInput):
    """The ledger cannot be trusted as it stands; nothing was cut, the bank is readable only."""


class SecretFound(BadInput):
    """Text that a change adds looks like a secret; `kinds` name the rules, never the text; `what` holds it."""

    def __init__(self, kinds: Sequence[str], what: str = "text", todo: str = "take it out") -> None:
        super().__init__(f"The {what} looks like it holds a secret ({', '.join(kinds)}); {todo}.")
        self.kinds = tuple(kinds)


class NotPermitted(MemdeskError):
    """This identity may not do that (exit 3)."""

    exit_code = 3


class ReadOnly(NotPermitted):
    """The bank can be read but not written now; the message says why."""


class Busy(MemdeskError):
    """Another program holds the bank's lock (exit 4)."""

    exit_code = 4


class Changed(MemdeskError):
    """What the change started from is no longer there (exit 4)."""

    exit_code = 4


class Conflict(Changed):
    """Two edits of one memory cannot be joined; both texts are kept. `ours` and `theirs` are the two."""

    def __init__(self, message: str, ours: str, theirs: str) -> None:
        super().__init__(message)
        self.ours = ours
        self.theirs = theirs


class AlreadyDecided(Changed):
    """The proposal was decided by somebody else in the meantime."""


class StorageFailure(MemdeskError):
    """The disk, the folder or a file refuses (exit 5); nothing was changed."""

    exit_code = 5


def folder_gone(folder: object) -> StorageFailure:
    """The refusal to write where a bank was: it may be somewhere else now, and nothing is made in its place."""
    return StorageFailure(f"The folder {folder} is gone; put it back, or open the bank where it is now.")


class Cancelled(MemdeskError):
    """The person stopped what was running; what was done before stands (exit 4)."""

    exit_code = 4
