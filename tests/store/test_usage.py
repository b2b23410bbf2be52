"""Usage counters: the file's values and the ledger's additions make one total."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.usage import (
    UsageSettings,
    add_query,
    add_signal,
    fingerprint,
    read_days,
    read_queries,
    record_use,
    with_usage,
    write_days,
    write_queries,
)
from store.view import View
from tests.conformance.memories import make

DAY = date(2026, 10, 12)
SLOTS = st.dictionaries(
    st.tuples(st.sampled_from("sgu"), st.dates().map(date.isoformat)), st.integers(1, 10**15 - 1), max_size=9
)
MARKS = st.dictionaries(st.from_regex("q[0-9a-f]{8}", fullmatch=True), st.integers(1, 99), max_size=20)


@given(SLOTS)
def test_property_days_survive_writing_and_reading(slots: dict[tuple[str, str], int]) -> None:
    assert read_days(write_days(slots)) == slots


@given(MARKS)
def test_property_queries_survive_writing_and_reading(marks: dict[str, int]) -> None:
    assert read_queries(write_queries(marks, slots=99)) == marks


@given(MARKS, st.text(min_size=1), st.integers(1, 12))
def test_property_a_new_query_always_gets_a_slot(marks: dict[str, int], query: str, slots: int) -> None:
    after = read_queries(add_query(write_queries(marks, 99), query, slots))
    assert fingerprint(query) in after
    assert len(after) <= slots


@given(st.text(alphabet="sgu0123456789-:|q af", max_size=60))
def test_fuzz_damaged_counters_never_stop_a_signal(text: str) -> None:
    assert read_days(add_signal(text, "s", DAY))["s", "2026-10-12"] >= 1
    assert fingerprint("kiln") in read_queries(add_query(text, "kiln"))


def test_a_newcomer_takes_the_place_of_the_one_that_sorts_last() -> None:
    """bank-D29: the full list keeps its first eleven, the newcomer is the twelfth."""
    full = "|".join(f"q0000000{mark:x}:{20 - mark}" for mark in range(12))
    after = add_query(full, "kiln").split("|")
    assert after == [*full.split("|")[:11], f"{fingerprint('kiln')}:1"]


def test_days_from_the_future_are_dropped_by_the_next_signal() -> None:
    assert add_signal("s2026-10-13:4|s2026-10-11:1", "g", DAY) == "g2026-10-12:1|s2026-10-11:1"


def test_the_same_query_in_another_case_is_the_same_query() -> None:
    assert fingerprint("Redis 缓存") == fingerprint("rEDIS 缓存")


@pytest.mark.parametrize(("signal", "keys"), [("g", {"hit_days"}), ("u", {"hit_days"})])
def test_only_a_search_counts_as_an_access(signal: Any, keys: set[str]) -> None:
    memory = make("kiln")
    (row,) = record_use(View.of([memory]), [memory.id], signal, DAY)
    assert (row.table, row.key, set(row.fields)) == ("usage", memory.id, keys)


def test_with_signals_switched_off_only_searches_leave_a_row() -> None:
    memory = make("kiln")
    off = UsageSettings(enabled=False)
    assert record_use(View.of([memory]), [memory.id], "u", DAY, settings=off) == []
    (row,) = record_use(View.of([memory]), [memory.id], "s", DAY, query="kiln", settings=off)
    assert dict(row.fields) == {"access_count": 1, "last_accessed": "2026-10-12"}


def test_an_id_that_is_unknown_gives_no_row() -> None:
    assert record_use(View.of([]), ["facts/gone.md"], "s", DAY) == []


def test_totals_join_the_file_and_the_ledger() -> None:
    memory = make(
        "kiln",
        access_count=3,
        last_accessed="2026-10-01",
        hit_days="s2026-10-12:1|s2026-06-01:9",
        hit_queries="q0000000a:2",
    )
    row = {
        "access_count": 2,
        "last_accessed": "2026-10-12",
        "hit_days": "s2026-10-12:2",
        "hit_queries": "q0000000a:1|q0000000b:1",
        "last_query": "q0000000b",
        "_rev": 4,
    }
    used = with_usage(memory, row)
    assert (used.access_count, used.last_accessed) == (5, "2026-10-12")
    assert (used.hit_days, used.hit_queries) == ("s2026-10-12:3", "q0000000a:3|q0000000b:1")


def test_the_later_access_counts_wherever_it_is_kept() -> None:
    assert with_usage(make("kiln", last_accessed="2026-10-12"), {"last_accessed": "2026-10-01"}).last_accessed == (
        "2026-10-12"
    )


def test_a_row_that_only_carries_a_score_changes_nothing() -> None:
    memory = make("kiln", hit_days="s2020-01-01:1")
    assert with_usage(memory, {"score": 0.7, "_rev": 1}) == memory
    assert with_usage(memory, None) is memory


@given(st.lists(st.tuples(st.sampled_from("sgu"), st.integers(0, 200)), min_size=1, max_size=12), st.integers(0, 12))
def test_property_totals_equal_counting_in_the_file(steps: list[tuple[Any, int]], split: int) -> None:
    """Signals counted partly by the engine in the file and then by Memdesk add up as if one had counted them all."""
    dates = sorted(DAY - timedelta(days=back) for _, back in steps)
    in_file = ledger = alone = ""
    for number, ((signal, _), day) in enumerate(zip(steps, dates, strict=True)):
        alone = add_signal(alone, signal, day)
        if number < split:
            in_file = add_signal(in_file, signal, day)
        else:
            ledger = add_signal(ledger, signal, day)
    assert with_usage(make("kiln", hit_days=in_file), {"hit_days": ledger}).hit_days == alone
