"""What stays of a chat that is too long: the newest, calls with their results, never more than there is room for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.assembled import as_message
from pipeline.context.budget import TOKENS, Writer
from pipeline.context.layouts.chat import Message, conversation_of, messages
from pipeline.context.layouts.tokens import estimate_tokens
from pipeline.context.layouts.trim import excerpts, plan
from store.errors import BadInput, StorageFailure
from tests.pipeline.context.worlds import said, trim

SYSTEM = Message("system", "s" * 30)
CHATS = st.lists(said(), max_size=12).map(lambda chat: [SYSTEM, *chat])
LIMITS = st.integers(0, 400)


def user(size: int) -> Message:
    return Message("user", "u" * size)


def called(id: str, size: int = 3) -> Message:
    return Message("assistant", "", (id,), "a" * size)


def result(id: str, size: int = 3) -> Message:
    return Message("tool", "r" * size, answers=id)


@given(CHATS, LIMITS)
def test_property_what_stays_keeps_its_order_and_its_room(chat: list[Message], limit: int) -> None:
    """Every message stays, is picked or goes; what stays of a trimmed chat is within nine tenths of the limit."""
    planned = plan(chat, limit)
    parts = [*planned.tail, *planned.picked, *planned.gone]
    assert sorted(parts) == list(range(1, len(chat)))
    assert all(list(part) == sorted(part) for part in (planned.tail, planned.picked, planned.gone))
    if not planned.trimmed:
        assert trim(chat, limit) == tuple(chat)
        return
    assert sum(message.tokens for message in chat) > limit
    kept = [SYSTEM, *(chat[at] for at in (*planned.picked, *planned.tail))]
    assert sum(message.tokens for message in kept) <= max(limit * 9 // 10, SYSTEM.tokens)
    told = trim(chat, limit)
    assert told[: len(planned.picked) + 1] == (SYSTEM, *(chat[at] for at in planned.picked))
    assert told[len(planned.picked) + 2 :] == tuple(chat[at] for at in planned.tail)


@given(CHATS, LIMITS)
def test_property_a_call_and_its_results_stay_or_go_together(chat: list[Message], limit: int) -> None:
    planned = plan(chat, limit)
    callers = {id: at for at, message in enumerate(chat) for id in message.calls if id}
    for part in (planned.tail, planned.picked, planned.gone):
        for at in part:
            calls = [one for one in range(at) if chat[at].answers in chat[one].calls and chat[at].answers]
            assert not calls or calls[-1] in part
    assert set(callers) <= {"a", "b"}


@given(CHATS, st.integers(11, 400))
def test_property_enough_is_the_least_limit_that_keeps_a_message_in_its_place(chat: list[Message], limit: int) -> None:
    planned = plan(chat, limit)
    for at, enough in list(planned.enough.items())[:4]:
        assert enough > limit
        assert at in plan(chat, enough).tail
        assert at not in plan(chat, enough - 1).tail


def test_a_result_does_not_stay_without_its_call_where_only_one_of_them_fits() -> None:
    chat = [SYSTEM, user(90), called("a", 90), result("a", 30), user(30)]
    planned = plan(chat, 60)  # room 44: the last user 10, then call and result are 40 together
    assert (planned.tail, planned.picked, planned.gone) == ((4,), (1,), (2, 3))
    assert plan(chat, 69).tail == (2, 3, 4)


def test_results_find_their_call_by_its_id_and_else_by_their_place() -> None:
    chat = [SYSTEM, called("a"), called("b"), result("a", 60), result("b"), called(""), result("", 3), user(300)]
    assert plan(chat, 130).gone == (1, 3)  # the large result takes its own call along and not its neighbour's
    assert {2, 4, 5, 6} <= set(plan(chat, 130).tail) | set(plan(chat, 130).picked)


def test_what_goes_is_summarised_and_what_stays_is_not() -> None:
    chat = [SYSTEM, *(Message("assistant", f"{at} " + "a" * 300) for at in range(12)), user(30)]
    told = trim(chat, 400, lambda given: " ".join(message.content[:2] for message in given))
    planned = plan(chat, 400)
    assert planned.gone == tuple(range(1, 10))
    assert [len(message.content) for message in excerpts(chat, planned)] == [200] * 6
    assert told[1].role == "system"
    assert told[1].content.endswith("3  4  5  6  7  8")


def test_a_summary_that_fails_is_none() -> None:
    def fails(_: object) -> str:
        raise StorageFailure("The model is not there; start it.")

    chat = [SYSTEM, user(300), user(300), user(30)]
    assert trim(chat, 40, fails) == trim(chat, 40)
    assert trim(chat, 40, lambda _: "  ") == trim(chat, 40)


@given(st.lists(said(), max_size=6))
def test_property_a_conversation_is_read_as_it_is_written(chat: list[Message]) -> None:
    written = [as_message(message) for message in chat]
    read = messages(json.loads(json.dumps(written)))
    assert [as_message(message) for message in read] == written
    assert [(message.role, message.content, message.answers) for message in read] == [
        (message.role, message.content, message.answers) for message in chat
    ]


def test_a_conversation_may_be_a_list_an_object_or_lines() -> None:
    one = {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "image"}, {"text": "there"}]}
    expected = (Message("user", "hello\nthere"),)
    for text in (json.dumps([one]), json.dumps({"messages": [one]}), json.dumps(one), f"\n{json.dumps(one)}\n"):
        assert conversation_of(text) == expected
    two = conversation_of(f"{json.dumps(one)}\n{json.dumps({'role': 'developer', 'content': 'rule'})}")
    assert two == (*expected, Message("system", "rule"))


@pytest.mark.parametrize(
    "text", ["", "[", "3", "[]", '{"messages": {}}', '[{"content": "x"}]', '[{"role": "x"}]', "[1]"]
)
def test_what_is_no_conversation_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"[.]$"):
        conversation_of(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda one: st.lists(one, max_size=2) | st.dictionaries(st.text(max_size=3), one, max_size=2),
    max_leaves=4,
)


@given(JSON, JSON, JSON, JSON)
def test_fuzz_odd_fields_of_a_message_are_left_out(content: Any, calls: Any, call: Any, answers: Any) -> None:
    odd = {"content": content, "tool_calls": calls, "function_call": call, "tool_call_id": answers}
    (read,) = messages([{"role": "user", **odd}])
    assert as_message(read)["role"] == "user"


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_property_lines_of_a_message_make_what_their_text_makes(lines: list[str]) -> None:
    """However a message is cut into lines, they add up to the estimate of the whole."""
    writer = Writer(0, TOKENS)
    for role in ("user", "assistant"):
        writer.begin("conversation", role)
        for line in lines:
            writer.add("conversation", line)
    assert writer.used == 2 * estimate_tokens("\n".join(lines)) == sum(line.units for line in writer.lines)
