"""How long providers that misbehave hold a pack beyond their time limit (`spec/context.md` §20, ctx-D07)."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.context.provider.hook import ask
from pipeline.context.request import Request
from store.memory import Memory
from store.view import View
from tests.bench.report import MS, Line, spread
from tests.bench.setting import Setting
from tests.pipeline.context.zoo import NEW, SHORT, ZOO, Animal, cage

LIMIT = 0.3
"""Seconds beyond its own limit that no provider may take."""


def measure(setting: Setting) -> Iterator[Line]:
    """Ask every provider of the zoo, those that never end several times."""
    view = View.of([Memory(NEW, NEW, "", subject="new", statement="new", created="2026-11-01")])
    stuck = [animal for animal in ZOO.values() if animal.limit == SHORT]
    others = [animal for animal in ZOO.values() if animal.limit != SHORT]
    rounds = setting.times(3)
    beyond = [_seconds(view, animal) - animal.limit / MS for _ in range(rounds) for animal in stuck]
    ended = [_seconds(view, animal) for animal in others]
    worst = max(beyond)
    yield Line(
        "zoo",
        f"p50/p95 beyond the time limit of {len(stuck)} providers that never end",
        f"worst {worst * MS:.1f} ms ({spread(beyond)})",
        f"worst ≤ {LIMIT * MS:.0f} ms",
        worst <= LIMIT,
        f"{rounds} of each, limits of {SHORT} ms",
    )
    yield Line("zoo", f"p50/p95 of {len(others)} providers that fail by themselves", spread(ended), counted="1 of each")


def _seconds(view: View, animal: Animal) -> float:
    with tempfile.TemporaryDirectory(prefix="memdesk-zoo-") as folder:
        home = cage(Path(folder) / "home", animal)
        start = time.perf_counter()
        ask(view, Request("nova"), home)
        return time.perf_counter() - start
