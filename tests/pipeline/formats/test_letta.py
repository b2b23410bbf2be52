"""Letta agent files: role user holds what a person wrote and the events of the server alike, in JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import letta
from pipeline.formats.copies import without_copies
from pipeline.formats.documents import members
from pipeline.formats.session import Session
from tests.pipeline.formats.changing import FLIPS, changed, flipped
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.writing import DATA, authors, source, texts, words

MACHINE = "MACHINE"
"""Stands in every text below that no person wrote."""
FOLDER = DATA / "transcripts" / "letta-af"
HIDDEN = "Note: prior messages have been hidden from view.\nThe following is a summary of the previous 9 messages:\n x"


def message(role: str, text: Any, id: str = "", **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text if isinstance(text, str) else json.dumps(text)}]
    named = {"id": id} if id else {}
    return {"role": role, "content": content, "created_at": "2026-03-01T08:00:00+00:00"} | named | more


def said(text: str) -> dict[str, Any]:
    return {"type": "user_message", "message": text, "time": "2026-03-01 08:00:05 AM UTC+0000"}


def agent(*messages: Any, id: str = "agent-0", **more: Any) -> dict[str, Any]:
    return {"id": id, "agent_type": "memgpt_agent", "messages": list(messages)} | more


def file(*agents: Any) -> dict[str, Any]:
    tools = [{"name": "t", "source_code": f"def t(): return '{MACHINE}'"}]
    return {"agents": list(agents), "groups": [], "blocks": [{"label": "human", "value": MACHINE}], "tools": tools}


def read_all(document: Any, name: str = "harbour.af") -> tuple[Session, ...]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return letta.read_document(members([data], letta.STREAMED), source(name))


def read(*messages: Any) -> Session:
    (session,) = read_all(file(agent(*messages)))
    return session


def test_the_sample_reads_as_expected() -> None:
    ((name, want),) = json.loads((FOLDER / "expected.json").read_text("utf-8")).items()
    (session,) = read_all((FOLDER / name).read_bytes(), name)
    assert words(session) == [(one["ref"], one["text"]) for one in want["user_texts"]]
    assert (session.id, session.damage, session.subagent) == ("wrapped_user_messages", (), False)
    reasons = {turn.ref: turn.reason for turn in session.turns}
    assert all(out["why"].startswith(reasons[out["ref"]]) and reasons[out["ref"]] for out in want["excluded"])


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_is_a_json_string_is_decoded_again(times: int) -> None:
    document: Any = file(agent(message("user", said("mine"), "message-1")))
    for _ in range(times):
        document = json.dumps(document)
    (session,) = read_all(document)
    assert words(session) == [("message-1", "mine")]


def test_a_string_in_a_string_without_end_is_an_empty_session() -> None:
    document: Any = "x"
    for _ in range(9):
        document = json.dumps(document)
    (session,) = read_all(document)
    assert (session.id, list(session.turns)) == ("harbour", [])


def test_the_older_flat_form_has_the_agent_s_fields_at_the_top() -> None:
    flat = agent(message("system", "rules"), message("user", said("mine")), message("user", "plain"))
    (session,) = read_all(flat | {"core_memory": [{"label": "human", "value": MACHINE}], "tools": []})
    assert words(session) == [("[1]", "mine"), ("[2]", "plain")]
    assert [turn.seq for turn in session.turns] == [1, 2, 3]
    older = read_all({"messages": [{"role": "user", "text": "mine"}], "core_memory": []})
    assert texts(older[0]) == ["mine"]


@pytest.mark.parametrize(
    ("event", "author"),
    [
        ({"type": "heartbeat", "reason": "x", "time": "t"}, "injected"),
        ({"type": "login", "last_login": "Never"}, "injected"),
        ({"type": "system_alert", "message": "memory is full", "time": "t"}, "injected"),
        ({"type": "system_alert", "message": HIDDEN, "time": "t"}, "summary"),
        ({"type": "contine_chaining", "reason": "x", "time": "t"}, "injected"),
        ({"type": "user_message", "message": {"text": "x"}, "time": "t"}, ""),
        ('{"type": "user_message", "message": "cut sho', "injected"),
        ("[Incoming message from agent with ID 'agent-7'] do it", "other agent"),
    ],
)
def test_events_of_the_server_are_not_the_person_s(event: Any, author: str) -> None:
    session = read(message("user", event))
    assert texts(session) == []
    assert [turn.author.value for turn in session.turns] == [author] * bool(author)
    assert session.compactions == ((1,) if author == "summary" else ())


@pytest.mark.parametrize("text", ['{"type": "module"}', '{"a": 1}', "{not json}", '["x"]', "Say {} to me."])
def test_json_that_a_person_sends_is_theirs(text: str) -> None:
    assert texts(read(message("user", text))) == [text]


def test_recalled_memories_inside_an_event_come_off() -> None:
    assert texts(read(message("user", said("<memories>tea</memories>mine")))) == ["mine"]


def test_tools_models_and_other_roles_are_never_the_person() -> None:
    call = {"id": "c", "function": {"name": "send_message", "arguments": '{"message":"hi"}'}}
    session = read(
        message("system", "rules"),
        message("assistant", "thinking", tool_calls=[call]),
        message("tool", {"status": "OK", "message": "user likes noon"}),
        message("approval", "no", approve=False, denial_reason="x"),
        message("user", "of an agent", sender_id="agent-3"),
        message("summary", "noon"),
        message("User", "odd"),
    )
    assert authors(session) == [
        ("injected", "rules"),
        ("model", "thinking"),
        ("tool", 'send_message {"message":"hi"}'),
        ("tool", '{"status": "OK", "message": "user likes noon"}'),
        ("injected", "no"),
        ("other agent", "of an agent"),
        ("summary", "noon"),
        ("injected", "odd"),
    ]


def test_an_agent_that_thinks_while_nobody_talks_to_it_holds_no_words_of_a_person() -> None:
    (session,) = read_all(file(agent(message("user", said("x")), agent_type="sleeptime_agent")))
    assert (session.subagent, authors(session)) == (True, [("other agent", json.dumps(said("x")))])


def test_several_agents_are_a_session_each() -> None:
    mine = message("user", said("mine"), "message-1")
    found = read_all(file(agent(mine), agent(mine, id="agent-1"), agent(mine), 7))
    assert [(one.id, texts(one)) for one in found] == [
        ("harbour:agent-0", ["mine"]),
        ("harbour:agent-1", ["mine"]),
        ("harbour:agent-0 (2)", ["mine"]),
        ("harbour:[3]", []),
    ]
    assert [damage.line for damage in found[3].damage] == [4]


def test_messages_that_are_counted_anew_in_each_file_are_no_copies_of_each_other() -> None:
    mine, other = message("user", said("mine"), "message-1"), message("user", said("other"), "message-1")
    sessions = [*read_all(file(agent(mine)), "a.af"), *read_all(file(agent(other)), "b.af")]
    for session in without_copies([*sessions, *read_all(file(agent(mine)), "c.af")]):
        assert (session.damage, [turn.inherited for turn in session.turns]) == ((), [False])


def test_nothing_of_a_tool_or_a_block_is_shown() -> None:
    assert not any(MACHINE in turn.text for turn in read(message("user", "mine")).turns)


def test_a_file_that_ends_early_gives_what_it_has() -> None:
    first, second = agent(message("user", "mine")), agent(message("user", "lost"), id="agent-1")
    data = json.dumps({"agents": [first, second]}).encode()
    loose, whole = read_all(data[:-20])
    assert (texts(whole), len(loose.damage)) == (["mine"], 1)


TALK = file(
    agent(
        message("system", MACHINE),
        message("user", said("first words"), "message-1"),
        message("assistant", MACHINE, tool_calls=[{"function": {"name": MACHINE, "arguments": MACHINE}}]),
        message("tool", {"status": "OK", "message": MACHINE}),
        message("user", {"type": "heartbeat", "reason": MACHINE, "time": "t"}, "message-2"),
        message("user", {"type": "system_alert", "message": MACHINE, "time": "t"}),
        message("user", f"<memories>{MACHINE}</memories>last words"),
    ),
    agent(message("user", MACHINE, sender_id="agent-0"), id="agent-1"),
)
DECISIVE = frozenset({"type", "role", "sender_id", "content"})


def evidence(data: bytes) -> set[str]:
    return {text for one in read_all(data) for text in texts(one)}


def test_the_file_that_is_broken_below_reads_well_when_whole() -> None:
    assert evidence(json.dumps(TALK).encode()) == {"first words", "last words"}


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_never_turn_machine_text_into_evidence(changes: list[tuple[int, Any]]) -> None:
    value = changed(TALK, changes, DECISIVE)
    assert all(MACHINE not in text for text in evidence(json.dumps(value).encode()))
    assert all(MACHINE not in text for text in evidence(json.dumps(json.dumps(value)).encode()))


@given(FLIPS, st.integers(0, 5_000))
def test_fuzz_changed_and_missing_bytes_raise_nothing(flips: list[tuple[int, int]], end: int) -> None:
    data = flipped(json.dumps(TALK).encode(), flips)
    evidence(data)
    evidence(data[:end])


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_raise_nothing_wherever_they_stand(changes: list[tuple[int, Any]]) -> None:
    evidence(json.dumps(changed(TALK, changes, frozenset())).encode())
