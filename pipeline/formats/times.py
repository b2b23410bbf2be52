"""Times as transcripts write them, and when not to trust them (`spec/formats.md` §1.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

EARLIEST = 1_420_070_400_000
"""2015-01-01 UTC in milliseconds: what claims to be older comes from a broken clock (`spec/formats.md` §1.3)."""
DAY = 86_400_000
SECONDS_BELOW = 10**11
"""Epoch numbers below are seconds, others milliseconds (`spec/formats.md` §1.3)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def instant(value: Any, now: int) -> tuple[int | None, bool]:
    """A recorded time as milliseconds since 1970, and whether it is doubtful.

    `value` is ISO 8601 text with Z, offset or nothing (read as UTC), or epoch seconds (whole or fractional) or
    milliseconds; `now` is the present in milliseconds. Doubtful: missing, unreadable, without a zone, before 2015, more
    than a day in the future. A doubtful time never decides which statement is newer.
    """
    at, zoned = _iso(value) if isinstance(value, str) else _number(value)
    if at is None:
        return None, True
    return at, not zoned or at < EARLIEST or at > now + DAY


def _number(value: Any) -> tuple[int | None, bool]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, False
    return _epoch(value), True


def _epoch(value: float) -> int | None:
    try:
        at = int(value * 1000 if abs(value) < SECONDS_BELOW else value)
    except (ValueError, OverflowError):
        return None
    return at if abs(at) < 1 << 53 else None


def _iso(text: str) -> tuple[int | None, bool]:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None, False
    zoned = moment.tzinfo is not None
    try:
        since = (moment if zoned else moment.replace(tzinfo=UTC)) - _EPOCH
    except OverflowError:
        return None, False
    return since // _MILLISECOND, zoned
