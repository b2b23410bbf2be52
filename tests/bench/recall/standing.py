"""The engines that stand side by side: each built over the same rows, and opened, in this process."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.recall.corpus import Row, rows
from tests.bench.recall.engines import ENGINES
from tests.bench.recall.engines.engine import Engine, NotMeasured

SHOWN = 20
"""Rows that a keystroke asks for."""
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Built:
    """An engine over a bank: seconds of building on the clock and of processor time, bytes of its folder."""

    engine: Engine
    folder: Path
    seconds: float
    cpu: float
    size: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A run: where it builds, how many rows, where the prototype lies, and what was built so far, by name and rows."""

    folder: Path
    count: int
    prototype: Path | None
    names: tuple[str, ...] = tuple(ENGINES)
    _rows: list[Row] = field(default_factory=list)
    _built: dict[tuple[str, int], Built | NotMeasured] = field(default_factory=dict)

    @property
    def rows(self) -> Sequence[Row]:
        """The generated rows."""
        if not self._rows:
            self._rows.extend(rows(self.count))
        return self._rows

    def built(self, name: str, count: int | None = None) -> Built | NotMeasured:
        """An engine over the first rows, open; or why it is not measured."""
        count = count or self.count
        if (name, count) not in self._built:
            self._built[name, count] = self._build(name, count)
        return self._built[name, count]

    def _build(self, name: str, count: int) -> Built | NotMeasured:
        try:
            engine = ENGINES[name](self.prototype)
        except NotMeasured as missing:
            return missing
        folder = self.folder / f"{name}-{count}"
        folder.mkdir()
        start, own = time.perf_counter(), time.process_time()
        engine.build(self.rows[:count], folder)
        seconds, cpu = time.perf_counter() - start, time.process_time() - own
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        engine = ENGINES[name](self.prototype)
        engine.at_hand(folder)
        engine.open(folder)
        return Built(engine, folder, seconds, cpu, size)

    def engines(self) -> Iterator[tuple[str, Built | NotMeasured]]:
        """All of them in order, built when they are first needed."""
        for name in self.names:
            yield name, self.built(name)

    def close(self) -> None:
        """Close what is open."""
        for built in self._built.values():
            if isinstance(built, Built):
                built.engine.close()


def settle() -> None:
    """Let no collection of the garbage of building and of the bench's own rows fall into a keystroke."""
    gc.collect()
    gc.freeze()


def answered(engine: Engine, text: str, k: int = SHOWN) -> tuple[Sequence[int], float, float]:
    """The best rows for a text, and the seconds until they were there: of the clock, and of processor time."""
    start, own = time.perf_counter(), time.thread_time()
    found = engine.search(text, k)
    return found, time.perf_counter() - start, time.thread_time() - own
