"""OpenAI-style messages in all the shapes in which they are kept."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats import openai
from pipeline.formats.documents import members
from pipeline.formats.read import read
from pipeline.formats.session import Session
from tests.pipeline.formats.writing import authors, dump, source, words

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Be terse."},
    {"role": "user", "content": "<memories>likes tea</memories>\nCall me Ren."},
    {"role": "assistant", "content": "OK.", "tool_calls": [{"function": {"name": "look", "arguments": '{"q":1}'}}]},
    {"role": "tool", "tool_call_id": "t1", "content": "Ren likes tables."},
    {"role": "user", "content": [{"type": "input_text", "text": "No tables."}, {"type": "image_url"}]},
]
SAID = ["Call me Ren.", "No tables."]


def sessions(tmp_path: Path, name: str, data: bytes, **options: Any) -> tuple[Session, ...]:
    path = tmp_path / name
    path.write_bytes(data)
    return read(path, **options)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrap", [lambda talk: talk, lambda talk: {"model": None, "messages": talk, "n": [1]}])
def test_one_document_is_one_session(tmp_path: Path, indent: int | None, wrap: Any) -> None:
    (session,) = sessions(tmp_path, "chat.json", json.dumps(wrap(TALK), indent=indent).encode())
    assert words(session) == [("[1]", "Call me Ren."), ("[4]", "No tables.")]
    assert (session.id, [turn.seq for turn in session.turns]) == ("chat", [1, 2, 2, 3, 3, 4, 5])
    assert authors(session) == [
        ("injected", "Be terse."),
        ("injected", "likes tea"),
        ("typed", "Call me Ren."),
        ("model", "OK."),
        ("tool", 'look {"q":1}'),
        ("tool", "Ren likes tables."),
        ("typed", "No tables."),
    ]


def test_lines_of_messages_are_one_session(tmp_path: Path) -> None:
    (session,) = sessions(tmp_path, "chat.jsonl", dump(TALK))
    assert words(session) == [("line 2", "Call me Ren."), ("line 5", "No tables.")]


@pytest.mark.parametrize("wrap", [lambda talk: talk, lambda talk: {"messages": talk}])
def test_a_line_that_is_a_conversation_is_a_session_of_its_own(tmp_path: Path, wrap: Any) -> None:
    first, second = sessions(tmp_path, "chat.jsonl", dump([wrap(TALK), wrap(TALK[4:])]))
    assert words(first) == [("line 1 [1]", "Call me Ren."), ("line 1 [4]", "No tables.")]
    assert words(second) == [("line 2 [0]", "No tables.")]
    assert (first.id, second.id) == ("chat:line 1", "chat:line 2")


def test_a_single_line_keeps_its_name_when_more_lines_follow(tmp_path: Path) -> None:
    (one,) = sessions(tmp_path, "chat.jsonl", dump([{"messages": TALK}]))
    first, _ = sessions(tmp_path, "chat.jsonl", dump([{"messages": TALK}, {"messages": TALK}]))
    assert one == first or (one.id, one.turns) == (first.id, first.turns)


def test_conversations_with_the_same_name_are_told_apart(tmp_path: Path) -> None:
    named = {"id": "c", "messages": TALK}
    assert [one.id for one in sessions(tmp_path, "x.jsonl", dump([named, named]))] == ["x:c", "x:c (2)"]


def test_responses_items_are_read_by_their_type(tmp_path: Path) -> None:
    items: list[dict[str, Any]] = [
        {"type": "reasoning", "content": [{"type": "text", "text": "hidden"}]},
        {"type": "message", "id": "m1", "role": "user", "content": [{"type": "input_text", "text": "Ship it."}]},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
        {"type": "function_call", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "output": "role: user"},
        {"type": "message", "role": "user", "content": [{"type": "output_text", "text": "not mine"}]},
        {"type": "computer_call", "role": "user", "content": "not mine"},
    ]
    want = [
        ("typed", "Ship it."),
        ("injected", "Be kind."),
        ("model", "Done."),
        ("tool", "f {}"),
        ("tool", "role: user"),
        ("model", "not mine"),
        ("tool", "not mine"),
    ]
    for name, data in (("a.json", json.dumps(items).encode()), ("a.jsonl", dump(items))):
        (session,) = sessions(tmp_path, name, data)
        assert authors(session) == want
        assert words(session) == [("m1", "Ship it.")]


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function", "assistant", "User", "", None, 7])
def test_only_role_user_is_the_person(tmp_path: Path, role: Any) -> None:
    (session,) = sessions(tmp_path, "a.jsonl", dump([{"role": role, "content": "x"}, TALK[4]]))
    assert words(session) == [("line 2", "No tables.")]


def test_a_message_repeated_under_its_id_counts_once(tmp_path: Path) -> None:
    line = {"role": "user", "id": "m1", "content": "x", "created_at": 1777629600}
    (session,) = sessions(tmp_path, "a.jsonl", dump([line, line, line | {"content": "y"}]))
    assert words(session) == [("m1", "x"), ("m1", "y")]
    assert [item.line for item in session.damage] == [3]
    assert session.turns[0].at == 1777629600000


def test_a_document_that_ends_early_gives_what_it_has(tmp_path: Path) -> None:
    data = json.dumps(TALK, indent=1).encode()
    (session,) = sessions(tmp_path, "a.json", data[:-60])
    assert [text for _, text in words(session)] == SAID[:1]
    assert len(session.damage) == 1


def test_a_long_list_is_read_in_little_memory() -> None:
    """Turns that are read lie packed, not as objects: the list is far larger than what reading it takes."""

    def pieces() -> Iterator[bytes]:
        yield b"["
        for number in range(2_000):
            yield json.dumps({"role": "user", "content": f"{number}: the kiln was fired again. " * 200}).encode() + b","
        yield b'{"role": "user", "content": "last"}]'

    tracemalloc.start()
    (found,) = openai.read_document(members(pieces(), openai.STREAMED), source("a.json"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(found.turns), found.turns[-1].text) == (2_001, "last")
    assert peak < 6 << 20
