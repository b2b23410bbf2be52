"""Ranges that nothing was learnt from: listed, looked at, evaluated again by hand, or given up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import review
from pipeline.extract.evidence import Entry
from pipeline.extract.ledger.control import NO_CURSOR, denied_before, read_cursor
from pipeline.extract.rerun import Span, halves
from pipeline.extraction import extract
from pipeline.formats.session import Session
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from pipeline.review import LeftOut
from store.bank import Bank
from store.changes import PutRow
from store.errors import AlreadyDecided, BadInput
from tests.pipeline.one_run import ERROR, NOTHING, TALK, UNSURE, found, given_up, run, session
from tests.pipeline.review_desk import CI, NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")


def test_a_range_that_failed_once_is_listed_as_frozen_with_its_class_and_its_messages() -> None:
    bank = desk()
    run(bank, TALK, [ERROR])
    one = review.failures(bank.view())[0]
    assert (one.session, one.after, one.through, one.state) == ("claude-code/one", -1, 2, "frozen")
    assert (one.failure_class, one.attempts, one.at, one.path, one.project) == ("provider", 1, NOW, "one.jsonl", "api")
    assert one.id == "claude-code/one#0-2"
    assert [record.text for record in review.preview(TALK, one)] == ["CI runs on Buildkite.", "And lunch is at noon."]
    assert [record.text for record in review.preview(TALK, one, most=1)] == ["CI runs on Buildkite."]


def test_a_preview_masks_secrets() -> None:
    bank = desk()
    talk = session("the token is ghp_" + "a1b2" * 10)
    run(bank, talk, [ERROR])
    assert "a1b2" not in review.preview(talk, review.failures(bank.view())[0])[0].text


def test_a_range_that_failed_twice_is_listed_as_given_up_with_both_classes() -> None:
    bank = desk()
    run(bank, TALK, [UNSURE])
    run(bank, TALK, [ERROR])
    one = review.failures(bank.view())[0]
    assert (one.state, one.failure_class, one.first_class, one.attempts) == (
        "given up",
        "provider",
        "localization",
        2,
    )
    assert read_cursor(bank.view(), TALK.key).seq == 2


def test_evaluating_a_given_up_range_again_by_hand_finds_its_facts_and_takes_it_off_the_list() -> None:
    bank = desk()
    one = given_up(bank, TALK)
    report = run(bank, TALK, found(1, "CI runs on Buildkite"), review.again(one))
    assert [waiting.statement for waiting in report.proposals] == [CI]
    assert review.failures(bank.view()) == () and read_cursor(bank.view(), TALK.key).seq == 2
    again = run(bank, TALK, [])
    assert again.sessions[0].state == "nothing new"


def test_another_model_may_try_a_given_up_range() -> None:
    bank = desk()
    talk = session("Remember that the deploy script needs VPN.")
    one = given_up(bank, talk)
    report = extract([talk], bank, OfflineDoor(), spans=[review.again(one)])
    assert ["VPN" in waiting.statement for waiting in report.proposals] == [True]
    assert review.failures(bank.view()) == ()


def test_a_try_by_hand_that_fails_changes_nothing() -> None:
    bank = desk()
    run(bank, TALK, [ERROR])
    before = {name: dict(rows) for name, rows in bank.view().tables.items() if name != "sessions"}
    report = run(bank, TALK, [ERROR], review.again(review.failures(bank.view())[0]))
    assert report.sessions[0].result.reason == "failure: provider"
    assert {name: dict(rows) for name, rows in bank.view().tables.items() if name != "sessions"} == before


def test_a_frozen_range_that_is_evaluated_by_hand_frees_what_follows_it() -> None:
    bank = desk()
    run(bank, TALK, [ERROR])
    run(bank, TALK, found(1, "CI runs on Buildkite"), review.again(review.failures(bank.view())[0]))
    assert review.failures(bank.view()) == () and not bank.view().rows("failures")
    assert read_cursor(bank.view(), TALK.key).seq == 2
    longer = session("CI runs on Buildkite.", "And lunch is at noon.", "We deploy on Fridays.")
    report = run(bank, longer, found(3, "We deploy on Fridays", "Deploys are on Fridays."))
    assert report.sessions[0].result.windows == ((3, 3),)


def test_a_range_can_be_split_in_two_calls() -> None:
    bank = desk()
    one = given_up(bank, TALK)
    report = run(bank, TALK, [*found(1, "CI runs on Buildkite"), NOTHING], review.again(one, halves=True))
    assert report.sessions[0].result.windows == ((1, 1), (2, 2))
    assert review.failures(bank.view()) == ()


def test_the_first_half_stays_evaluated_when_the_second_fails() -> None:
    bank = desk()
    one = given_up(bank, TALK)
    report = run(bank, TALK, [*found(1, "CI runs on Buildkite"), ERROR], review.again(one, halves=True))
    assert report.sessions[0].result.reason == "failure: provider"
    assert [waiting.statement for waiting in review.queue(bank.view(), NOW)] == [CI]
    assert review.failures(bank.view()) == (one,)


def test_giving_a_frozen_range_up_is_one_change_that_can_be_taken_back(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    run(bank, TALK, [ERROR])
    one = review.failures(bank.view())[0]
    done = bank.commit(review.give_up(bank.view(), one))
    assert done.reason == "give up messages 0 to 2 of one"
    after = review.failures(bank.view())[0]
    assert (after.state, after.after, after.through, after.failure_class) == ("given up", -1, 2, "provider")
    assert run(bank, TALK, []).sessions[0].state == "nothing new"
    with pytest.raises(AlreadyDecided):
        review.give_up(bank.view(), one)
    with pytest.raises(BadInput, match="left out already"):
        review.give_up(bank.view(), after)
    bank.undo(origin="screen")
    assert [left.state for left in review.failures(bank.view())] == ["frozen"]
    assert read_cursor(bank.view(), TALK.key).seq == NO_CURSOR
    bank.close()


def test_any_span_can_be_evaluated_again_and_adds_nothing_that_is_there() -> None:
    bank = desk()
    run(bank, TALK, found(1, "CI runs on Buildkite"))
    for _ in range(2):
        run(bank, TALK, found(1, "CI runs on Buildkite"), Span(0, 1))
    waiting = review.queue(bank.view(), NOW)
    assert [(one.statement, one.have) for one in waiting] == [(CI, 1)]
    assert read_cursor(bank.view(), TALK.key).seq == 2


def test_a_span_behind_the_cursor_never_moves_it_and_one_that_joins_it_does() -> None:
    bank = desk()
    run(bank, session("CI runs on Buildkite."), [NOTHING])
    longer = session("CI runs on Buildkite.", "And lunch is at noon.", "Tea is at four.")
    run(bank, longer, [NOTHING], Span(2, 3))
    assert read_cursor(bank.view(), TALK.key).seq == 1
    run(bank, longer, [NOTHING], Span(0, 2))
    assert read_cursor(bank.view(), TALK.key).seq == 2


def test_a_rejected_fact_stays_rejected_when_its_span_is_evaluated_again() -> None:
    bank = desk()
    run(bank, TALK, found(1, "CI runs on Buildkite"))
    bank.commit(review.reject(bank.view(), review.queue(bank.view(), NOW)[0], "no"))
    report = run(bank, TALK, found(1, "CI runs on Buildkite"), Span(0, 2))
    assert [fate.outcome for fate in report.sessions[0].result.fates] == ["suppressed"]
    assert review.queue(bank.view(), NOW) == ()


def denied(bank: Rehearsal, talk: Session = TALK) -> LeftOut:
    run(bank, talk, [], enabled=False)
    return review.denied(bank.view())[0]


def test_what_was_said_while_memory_was_off_is_evaluated_only_after_a_warning() -> None:
    bank = desk()
    one = denied(bank)
    assert (one.state, one.after, one.through, one.failure_class) == ("denied", -1, 2, "")
    assert review.failures(bank.view()) == ()
    refused = run(bank, TALK, [], review.again(one))
    assert refused.sessions[0].result.reason == "denied"
    assert refused.sessions[0].problem.startswith("Memory was off while some of these messages were written")
    run(bank, TALK, found(1, "CI runs on Buildkite"), review.again(one, override=True))
    assert review.denied(bank.view()) == ()
    assert [waiting.statement for waiting in review.queue(bank.view(), NOW)] == [CI]


def test_a_span_is_not_evaluated_while_memory_is_off() -> None:
    bank = desk()
    report = run(bank, TALK, [], Span(-1, 2), enabled=False)
    assert report.sessions[0].result.reason == "gate: disabled"
    assert not bank.view().rows("receipts") and not bank.view().rows("cursors")


def test_looking_for_what_a_remark_means_stops_where_memory_was_off() -> None:
    bank = desk()
    early = session("The staging cluster is called Orchid.")
    denied(bank, early)
    later = session("The staging cluster is called Orchid.", "Always deploy the staging cluster first.")
    asked = {"ok": {"status": "search_required", "search": {"terms": ["Orchid"]}}}
    report = run(bank, later, [asked])
    assert report.sessions[0].result.reason == "failure: localization"
    assert denied_before(bank.view(), later.key, 1) == 1 and denied_before(bank.view(), later.key, 0) == -1


def test_other_words_under_the_number_of_an_evaluated_operation_are_told_and_can_be_evaluated_by_hand() -> None:
    bank = desk()
    run(bank, TALK, [NOTHING])
    other = session("CI runs on Jenkins.", "And lunch is at noon.")
    report = run(bank, other, [])
    assert report.sessions[0].result.reason == "operation_reused"
    assert report.sessions[0].problem.endswith("go over the whole session again (--again).")
    run(bank, other, found(1, "CI runs on Jenkins", "CI runs on Jenkins."), Span(-1, 2))
    assert [one.statement for one in review.queue(bank.view(), NOW)] == ["CI runs on Jenkins."]
    run(bank, TALK, [])


def test_a_receipt_without_a_hash_is_believed() -> None:
    bank = desk()
    run(bank, TALK, [NOTHING])
    key = next(iter(bank.view().rows("receipts")))
    bank.record([PutRow("receipts", key, {"requestHash": None})])
    other = session("CI runs on Jenkins.", "And lunch is at noon.")
    assert run(bank, other, []).sessions[0].state == "nothing new"


ENTRIES = st.lists(
    st.tuples(st.integers(0, 2), st.booleans(), st.sampled_from([None, "one more", "said at length " * 9])), max_size=9
)


@given(ENTRIES)
def test_property_two_halves_are_the_range_cut_where_a_turn_begins_if_that_is_possible(
    given_entries: list[tuple[int, bool, str | None]],
) -> None:
    turn, entries = 0, []
    for seq, (step, typed, text) in enumerate(given_entries):
        turn += step
        role, author = ("user", "user") if typed else ("assistant", "model")
        entries.append(Entry(seq, role, author, text, turn))  # type: ignore[arg-type]
    parts = halves(entries)
    assert [entry for part in parts for entry in part] == entries and len(parts) in (1, 2)
    if len(parts) == 2:
        told = [[entry for entry in part if entry.author == "user" and entry.text] for part in parts]
        assert all(told)
        if parts[0][-1].turn == parts[1][0].turn:
            turns = [
                {entry.turn for entry in entries[:at]} & {entry.turn for entry in entries[at:]} for at in _cuts(entries)
            ]
            assert all(turns)


def _cuts(entries: list[Entry]) -> list[int]:
    """Places with words of the person on both sides."""
    told = [at for at, entry in enumerate(entries) if entry.author == "user" and entry.text]
    return list(range(told[0] + 1, told[-1] + 1)) if told else []
