"""Claude.ai exports: what the person typed, without what they attached and what the service put beside it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import claude_ai
from pipeline.formats.claude_ai import ATTACHED
from pipeline.formats.documents import members
from pipeline.formats.exports import NO_CONVERSATION
from pipeline.formats.lines import NOT_OBJECT, chunks
from pipeline.formats.session import Session
from tests.pipeline.formats.changing import FLIPS, changed, flipped, stays_told
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_lines import cut
from tests.pipeline.formats.writing import DATA, authors, source, words

MACHINE = "MACHINE"


def says(sender: str, content: Any, name: str = "m1", **more: Any) -> dict[str, Any]:
    """A message; a text as `content` is one text block."""
    inside = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {"uuid": name, "sender": sender, "content": inside, "text": "", "created_at": "2026-04-01T06:00:01Z"} | more


def talk(*messages: Any, name: str = "c1", **more: Any) -> dict[str, Any]:
    return {"uuid": name, "name": "Bread", "chat_messages": list(messages)} | more


def read(value: Any, places: list[int] | None = None) -> tuple[Session, ...]:
    data = json.dumps(value).encode()
    return claude_ai.read_document(members(cut(data, places or []), claude_ai.STREAMED), source("conversations.json"))


def one(*messages: Any, **more: Any) -> Session:
    (session,) = read([talk(*messages, **more)])
    return session


def test_the_sample_reads_as_expected() -> None:
    folder = DATA / "transcripts" / "claude-ai"
    want = json.loads((folder / "expected.json").read_text("utf-8"))["conversations.json"]
    with (folder / "conversations.json").open("rb") as stream:
        found = claude_ai.read_document(members(chunks(stream), claude_ai.STREAMED), source("conversations.json"))
    (session,) = found
    assert session.id == want["session_id"]
    assert words(session) == [(item["ref"], item["text"]) for item in want["user_texts"]]
    (excluded,) = want["excluded"]
    (attached,) = [turn for turn in session.turns if turn.ref == excluded["ref"]]
    assert (attached.author.value, attached.text) == ("document", "Always use 72% hydration.")
    assert excluded["why"].startswith(attached.reason) and attached.reason == ATTACHED
    assert authors(session)[1:4] == [
        ("tool", 'web_search {"q":"altitude bread"}'),
        ("tool", "The user prefers rye."),
        ("model", "Raise hydration by 5%."),
    ]
    assert [turn.seq for turn in session.turns] == [1, 2, 2, 2, 3, 3, 4]
    assert (session.started, session.ended) == (1775023201000, 1775023510000)


@pytest.mark.parametrize(
    ("message", "want"),
    [
        (says("human", "<memories>tea</memories>Coffee."), [("injected", "tea"), ("typed", "Coffee.")]),
        (says("human", "", text="not the older form"), []),
        (says("human", [], text="Older export."), [("typed", "Older export.")]),
        (says("human", None, text="No blocks."), [("typed", "No blocks.")]),
        (says("human", [{"type": "voice_note", "text": "spoken by whom"}]), [("injected", "spoken by whom")]),
        (says("human", [{"text": "of no type"}]), [("injected", "of no type")]),
        (says("human", [{"type": "tool_result", "content": [{"type": "text", "text": "x"}]}]), [("tool", "x")]),
        (says("assistant", [{"type": "thinking", "thinking": "hm", "text": "hm"}]), []),
        (says("assistant", [{"type": "voice_note", "text": "Spoken."}]), [("model", "Spoken.")]),
        (says("assistant", "", text="Human-like."), []),
        (says("assistant", [], text="Older answer."), [("model", "Older answer.")]),
        (says("Human", "Not a sender."), [("injected", "Not a sender.")]),
        (says("system", "Be kind."), [("injected", "Be kind.")]),
    ],
)
def test_each_block_has_its_author(message: dict[str, Any], want: list[tuple[str, str]]) -> None:
    assert authors(one(message, says("human", "End.", "m2"))) == [*want, ("typed", "End.")]


def test_what_cannot_be_told_apart_is_kept_and_doubtful() -> None:
    session = one(says("human", [{"type": "voice_note", "text": "spoken"}]))
    assert [turn.reason for turn in session.turns] == ["doubtful: voice_note"]


def test_every_attachment_is_a_document_of_its_message() -> None:
    listed = [{"extracted_content": "first"}, {"file_name": "empty.png"}, {"extracted_content": "third"}, 7]
    session = one(says("human", "See these.", attachments=listed, files=[{"file_name": "photo.jpg"}]))
    assert [(turn.ref, turn.text) for turn in session.turns] == [
        ("m1", "See these."),
        ("m1 attachment", "first"),
        ("m1 attachment 3", "third"),
    ]


def test_a_message_without_a_name_is_called_by_its_place() -> None:
    session = one(says("human", "One."), says("human", "Two.", ""), 7)
    assert [(turn.seq, turn.ref) for turn in session.turns] == [(1, "m1"), (2, "[1]")]
    assert [(damage.line, damage.reason) for damage in session.damage] == [(3, NOT_OBJECT)]


@pytest.mark.parametrize(
    ("more", "want"),
    [
        ({"project": {"uuid": "p1", "name": "Bakery"}}, "Bakery"),
        ({"project_uuid": "p1"}, "p1"),
        ({"project": None}, ""),
    ],
)
def test_the_project_is_that_of_the_service(more: dict[str, Any], want: str) -> None:
    assert one(says("human", "Hi."), **more).project == want


def test_times_of_the_conversation_stand_in_for_those_of_its_messages() -> None:
    hello = says("human", "Hi.", created_at=None)
    session = one(hello, created_at="2026-04-01T06:00:00.123456Z", updated_at="2026-04-01T06:10:00Z")
    assert (session.started, session.ended) == (1775023200123, 1775023800000)


def test_only_conversations_are_read_and_the_rest_is_told() -> None:
    memories = {"conversations_memory": MACHINE, "project_memories": {}}
    found = read([memories, talk(says("human", "Hi.")), talk(name="empty")])
    assert [session.id for session in found] == ["c1", "conversations"]
    assert [damage.reason for damage in found[1].damage] == [NO_CONVERSATION]


def test_a_conversation_alone_is_read_like_a_list_of_one() -> None:
    value = talk(says("human", "Hi."))
    assert read(value) == read([value])


BASE = [
    talk(
        says("human", f"<memories>{MACHINE}</memories>first words", "h1", attachments=[{"extracted_content": MACHINE}]),
        says(
            "assistant",
            [
                {"type": "thinking", "thinking": MACHINE},
                {"type": "tool_use", "name": MACHINE, "input": {"q": MACHINE}},
                {"type": "tool_result", "content": [{"type": "text", "text": MACHINE}]},
                {"type": "text", "text": MACHINE},
            ],
            "a1",
            text=MACHINE,
        ),
        says("human", [{"type": "tool_result", "content": MACHINE}, {"type": "knowledge", "text": MACHINE}], "h2"),
        says("human", [], "h3", text="last words"),
    )
]
DECISIVE = frozenset({"sender", "type"})
"""Fields that say who wrote something; changes below leave them as they are."""


def test_the_export_that_is_broken_below_reads_well_when_whole() -> None:
    assert words(read(BASE)[0]) == [("h1", "first words"), ("h3", "last words")]


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=5), st.lists(st.integers(0, 2_000)))
def test_fuzz_changed_values_raise_nothing_and_make_no_machine_a_person(
    changes: list[tuple[int, Any]], places: list[int]
) -> None:
    assert stays_told(read, changed(copy.deepcopy(BASE), changes, DECISIVE), places, MACHINE)


@given(FLIPS, st.integers(0, 2_000))
def test_fuzz_changed_bytes_raise_nothing(flips: list[tuple[int, int]], end: int) -> None:
    data = flipped(json.dumps(BASE).encode(), flips)
    assert claude_ai.read_document(members([data[: len(data) - end]], claude_ai.STREAMED), source())


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<[#\x00"), min_size=1).map(str.strip)


@given(st.lists(st.tuples(st.sampled_from(["human", "assistant"]), TEXT.filter(bool)), max_size=8))
def test_property_every_text_comes_back_with_its_sender(said: list[tuple[str, str]]) -> None:
    session = one(*(says(sender, text, f"m{at}") for at, (sender, text) in enumerate(said)), says("human", "End."))
    people = {"human": "typed", "assistant": "model"}
    assert authors(session) == [*((people[sender], text) for sender, text in said), ("typed", "End.")]
