"""A bank that is still being read: its newest memories can be seen already, everything else waits for the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from store.errors import MemdeskError, StorageFailure
from tui.faults import report

if TYPE_CHECKING:
    from store.bank import Bank
    from store.changes import Committed, Event
    from store.view import View
    from tui.remember import Remembered


def opens_as_left(remembered: Remembered) -> bool:
    """Whether the person left the workbench where its first rows are the newest memories."""
    place = (remembered.get("screen"), remembered.get("query"), remembered.get("sort"))
    return place[0] in {"", "bank"} and not place[1] and place[2] in {"", "relevance", "time"}


class Coming:
    """Stands in for a `Bank`: looking never waits, anything that is not named here waits until the bank is read.

    `head` is what an earlier session left (`store/head.py`); `opener` reads the bank, on a thread of its own.
    """

    def __init__(self, head: View, opener: Callable[[], Bank]) -> None:
        self._head, self._opener = head, opener
        self._bank: Bank | None = None
        self._error: MemdeskError | None = None
        self._listeners: list[Callable[[Event], None]] = []
        self._done = threading.Event()

    def start(self, opened: Callable[[Bank], object], failed: Callable[[str], object]) -> None:
        """Begin to read; one of the two is called when it is done, in the thread that read."""

        def read() -> None:
            try:
                bank = self._opener()
                for listener in self._listeners:
                    bank.subscribe(listener)
                self._bank = bank
            except MemdeskError as error:
                self._error = error
            except OSError as error:
                self._error = StorageFailure(f"The bank cannot be read: {error.strerror or error}.")
            except Exception as error:  # whoever waits for the bank is told, whatever happened to it
                self._error = StorageFailure(report(error))
            self._done.set()
            if self._bank is not None:
                opened(self._bank)
            else:
                failed(str(self._error))

        threading.Thread(target=read, name="reader", daemon=True).start()

    def view(self) -> View:
        """The bank as it is known now."""
        return self._head if self._bank is None else self._bank.view()

    @property
    def read_only(self) -> str:
        """Why nothing can be written; while it is being read nobody knows of a reason."""
        return "" if self._bank is None else self._bank.read_only

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Be told of every change from the moment that the bank is read; call the result to stop."""
        if self._bank is not None:
            return self._bank.subscribe(listener)
        wanted = True
        self._listeners.append(lambda event: listener(event) if wanted else None)

        def stop() -> None:
            nonlocal wanted
            wanted = False

        return stop

    def history(self, **asked: Any) -> Sequence[Committed]:
        """The changes; none are known before the bank is read."""
        return [] if self._bank is None else self._bank.history(**asked)

    def flush(self) -> None:
        """Nothing was written before the bank is read."""
        if self._bank is not None:
            self._bank.flush()

    def close(self) -> None:
        """Leave, also while the bank is being read."""
        if self._bank is not None:
            self._bank.close()

    def __getattr__(self, name: str) -> Any:
        self._done.wait()
        if self._error is not None:
            raise self._error
        return getattr(self._bank, name)
