"""A small model is asked statement by statement, and what it says passes the same parser as every answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.answer import INCIDENTS, Citation, Complete, Incident, parse_canonical, parse_proposal
from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import Record
from pipeline.extract.prompts.by_statement import messages, schema, statements, takes, unwrap
from pipeline.extract.stages import Candidate, Canonicalize, Cited, Localize, OpenGap, Propose
from pipeline.model import LitellmDoor, ModelSettings, runs_here

ONE = Record("event:1", "Please fix the test. Exports use semicolons, not commas.", 1, 125_999)
TWO = Record("event:3", "ok", 3, 185_000)
ASK = Propose((ONE, TWO), 0)


def said(quote: str, kind: str, content: str | None = None) -> dict[str, str]:
    return {"quote": quote, "kind": kind} | ({"content": content} if content is not None else {})


def answered(first: Any, second: Any, third: Any) -> str:
    return json.dumps({"answer": {"event:1.1": first, "event:1.2": second, "event:3": third}})


def test_each_sentence_of_a_message_is_asked_about() -> None:
    assert [(one.ref, one.text) for one in statements(ASK.records)] == [
        ("event:1.1", "Please fix the test."),
        ("event:1.2", "Exports use semicolons, not commas."),
        ("event:3", "ok"),
    ]
    (question,) = messages(ASK)
    assert '"sourceRef":"event:1.2","type":"user_message","observedAt":120000' in question["content"]
    assert question["content"].count("<memory_evidence>") == 1
    assert schema(ASK)["properties"]["answer"]["required"] == ["event:1.1", "event:1.2", "event:3"]


def test_what_stays_true_is_a_finding_with_the_exact_words() -> None:
    passing = said("Please fix the test.", "request")
    text = answered(
        passing, said("exports USE semicolons", "rule", "Exports use semicolons."), said("ok", "small talk")
    )
    cited = Citation("event:1", "Exports use semicolons, not commas.")
    assert parse_proposal(unwrap(ASK, text)) == Complete((Incident("Exports use semicolons.", (cited,)),))
    exact = answered(passing, said("Exports use semicolons", "fact", "So."), said("ok", "fact", " "))
    assert parse_proposal(unwrap(ASK, exact)) == Complete(
        (Incident("So.", (Citation("event:1", "Exports use semicolons"),)),)
    )


def test_a_pending_fact_can_be_named() -> None:
    ask = Propose((TWO,), 0, [OpenGap("gap_a", "It is ok.", 1)])
    found = said("ok", "fact", "It is ok.") | {"gapId": "gap_a"}
    assert '"gap_a"' in json.dumps(schema(ask)) and "<open_pending_facts>" in messages(ask)[0]["content"]
    assert json.loads(unwrap(ask, json.dumps({"answer": {"event:3": found}})))["incidents"][0]["gapId"] == "gap_a"


def test_an_answer_in_the_usual_shape_is_taken_too() -> None:
    usual = {
        "status": "complete",
        "incidents": [{"content": "c", "evidence": [{"sourceRef": "event:1.2", "quote": "Exports use"}]}],
    }
    expected = Complete((Incident("c", (Citation("event:1", "Exports use"),)),))
    assert parse_proposal(unwrap(ASK, json.dumps({"answer": usual}))) == expected
    assert parse_proposal(unwrap(ASK, json.dumps(usual))) == expected


def test_the_verdicts_are_those_of_every_model() -> None:
    ask = Canonicalize((Candidate("candidate_0", (Cited("event:1", "x", 0),)), Candidate("candidate_1", ())), 0)
    answer = {
        "candidate_0": {"quote": "x", "content": "X.", "clear": "yes"},
        "candidate_1": {"quote": "", "content": "Perhaps.", "clear": "no"},
    }
    verdicts = parse_canonical(unwrap(ask, json.dumps({"answer": answer}))) or ()
    assert [(one.candidate_id, one.content) for one in verdicts] == [("candidate_0", "X."), ("candidate_1", None)]
    usual = {"candidate_0": {"status": "accepted", "content": "X."}, "candidate_1": {"status": "rejected"}}
    assert parse_canonical(unwrap(ask, json.dumps({"answer": usual}))) == verdicts


def test_many_messages_and_a_search_are_asked_about_as_usual() -> None:
    assert takes(ASK) and takes(Canonicalize((), 0))
    assert not takes(Propose((TWO,) * (INCIDENTS + 1), 0)) and not takes(Localize((TWO,), "", 0))


@pytest.mark.parametrize(
    ("model", "base", "here"),
    [
        ("openai/local", "http://127.0.0.1:8080/v1", True),
        ("openai/local", "localhost:8080", True),
        ("openai/local", "http://[::1]:80", True),
        ("ollama_chat/qwen3", None, True),
        ("ollama_chat/qwen3", "https://gpu.example.org", False),
        ("openai/gpt-5", None, False),
    ],
)
def test_a_model_on_this_machine_is_known_by_its_address(model: str, base: str | None, here: bool) -> None:
    assert runs_here(model, base) is here


def test_only_a_small_model_sets_the_window() -> None:
    assert LitellmDoor(ModelSettings("openai/x", small=True)).window_messages == 5
    assert LitellmDoor(ModelSettings("openai/x")).window_messages is None


TEXTS = st.text(alphabet=st.sampled_from('ab C.!?。；\n"`1 '), max_size=60) | st.text(max_size=40)


@given(st.lists(TEXTS, min_size=1, max_size=INCIDENTS))
def test_property_statements_are_slices_in_order_and_never_more_than_the_findings_allowed(texts: list[str]) -> None:
    records = [Record(f"event:{number}", normalise(text), number) for number, text in enumerate(texts)]
    told = statements(records)
    assert len(told) <= INCIDENTS
    assert len({one.ref for one in told}) == len(told)
    assert [*dict.fromkeys(one.record.source_ref for one in told)] == [record.source_ref for record in records]
    for record in records:
        at = 0
        for one in told:
            if one.record is record:
                at = record.text.index(one.text, at) + len(one.text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["fact", "request", "complete"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["answer", "event:1.1", "event:1.2", "event:3", "status", "quote", "kind", "content", "gapId"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=16,
)


@given(JSON.map(json.dumps) | st.text(max_size=40))
def test_property_no_answer_breaks_the_reader(text: str) -> None:
    for ask in (ASK, Canonicalize((Candidate("candidate_0", ()),), 0)):
        unwrapped = unwrap(ask, text)
        parse_proposal(unwrapped)
        parse_canonical(unwrapped)
