"""Times as tools write them, and which of them may decide what is newer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats.times import instant
from tests.pipeline.formats.writing import NOW_MS


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("2026-05-01T10:00:00Z", (1777629600000, False)),
        ("2026-05-01T12:00:00.250+02:00", (1777629600250, False)),
        ("2026-05-01T10:00:00", (1777629600000, True)),
        ("2026-05-01", (1777593600000, True)),
        (1777629600, (1777629600000, False)),
        (1777629600.5, (1777629600500, False)),
        (1777629600000, (1777629600000, False)),
        (99_999_999_999, (99_999_999_999_000, True)),
        (100_000_000_000, (100_000_000_000, True)),
        ("2014-12-31T23:59:59Z", (1420070399000, True)),
        ("2015-01-01T00:00:00Z", (1420070400000, False)),
        (NOW_MS + 86_400_000, (NOW_MS + 86_400_000, False)),
        (NOW_MS + 86_400_001, (NOW_MS + 86_400_001, True)),
        ("yesterday", (None, True)),
        ("", (None, True)),
        (None, (None, True)),
        (True, (None, True)),
        (float("nan"), (None, True)),
        (float("inf"), (None, True)),
        (10**400, (None, True)),
        ("0001-01-01T00:00:00+23:59", (-62135683140000, True)),
        ([], (None, True)),
    ],
)
def test_a_time_is_read_with_its_doubt(value: Any, want: tuple[int | None, bool]) -> None:
    assert instant(value, NOW_MS) == want


@given(st.datetimes(datetime(2015, 1, 2), datetime(2026, 11, 1), timezones=st.just(UTC)))
def test_property_an_instant_is_the_same_in_every_notation(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    at = int(moment.timestamp()) * 1000 + moment.microsecond // 1000
    assert instant(moment.isoformat(), NOW_MS) == instant(at, NOW_MS) == (at, False)
