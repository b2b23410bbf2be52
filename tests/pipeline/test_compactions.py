"""A session that was compacted: each compaction ends a run of its own, and what failed is retried as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.checkpoints import boundaries
from pipeline.extract.ledger.control import read_cursor
from tests.pipeline.one_run import ERROR, NOTHING, found, run, session
from tests.pipeline.review_desk import desk

pytestmark = pytest.mark.usefixtures("stopped_clock")


@given(st.lists(st.integers(0, 30), max_size=6), st.integers(0, 30), st.integers(-1, 30), st.integers(-1, 30))
def test_property_runs_end_at_each_new_compaction_in_order_and_then_at_the_end(
    compactions: list[int], end: int, cursor: int, frozen: int
) -> None:
    found = boundaries(compactions, end, cursor, frozen)
    assert found[-1] == end and list(found) == sorted(set(found))
    assert set(found[:-1]) == {seq for seq in compactions if cursor < seq < end and seq >= frozen}


def test_each_compaction_that_was_never_reached_ends_a_run_of_its_own_before_the_end_of_the_session() -> None:
    bank = desk()
    talk = session("CI runs on Buildkite.", "Lunch.", "Tea is at four.", "Supper.", compactions=(2,))
    report = run(bank, talk, [*found(1, "CI runs on Buildkite"), NOTHING])
    assert report.sessions[0].result.windows == ((1, 2), (3, 4))
    assert len(bank.view().rows("receipts")) == 2 and len(report.proposals) == 1


def test_a_frozen_range_over_a_compaction_is_retried_as_a_whole() -> None:
    bank = desk()
    run(bank, session("One.", "Two.", "Three."), [ERROR])
    report = run(bank, session("One.", "Two.", "Three.", "Four.", compactions=(2,)), [NOTHING, NOTHING])
    result = report.sessions[0].result
    assert result.recovered is not None and result.recovered.windows == ((1, 3),) and result.windows == ((4, 4),)


def test_the_bound_on_windows_holds_over_all_checkpoints_of_a_session() -> None:
    bank = desk()
    talk = session(*(f"Message number {number}." for number in range(1, 7)), compactions=(2, 4))
    report = run(bank, talk, [NOTHING, NOTHING], max_windows_per_run=2)
    assert report.sessions[0].result.more and read_cursor(bank.view(), talk.key).seq == 4
    run(bank, talk, [NOTHING])
    assert read_cursor(bank.view(), talk.key).seq == 6
