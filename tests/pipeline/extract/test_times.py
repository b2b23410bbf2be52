"""When a fact is: read from a model and from a person, kept to the minute, written so that it is read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.facets.times import (
    TEMPORAL_TYPES,
    dated,
    instant_text,
    read_span,
    read_time,
    span_text,
    time_text,
    valid_temporal,
)

DAY = 86_400_000
DECEMBER = 1_796_083_200_000
"""2026-12-01, midnight."""


@pytest.mark.parametrize(
    ("given", "time"),
    [
        ("2026-12-01", DECEMBER),
        (" 2026-12-01T14:30 ", DECEMBER + 52_200_000),
        ("2026-12-01 14:30:59.5", DECEMBER + 52_200_000),
        ("2026-12-01T14:30Z", DECEMBER + 52_200_000),
        ("2026-12-01T14:30+02:00", DECEMBER + 45_000_000),
        (DECEMBER + 61_000, DECEMBER + 60_000),
        (60_000.0, 60_000),
        (0, 0),
        ("1970-01-01", 0),
        ("9999-12-31T23:59", 253_402_300_740_000),
        ("1969-12-31", None),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("tomorrow", None),
        ("2026-12", None),
        ("20261201", None),
        ("", None),
        (-60_000, None),
        (10**18, None),
        (1.5, None),
        (True, None),
        (None, None),
        (["2026-12-01"], None),
    ],
)
def test_a_time_is_a_day_or_minute_in_iso_form_or_milliseconds(given: object, time: int | None) -> None:
    assert read_time(given) == time


TIMES = st.integers(0, 253_402_300_740_000 // 60_000).map(lambda minute: minute * 60_000)


@given(TIMES)
def test_property_a_time_is_read_as_it_was_written(time: int) -> None:
    assert read_time(time_text(time)) == time == read_time(instant_text(time))


@given(st.sampled_from(TEMPORAL_TYPES), st.none() | TIMES, st.none() | TIMES)
def test_property_what_a_person_sees_says_when_it_is(kind: str, started: int | None, ended: int | None) -> None:
    if not valid_temporal(kind, started, ended):
        return
    seen = read_span(span_text(kind, started, ended))
    assert seen == ("interval" if kind == "point" and ended is not None else kind, started, ended)


@given(st.text(max_size=40) | st.from_regex(r"(from )?2026-1[0-3]-[0-3]\d( to 2026-1[0-3]-[0-3]\d)?", fullmatch=True))
def test_property_whatever_a_person_writes_is_a_time_that_holds_or_none(text: str) -> None:
    found = read_span(text)
    assert found is None or valid_temporal(*found)


def test_an_end_before_the_start_and_a_half_written_span_are_no_time() -> None:
    assert read_span("2026-12-05 to 2026-12-01") is None
    assert read_span("2026-12-05 to") is None and read_span("from") is None and read_span("to 2026-12-05") is None
    assert read_span("  ") == ("undated", None, None)


@pytest.mark.parametrize(
    ("content", "when"),
    [
        ("The release is due on 2026-12-01", "2026-12-01"),
        ("我们定于2026年12月1日上线", "2026-12-01"),
        ("The freeze runs from 2026-12-01 to 2026-12-05.", "2026-12-01 to 2026-12-05"),
        ("冻结期2026年12月1日至2026年12月5日", "2026-12-01 to 2026-12-05"),
        ("Moved from 2026-12-05 to 2026-12-01", ""),
        ("Either 2026-12-01 or, failing that, 2026-12-05", ""),
        ("Build 2026-12-01-0001 is broken", ""),
        ("On 2026-02-30 nothing happens", ""),
        ("The release is on 1 December", ""),
        ("The office is closed", ""),
    ],
)
def test_a_day_that_a_text_names_in_full_is_found_by_rule(content: str, when: str) -> None:
    assert span_text(*dated(content)) == when


@given(st.text("0123456789-年月日 to", max_size=40))
def test_property_a_day_found_by_rule_is_a_time_that_holds(content: str) -> None:
    kind, started, ended = dated(content)
    assert (kind, started, ended) == ("", None, None) or valid_temporal(kind, started, ended)
