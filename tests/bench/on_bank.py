"""A measured program: one bank in one process, opened, changed, packed (`child.py`)."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pipeline.context.fates import Fates
from pipeline.context.pack import assemble
from pipeline.context.provider.hook import ask
from pipeline.context.request import Request
from store.bank import Bank
from store.changes import Changeset, NewId, PutMemory, PutRow
from tests.bench.banks import OWNERS
from tests.bench.child import serve
from tests.bench.folded_filter import Selection, Texts, select

T = TypeVar("T")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Program:
    """The requests that can be made of one bank."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bank: Bank | None = None
        self._keys = map("bench-{:06d}".format, count())
        self._gaps: list[str] = []

    @property
    def bank(self) -> Bank:
        """The open bank."""
        assert self._bank is not None
        return self._bank

    def open(self) -> dict[str, float]:
        """Open the bank and list its live memories: seconds, and bytes of resident memory that it took."""
        gc.collect()
        before = _resident()
        self._bank, seconds = _timed(lambda: Bank.open(self._path))
        live, listed = _timed(lambda: self.bank.view().live)
        return {"seconds": seconds + listed, "bytes": _resident() - before, "memories": len(live)}

    def close(self) -> None:
        """Leave the cache for the next one."""
        self.bank.close()

    def prepare(self, times: int) -> None:
        """File gaps that wait for approval."""
        self._gaps = [next(self._keys) for _ in range(times)]
        rows = [PutRow("gaps", key, {"statement": f"Notes go into {key}.", "state": "ready"}) for key in self._gaps]
        self.bank.record(rows)

    def approve(self) -> float:
        """Approve one gap: a memory is made, the gap is retired, a receipt is kept. Seconds of the commit."""
        key = self._gaps.pop()
        statement = f"Notes go into {key}."
        memory = PutMemory(None, {"type": "FACT", "subject": "notes", "statement": statement}, key="new")
        gap = PutRow(
            "gaps", key, {"state": "retired", "memory": NewId("new")}, self.bank.view().rows("gaps")[key]["_rev"]
        )
        receipt = PutRow("receipts", key, {"gap": key, "memory": NewId("new")}, 0)
        changeset = Changeset((memory, gap, receipt), "approve a gap", origin="screen")
        return _timed(lambda: self.bank.commit(changeset))[1]

    def pack(self, times: int) -> list[float]:
        """Build a pack and count every fate on a warm view: seconds of each."""
        return [_timed(self._pack)[1] for _ in range(times)]

    def _pack(self) -> int:
        return Fates(assemble(self.bank.view(), Request(OWNERS[0]))).counts.total

    def hook(self, home: str, times: int) -> list[float]:
        """Ask the configured provider: seconds of each call."""
        made = []
        for _ in range(times):
            answer, seconds = _timed(lambda: ask(self.bank.view(), Request(OWNERS[0]), Path(home)))
            if answer.status != "active":
                raise RuntimeError(f"The provider's answer was {answer.status}: {answer.note}")
            made.append(seconds)
        return made

    def select(self, typed: Sequence[str], times: int) -> list[float]:
        """The plain folded filter, as each of the texts is typed after the one before: seconds of each."""
        folded, made = Texts.of(self.bank.view()), []
        for _ in range(times):
            found: Selection | None = None
            for text in typed:
                found, seconds = _timed(partial(select, folded, text, found))
                made.append(seconds)
        return made


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


def main() -> None:
    """Answer until there are no more requests."""
    program = Program(Path(sys.argv[1]))
    names = ("open", "close", "prepare", "approve", "pack", "hook", "select")
    answers: dict[str, Callable[..., Any]] = {name: getattr(program, name) for name in names}
    serve(answers)


if __name__ == "__main__":
    main()
