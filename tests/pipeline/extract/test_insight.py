"""Insights: asked about with what is left of the calls, kept only with the person's own words, decided on in Review."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import review
from pipeline.bounded import BoundedDoor
from pipeline.extract.effects import Called, Calling, Told
from pipeline.extract.options import Options
from pipeline.extract.reflection.insight import Insight, classify, read_insights
from pipeline.extract.stages import Propose, Reflect
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from pipeline.reply import ModelProblem, Reply
from store.changes import PutRow
from store.settings import bank_change
from tests.pipeline.review_desk import NOW, desk, live, memory

pytestmark = pytest.mark.usefixtures("stopped_clock")

SAID = "we lost a day again because the staging data was stale"
SECRET = "ghp_exampleexampleexample0123456789"
SHOWN = "The user keeps losing time to stale data in the staging environment."


class Reflecting(OfflineDoor):
    """The rules for facts, and a model that says what the test wants about insights."""

    name = "scripted"

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Reflect] = []

    def reflect(self, question: Reflect, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.asked.append(question)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, ModelProblem):
            return reply
        return Reply(reply if isinstance(reply, str) else json.dumps(reply), 10, 5, 0.25, 1.0)


def talk(*texts: str, name: str = "s-1", tool: str = "") -> Session:
    turns = [Turn(at, f"line {at}", Author.TYPED, text, NOW + at, turn=at) for at, text in enumerate(texts, 1)]
    if tool:
        turns.append(Turn(len(turns) + 1, "line t", Author.TOOL, tool, NOW, turn=1))
    return Session("claude-code", name, f"/t/{name}.jsonl", tuple(turns), project="/home/mei/api")


def found(text: str = SHOWN, quote: str = SAID, ref: str = "event:1", **more: Any) -> dict[str, Any]:
    evidence = [{"sourceRef": ref, "quote": quote}]
    return {"insight": text, "tags": ["staging"], "quality": "high", "evidence": evidence} | more


def run(bank: Rehearsal, door: Any, *sessions: Session, told: list[Told] | None = None) -> ExtractReport:
    return extract(sessions or [talk(SAID)], bank, door, Options(), on_event=(told if told is not None else []).append)


def only(bank: Rehearsal) -> review.Waiting:
    (one,) = [one for one in review.queue(bank.view(), NOW) if one.kind == "insight"]
    return one


def test_an_insight_waits_with_the_words_it_rests_on_and_becomes_a_memory_when_approved() -> None:
    bank, door, told = desk(), Reflecting({"insights": [found()]}), list[Told]()
    report = run(bank, door, told=told)
    waiting = only(bank)
    assert [one.id for one in report.proposals] == [waiting.id]
    assert (waiting.state, waiting.by, waiting.reason) == ("ready", "scripted", "high quality")
    assert [(one.text, one.ref, one.session) for one in waiting.quotes] == [(SAID, "line 1", "s-1")]
    bank.commit(review.approve(bank.view(), waiting))
    kept = bank.view().live[0]
    assert (kept.statement, kept.label, list(kept.tags), kept.source, kept.type) == (
        SHOWN,
        "insight",
        ["staging"],
        "memory_extract",
        "FACT",
    )
    assert dict(kept.extra) == {"quality": "high", "observed": "2026-11-30T10:00Z"}
    assert kept.evidence == "claude-code/s-1#line 1"
    assert [(one.stage, one.number, one.budget) for one in told if isinstance(one, Calling)][-1] == ("reflect", 2, 3)
    assert [(one.found, one.cost) for one in told if isinstance(one, Called) and one.stage == "reflect"] == [(1, 0.25)]


def test_insights_are_asked_for_where_calls_wait_for_their_turn_too() -> None:
    """As in the Sessions screen, whose runs share one bounded door."""
    bank = desk()
    run(bank, BoundedDoor(Reflecting({"insights": [found()]}), 2))
    assert only(bank).quotes[0].text == SAID
    run(bank, BoundedDoor(OfflineDoor(), 2), talk(SAID, name="s-2"))
    assert [one.session for one in only(bank).quotes] == ["s-1"]


def test_approving_nothing_writes_nothing_and_the_offline_rules_have_no_insights() -> None:
    bank = desk()
    run(bank, OfflineDoor())
    run(bank, Reflecting({"insights": []}), talk(SAID, name="s-2"))
    assert live(bank) == [] and list(bank.view().rows("proposals")) == []


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        (found(quote="we lost a week"), "bad quote", "not_verbatim"),
        (found(ref="event:2", quote="the tool says so"), "bad quote", "unknown_source"),
        (found(quote="we"), "bad quote", "short_quote"),
        (found() | {"evidence": []}, "bad quote", "no quote"),
        (found(f"The user's token is {SECRET}."), "secret", "secret"),
        (found() | {"tags": [SECRET]}, "secret", "secret"),
    ],
)
def test_what_the_person_did_not_say_in_so_many_words_is_refused(reply: Any, outcome: str, reason: str) -> None:
    bank, door = desk(), Reflecting({"insights": [reply]})
    report = run(bank, door, talk(SAID, tool="the tool says so and more"))
    assert [(one.outcome, one.reason) for one in report.sessions[0].fates] == [(outcome, reason)]
    assert (report.sessions[0].found, report.sessions[0].kept, report.sessions[0].out) == (1, 0, 1)
    assert list(bank.view().rows("proposals")) == []


def test_secrets_are_masked_before_the_model_sees_them() -> None:
    door = Reflecting("null")
    run(desk(), door, talk(f"{SAID}, the token is {SECRET}"))
    assert SECRET not in repr(door.asked) and SECRET not in door.asked[0].records[0].raw


@pytest.mark.parametrize("reply", ["", "null", "not json", "[]", '{"insights": 3}', '[{"insight": "  "}]', "[" * 5000])
def test_a_reply_without_an_insight_fails_nothing(reply: str) -> None:
    bank = desk()
    report = run(bank, Reflecting(reply), talk("Remember that the deploy script needs VPN."))
    assert report.sessions[0].problem == "" and len(bank.view().rows("gaps")) == 1
    assert list(bank.view().rows("proposals")) == []


@pytest.mark.parametrize("kind", ["provider", "timeout", "configuration"])
def test_a_failing_call_for_insights_never_costs_a_fact(kind: Any) -> None:
    bank, told = desk(), list[Told]()
    said = talk("Remember that the deploy script needs VPN.")
    report = run(bank, Reflecting(ModelProblem(kind, "No answer.")), said, told=told)
    assert (report.sessions[0].problem, len(bank.view().rows("gaps"))) == ("", 1)
    assert [one.problem for one in told if isinstance(one, Called)][-1] == kind


def test_a_person_who_stops_the_run_stops_it_before_insights_are_asked_for() -> None:
    bank, stop = desk(), list[bool]()

    class Stopping(Reflecting):
        def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
            stop.append(True)
            return super().propose(question, cancelled)

    door = Stopping({"insights": [found()]})
    extract([talk(SAID)], bank, door, Options(), cancelled=lambda: bool(stop))
    assert door.asked == [] and list(bank.view().rows("cursors")) == []


def test_no_call_is_made_when_the_facts_used_them_all_and_it_is_noted() -> None:
    class Thorough(Reflecting):
        def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
            return Reply('{"status": "search_required", "search": {"terms": ["deploy"]}}')

    bank, door = desk(), Thorough({"insights": [found()]})
    report = run(bank, door, talk("Remember that the deploy script needs VPN."))
    assert (door.asked, report.sessions[0].result.calls, len(bank.view().rows("gaps"))) == ([], 3, 1)
    assert [one.kind for one in report.sessions[0].result.audits] == ["reflection_skipped"]


def test_small_talk_and_what_an_insight_says_already_is_not_asked_about() -> None:
    known = memory(1, "we deploy every Friday at 18:00", label="insight")
    door = Reflecting({"insights": [], "suggestions": []})
    run(desk(known), door, talk("ok", "thanks!!", "好的，谢谢", "hello"))
    assert door.asked == []
    bank = desk(known)
    bank.commit(_switched("suggestions", "off"))
    run(bank, door, talk("we deploy every Friday at 18:00 UTC"))
    assert door.asked == []
    run(bank, door, talk("history of the auth module", name="s-2"))
    assert [one.text for one in door.asked[0].records] == ["history of the auth module"]
    assert (door.asked[0].insights, door.asked[0].suggestions) == (True, False)


def _switched(key: str, value: str) -> Any:
    from store.changes import Changeset

    return Changeset((bank_change(key, value),), f"set {key}")


def test_a_bank_can_switch_insights_off_and_name_words_that_always_count() -> None:
    bank, door = desk(), Reflecting({"insights": [found()], "suggestions": []})
    for key in ("insights", "suggestions"):
        bank.commit(_switched(key, "off"))
    run(bank, door)
    assert door.asked == []
    bank.commit(_switched("insights", "on"))
    bank.commit(_switched("insight_keywords", "ok, VPN"))
    run(bank, door, talk("ok", name="s-2"))
    assert [one.text for one in door.asked[0].records] == ["ok"]


@pytest.mark.parametrize("label", ["insight", "content"])
def test_an_insight_that_the_bank_holds_already_is_not_proposed(label: str) -> None:
    bank = desk(memory(1, "The user keeps losing time to stale data in the staging environment!", label=label))
    report = run(bank, Reflecting({"insights": [found()]}))
    said = [(one.outcome, one.reason) for one in report.sessions[0].fates]
    assert said == [("duplicate", "the bank says so already")]
    assert list(bank.view().rows("proposals")) == []


def test_a_rule_or_persona_of_the_same_words_never_takes_an_insights_place() -> None:
    bank = desk(memory(1, SHOWN.replace("environment", "system"), label="rule"))
    run(bank, Reflecting({"insights": [found()]}))
    assert only(bank).statement == SHOWN


def test_what_waits_as_a_fact_is_not_proposed_a_second_time_as_an_insight() -> None:
    bank = desk()
    said = "Remember that the deploy script needs VPN."
    report = run(bank, Reflecting({"insights": [found("the deploy script needs VPN", said)]}), talk(said))
    assert [one.kind for one in report.proposals] == ["fact"]
    assert [(one.outcome, one.reason) for one in report.sessions[0].fates][-1] == (
        "duplicate",
        "it waits as a fact already",
    )


def test_an_insight_that_the_same_session_gives_again_is_counted_once() -> None:
    bank = desk()
    said = "预发布环境的数据又过期了"
    run(bank, Reflecting({"insights": [found(SHOWN, said)]}), talk(said))
    run(bank, Reflecting({"insights": [found(SHOWN, said, "event:2")]}), talk(said, said))
    (row,) = bank.view().rows("proposals").values()
    assert (row["timesSeen"], [quote["ref"] for quote in row["quotes"]]) == (1, ["line 1", "line 2"])


def test_an_insight_seen_again_is_counted_with_its_new_words_and_comes_back_when_it_was_put_off() -> None:
    bank = desk()
    run(bank, Reflecting({"insights": [found(quality="low")]}))
    bank.commit(review.postpone(bank.view(), only(bank)))
    again = found(SHOWN.replace("keeps", "goes on"), "预发布环境的数据又过期了")
    report = run(bank, Reflecting({"insights": [again]}), talk("预发布环境的数据又过期了", name="s-2"))
    waiting = only(bank)
    (row,) = bank.view().rows("proposals").values()
    assert (waiting.state, waiting.statement, row["timesSeen"], row["confidence"]) == ("ready", SHOWN, 2, 0.8)
    assert waiting.fields["evidence"] == "claude-code/s-1#line 1, claude-code/s-2#line 1"
    assert [one.session for one in waiting.quotes] == ["s-1", "s-2"]
    assert [one.id for one in report.proposals] == [waiting.id]


def test_a_rejected_insight_does_not_return_and_a_forgotten_one_neither() -> None:
    bank = desk()
    run(bank, Reflecting({"insights": [found()]}))
    bank.commit(review.reject(bank.view(), only(bank), "no"))
    again = run(bank, Reflecting({"insights": [found(SHOWN + " Often.")]}), talk(SAID, name="s-2"))
    assert [(one.outcome, one.reason) for one in again.sessions[0].fates] == [("suppressed", "you rejected it")]
    bank.commit(review.restore(bank.view(), review.rejected(bank.view(), NOW)[0]))
    bank.commit(review.approve(bank.view(), only(bank)))
    bank.commit(review.forget(bank.view(), [bank.view().live[0].id]))
    forgotten = run(bank, Reflecting({"insights": [found()]}), talk(SAID, name="s-3"))
    assert [one.outcome for one in forgotten.sessions[0].fates] == ["suppressed"]
    assert live(bank) == []


def test_running_again_asks_nothing_and_adds_nothing() -> None:
    bank, door = desk(), Reflecting({"insights": [found()]})
    run(bank, door)
    run(bank, door)
    assert len(door.asked) == 1 and len(bank.view().rows("proposals")) == 1


def test_an_approved_insight_can_be_edited_first() -> None:
    bank = desk()
    run(bank, Reflecting({"insights": [found()]}))
    bank.commit(review.approve(bank.view(), only(bank), edits={"statement": "Staging data goes stale every week."}))
    assert live(bank) == ["Staging data goes stale every week."]


def test_a_damaged_row_of_the_queue_is_left_out() -> None:
    bank = desk()
    bank.record([PutRow("proposals", "insight_x", {"kind": "insight", "changes": [{"op": "put"}, 3]})])
    assert [one.kind for one in review.queue(bank.view(), NOW)] == []


@pytest.mark.parametrize(
    ("text", "keywords", "extract", "layer"),
    [
        ("ok", ("ok",), True, "host keyword"),
        ("an okapi", ("ok",), True, "default"),
        ("oka", ("ok",), False, "too short"),
        ("!!! ??? 👍👍", (), False, "trivial words"),
        ("Got it, thank you!", (), False, "trivial words"),
        ("行报告", ("报告",), True, "host keyword"),
    ],
)
def test_the_classifier_says_which_layer_decided(text: str, keywords: tuple[str], extract: bool, layer: str) -> None:
    said = classify(text, keywords)
    assert (said.extract, said.layer) == (extract, layer)


_KEYS = st.sampled_from(["insight", "insights", "tags", "quality", "evidence", "sourceRef", "quote"])
_PLAIN = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(_PLAIN, lambda inner: st.lists(inner) | st.dictionaries(_KEYS, inner), max_leaves=12))
def test_fuzz_any_json_reads_as_some_insights(value: Any) -> None:
    for text in (json.dumps(value), f"Here:\n```json\n{json.dumps(value)}\n```\nDone."):
        assert all(isinstance(one, Insight) and one.text and 0 < one.score <= 0.8 for one in read_insights(text))


@given(st.text())
def test_fuzz_any_text_reads_as_some_insights(text: str) -> None:
    assert all(one.text for one in read_insights(text))


def test_a_fenced_reply_and_one_in_prose_are_read() -> None:
    body = json.dumps({"insight": "A.", "quality": "low"})
    for text in (body, f"```json\n{body}\n```", f"```\n{body}", f"Sure! {body} Anything else?", f"[{body}]"):
        assert read_insights(text) == (Insight("A.", (), "low"),)
