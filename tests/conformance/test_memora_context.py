"""The context of a chat: how large a text is, what stays of a chat that is too long, and in which order it is put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pipeline.context.assembled import segments
from pipeline.context.layouts.chat import Chat, Message
from pipeline.context.layouts.tokens import estimate_tokens
from pipeline.context.layouts.trim import MAX_TOKENS, plan
from pipeline.context.pack import assemble
from pipeline.context.request import Request
from store.memory import Memory
from store.setting_file import SettingFile, read_setting
from store.view import View
from tests.conformance.memora_cases import cases
from tests.pipeline.context.worlds import trim

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)


def _said(pairs: Sequence[Sequence[Any]]) -> list[Message]:
    return [Message(role, "x" * size) for role, size in pairs]


def _names(messages: Sequence[Message]) -> list[str]:
    """The messages as the case names them; what trimming added stands for itself."""
    return [
        "system"
        if at == 0
        else f"{message.role} {len(message.content)}"
        if message.role != "system"
        else message.content
        for at, message in enumerate(messages)
    ]


def test_a_text_is_measured_by_its_characters_MEM_CTX_01() -> None:
    case = cases()["MEM-CTX-01"]
    assert [estimate_tokens(text) for text in case["given"]["inputs"]] == case["then"]["result"]


def test_the_newest_stay_and_the_heaviest_of_the_rest_MEM_CTX_02() -> None:
    case = cases()["MEM-CTX-02"]
    given = case["given"]
    messages = _said(given["messages (role, ASCII characters)"])
    most = given["maxContextTokens"]
    told = trim(messages, most)
    planned = plan(messages, most)
    counts = f"placeholder ({len(planned.picked) + len(planned.gone)} trimmed, {len(planned.tail)} kept)"
    names = _names(told)
    assert "3" in names[2] and "2" in names[2]
    assert [*names[:2], counts, *names[3:]] == case["then"]["result"]


def test_what_cannot_or_need_not_be_trimmed_stays_as_it_is_MEM_CTX_03() -> None:
    case = cases()["MEM-CTX-03"]
    long = ("user", 900)
    chats = {
        "3 messages far over the limit": _said([("system", 30), long, long]),
        "first message is not a system message": _said([long, long, long, long]),
        "system message alone over the limit": _said([("system", 300), long, long, long]),
        "exactly at the limit": _said([("system", 30), ("user", 30), ("assistant", 45), ("user", 45)]),
    }
    assert list(chats) == case["given"]["cases"]
    assert case["then"] == {"each": "returned unchanged"}
    for messages in chats.values():
        assert trim(messages, 50) == tuple(messages)
    over = _said([("system", 30), ("user", 30), ("assistant", 45), ("user", 46)])
    assert trim(over, 50) != tuple(over)
    assert MAX_TOKENS == 120_000


def _setting(path: str, text: str) -> SettingFile:
    return read_setting(path, text.encode(), "sha")


def _world(given: Any, *more: SettingFile) -> tuple[View, Request]:
    files = [_setting("settings/personas/p.md", given["persona"])]
    files += [
        _setting(f"settings/rules/{id.removeprefix('rule:')}.md", f"content of {id}") for id in given["bootstrap"]
    ]
    recalled = [
        Memory(
            id=f"facts/{at}.md",
            path=f"facts/{at}.md",
            sha="",
            subject=one["name"],
            statement=f"{one['content']} hi there"[: len(one["content"])],
            tags=("hi", "there"),
            created=one["createdAt"],
            ordinal=at,
        )
        for at, one in enumerate(given["recalled"])
    ]
    fact = Memory(id="prefs/u.md", path="prefs/u.md", sha="", type="PREF", subject="profile", statement="about them")
    row = {"category": "identity", "field": "name", "value": f"name: {given['profile section']}", "state": "confirmed"}
    view = View.of(
        [*recalled, replace(fact, ordinal=99)],
        {"profile": {"u": {**row, "memory": fact.id}}},
        setting_files={file.path: file for file in (*files, *more)},
    )
    return view, Request("nova", focus=given["input"], layout="memora", chat=Chat(affect=given["affect"]), now=NOW)


def test_a_chat_is_put_together_in_its_order_MEM_CTX_04() -> None:
    case = cases()["MEM-CTX-04"]
    given, then = case["given"], case["then"]
    view, request = _world(given)
    pack = assemble(view, request)
    order = list(dict.fromkeys(segment.section for segment in segments(pack) if segment.stands))
    names = [{"input": "user input", "recent": "recent conversation"}.get(name, name) for name in order]
    empty = {"conversation", "recent conversation", "skill"}
    assert names == [name for name in then["segment order"] if name not in empty]
    stands = {segment.section: segment.text for segment in segments(pack) if segment.stands}
    assert then["recall line"] in stands["recall"].split("\n")
    assert stands["input"].split("\n") == ["<user_input>", given["input"], "</user_input>"]
    assert then["user input wrapped in"] == "<user_input>"
    rules = [segment.origins for segment in segments(pack) if segment.section == "bootstrap"]
    assert rules == [("settings/rules/one.md",), ("settings/rules/two.md",)]
    assert assemble(view, request).text == pack.text
    assert then["bank unchanged"] is True
    assert view.rows("usage") == {}


def test_with_everything_given_every_segment_stands_in_its_place_MEM_CTX_04() -> None:
    """With a skill that fits and a conversation too long for its budget, all ten segments are there."""
    case = cases()["MEM-CTX-04"]
    skill = _setting("settings/skills/s.md", "---\nkeywords: hi\n---\nhow to greet")
    view, request = _world(case["given"], skill)
    turns = tuple(Message("user" if at % 2 == 0 else "assistant", f"turn {at} {'x' * 600}") for at in range(12))
    chat = replace(request.chat, conversation=turns, tools=("search_memories",))
    pack = assemble(view, replace(request, chat=chat, budget=1200))
    found = [segment.section for segment in segments(pack) if segment.stands and segment.section != "placeholder"]
    order = list(dict.fromkeys(found))
    names = [{"input": "user input", "recent": "recent conversation"}.get(name, name) for name in order]
    assert names == case["then"]["segment order"]
