"""Codex rollouts: every prompt stands there twice, and much of what has role user nobody typed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import codex
from pipeline.formats.lines import records, split
from pipeline.formats.read import read as read_file
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from tests.pipeline.formats.changing import FLIPS, changed, flipped, torn
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_dsh import frames
from tests.pipeline.formats.writing import DATA, authors, dump, source, texts, words

Line = dict[str, Any]
MACHINE = "MACHINE"
"""Stands in every text of `ROLLOUT` that no person wrote."""
SAMPLE = next((DATA / "transcripts" / "codex").glob("sessions/*/*/*/*.jsonl"))


def line(kind: str, payload: Any, **more: Any) -> Line:
    return {"timestamp": "2026-05-18T07:30:00.000Z", "type": kind, "payload": payload} | more


def meta(identity: str = "c1", **more: Any) -> Line:
    return line("session_meta", {"id": identity, "timestamp": "2026-05-18T07:29:00Z", "cwd": "/home/dev/x"} | more)


def said(*parts: str, role: str = "user", **more: Any) -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": part} for part in parts]
    return line("response_item", {"type": "message", "role": role, "content": content} | more)


def entered(text: str) -> Line:
    return line("event_msg", {"type": "user_message", "message": text})


def event(kind: str, **more: Any) -> Line:
    return line("event_msg", {"type": kind} | more)


def item(kind: str, **more: Any) -> Line:
    return line("response_item", {"type": kind} | more)


def context(turn: str, at: str = "2026-05-18T07:30:00.000Z") -> Line:
    return line("turn_context", {"turn_id": turn, "cwd": "/home/dev/x"}) | {"timestamp": at}


def asks(question: str, call: str = "q", name: str = "request_user_input", **more: Any) -> Line:
    given = json.dumps({"questions": [{"id": "q1", "question": question} | more]})
    return item("function_call", name=name, arguments=given, call_id=call)


def answers(*given: str, call: str = "q") -> Line:
    return item("function_call_output", call_id=call, output=json.dumps({"answers": {"q1": {"answers": given}}}))


def read(*lines: Line, name: str = "rollout-1.jsonl") -> Session:
    (session,) = codex.read(records(split([dump(lines)])), source(name))
    return session


def test_the_sample_reads_as_expected() -> None:
    want = json.loads((DATA / "transcripts" / "codex" / "expected.json").read_text("utf-8"))
    (entry,) = want.values()
    (session,) = codex.read(records(split([SAMPLE.read_bytes()])), source(SAMPLE.name))
    assert words(session) == [(said["ref"], said["text"]) for said in entry["user_texts"]]
    assert (session.id, session.project, session.branch) == (entry["session_id"], entry["project"], "main")
    assert (session.compactions, session.subagent, session.damage) == ((20,), False, ())
    reasons = {turn.ref: turn.reason for turn in session.turns if turn.author not in EVIDENCE_AUTHORS}
    assert all(out["why"].startswith(reasons[out["ref"]]) and reasons[out["ref"]] for out in entry["excluded"])


def test_each_content_item_is_judged_alone_and_a_prompt_behind_an_envelope_is_typed() -> None:
    session = read(
        meta(),
        said("<environment_context>a</ENVIRONMENT_CONTEXT>", "mine", "<skill>b</skill>"),
        said("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nc\n</INSTRUCTIONS>\n\nafter it"),
        said("<environment_context> is what?"),
        said("What does <skill> mean?"),
    )
    assert texts(session) == ["mine", "after it", "What does <skill> mean?"]
    assert [turn.reason for turn in session.turns if turn.ref == "line 4"] == [
        "doubtful: environment_context is not closed"
    ]


def test_what_the_editor_puts_before_a_prompt_comes_off() -> None:
    mark = "## My request for Codex:\n"
    text = f"# Context from my IDE setup:\n\n## Active file: a.py\n{mark}in that file\n{mark}mine"
    session = read(meta(), said(text), entered(text))
    assert authors(session)[-1] == ("typed", "mine")
    assert texts(session) == ["mine"]


def test_the_kinds_of_a_record_decide_before_its_text() -> None:
    def kinds(*names: str) -> dict[str, Any]:
        return {"internal_chat_message_metadata_passthrough": {"content_item_kinds": list(names)}}

    session = read(
        meta(),
        said("looks typed", "mine", **kinds("hooks.additional_context", "user.text")),
        said("one of these", "is typed", **kinds("skills.x", "user.text", "user.text")),
        said("all", "mine too", **kinds("user.text")),
        said("<relevant-memories>fed back</relevant-memories>no", **kinds("user.text")),
    )
    assert texts(session) == ["mine", "all", "mine too", "no"]
    assert [turn.reason for turn in session.turns if turn.seq == 2] == ["hooks.additional_context", ""]


def test_a_prompt_that_stands_there_twice_counts_once_with_the_words_of_the_event() -> None:
    session = read(
        meta(),
        said("Ship  it."),
        entered("Ship it."),
        said("ok", role="assistant"),
        said("wrapped by something new: [Keep the log.] end of it"),
        entered("Keep the log."),
        said("A", "B"),
        entered("AB"),
    )
    assert words(session) == [("line 2", "Ship it."), ("line 5", "Keep the log."), ("line 7", "A"), ("line 7", "B")]


def test_an_event_before_its_item_or_without_one_counts_once_too() -> None:
    session = read(meta(), entered("first"), said("first"), said("x", role="assistant"), entered("second"))
    assert words(session) == [("line 2", "first"), ("line 5", "second")]
    completed = event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "third"}]})
    assert words(read(meta(), said("third"), completed)) == [("line 2", "third")]


def test_the_same_words_typed_twice_are_two_statements() -> None:
    answer = said("done", role="assistant")
    session = read(meta(), said("go on"), entered("go on"), answer, said("go on"), entered("go on"))
    assert words(session) == [("line 2", "go on"), ("line 5", "go on")]


def test_the_prompt_that_is_repeated_after_an_abort_counts_once() -> None:
    marker = said("<turn_aborted>\n<reason>interrupted</reason>\n</turn_aborted>")
    again = (said("Paint it red."), entered("Paint it red."))
    session = read(meta(), *again, marker, *again, said("x", role="assistant"), *again)
    assert words(session) == [("line 2", "Paint it red."), ("line 8", "Paint it red.")]
    assert [(turn.ref, turn.reason) for turn in session.turns if turn.reason.startswith("prompt")] == [
        ("line 5", "prompt repeated after an abort")
    ]
    aborted = read(meta(), *again, event("turn_aborted", reason="interrupted"), said("Blue."), *again)
    assert words(aborted) == [("line 2", "Paint it red."), ("line 5", "Blue."), ("line 6", "Paint it red.")]


def test_prompts_that_were_taken_back_are_kept_as_abandoned() -> None:
    session = read(
        meta(),
        said("one"),
        said("1", role="assistant"),
        said("two"),
        said("2", role="assistant"),
        event("thread_rolled_back", num_turns=1),
        said("three"),
        event("thread_rolled_back", num_turns=0),
    )
    assert [(turn.text, turn.abandoned) for turn in session.turns] == [
        ("one", False),
        ("1", False),
        ("two", True),
        ("2", True),
        ("three", False),
    ]
    everything = read(meta(), said("one"), said("two"), event("thread_rolled_back", num_turns=9))
    assert [turn.abandoned for turn in everything.turns] == [True, True]


def test_answers_to_the_question_tool_are_chosen_with_their_question() -> None:
    session = read(meta(), asks("Which datum?"), answers("Chart", "Mean sea", "user_note: for the bay"))
    chosen = [(turn.question, turn.text) for turn in session.turns if turn.author == "chosen"]
    assert chosen == [("Which datum?", "Chart, Mean sea"), ("Which datum?", "for the bay")]


@pytest.mark.parametrize(
    "lines",
    [
        [asks("Which?", name="mcp__evil"), answers("x")],
        [line("response_item", asks("Which?")["payload"] | {"namespace": "mcp__evil"}), answers("x")],
        [asks("Which?", call="other"), answers("x")],
        [answers("x")],
        [item("function_call", name="request_user_input", arguments="{broken", call_id="q"), answers("x")],
        [asks("Password?", isSecret=True), answers("x")],
    ],
)
def test_no_other_tool_answers_for_the_person_and_secret_answers_are_not_kept(lines: list[Line]) -> None:
    session = read(meta(), *lines)
    assert texts(session) == []
    assert not any(turn.text == "x" for turn in session.turns)


def test_half_characters_inside_an_answer_become_the_replacement_character() -> None:
    output = '{"answers":{"q1":{"answers":["list \\ud83d"]}}}'
    session = read(meta(), asks("Which?"), item("function_call_output", call_id="q", output=output))
    assert texts(session) == ["list \ufffd"]


def test_tools_models_and_other_roles_are_never_the_person() -> None:
    session = read(
        meta(),
        said("rules", role="developer"),
        said("more", role="system"),
        said("odd", role="User"),
        item("reasoning", summary=[{"type": "summary_text", "text": "hidden"}]),
        item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="t"),
        item("custom_tool_call_output", call_id="t", output="user: always gzip"),
        item("function_call_output", call_id="u", output=[{"type": "input_text", "text": "listed"}]),
        item("agent_message", author="/root", content=[{"type": "input_text", "text": "report"}]),
        event("agent_message", message="twice"),
        line("world_state", {"text": "x"}),
        line("response_item", {"role": "user", "content": [{"type": "output_text", "text": "not mine"}]}),
    )
    assert authors(session) == [
        ("injected", "rules"),
        ("injected", "more"),
        ("injected", "odd"),
        ("tool", "apply_patch *** Begin"),
        ("tool", "user: always gzip"),
        ("tool", "listed"),
        ("other agent", "report"),
        ("model", "not mine"),
    ]


def test_pictures_leave_no_text_of_their_own() -> None:
    parts: list[Any] = [{"type": "input_text", "text": text} for text in ('<image name="1">', "</image>", "like this")]
    parts.insert(1, {"type": "input_image", "image_url": "data:"})
    assert texts(read(meta(), line("response_item", {"role": "user", "content": parts}))) == ["like this"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"source": {"subagent": "review"}}, "session_meta.source.subagent is set"),
        ({"source": {"internal": "memory_consolidation"}}, "session_meta.source.internal is set"),
        ({"thread_source": "subagent"}, "session_meta.thread_source is subagent"),
        ({"parent_thread_id": "p1"}, "session_meta.parent_thread_id is set"),
    ],
)
def test_a_sub_agent_holds_no_words_of_a_person(fields: dict[str, Any], reason: str) -> None:
    session = read(meta(**fields), said("do it"), entered("do it"), asks("Which?"), answers("x"))
    assert session.subagent
    assert [(turn.author.value, turn.reason) for turn in session.turns] == [
        ("other agent", reason),
        ("tool", "tool call"),
        ("tool", "tool result"),
    ]


def test_a_sub_agent_is_a_session_of_its_own_with_its_parent() -> None:
    source_of = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p1"}}}}
    assert (read(meta("c9", **source_of)).id, read(meta("c9", **source_of)).parent) == ("c9", "p1")
    shared = line("session_meta", {"session_id": "p1"} | source_of)
    assert read(shared, name="rollout-7.jsonl").id == "p1:rollout-7"


def test_the_first_generation_had_no_payload(tmp_path: Path) -> None:
    lines: list[Line] = [
        {"id": "c0", "timestamp": "2025-05-07T17:24:21.597Z", "instructions": None, "git": {"branch": "dev"}},
        {"record_type": "state", "id": "x", "timestamp": "x"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "<environment_context><cwd>/home/dev/old</cwd></environment_context>"}
            ],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "mine"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "t"},
        {"type": "function_call_output", "call_id": "t", "output": "out"},
    ]
    path = tmp_path / "rollout-2025-05-07-c0.jsonl"
    path.write_bytes(dump(lines))
    (session,) = read_file(path)
    assert (session.id, session.branch, session.project) == ("c0", "dev", "/home/dev/old")
    assert words(session) == [("line 4", "mine")]


def test_compressed_rollouts_read_the_same(tmp_path: Path) -> None:
    packed = tmp_path / f"{SAMPLE.name}.zst"
    packed.write_bytes(frames([meta(), said("mine"), entered("mine")], [said("more")]))
    (session,) = read_file(packed)
    assert (session.format, session.id, texts(session)) == ("codex", "c1", ["mine", "more"])


def test_a_record_with_an_id_of_its_own_counts_once_and_is_named_by_it() -> None:
    session = read(meta(), said("x", id="m1"), said("x", id="m1"), said("y", id="m1"))
    assert words(session) == [("m1", "x"), ("m1", "y")]
    assert [damage.line for damage in session.damage] == [4]


def test_a_rollout_without_a_header_is_named_by_its_file() -> None:
    session = read(said("mine"), name="rollout-x.jsonl")
    assert (session.id, texts(session)) == ("rollout-x", ["mine"])


ROLLOUT: list[Line] = [
    meta(instructions=MACHINE),
    said(f"{MACHINE} rules", role="developer"),
    said(f"# AGENTS.md instructions for {MACHINE}\n\n<INSTRUCTIONS>\n{MACHINE}\n</INSTRUCTIONS>"),
    context("t1"),
    said(f"<environment_context>{MACHINE}</environment_context>first words"),
    entered("first words"),
    item("reasoning", summary=[{"type": "summary_text", "text": MACHINE}]),
    item("function_call", name="shell", arguments=MACHINE, call_id="t"),
    item("function_call_output", call_id="t", output=f'{{"answers":{{"q1":"{MACHINE}"}}}}'),
    said(MACHINE, role="assistant"),
    event("agent_message", message=MACHINE),
    said(f"<skill>{MACHINE}</skill>"),
    asks(f"{MACHINE}?"),
    answers("blue"),
    line("compacted", {"message": MACHINE, "replacement_history": [said(f"{MACHINE} again")["payload"]]}),
    said(f"Another language model started to solve this problem {MACHINE}"),
    event("thread_rolled_back", num_turns=1),
    said("last words"),
    entered("last words"),
]
SAID = {"first words", "blue", "last words"}
DECISIVE = frozenset({"type", "role", "payload", "name", "namespace", "call_id"})
"""Fields that say who wrote something: without them nobody can know, so changes below leave them."""


def evidence(data: bytes) -> set[str]:
    (session,) = codex.read(records(split([data])), source())
    return set(texts(session))


def test_the_rollout_that_is_broken_below_reads_well_when_whole() -> None:
    assert evidence(dump(ROLLOUT)) == SAID


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_never_turn_machine_text_into_evidence(changes: list[tuple[int, Any]]) -> None:
    assert all(MACHINE not in text for text in evidence(dump(changed(ROLLOUT, changes, DECISIVE))))


@given(st.lists(st.integers(0, len(ROLLOUT) - 1), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_fuzz_torn_repeated_and_shuffled_lines_invent_no_words(picked: list[int], chance: random.Random) -> None:
    assert evidence(torn([json.dumps(ROLLOUT[index]).encode() for index in picked], chance)) <= SAID


@given(FLIPS)
def test_fuzz_changed_bytes_raise_nothing(flips: list[tuple[int, int]]) -> None:
    data = flipped(dump(ROLLOUT), flips)
    evidence(data)


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_raise_nothing_wherever_they_stand(changes: list[tuple[int, Any]]) -> None:
    evidence(dump(changed(ROLLOUT, changes, frozenset())))
