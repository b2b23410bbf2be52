"""From starting the program to the first frame that shows rows, in a real pseudo-terminal (`decisions.md` §8.3)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.banks import NEWEST
from tests.bench.child import Child
from tests.bench.on_static import WORDS
from tests.bench.report import MS, Line, middle
from tests.bench.setting import DEMO, Setting
from tests.tui.terminal import MEMDESK, Terminal

STATIC = (sys.executable, "-m", "tests.bench.on_static")
LIMITS = (1.5, 1.8)
"""Times the first frame of one `Static`: with a bank like the demo, and with the largest.

The best start of each is compared: starting takes what it takes, and a busy machine can only add to it.
"""
WARM_UP = 2


def measure(setting: Setting) -> Iterator[Line]:
    """Start the baseline and the workbench on both banks in turns."""
    counts = (DEMO, setting.large)
    banks = [_warmed(setting, count) for count in counts]
    starts: list[tuple[Sequence[str], str]] = [
        (STATIC, WORDS),
        *(((*MEMDESK, "open", str(bank)), NEWEST) for bank in banks),
    ]
    rounds = [[_first(setting, *start) for start in starts] for _ in range(WARM_UP + setting.times(15))][WARM_UP:]
    base = min(times[0] for times in rounds)
    for at, (count, limit) in enumerate(zip(counts, LIMITS, strict=True), 1):
        best = min(times[at] for times in rounds)
        ratio, usual = best / base, middle([times[at] / times[0] for times in rounds])
        yield Line(
            "first-frame",
            f"rows of {count:,} memories against one Static",
            f"{ratio:.2f} × ({best * MS:.0f} ms against {base * MS:.0f} ms; in the middle {usual:.2f} ×)",
            f"≤ {limit} ×",
            ratio <= limit,
            f"best of {len(rounds)} rounds each, {WARM_UP} to warm up",
        )


def _warmed(setting: Setting, count: int) -> Path:
    """A bank whose parsed memories were left by an earlier session."""
    bank = setting.bank(count)
    with Child("on_bank", bank, env=setting.env) as child:
        child.ask("open")
        child.ask("close")
    return bank


def _first(setting: Setting, command: Sequence[str], words: str) -> float:
    with Terminal(command, columns=120, rows=36, env=setting.env) as terminal:
        return terminal.wait_for(words, 60)
