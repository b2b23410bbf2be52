"""A line of the report: what was measured, against what, its limit, and how often it was looked at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MS = 1000.0


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement. `measured` and `limit` are in the same unit; without a limit the line is for information."""

    name: str
    subject: str
    values: str
    limit: str = ""
    passed: bool | None = None
    counted: str = ""

    @property
    def verdict(self) -> str:
        """pass, FAIL, or nothing to judge."""
        return "" if self.passed is None else "pass" if self.passed else "FAIL"


def percentile(values: Sequence[float], rank: float) -> float:
    """The nearest-rank percentile: always a value that was observed. `rank` is 0 to 100."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(rank / 100 * len(ordered)) - 1)]


def middle(values: Sequence[float]) -> float:
    """The median, as an observed value."""
    return percentile(values, 50)


def spread(values: Sequence[float]) -> str:
    """p50 and p95 of seconds, in milliseconds."""
    return f"{middle(values) * MS:.1f}/{percentile(values, 95) * MS:.1f} ms"


def table(lines: Iterable[Line]) -> str:
    """The lines in columns."""
    head = Line("line", "measured", "value", "limit", None, "repetitions")
    rows = [
        (line.name, line.subject, line.values, line.limit, "" if line is head else line.verdict, line.counted)
        for line in (head, *lines)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
