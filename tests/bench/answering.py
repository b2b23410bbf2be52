"""How soon a key is answered, and how soon a search has settled (`decisions.md` §8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from tests.bench.child import Child
from tests.bench.report import MS, Line, percentile, spread
from tests.bench.setting import ROWS, Setting

TYPED = ("k", "e", "n", "j", "i")
CLEARED = ("backspace",) * len(TYPED)
LONGER = ("周", "五", "网")
SETTLED_LIMIT = 0.100
"""Seconds, p95, from a letter to the settled list."""
RANKED = 1.3
"""Times the p95 of the plain folded filter, which neither ranks nor draws."""
STALL = 0.050
"""Seconds that the event loop may be busy at a stretch."""

Pressed = list[tuple[float, float]]


def measure(setting: Setting) -> Iterator[Line]:
    """Press the same keys in turns at a small and at the largest bank; then type in the box of the largest."""
    small, large = setting.bank(ROWS), setting.bank(setting.large)
    with Child("on_screen", small, env=setting.env) as few, Child("on_screen", large, env=setting.env) as many:
        for name, down, up, count, least in (
            ("key", "down", "up", 12, 0.016),
            ("page", "pagedown", "pageup", 2, 0.020),
        ):
            keys = [down] * count + [up] * count
            for child in (few, many):
                child.ask("press", keys)
            blocks = [(_press(few, keys), _press(many, keys)) for _ in range(setting.times(4 if name == "key" else 12))]
            yield _compared(setting, name, [list(chain(*side)) for side in zip(*blocks, strict=True)], len(keys), least)
        yield from _filter(setting, many)


def _press(child: Child, keys: Sequence[str]) -> Pressed:
    return [(first, settled) for first, settled in child.ask("press", keys)]


def _compared(setting: Setting, name: str, sides: Sequence[Pressed], warm_up: int, least: float) -> Line:
    first = [[pressed[0] for pressed in side] for side in sides]
    settled = [[pressed[1] for pressed in side] for side in sides]
    few, many = (percentile(side, 95) for side in first)
    return Line(
        name,
        f"p50/p95 to the first update, {setting.large:,} rows against {ROWS}",
        f"{many / few:.2f} × ({spread(first[1])} against {spread(first[0])}; settled {spread(settled[1])})",
        f"p95 ≤ max(1.5 ×, {least * MS:.0f} ms)",
        many <= max(1.5 * few, least),
        f"{len(first[0])} presses each in turns, {warm_up} to warm up",
    )


def _filter(setting: Setting, child: Child) -> Iterator[Line]:
    child.ask("indexed")
    words = (*TYPED, *CLEARED, *LONGER, *CLEARED[: len(LONGER)])
    child.ask("press", words)
    child.ask("longest")
    pressed: Pressed = []
    alone: list[float] = []
    with Child("on_bank", setting.bank(setting.large), env=setting.env) as bare:
        bare.ask("open")
        texts = ["".join(TYPED[:end]) for end in range(1, len(TYPED) + 1)]
        texts += [*texts[-2::-1], "", *("".join(LONGER[:end]) for end in (1, 2, 3, 2, 1, 0))]
        bare.ask("select", texts, 1)
        for _ in range(setting.times(6)):  # in turns, so that both meet the same machine
            pressed += _press(child, words)
            alone += bare.ask("select", texts, 1)
    settled = [last for _, last in pressed]
    counted = f"{len(settled)} letters each in turns, {len(words)} to warm up"
    yield _ranked(setting, settled, alone, counted)
    stall = child.ask("longest")
    yield Line(
        "search-stall",
        f"longest turn of the event loop while it is typed, {setting.large:,} rows",
        f"{stall * MS:.0f} ms",
        f"≤ {STALL * MS:.0f} ms",
        stall <= STALL,
        counted,
    )


def _ranked(setting: Setting, settled: Sequence[float], alone: Sequence[float], counted: str) -> Line:
    ratio, worst = percentile(settled, 95) / percentile(alone, 95), percentile(settled, 95)
    return Line(
        "search",
        f"p50/p95 from a letter to the settled list, ranked and marked, {setting.large:,} rows",
        f"{ratio:.2f} × the plain filter alone ({spread(settled)} against {spread(alone)})",
        f"p95 ≤ {RANKED} ×, and ≤ {SETTLED_LIMIT * MS:.0f} ms",
        ratio <= RANKED and worst <= SETTLED_LIMIT,
        counted,
    )
