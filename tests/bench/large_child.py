"""The programs that `large.py` measures: parse each line, read, be cancelled, evaluate."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.contents import Contents, contents
from pipeline.extract.effects import Started, Told
from pipeline.extract.options import Options
from pipeline.extraction import extract
from pipeline.formats.copies import without_copies
from pipeline.formats.read import read
from pipeline.model import open_door
from store.bank import Bank
from tests.bench import large_file
from tests.bench.child import resident, serve

WINDOWS = 1_000_000
"""More than any session has: it is evaluated in one run."""
ADDED = 3
"""Messages that the file grows by."""


@contextmanager
def _measured() -> Iterator[dict[str, Any]]:
    answer: dict[str, Any] = {}
    before = resident("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    yield answer
    answer |= {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    answer["growth"] = resident("VmHWM") - before


def parse(path: str) -> dict[str, Any]:
    """`json.loads` on each line."""
    with _measured() as answer, Path(path).open("rb") as file:
        for line in file:
            json.loads(line)
    return answer


def look(path: str) -> dict[str, Any]:
    """Read it, with progress."""
    told: list[int] = []
    with _measured() as answer:
        (session,) = read(path, progress=told.append, cancelled=lambda: False)
    answer["turns"] = len(session.turns)
    answer["progress"] = {"calls": len(told), "last": told[-1], "ascending": told == sorted(told)}
    return answer


def cancel(path: str, part: float) -> dict[str, Any]:
    """Read it and cancel when this part of it was read: seconds until it stops, and whether it did before its end."""
    size, stop, at = Path(path).stat().st_size, threading.Event(), [0.0]
    reached = threading.Event()

    def watch() -> None:
        reached.wait()
        at[0] = time.perf_counter()
        stop.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    stopped = False
    try:
        read(path, progress=lambda told: reached.set() if told >= size * part else None, cancelled=stop.is_set)
    except Exception as error:
        stopped = type(error).__name__ == "Cancelled"
    ended = time.perf_counter()
    watcher.join()
    return {"seconds": max(0.0, ended - at[0]), "stopped": stopped}


def evaluate(path: str, folder: str) -> dict[str, Any]:
    """All that `memdesk extract --offline` does, to the end of the session, and again when the file has grown."""
    Bank.create(Path(folder)).close()
    bank, door = Bank.open(Path(folder)), open_door(None)
    with _measured() as answer:
        held, answer["evaluated"] = _run(path, bank, door)
        answer |= {"left": held.new, "messages": held.typed}
        large_file.grow(Path(path), ADDED)
        held, answer["again"] = _run(path, bank, door)
        answer |= {"left": answer["left"] + held.new, "added": ADDED}
    door.close()
    bank.close()
    return answer


def _run(path: str, bank: Bank, door: Any) -> tuple[Contents, int]:
    """Read and evaluate a session; what it holds then, and how many messages were evaluated."""
    shown: list[int] = []

    def listen(told: Told) -> None:
        if isinstance(told, Started):
            shown.append(told.records)

    (session,) = without_copies(read(path))
    contents(session, bank.view())
    options = Options(max_windows_per_run=WINDOWS)
    report = extract([session], bank, door, options, on_event=listen).sessions[0]
    assert not report.problem, report.problem
    return contents(session, bank.view()), sum(shown)


if __name__ == "__main__":
    serve({"json": parse, "read": look, "cancel": cancel, "extract": evaluate})
