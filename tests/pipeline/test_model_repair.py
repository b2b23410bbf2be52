"""A model that answers wrongly is told once what was wrong, and no range costs more than three calls."""

from __future__ import annotations

import json

import pytest

from tests.cli.desk import Desk
from tests.pipeline.model_server import Answer as Scripted
from tests.pipeline.model_server import fails, model_server, says
from tests.pipeline.scripted import (
    EN,
    KEY,
    ZH,
    accepted,
    helpful,
    proposed,
    run,
    tables,
    talk,
)

pytestmark = pytest.mark.usefixtures("lent")


def test_a_model_is_told_exactly_what_was_wrong_and_its_second_answer_counts(desk: Desk) -> None:
    wrong = json.dumps({"status": "complete", "incidents": [{"content": EN, "evidence": []}]})
    with model_server(says(wrong), helpful) as server:
        answer = run(desk, server, talk(desk))
    assert answer.code == 0, answer
    assert {one["content"] for one in answer.json["proposals"]} == {EN[:30].strip(), ZH}
    first, second, third = server.requests
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][0] == first["messages"][0]
    assert json.loads(second["messages"][1]["content"]) == json.loads(wrong)
    told = second["messages"][2]["content"]
    assert "incidents[0].evidence has 0 items; 1 to 8 are allowed" in told
    assert second["response_format"] == first["response_format"] and len(third["messages"]) == 1
    (session,) = answer.json["sessions"]
    assert session["usage"] | {"seconds": 0} == {
        "calls": 3,
        "tokens_in": 36,
        "tokens_out": 15,
        "cost": None,
        "seconds": 0,
    }


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("Certainly!", "not one JSON object"),
        ('{"status": "complete", "incidents": [}', "not valid JSON: "),
        ('{"status": "complete", "incidents": [NaN]}', "NaN is no number of JSON"),
        ('```json\n{"status": "cannot_resolve"}\n```', "nothing around it"),
        ('{"status": "done"}', "status is not one of complete, search_required, cannot_resolve"),
        ('{"status": "cannot_resolve", "why": "?"}', "the answer has a key beside status"),
        ('{"status": "complete"}', "the answer lacks incidents"),
        ('{"status": "search_required", "search": {"terms": [7]}}', "search.terms[0] is no text"),
        (proposed((EN, "event:1", "")), "incidents[0].evidence[0].quote has 0 characters; 1 to 1000 are allowed"),
        (proposed((EN * 60, "event:1", EN)), "incidents[0].content has 2280 characters; 1 to 2000 are allowed"),
        (proposed((EN, "event:1", EN), gapId="x"), "incidents[0].gapId is not of the form gap_..."),
        (proposed(*[(EN, "event:1", EN)] * 11), "incidents has 11 items; 0 to 10 are allowed"),
        ('{"status":' + "[" * 5_000 + "]" * 5_000 + "}", "nests too deep"),
    ],
)
def test_each_fault_of_a_proposal_has_its_sentence_and_twice_wrong_is_a_failure(
    desk: Desk, wrong: str, told: str
) -> None:
    with model_server(says(wrong)) as server:
        answer = run(desk, server, talk(desk))
    assert answer.code == 5
    assert len(server.requests) == 2  # the third call is kept for the last stage, and nothing came to it
    assert told in server.requests[1]["messages"][2]["content"]
    (session,) = answer.json["sessions"]
    assert session["state"] == "failed" and told in session["problem"]
    found = tables(desk)
    assert found["failures"][KEY]["failureClass"] == "schema"
    assert not found["gaps"] and not found["cursors"] and answer.json["proposals"] == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (accepted(EN), "results must name each of candidate_0, candidate_1 exactly once"),
        (accepted(EN, ZH, "x"), "results must name each of candidate_0, candidate_1 exactly once"),
        ('{"results": []}', "results has 0 items; 1 to 20 are allowed"),
        ('{"results": [{"candidateId": "candidate_0", "status": "maybe"}]}', "results[0].status is not one of"),
    ],
)
def test_verdicts_that_do_not_cover_the_candidates_are_asked_for_once_more(desk: Desk, wrong: str, told: str) -> None:
    facts = proposed((EN, "event:1", EN), (ZH, "event:3", ZH))
    with model_server(says(facts), says(wrong), says(accepted(EN, ZH))) as server:
        answer = run(desk, server, talk(desk))
    assert told in server.requests[2]["messages"][2]["content"]
    assert {one["content"] for one in answer.json["proposals"]} == {EN, ZH}


@pytest.mark.parametrize(
    ("script", "calls", "failure"),
    [
        pytest.param([says("nonsense")], 2, "schema", id="never JSON"),
        pytest.param([says("nonsense"), says(proposed((EN, "event:1", EN))), says("no")], 3, "schema", id="late"),
        pytest.param([says(proposed((EN, "event:1", EN))), says("no")], 3, "schema", id="no verdict"),
        pytest.param([says(proposed((EN, "event:1", EN))), fails(500)], 3, "provider", id="the check breaks"),
        pytest.param([fails(500)], 1, "provider", id="broken"),
        pytest.param([says("", finish="tool_calls")], 1, "provider", id="blank"),
        pytest.param([says("No.", finish="content_filter")], 1, "provider", id="refusal"),
        pytest.param([says('{"stat', finish="length")], 1, "provider", id="cut"),
        pytest.param(
            [says('{"status":"search_required","search":{"terms":["harbour"]}}')], 2, "schema", id="searches for ever"
        ),
        pytest.param(
            [says("no"), says('{"status":"search_required","search":{"terms":["harbour"]}}')],
            3,
            "schema",
            id="searches after a repair",
        ),
        pytest.param([says('{"status":"cannot_resolve"}')], 1, "localization", id="gives up"),
    ],
)
def test_no_range_costs_more_than_three_calls_whatever_the_model_does(
    desk: Desk, script: list[Scripted], calls: int, failure: str
) -> None:
    with model_server(*script) as server:
        answer = run(desk, server, talk(desk))
    assert len(server.requests) == calls <= 3
    assert tables(desk)["failures"][KEY]["failureClass"] == failure
    assert answer.json["sessions"][0]["usage"]["calls"] == calls


def test_tool_calls_end_an_answer_as_well_as_stop(desk: Desk) -> None:
    with model_server(says(proposed((EN, "event:1", EN)), finish="tool_calls"), says(accepted(EN))) as server:
        answer = run(desk, server, talk(desk))
    assert [one["content"] for one in answer.json["proposals"]] == [EN]


def test_a_priced_model_costs_what_its_list_says_and_another_one_is_unknown(desk: Desk) -> None:
    answers = [says(proposed((EN, "event:1", EN)), model="gpt-4o-mini"), says(accepted(EN), model="gpt-4o-mini")]
    with model_server(*answers) as server:
        priced = run(desk, server, talk(desk), model="openai/gpt-4o-mini")
    assert priced.json["usage"]["cost"] == pytest.approx(2 * (12 * 0.15 + 5 * 0.6) / 1e6)
    with model_server(helpful) as server:
        plain = desk(
            "extract", str(talk(desk, EN, name="other")), "--model", "openai/scripted", "--api-base", server.url
        )
    assert "24 tokens in, 10 out, cost unknown" in plain.out
