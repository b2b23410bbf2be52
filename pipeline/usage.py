"""What model calls used: tokens, dollars, seconds, and how much of that nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.extract.effects import Called


@dataclass(frozen=True, slots=True)
class Usage:
    """Figures over some calls: `cost` in dollars, `seconds` of waiting.

    `uncounted` and `unpriced` are calls whose tokens or price nobody knows: the sums are without them.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.uncounted + other.uncounted,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.seconds + other.seconds,
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """As commands print it: null where a figure is not known for every call."""
        return {
            "calls": self.calls,
            "tokens_in": None if self.uncounted else self.tokens_in,
            "tokens_out": None if self.uncounted else self.tokens_out,
            "cost": None if self.unpriced else round(self.cost, 9),
            "seconds": round(self.seconds, 3),
        }


NOTHING = Usage()
"""No call was made."""


def used(call: Called) -> Usage:
    """What one call used; rules are not called and use nothing."""
    if call.rules:
        return NOTHING
    return Usage(
        1,
        call.tokens_in or 0,
        call.tokens_out or 0,
        int(call.tokens_in is None or call.tokens_out is None),
        call.cost or 0.0,
        int(call.cost is None),
        call.seconds,
    )
