"""Opening a bank without and with what an earlier session left, and the memory that it takes."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.banks import memories
from tests.bench.child import Child
from tests.bench.report import MS, Line, middle
from tests.bench.setting import Setting

ROUNDS = (7, 5, 3)
"""Rounds for each size, the smallest bank first."""


def measure(setting: Setting) -> Iterator[Line]:
    """For each size, in turns: read and parse as JSON, open cold, open warm."""
    taken: dict[int, float] = {}
    for count, times in zip(setting.sizes, ROUNDS, strict=True):
        bank, documents = setting.bank(count), [json.dumps(memory) for memory in memories(count)]
        rounds = [_round(setting, bank, documents) for _ in range(times)]
        base = middle([seconds for seconds, _, _ in rounds])
        for name, answers in (("cold", [cold for _, cold, _ in rounds]), ("warm", [warm for _, _, warm in rounds])):
            opened = middle([answer["seconds"] for answer in answers])
            yield Line(
                f"open-{name}",
                f"{count:,} memories against reading the files and json.loads",
                f"{opened / base:.2f} × ({opened * MS:.0f} ms, {opened / count * MS * MS:.0f} µs a memory)",
                counted=f"median of {len(rounds)} fresh processes each, files in the system's cache",
            )
        taken[count] = middle([warm["bytes"] for _, _, warm in rounds]) / count
    for count in setting.sizes[1:]:
        size = sum(file.stat().st_size for file in setting.bank(count).rglob("*.md")) / count
        yield Line(
            "memory",
            f"resident bytes of a memory, {count:,} open",
            f"{taken[count] / size:.1f} × its file ({taken[count]:,.0f} of {size:,.0f} bytes)",
            counted="as open-warm",
        )


def _round(setting: Setting, bank: Path, documents: list[str]) -> tuple[float, dict[str, Any], dict[str, Any]]:
    shutil.rmtree(setting.cache(), ignore_errors=True)
    return _baseline(bank, documents), _open(setting, bank), _open(setting, bank)


def _open(setting: Setting, bank: Path) -> dict[str, Any]:
    with Child("on_bank", bank, env=setting.env) as child:
        answer: dict[str, Any] = child.ask("open")
        child.ask("close")
    return answer


def _baseline(bank: Path, documents: list[str]) -> float:
    """Read every file, and parse the same memories as JSON: seconds."""
    start = time.perf_counter()
    read = [file.read_bytes() for file in bank.rglob("*.md")]
    parsed = [json.loads(document) for document in documents]
    assert len(read) >= len(parsed)
    return time.perf_counter() - start
