"""When a fact holds or happens, as milliseconds and as text for a person (`spec/extraction.md` §25).

Times are whole minutes. A time without a zone stands for itself: it is kept and shown as it was said, never shifted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from pipeline.extract.evidence import minute
from store.errors import BadInput
from store.fields import is_integer

TEMPORAL_TYPES = ("undated", "point", "interval", "open_ended")
WHEN = "use a day (2026-12-01), two days (2026-12-01 to 2026-12-05), or from 2026-12-01"
"""How a person writes when something is."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_740_000
"""The last minute of the year 9999, in milliseconds."""
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII)
_DATE = r"(\d{4})(?:-(\d{1,2})-(\d{1,2})\b|\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号])"
_DATES = re.compile(rf"(?<![\d-]){_DATE}(?![-\d])", re.ASCII)
_BETWEEN = re.compile(r"\s*(?:to|until|through|till|and|–|—|-|~|至|到)\s*")


def valid_temporal(kind: str, started: int | None, ended: int | None) -> bool:
    """Whether the times fit the temporal type: `undated` has none, `point` a start and perhaps a later end.

    `interval` needs both, `open_ended` only a start. Times are milliseconds, not negative, whole minutes.
    """
    if any(time is not None and (time < 0 or time % 60_000) for time in (started, ended)):
        return False
    if kind == "undated":
        return started is None and ended is None
    if kind not in TEMPORAL_TYPES or started is None:
        return False
    if kind == "open_ended":
        return ended is None
    return ended > started if ended is not None else kind == "point"


def read_time(value: object) -> int | None:
    """Milliseconds of an ISO day or time, or of a number of them, floored to the minute; None for anything else."""
    if isinstance(value, str):
        return _read_iso(value.strip())
    if is_integer(value) and 0 <= value <= _LAST + 59_999:
        return minute(int(value))
    return None


def time_text(time: int) -> str:
    """A time as a day, with hours and minutes where it has any: `2026-12-01`, `2026-12-01 14:30`."""
    when = _EPOCH + timedelta(milliseconds=time)
    return f"{when:%Y-%m-%d}" if time % 86_400_000 == 0 else f"{when:%Y-%m-%d %H:%M}"


def instant_text(time: int) -> str:
    """An instant as it stands in a memory's file: `2026-11-30T14:02Z`."""
    return f"{_EPOCH + timedelta(milliseconds=minute(time)):%Y-%m-%dT%H:%MZ}"


def span_text(kind: str, started: int | None, ended: int | None) -> str:
    """When something is, for a person: `2026-12-01`, `2026-12-01 to 2026-12-05`, `from 2026-12-01`; "" when undated."""
    if started is None:
        return ""
    if ended is not None:
        return f"{time_text(started)} to {time_text(ended)}"
    return f"from {time_text(started)}" if kind == "open_ended" else time_text(started)


def read_span(text: str) -> tuple[str, int | None, int | None] | None:
    """Temporal type, start and end of what a person wrote, "" being undated; None when it says no time."""
    words = " ".join(text.split())
    if not words:
        return "undated", None, None
    if words.startswith("from "):
        started = _read_iso(words.removeprefix("from "))
        return None if started is None else ("open_ended", started, None)
    first, apart, last = words.partition(" to ")
    started, ended = _read_iso(first), _read_iso(last) if apart else None
    kind = "interval" if apart else "point"
    if (apart and ended is None) or not valid_temporal(kind, started, ended):
        return None
    return kind, started, ended


def as_written(text: str) -> str:
    """When something is, as it stands in a memory's file, from what a person wrote; "" for nothing.

    Raises `BadInput` when it says no time.
    """
    span = read_span(text)
    if span is None:
        raise BadInput(f"{text.strip()[:40]!r} says no time; {WHEN}.")
    return span_text(*span)


def dated(content: str) -> tuple[str, int | None, int | None]:
    """The time that a text names in full, by rule: one day, or two with a word between them; else ("", None, None)."""
    hits = [(hit, time) for hit in _DATES.finditer(content) if (time := _day(hit)) is not None]
    if len(hits) == 1:
        return "point", hits[0][1], None
    if len(hits) == 2 and _BETWEEN.fullmatch(content[hits[0][0].end() : hits[1][0].start()]):
        started, ended = hits[0][1], hits[1][1]
        return ("interval", started, ended) if ended > started else ("", None, None)
    return "", None, None


def _day(hit: re.Match[str]) -> int | None:
    month, day = hit[2] or hit[4], hit[3] or hit[5]
    return _read_iso(f"{hit[1]}-{month:0>2}-{day:0>2}")


def _read_iso(text: str) -> int | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH
    time = since // timedelta(milliseconds=1)
    return minute(time) if 0 <= time <= _LAST + 59_999 else None
