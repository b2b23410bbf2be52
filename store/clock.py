"""The one clock. `MEMDESK_NOW`, an ISO instant with a zone, stops it for tests, pictures and children."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from store.errors import BadInput

FIXED = "MEMDESK_NOW"


def now() -> datetime:
    """The present instant, with the zone in which this machine (or `MEMDESK_NOW`) reckons days.

    Raises `BadInput` when `MEMDESK_NOW` is not an ISO instant with a zone.
    """
    fixed = os.environ.get(FIXED)
    if not fixed:
        return datetime.now().astimezone()
    try:
        instant = datetime.fromisoformat(fixed)
        instant.astimezone(UTC)
    except (ValueError, OverflowError):
        instant = datetime.min
    if instant.tzinfo is None:
        raise BadInput(f"{FIXED} is not an ISO instant with a zone; write it like 2026-11-30T10:00:00+00:00.")
    return instant


def today() -> date:
    """The local calendar date (`spec/bank.md`, "How to read this file")."""
    return now().date()


def stamp(instant: datetime | None = None) -> str:
    """An instant as ISO text in UTC with milliseconds, for audit lines and history rows."""
    return (instant or now()).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis(instant: datetime | None = None) -> int:
    """An instant as whole milliseconds since 1970, the unit of the extraction ledger (`spec/extraction.md` §3)."""
    return int((instant or now()).timestamp() * 1000)
