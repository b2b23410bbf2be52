"""Dates are short and never ambiguous about the year."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tui.dates import ago, day, moment, said

TODAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_day_of_this_year_has_no_year() -> None:
    assert day("2026-11-30", TODAY) == "today"
    assert day("2026-11-01", TODAY) == "1 Nov"
    assert day("2025-09-20T10:00:00Z", TODAY) == "20 Sep 2025"
    assert day("some time ago", TODAY) == "some time a"


def test_an_instant_of_today_has_its_time() -> None:
    assert moment("2026-11-30T09:05:00Z", NOW) == "today 09:05"
    assert moment("2026-11-28T09:05:00Z", NOW) == "28 Nov"
    assert moment("2024-11-28", NOW) == "28 Nov 2024"
    assert moment("never", NOW) == "never"


def test_how_long_something_lies_in_the_trash() -> None:
    assert [ago(text, TODAY) for text in ("2026-11-30", "2026-11-29", "2026-11-27", "?")] == [
        "today",
        "1 day",
        "3 days",
        "",
    ]


def test_how_long_ago_something_was_said() -> None:
    days = ["2026-11-30T09:00Z", "2026-11-29T23:00Z", "2026-11-17T10:00Z", "2026-11-16T10:00Z", "2026-11-09T10:00Z"]
    assert [said(text, NOW) for text in days] == ["today", "yesterday", "13 days ago", "2 weeks ago", "3 weeks ago"]
    assert [said(text, NOW) for text in ("2026-08-30", "2024-11-30", "2026-12-02T10:00Z", "once", "")] == [
        "3 months ago",
        "2 years ago",
        "today",
        "",
        "",
    ]
