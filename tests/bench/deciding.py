"""How soon the next proposal stands after a decision, with a hundred and with five thousand waiting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tests.bench.child import Child
from tests.bench.queues import make_queue
from tests.bench.report import MS, Line, percentile, spread
from tests.bench.setting import ROWS, Setting

WAITING = 5_000
"""Proposals of the long queue."""
LEAST = 0.016
"""Seconds that are always enough (`decisions.md` §8.3)."""
ROUND = ("a", "r", "a", "s", "a", "r", "a", "a", "r", "a")
"""Decisions of one round; all of them are taken back before the next one."""


def measure(setting: Setting) -> Iterator[Line]:
    """Decide the same at both queues in turns, and take it back."""
    banks = [make_queue(setting.folder / f"queue-{count}", count) for count in (ROWS, WAITING)]
    times = setting.times(9)
    with Child("on_screen", banks[0], env=setting.env) as few, Child("on_screen", banks[1], env=setting.env) as many:
        for child in (few, many):
            child.ask("press", ["2"])
        rounds = [(_round(few), _round(many)) for _ in range(times + 1)][1:]
    sides = [list(chain(*side)) for side in zip(*rounds, strict=True)]
    first, settled = ([[pressed[at] for pressed in side] for side in sides] for at in (0, 1))
    low, high = (percentile(side, 95) for side in first)
    yield Line(
        "decide",
        f"p50/p95 to the frame with the next proposal, {WAITING:,} waiting against {ROWS}",
        f"{high / low:.2f} × ({spread(first[1])} against {spread(first[0])}; settled {spread(settled[1])})",
        f"p95 ≤ max(1.5 ×, {LEAST * MS:.0f} ms)",
        high <= max(1.5 * low, LEAST),
        f"{len(first[0])} decisions each in turns, {len(ROUND)} to warm up",
    )


def _round(child: Child) -> list[tuple[float, float]]:
    found = [(shown, settled) for shown, settled in child.ask("decide", ROUND)]
    child.ask("press", ["u"] * len(ROUND))
    return found
