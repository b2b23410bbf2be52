"""How soon a what-if is redrawn with the provider's last answer applied (`decisions.md` §5.6, §8.3)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tests.bench.child import Child
from tests.bench.report import MS, Line, percentile, spread
from tests.bench.setting import ROWS, Setting

LEAST = 0.016
"""Seconds that a redraw may take in any case: a frame."""
EVICTS = """\
import json, sys
files = [one["file"] for one in json.load(sys.stdin)["payload"]["candidates"]]
print(json.dumps({"ok": True, "data": {"evict": files[:5]}}))
"""
OPEN, CONSENT = ("3", "enter"), ("H", "y")
"""To the Context, of the first agent; and the provider allowed."""
KEYS = ("-", "-", "-", "+", "+", "-", "+", "-", "+", "+")


def measure(setting: Setting) -> Iterator[Line]:
    """Change the budget in turns at a small and at the largest bank."""
    env = setting.env | {"YOTTA_PROVIDER_HOME": str(_configure(setting.folder / "evicting"))}
    small, large = setting.bank(ROWS), setting.bank(setting.large)
    with Child("on_screen", small, env=env) as few, Child("on_screen", large, env=env) as many:
        for child in (few, many):
            child.ask("press", OPEN)
            child.ask("agree", *CONSENT)
            child.ask("redraw", KEYS)
        pairs = [(few.ask("redraw", KEYS), many.ask("redraw", KEYS)) for _ in range(setting.times(6))]
        shown = many.ask("shown")
    if "evicted 5" not in shown:
        raise RuntimeError(f"The provider's answer was not applied:\n{shown}")
    sides = [list(chain(*side)) for side in zip(*pairs, strict=True)]
    less, more = (percentile(side, 95) for side in sides)
    yield Line(
        "what-if",
        f"p50/p95 to the update with the new pack, {setting.large:,} memories against {ROWS}",
        f"{more / less:.2f} × ({spread(sides[1])} against {spread(sides[0])})",
        f"p95 ≤ max(1.5 ×, {LEAST * MS:.0f} ms)",
        more <= max(1.5 * less, LEAST),
        f"{len(sides[0])} changes each in turns, {len(KEYS)} to warm up",
    )


def _configure(home: Path) -> Path:
    home.mkdir(exist_ok=True)
    (home / "p.py").write_text(EVICTS, encoding="utf-8")
    command = [sys.executable, "-IS", "p.py"]
    provider = {"id": "evicting", "capabilities": ["memory.hook"], "command": command, "timeout_ms": 5000}
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [provider]}), encoding="utf-8")
    return home
