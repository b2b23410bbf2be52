"""Dates as a person reads them in a row: short, and never ambiguous about the year."""

from __future__ import annotations

from datetime import UTC, date, datetime

from store import clock

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(text: str, today: date | None = None) -> str:
    """A memory's date: `today`, `1 Nov`, or `1 Nov 2024` in another year; what is no date is shown as it is, cut."""
    try:
        when = date.fromisoformat(text[:10])
    except ValueError:
        return text[:11]
    return _day(when, today or clock.today())


def moment(text: str, now: datetime | None = None) -> str:
    """An instant of the history (ISO text): `today 14:02`, `28 Nov`, `28 Nov 2024`."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text[:16]
    now = now or clock.now()
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    when = when.astimezone(now.tzinfo)
    if when.date() == now.date():
        return f"today {when:%H:%M}"
    return _day(when.date(), now.date())


def ago(text: str, today: date | None = None) -> str:
    """Whole days since a date: `today`, `1 day`, `3 days`; "" for what is no date."""
    try:
        days = ((today or clock.today()) - date.fromisoformat(text[:10])).days
    except ValueError:
        return ""
    if days <= 0:
        return "today"
    return "1 day" if days == 1 else f"{days:,} days"


def said(text: str, now: datetime | None = None) -> str:
    """How long ago something was said (ISO text): `today`, `yesterday`, `5 days ago`, `3 weeks ago`, `2 years ago`.

    "" for what is no instant.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return ""
    now = now or clock.now()
    days = (now.date() - (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(now.tzinfo).date()).days
    if days < 2:
        return "yesterday" if days == 1 else "today"
    for unit, length in (("year", 365), ("month", 30), ("week", 7)):
        if days >= 2 * length:
            return f"{days // length} {unit}s ago"
    return f"{days} days ago"


def _day(when: date, today: date) -> str:
    if when == today:
        return "today"
    short = f"{when.day} {MONTHS[when.month - 1]}"
    return short if when.year == today.year else f"{short} {when.year}"
