"""Noticing what other programs do to an open bank: by file events, or by looking again (`storage.md` §6).

Events are only hints: both ways end in `Bank.refresh`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from store.bank import Bank
from store.errors import MemdeskError, folder_gone
from store.publish import is_temporary

SHORTEST = 2.0
"""Seconds between looks where events do not work, at least; at most 1/50 of the time is spent (`decisions.md` §6.7)."""
SHARE = 50
DEBOUNCE_MS = 50
STAT_MS = 2_000
"""Milliseconds without an event after which it is looked whether the folder is still there: a parent that is moved
makes no event."""
IGNORED = frozenset({".git", ".index.lock", ".embed", ".server", ".memory-scan"})
OURS = frozenset({"objects", "kept", "quarantine", "history", "lock", "lock-holder"})
"""What lies in the ledger's folder and never tells of a change to the bank."""


def watch(bank: Bank, *, poll: bool = False, failed: Callable[[str], None] | None = None) -> Callable[[], None]:
    """Call `bank.refresh` whenever something may have changed, in a thread of its own; the result stops it.

    `poll` looks at intervals instead of waiting for events. `failed` is told the sentence of a look that failed, that
    the bank's folder is gone, and that it is back.
    """
    stop = threading.Event()
    tell = failed or (lambda sentence: None)

    def run() -> None:
        if poll or not _follow(bank, stop, tell):
            _poll(bank, stop, tell)

    thread = threading.Thread(target=run, name="memdesk-watch", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(timeout=5.0)

    return end


def _look(bank: Bank, tell: Callable[[str], None]) -> float:
    """One refresh; the seconds that it took. A failure is told, the next look may succeed."""
    started = time.monotonic()
    try:
        bank.refresh()
    except MemdeskError as error:
        if bank.path.is_dir():  # else it has just gone, which is told by itself
            tell(str(error))
    return time.monotonic() - started


def _poll(bank: Bank, stop: threading.Event, tell: Callable[[str], None]) -> None:
    took = 0.0
    while not stop.wait(max(SHORTEST, SHARE * took)):
        took = _look(bank, tell) if bank.path.is_dir() else _until_back(bank, stop, tell)


def _until_back(bank: Bank, stop: threading.Event, tell: Callable[[str], None]) -> float:
    """The bank's folder was moved or deleted: say so once, wait until it is there again, and look; as `_look`."""
    tell(str(folder_gone(bank.path)))
    while not bank.path.is_dir():
        if stop.wait(SHORTEST):
            return 0.0
    tell(f"The folder {bank.path} is there again.")
    return _look(bank, tell)


def _follow(bank: Bank, stop: threading.Event, tell: Callable[[str], None]) -> bool:
    """Refresh on events until stopped; False when this system cannot watch the folder."""
    while not stop.is_set():
        if not _follow_folder(bank, stop, tell):
            return False
        if not stop.is_set():
            _look(bank, tell) if bank.path.is_dir() else _until_back(bank, stop, tell)
    return True


def _follow_folder(bank: Bank, stop: threading.Event, tell: Callable[[str], None]) -> bool:
    """Refresh on events until stopped, or until the path leads to another folder or none: events come from a folder
    itself, wherever it was moved to. False when this system cannot watch it."""
    try:
        from watchfiles import watch as events
    except ImportError:
        return False
    apart = not bank.ledger.is_relative_to(bank.path) and bank.ledger.is_dir()
    places = [bank.path, bank.ledger] if apart else [bank.path]
    folder = _folder(bank.path)
    try:
        for changes in events(
            *places,
            watch_filter=None,
            stop_event=stop,
            debounce=DEBOUNCE_MS,
            step=10,
            rust_timeout=STAT_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            if _folder(bank.path) != folder:
                return True
            if matters(bank, (path for _, path in changes)):
                _look(bank, tell)
    except OSError:
        return False
    return stop.is_set()


def _folder(path: Path) -> tuple[int, int] | None:
    """Which folder a path leads to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def matters(bank: Bank, paths: Iterable[str]) -> bool:
    """Whether events may tell of a change that the bank does not know: its own writes and by-products do not."""
    for text in paths:
        path = Path(text)
        if path.is_relative_to(bank.ledger):
            parts = path.relative_to(bank.ledger).parts
            if parts and parts[0] not in OURS and not path.name.endswith(".tmp") and not bank.knows_ledger():
                return True
        elif not _is_noise(bank.path, path) and not bank.knows(path):
            return True
    return False


def _is_noise(root: Path, path: Path) -> bool:
    parts = path.relative_to(root).parts if path.is_relative_to(root) else ()
    return is_temporary(path.name) or not parts or parts[0] in IGNORED or path.name.startswith("index")
