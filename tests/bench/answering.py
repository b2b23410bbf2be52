"""How soon a key is answered, and how soon a search has settled (`decisions.md` §8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from tests.bench.child import Child
from tests.bench.report import MS, Line, middle, percentile, spread
from tests.bench.setting import ROWS, Setting

TYPED = ("k", "e", "n", "j", "i")
CLEARED = ("backspace",) * len(TYPED)
LONGER = ("周", "五", "网")
SETTLED_LIMIT = 0.100
"""Seconds, p95, from a letter to the settled list."""

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
    child.ask("press", ["/"])
    words = (*TYPED, *CLEARED, *LONGER, *CLEARED[: len(LONGER)])
    child.ask("press", words)
    pressed = list(chain(*(_press(child, words) for _ in range(setting.times(4)))))
    settled = [last for _, last in pressed]
    with Child("on_bank", setting.bank(setting.large), env=setting.env) as bare:
        bare.ask("open")
        texts = ["".join(TYPED[:end]) for end in range(1, len(TYPED) + 1)]
        texts += [*texts[-2::-1], "".join(LONGER[:1]), "".join(LONGER[:2]), "".join(LONGER)]
        bare.ask("select", texts, 1)
        alone = bare.ask("select", texts, setting.times(4))
    worst = percentile(settled, 95)
    yield Line(
        "filter",
        f"p50/p95 from a letter to the settled list, {setting.large:,} rows",
        f"{middle(settled) / middle(alone):.1f} × the bare filter ({spread(settled)} against {spread(alone)})",
        f"p95 ≤ {SETTLED_LIMIT * MS:.0f} ms",
        worst <= SETTLED_LIMIT,
        f"{len(settled)} letters, {len(words)} to warm up",
    )
