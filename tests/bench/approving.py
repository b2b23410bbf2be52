"""What an approval costs against one durable append, and whether the size of the bank matters (`decisions.md` §8.3)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.child import Child
from tests.bench.report import MS, Line, middle, spread
from tests.bench.setting import Setting

UNIT_BYTES = 700
"""What one durable append writes (`storage.md`, unit U)."""
UNITS, REST = 10, 0.003
GROWTH = 1.5
WARM_UP = 6


def measure(setting: Setting) -> Iterator[Line]:
    """One append, one approval at each size, in turns."""
    counts = (setting.small, setting.large)
    times = setting.times(60)
    with Child("on_bank", setting.bank(counts[0]), env=setting.env) as few:
        with Child("on_bank", setting.bank(counts[1]), env=setting.env) as many:
            for child in (few, many):
                child.ask("open")
                child.ask("prepare", times + WARM_UP)
            rounds = [
                (durable_append(setting.folder / "unit"), few.ask("approve"), many.ask("approve"))
                for _ in range(times + WARM_UP)
            ][WARM_UP:]
            for child in (few, many):
                child.ask("close")
    unit, *sides = (list(side) for side in zip(*rounds, strict=True))
    limit = UNITS * middle(unit) + REST
    counted = f"{times} of each in turns, {WARM_UP} to warm up"
    for count, side in zip(counts, sides, strict=True):
        values = f"{middle(side) / middle(unit):.1f} U ({spread(side)}, U {spread(unit)})"
        yield Line(
            "approve",
            f"p50/p95 at {count:,} memories against one durable append U",
            values,
            f"p50 ≤ {UNITS} U + {REST * MS:.0f} ms = {limit * MS:.1f} ms",
            middle(side) <= limit,
            counted,
        )
    growth = middle(sides[1]) / middle(sides[0])
    yield Line(
        "approve",
        f"{counts[1]:,} memories against {counts[0]:,}",
        f"{growth:.2f} ×",
        f"≤ {GROWTH} ×",
        growth <= GROWTH,
        counted,
    )


def durable_append(path: Path) -> float:
    """Write 700 bytes to the end of a file and sync them: seconds of both."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        start = time.perf_counter()
        os.write(handle, b"u" * UNIT_BYTES)
        os.fdatasync(handle) if hasattr(os, "fdatasync") else os.fsync(handle)
        return time.perf_counter() - start
    finally:
        os.close(handle)
