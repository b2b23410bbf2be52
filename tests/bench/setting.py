"""Where a run measures: a folder of its own with the banks, made when they are first needed, and how often it looks."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.banks import make_bank

DEMO, ROWS = 60, 100
"""Memories of a bank like the demo, and of the small one that keys are compared with."""


OTHERS = ("MEMDESK_", "YOTTA_", "TEXTUAL", "NO_COLOR", "PYTHONDONTWRITEBYTECODE")


def forget_surroundings() -> None:
    """Take out of the environment what would make the programs behave as whoever runs this likes them."""
    for key in [key for key in os.environ if key.startswith(OTHERS)]:
        del os.environ[key]


@dataclass(frozen=True, slots=True)
class Setting:
    """`sizes` are the banks that are compared, ascending; `share` of the usual repetitions are made."""

    folder: Path
    sizes: tuple[int, int, int] = (1_000, 10_000, 100_000)
    share: float = 1.0
    _made: dict[int, Path] = field(default_factory=dict)

    @property
    def small(self) -> int:
        """The smallest of the compared banks."""
        return self.sizes[0]

    @property
    def large(self) -> int:
        """The largest bank."""
        return self.sizes[-1]

    def times(self, usual: int) -> int:
        """How often to repeat what is usually repeated `usual` times."""
        return max(3, round(usual * self.share))

    def bank(self, count: int) -> Path:
        """The bank with so many memories."""
        if count not in self._made:
            self._made[count] = make_bank(self.folder / f"bank-{count}", count)
        return self._made[count]

    def cache(self) -> Path:
        """The folder of the user's caches."""
        return self.folder / "home" / "cache"

    @property
    def env(self) -> dict[str, str]:
        """The environment of every measured program: a home of its own, and modules that are compiled once."""
        home = self.folder / "home"
        folders = {"XDG_CACHE_HOME": self.cache()}
        folders |= {f"XDG_{name.upper()}_HOME": home / name for name in ("config", "state", "data")}
        return (
            dict(os.environ)
            | {key: str(value) for key, value in folders.items()}
            | {
                "HOME": str(home),
                "PYTHONPYCACHEPREFIX": str(self.folder / "compiled"),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "MEMDESK_NOW": "2026-11-30T10:00:00+00:00",
            }
        )
