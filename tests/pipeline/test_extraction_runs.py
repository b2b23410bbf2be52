"""Extraction as a person runs it: transcripts in, waiting facts out, nothing twice, nothing behind their back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.effects import Called, Calling, Done, Judged, Settled, Started, Told
from pipeline.extract.options import Options
from pipeline.extract.rerun import Span
from pipeline.extract.stages import Propose
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from pipeline.reply import ModelProblem, Reply
from pipeline.run import SessionQueue
from store.changes import PutRow
from store.errors import StorageFailure
from tests.pipeline.review_desk import NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")


class Failing(OfflineDoor):
    """A model that fails in one way."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        if self.kind == "raises":
            raise RuntimeError("boom")
        return ModelProblem(self.kind, "The model said no.")


def session(name: str, *texts: str, **more: Any) -> Session:
    """A session in which the person typed these texts, an answer after each."""
    turns: list[Turn] = []
    for number, text in enumerate(texts):
        turns.append(Turn(2 * number + 1, f"{name}-u{number}", Author.TYPED, text, NOW + number, turn=number))
        turns.append(Turn(2 * number + 2, f"a{number}", Author.MODEL, "Noted.", NOW + number, turn=number))
    return Session("claude-code", name, f"{name}.jsonl", tuple(turns), project="/home/ada/work/api", **more)


REMEMBER = "Remember that the deploy script needs VPN."
DECIDED = "We decided to use Postgres 16 for the billing service."
NAME = "My name is Ada."


def states(bank: Rehearsal) -> dict[str, str]:
    return {one.statement: one.state for one in review.queue(bank.view(), NOW)}


def test_an_explicit_wish_is_ready_at_once_and_what_came_up_in_passing_waits_for_another_session() -> None:
    bank = desk()
    report = extract([session("one", REMEMBER, DECIDED)], bank, OfflineDoor())
    found = {one.statement: one for one in report.proposals}
    assert {one.state for one in found.values()} == {"ready", "open"}
    explicit = next(one for one in found.values() if "VPN" in one.statement)
    passing = next(one for one in found.values() if "Postgres" in one.statement)
    assert (explicit.state, passing.state) == ("ready", "open")
    assert explicit.quotes[0].text in REMEMBER and explicit.quotes[0].ref == "one-u0"
    assert passing.fields["project"] == "api" and (passing.have, passing.need) == (1, 2)
    assert bank.commits == []


def test_the_second_session_makes_a_passing_fact_ready_and_nothing_is_stored_without_a_person() -> None:
    bank = desk()
    extract([session("one", DECIDED), session("two", "Hello there.", DECIDED)], bank, OfflineDoor(), parallel=1)
    assert list(states(bank).values()) == ["ready"]
    waiting = review.queue(bank.view(), NOW)[0]
    assert [one.session for one in waiting.sightings] == ["claude-code/one", "claude-code/two"]
    assert [(one.session, one.ref) for one in waiting.quotes] == [("one", "one-u0"), ("two", "two-u1")]
    assert bank.view().live == () and bank.commits == []


def test_running_again_adds_nothing() -> None:
    bank = desk()
    sessions = [session("one", REMEMBER, DECIDED, NAME)]
    first = extract(sessions, bank, OfflineDoor())
    before = {name: dict(table) for name, table in bank.view().tables.items() if name != "sessions"}
    again = extract(sessions, bank, OfflineDoor())
    after = {name: dict(table) for name, table in bank.view().tables.items() if name != "sessions"}
    assert after == before
    assert first.proposals and again.proposals == () and again.refused == ()
    assert [report.state for report in again.sessions] == ["nothing new"]


def test_a_session_that_grew_is_evaluated_from_where_it_was_left() -> None:
    bank = desk()
    extract([session("one", DECIDED)], bank, OfflineDoor())
    report = extract([session("one", DECIDED, REMEMBER)], bank, OfflineDoor())
    assert [one.statement for one in report.proposals] == ["the deploy script needs VPN"]
    assert bank.view().rows("cursors")["claude-code/one"]["processedSeq"] == 4


def test_a_dry_run_reports_the_same_and_writes_nothing() -> None:
    bank = desk()
    view = bank.view()
    dry = extract([session("one", REMEMBER, NAME)], bank, OfflineDoor(), dry_run=True)
    assert bank.view() is view
    wet = extract([session("one", REMEMBER, NAME)], bank, OfflineDoor())
    assert [one.statement for one in dry.proposals] == [one.statement for one in wet.proposals]
    assert dry.dry_run and not wet.dry_run


def test_a_profile_fact_waits_with_its_words_and_is_not_proposed_a_second_time_as_a_fact() -> None:
    bank = desk()
    report = extract([session("one", NAME)], bank, OfflineDoor())
    assert [(one.kind, one.statement, one.confidence) for one in report.proposals] == [("profile", "name: Ada", 0.95)]
    waiting = report.proposals[0]
    assert (waiting.quotes[0].text, waiting.quotes[0].ref) == ("My name is Ada", "one-u0")
    assert waiting.state == "ready" and waiting.fields["label"] == "profile"
    assert (report.sessions[0].found, report.sessions[0].kept, report.sessions[0].out) == (1, 1, 0)


def test_a_profile_fact_seen_again_is_counted_and_a_decided_one_left_alone() -> None:
    bank = desk()
    extract([session("one", NAME), session("two", NAME)], bank, OfflineDoor(), parallel=1)
    row = next(iter(bank.view().rows("profile").values()))
    assert (row["timesSeen"], row["confidence"], len(row["quotes"])) == (2, 0.95, 2)
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0]))
    confirmed = dict(next(iter(bank.view().rows("profile").values())))
    assert extract([session("three", NAME)], bank, OfflineDoor()).proposals == ()
    assert dict(next(iter(bank.view().rows("profile").values()))) == confirmed


def test_a_session_counts_once_for_a_profile_fact_however_often_it_says_it_and_is_evaluated() -> None:
    bank, talk = desk(), session("one", NAME, NAME)
    extract([talk], bank, OfflineDoor())
    row = next(iter(bank.view().rows("profile").values()))
    assert (row["timesSeen"], row["sessions"], len(row["quotes"])) == (1, ["claude-code/one"], 2)
    before = dict(row)
    extract([talk], bank, OfflineDoor(), spans=[Span(-1, 4)])
    assert dict(next(iter(bank.view().rows("profile").values()))) == before
    extract([session("two", NAME)], bank, OfflineDoor())
    row = next(iter(bank.view().rows("profile").values()))
    assert (row["timesSeen"], row["sessions"]) == (2, ["claude-code/one", "claude-code/two"])


def test_evaluating_a_session_again_does_not_bring_back_a_profile_fact_that_was_put_off() -> None:
    bank, talk = desk(), session("one", NAME)
    extract([talk], bank, OfflineDoor())
    bank.commit(review.postpone(bank.view(), review.queue(bank.view(), NOW)[0]))
    extract([talk], bank, OfflineDoor(), spans=[Span(-1, 2)])
    assert review.queue(bank.view(), NOW) == ()
    assert [one.state for one in review.queue(bank.view(), NOW, postponed=True)] == ["postponed"]
    extract([session("two", NAME)], bank, OfflineDoor())
    assert review.queue(bank.view(), NOW)[0].state == "ready"


def test_a_rejected_profile_fact_does_not_return_and_a_forgotten_one_neither() -> None:
    bank = desk()
    extract([session("one", NAME)], bank, OfflineDoor())
    bank.commit(review.reject(bank.view(), review.queue(bank.view(), NOW)[0]))
    assert extract([session("two", NAME)], bank, OfflineDoor()).proposals == ()
    rejected = review.rejected(bank.view(), NOW)[0]
    bank.commit(review.restore(bank.view(), rejected))
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0]))
    bank.commit(review.forget(bank.view(), [bank.view().live[0].id]))
    assert extract([session("three", NAME)], bank, OfflineDoor()).proposals == ()
    assert review.queue(bank.view(), NOW) == ()


def test_a_forgotten_fact_does_not_come_back_with_the_next_session() -> None:
    bank = desk()
    extract([session("one", REMEMBER)], bank, OfflineDoor())
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0]))
    bank.commit(review.forget(bank.view(), [bank.view().live[0].id]))
    report = extract([session("two", REMEMBER)], bank, OfflineDoor())
    assert report.proposals == () and report.refused == (("suppressed", 1),)
    bank.commit(review.restore_memory(bank.view(), [bank.view().trashed[0].id]))
    extract([session("three", REMEMBER)], bank, OfflineDoor())
    assert review.queue(bank.view(), NOW) == () and len(bank.view().live) == 1


def test_an_approved_fact_that_the_person_edited_is_not_proposed_again() -> None:
    bank = desk()
    extract([session("one", REMEMBER)], bank, OfflineDoor())
    edited = {"statement": "The deploy script needs the company VPN."}
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0], edits=edited))
    assert extract([session("two", REMEMBER)], bank, OfflineDoor()).proposals == ()
    assert [one.statement for one in bank.view().live] == [edited["statement"]]


def test_a_postponed_fact_comes_back_when_another_session_says_it() -> None:
    bank = desk()
    extract([session("one", REMEMBER)], bank, OfflineDoor())
    bank.commit(review.postpone(bank.view(), review.queue(bank.view(), NOW)[0]))
    assert review.queue(bank.view(), NOW) == ()
    extract([session("two", REMEMBER)], bank, OfflineDoor())
    assert [one.have for one in review.queue(bank.view(), NOW)] == [2]


def test_tools_models_and_injected_text_are_never_evidence() -> None:
    bank = desk()
    turns = tuple(
        Turn(number, f"r{number}", author, REMEMBER, NOW)
        for number, author in enumerate(Author, 1)
        if author not in (Author.TYPED, Author.CHOSEN)
    )
    report = extract([Session("claude-code", "one", "one.jsonl", turns)], bank, OfflineDoor())
    assert report.proposals == () and [one.state for one in report.sessions] == ["skipped"]


def test_a_sub_agents_session_is_left_alone() -> None:
    bank = desk()
    report = extract([session("one", REMEMBER, subagent=True)], bank, OfflineDoor())
    assert [(one.state, one.problem) for one in report.sessions] == [("left alone", "")]
    assert dict(bank.view().rows("cursors")) == {}


@pytest.mark.parametrize("kind", ["provider", "timeout", "raises"])
def test_a_model_that_fails_twice_gives_the_range_up_and_rules_still_count(kind: str) -> None:
    bank = desk()
    first = extract([session("one", NAME)], bank, Failing(kind))
    assert first.failed and first.sessions[0].problem and first.sessions[0].state == "failed"
    assert bank.view().rows("failures")["claude-code/one"]["attempts"] == 1
    extract([session("one", NAME)], bank, Failing(kind))
    assert dict(bank.view().rows("failures")) == {}
    assert states(bank) == {"name: Ada": "ready"}


@pytest.mark.parametrize("kind", ["aborted", "configuration"])
def test_a_model_that_cannot_be_asked_leaves_no_trace_but_a_sentence(kind: str) -> None:
    bank = desk()
    report = extract([session("one", REMEMBER)], bank, Failing(kind))
    assert report.sessions[0].problem == "The model said no."
    assert dict(bank.view().rows("failures")) == {} and dict(bank.view().rows("cursors")) == {}


def test_stopping_writes_nothing_of_the_session_and_later_sessions_are_not_begun() -> None:
    bank, calls = desk(), []

    class Stopping(OfflineDoor):
        def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
            calls.append(question)
            return super().propose(question, cancelled)

    report = extract(
        [session("one", REMEMBER), session("two", REMEMBER)],
        bank,
        Stopping(),
        cancelled=lambda: bool(calls),
        parallel=1,
    )
    assert [one.state for one in report.sessions] == ["stopped", "stopped"]
    assert len(calls) == 1 and not any(bank.view().tables.values())


def test_one_session_that_breaks_the_bank_does_not_stop_the_others() -> None:
    class Full(Rehearsal):
        def record(self, rows: Any) -> None:
            if any(isinstance(row, PutRow) and row.key == "claude-code/one" for row in rows):
                raise StorageFailure("There is no space left on the disk; make room and try again.")
            super().record(rows)

    bank = Full()
    report = extract([session("one", REMEMBER), session("two", REMEMBER)], bank, OfflineDoor())
    assert [one.problem for one in report.sessions] == [
        "There is no space left on the disk; make room and try again.",
        "",
    ]
    assert list(bank.view().rows("cursors")) == ["claude-code/two"]


def test_a_long_session_is_cut_into_windows_and_every_message_is_seen() -> None:
    bank = desk()
    texts = [f"Remember that service number {number} listens on port {8000 + number}." for number in range(20)]
    report = extract([session("long", *texts)], bank, OfflineDoor(), Options(max_windows_per_run=2))
    result = report.sessions[0].result
    assert result.windows == ((1, 16), (17, 32)) and result.more
    extract([session("long", *texts)], bank, OfflineDoor())
    assert len(review.queue(bank.view(), NOW)) == 20


def test_the_run_tells_what_happens_without_any_text_of_the_session() -> None:
    told: list[Told] = []
    extract([session("one", REMEMBER)], desk(), OfflineDoor(), on_event=told.append)
    assert [type(event) for event in told] == [Started, Calling, Called, Judged, Calling, Called, Judged, Settled, Done]
    assert "Remember" not in repr([event for event in told if isinstance(event, Started | Calling | Called)])


def test_the_sessions_row_counts_what_was_found_kept_and_left_out() -> None:
    bank = desk()
    extract([session("one", REMEMBER, NAME)], bank, OfflineDoor())
    row = bank.view().rows("sessions")["claude-code/one"]
    assert (row["found"], row["kept"], row["out"], row["state"], row["project"]) == (2, 2, 0, "pending", "api")
    assert row["path"] == "one.jsonl" and row["lastRun"] == NOW
    extract([session("one", REMEMBER, NAME)], bank, OfflineDoor())
    assert bank.view().rows("sessions")["claude-code/one"]["found"] == 2


def test_facts_of_two_projects_do_not_corroborate_each_other() -> None:
    bank = desk()
    extract([session("one", DECIDED)], bank, OfflineDoor(), project="api")
    extract([session("two", DECIDED)], bank, OfflineDoor(), project="web")
    assert [(one.state, one.fields["project"]) for one in review.queue(bank.view(), NOW)] == [
        ("open", "api"),
        ("open", "web"),
    ]


def test_many_sessions_at_once_lose_no_sighting() -> None:
    bank = desk()
    sessions = [session(f"s{number}", DECIDED) for number in range(12)]
    report: ExtractReport = extract(sessions, bank, OfflineDoor(), parallel=6)
    assert not report.failed
    waiting = review.queue(bank.view(), NOW)
    assert [one.have for one in waiting] == [12]


def test_ex_131_jobs_of_one_session_run_in_order_and_one_at_a_time_while_others_overlap() -> None:
    line = SessionQueue(2)
    order: list[str] = []
    other_began, running = threading.Event(), threading.Lock()

    def job(name: str, wait: bool) -> Callable[[], None]:
        def work() -> None:
            if wait:
                assert running.acquire(blocking=False)
                assert other_began.wait(30)
                order.append(name)
                running.release()
            else:
                other_began.set()

        return work

    futures = [
        line.submit("s-1", job("3", True)),
        line.submit("s-1", job("6", True)),
        line.submit("s-2", job("4", False)),
    ]
    for future in futures:
        future.result(30)
    line.close()
    assert order == ["3", "6"]


def test_a_failing_job_does_not_hold_up_the_next_one_of_its_session() -> None:
    line = SessionQueue(1)

    def broken() -> None:
        raise ValueError("no")

    first, second = line.submit("s-1", broken), line.submit("s-1", lambda: "done")
    assert second.result(30) == "done"
    assert isinstance(first.exception(30), ValueError)
    line.close()


def test_profile_facts_are_found_line_by_line() -> None:
    bank = desk()
    report = extract([session("one", "Hi\nI live in Berlin\nthanks")], bank, OfflineDoor())
    assert [one.statement for one in report.proposals] == ["home: Berlin"]
    assert [one.state for one in report.sessions] == ["pending"]
    assert report.proposals[0].have == 1
