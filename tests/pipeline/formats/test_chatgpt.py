"""ChatGPT exports: one branch of a tree is the conversation, and most of what stands in it nobody typed."""

from __future__ import annotations

import copy
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import chatgpt
from pipeline.formats.chatgpt import ABANDONED, BROKEN, PROFILE, RING, SAVED
from pipeline.formats.documents import CUT_SHORT, members
from pipeline.formats.exports import NO_CONVERSATION
from pipeline.formats.lines import chunks
from pipeline.formats.session import EVIDENCE_AUTHORS, Damage, Session
from tests.pipeline.formats.changing import FLIPS, changed, flipped, stays_told
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_lines import cut
from tests.pipeline.formats.writing import DATA, authors, source, words

MACHINE = "MACHINE"


def node(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A node of a mapping; `content` is a text, or all of a content object. `more` goes into the message."""
    said = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    message = {"id": name, "author": {"role": role}, "create_time": None, "content": said, "metadata": {}} | more
    return {"id": name, "parent": parent, "children": [], "message": message}


def talk(*nodes: dict[str, Any], current: str | None = None, name: str = "c1", **more: Any) -> dict[str, Any]:
    return {"conversation_id": name, "current_node": current, "mapping": {one["id"]: one for one in nodes}} | more


def read(value: Any, places: list[int] | None = None) -> tuple[Session, ...]:
    data = json.dumps(value).encode()
    return chatgpt.read_document(members(cut(data, places or []), chatgpt.STREAMED), source("conversations.json"))


def one(value: dict[str, Any]) -> Session:
    (session,) = read([value])
    return session


def live(session: Session) -> list[tuple[str, str]]:
    return [(turn.ref, turn.text) for turn in session.turns if turn.author in EVIDENCE_AUTHORS and not turn.abandoned]


def test_the_sample_reads_as_expected() -> None:
    folder = DATA / "transcripts" / "chatgpt"
    want = json.loads((folder / "expected.json").read_text("utf-8"))["conversations.json"]
    with (folder / "conversations.json").open("rb") as stream:
        found = chatgpt.read_document(members(chunks(stream), chatgpt.STREAMED), source("conversations.json"))
    (session,) = found
    assert session.id == want["session_id"]
    assert live(session) == [(item["ref"], item["text"]) for item in want["user_texts"]]
    for item in want["excluded"]:
        reasons = {turn.reason for turn in session.turns if turn.ref == item["ref"]}
        assert len(reasons) == 1 and item["why"].startswith(reasons.pop() or "nothing")
    assert (session.started, session.ended, session.project) == (1777000001250, 1777000009250, "")


def test_edited_messages_and_what_followed_them_are_abandoned() -> None:
    session = one(
        talk(
            node("q1", None, "user", "Paint it red."),
            node("a1", "q1", "assistant", "Red."),
            node("q2", "a1", "user", "Use two coats."),
            node("b1", "q1", "assistant", "Which red?"),
            node("r1", None, "user", "Another beginning."),
            node("q3", "b1", "user", "Signal red."),
            current="q3",
        )
    )
    assert [(turn.seq, turn.ref, turn.abandoned, turn.reason) for turn in session.turns] == [
        (1, "q1", False, ""),
        (1, "a1", True, ABANDONED),
        (1, "q2", True, ABANDONED),
        (2, "b1", False, ""),
        (3, "q3", False, ""),
        (3, "r1", True, ABANDONED),
    ]
    assert [damage.reason for damage in session.damage] == [BROKEN]


def test_without_a_current_node_the_newest_leaf_ends_the_conversation() -> None:
    nodes = [
        node("q1", None, "user", "First.", create_time=1777000000.5),
        node("old", "q1", "user", "Older leaf.", create_time=1777000001),
        node("new", "q1", "user", "Newest leaf.", create_time=1777000009.75),
        node("none", "q1", "user", "No time."),
    ]
    for current in (None, "gone", 7):
        session = one(talk(*nodes) | {"current_node": current})
        assert live(session) == [("q1", "First."), ("new", "Newest leaf.")]
    assert session.turns[-1].at is None or session.ended == 1777000009750


def test_children_join_what_names_no_parent() -> None:
    first = node("q1", None, "user", "First.") | {"children": ["q2"]}
    session = one(talk(first, node("q2", None, "user", "Second."), current="q2"))
    assert live(session) == [("q1", "First."), ("q2", "Second.")]


@pytest.mark.parametrize("current", ["a", "b", None])
def test_a_ring_of_messages_ends_and_is_told(current: str | None) -> None:
    session = one(talk(node("a", "b", "user", "A."), node("b", "a", "user", "B."), current=current))
    assert sorted(text for _, text in live(session)) == ["A.", "B."]
    assert [damage.reason for damage in session.damage] == [RING]


def test_a_conversation_of_thousands_of_messages_needs_no_deep_stack() -> None:
    chain = [node(f"n{at}", f"n{at - 1}" if at else None, "user", f"Say {at}.") for at in range(3_000)]
    side = [node(f"s{at}", f"s{at - 1}" if at else "n0", "user", "aside") for at in range(3_000)]
    session = one(talk(*chain, *side, current="n2999"))
    assert len(live(session)) == 3_000
    assert session.last_seq == 3_000


def test_settings_and_saved_memories_are_sources_of_their_own() -> None:
    context = {"content_type": "user_editable_context", "user_profile": "I sail.", "user_instructions": "Be brief."}
    saved = {"content_type": "model_editable_context", "model_set_context": "1. Sails. " + "x" * 5_000}
    older = {"user_context_message_data": {"about_user_message": "I row.", "about_model_message": "Be kind."}}
    session = one(
        talk(
            node("c", None, "user", context, metadata={"is_visually_hidden_from_conversation": True}),
            node("o", "c", "system", "", metadata=older),
            node("m", "o", "assistant", saved),
            node("b", "m", "assistant", "User sails.", recipient="bio"),
            node("t", "b", "tool", "Model set context updated."),
            current="t",
        )
    )
    told = [(turn.ref, turn.author.value, turn.text, turn.reason) for turn in session.turns]
    assert told == [
        ("c", "injected", "I sail.", PROFILE),
        ("c", "injected", "Be brief.", PROFILE),
        ("o", "injected", "I row.", PROFILE),
        ("o", "injected", "Be kind.", PROFILE),
        ("m", "injected", saved["model_set_context"], SAVED),
        ("b", "tool", "User sails.", "saved memory"),
        ("t", "tool", "Model set context updated.", "tool"),
    ]


HIDDEN = {"metadata": {"is_visually_hidden_from_conversation": True}}


@pytest.mark.parametrize(
    ("role", "content", "more", "want"),
    [
        (
            "user",
            "<memories>likes tea</memories>Make coffee.",
            {},
            [("injected", "likes tea"), ("typed", "Make coffee.")],
        ),
        ("user", "Continue.", HIDDEN, [("injected", "Continue.")]),
        ("user", {"content_type": "code", "text": "rm"}, {}, [("injected", "rm")]),
        ("user", {"content_type": "tether_quote", "title": "t", "text": "page"}, {}, [("document", "t\npage")]),
        ("user", {"parts": ["no kind"]}, {}, [("injected", "no kind")]),
        ("system", "You are.", {}, [("injected", "You are.")]),
        ("User", "Not a role.", {}, [("injected", "Not a role.")]),
        ("assistant", {"content_type": "code", "text": "print(1)"}, {}, [("tool", "print(1)")]),
        ("assistant", "search()", {"recipient": "browser"}, [("tool", "search()")]),
        ("assistant", "Hello.", {"recipient": "all"}, [("model", "Hello.")]),
        ("assistant", {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, {}, []),
        ("assistant", {"content_type": "reasoning_recap", "content": "Thought"}, {}, []),
        ("assistant", {"content_type": "system_error", "text": "oops"}, {}, [("injected", "oops")]),
        ("tool", {"content_type": "tether_browsing_display", "result": "L1: x"}, {}, [("tool", "L1: x")]),
    ],
)
def test_each_kind_of_message_has_its_author(role: str, content: Any, more: Any, want: list[tuple[str, str]]) -> None:
    found = read([talk(node("x", None, role, content, **more), node("z", "x", "user", "End."), current="z")])
    assert authors(found[0]) == [*want, ("typed", "End.")]


def test_what_was_said_to_the_machine_is_the_person_s_and_what_it_said_is_not() -> None:
    parts: list[Any] = [
        {"content_type": "audio_transcription", "text": "I live in Oslo.", "direction": "in"},
        {"content_type": "audio_transcription", "text": "You live in Rome.", "direction": "out"},
        {"content_type": "image_asset_pointer", "text": "a label"},
        "And typed this.",
    ]
    session = one(talk(node("v", None, "user", {"content_type": "multimodal_text", "parts": parts}), current="v"))
    assert words(session) == [("v", "I live in Oslo."), ("v", "And typed this.")]


def test_a_custom_project_is_the_project_and_a_gpt_is_none() -> None:
    hello = node("q", None, "user", "Hi.")
    assert one(talk(hello, conversation_template_id="g-p-1")).project == "g-p-1"
    assert one(talk(hello, gizmo_id="g-abc")).project == ""


def test_times_of_the_conversation_stand_in_for_those_of_its_messages() -> None:
    session = one(talk(node("q", None, "user", "Hi."), create_time=1777000000.25, update_time=1777000900.25))
    assert (session.started, session.ended) == (1777000000250, 1777000900250)
    assert session.turns[0].doubtful_time


def test_conversations_without_a_name_or_with_the_same_are_told_apart() -> None:
    hello = node("q", None, "user", "Hi.")
    found = read([talk(hello), talk(hello), talk(hello, name=""), talk(name="empty")])
    assert [session.id for session in found] == ["c1", "c1 (2)", "conversations:[2]"]


def test_what_is_no_conversation_is_told_and_the_rest_is_read() -> None:
    found = read([7, talk(node("q", None, "user", "Hi.")), {"mapping": None}, {"title": "x"}])
    assert [(session.id, len(session.turns)) for session in found] == [("c1", 1), ("conversations", 0)]
    assert [(damage.line, damage.reason) for damage in found[1].damage] == [(1, NO_CONVERSATION), (4, NO_CONVERSATION)]


def test_a_conversation_alone_is_read_like_a_list_of_one() -> None:
    value = talk(node("q", None, "user", "Hi."), current="q")
    assert read(value) == read([value])


def test_an_empty_export_is_an_empty_session() -> None:
    (session,) = read([])
    assert (session.id, session.turns, session.damage) == ("conversations", (), ())


def test_an_export_that_ends_early_gives_the_conversations_before() -> None:
    data = json.dumps([talk(node("q", None, "user", "Hi."), name=f"c{at}") for at in range(3)]).encode()
    found = chatgpt.read_document(members([data[:-20]], chatgpt.STREAMED), source("conversations.json"))
    assert [session.id for session in found] == ["c0", "c1", "conversations"]
    assert [damage.reason for damage in found[-1].damage] == [CUT_SHORT]


def test_a_large_export_is_read_conversation_by_conversation() -> None:
    """Tool output passes by; what is kept of it is a prefix."""
    big = talk(node("t", None, "tool", "x" * 500_000), node("q", "t", "user", "Mine."), current="q")

    def pieces() -> Iterator[bytes]:
        yield b"["
        for at in range(40):
            yield json.dumps(big | {"conversation_id": f"c{at}"}).encode() + b","
        yield b"]"

    tracemalloc.start()
    found = chatgpt.read_document(members(pieces(), chatgpt.STREAMED), source())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [live(session) for session in found] == [[("q", "Mine.")]] * 40
    assert peak < 8 << 20


BASE = [
    talk(
        node("s", None, "system", f"{MACHINE} rules"),
        node("c", "s", "user", {"content_type": "user_editable_context", "user_profile": MACHINE}, **HIDDEN),
        node("m", "c", "assistant", {"content_type": "model_editable_context", "model_set_context": MACHINE}),
        node("q1", "m", "user", f"<memories>{MACHINE}</memories>first words", create_time=1777000000.25),
        node("a1", "q1", "assistant", f"{MACHINE} reply", recipient="all"),
        node("t1", "a1", "tool", {"content_type": "execution_output", "text": MACHINE, "parts": [MACHINE]}),
        node("h1", "t1", "user", f"{MACHINE} continue", **HIDDEN),
        node("k1", "h1", "user", {"content_type": "code", "text": MACHINE, "parts": [MACHINE]}),
        node("q2", "k1", "user", {"content_type": "multimodal_text", "parts": [{"text": MACHINE}, "last words"]}),
        node("q3", "k1", "user", "other words"),
        current="q2",
    )
]
DECISIVE = frozenset(
    {
        *("author", "role", "content_type", "metadata", "message", "content", "mapping"),
        "is_visually_hidden_from_conversation",
    }
)
"""Fields that say who wrote something; changes below leave them as they are."""


def test_a_conversation_that_is_too_long_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.formats.documents.LINE_LIMIT", 1_000)
    monkeypatch.setattr("pipeline.formats.documents._STEP", 1)
    first, long, last = (talk(node("q", None, "user", text), name=text[0]) for text in ("a", "b" * 2_000, "c"))
    found = read([first, long, last], list(range(4_000)))
    assert [(session.id, [text for _, text in words(session)]) for session in found] == [
        ("a", ["a"]),
        ("c", ["c"]),
        ("conversations", []),
    ]
    place = len(json.dumps([first])) + 1
    size = f"{len(json.dumps(long)):,}"
    reason = f"a conversation or value of {size} characters was left out, as one may have 1,000"
    assert found[-1].damage == (Damage(2, place, f"{reason}; shorten it in a copy of the file"),)


def test_the_export_that_is_broken_below_reads_well_when_whole() -> None:
    (session,) = read(BASE)
    assert live(session) == [("q1", "first words"), ("q2", "last words")]


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=5), st.lists(st.integers(0, 4_000)))
def test_fuzz_changed_values_raise_nothing_and_make_no_machine_a_person(
    changes: list[tuple[int, Any]], places: list[int]
) -> None:
    assert stays_told(read, changed(copy.deepcopy(BASE), changes, DECISIVE), places, MACHINE)


@given(FLIPS, st.integers(0, 4_000))
def test_fuzz_changed_bytes_raise_nothing(flips: list[tuple[int, int]], end: int) -> None:
    data = flipped(json.dumps(BASE).encode(), flips)
    found = chatgpt.read_document(members([data[: len(data) - end]], chatgpt.STREAMED), source())
    assert found


@given(st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from("abcdefgx"), max_size=7), st.sampled_from("abcx"))
def test_property_every_message_of_any_graph_is_given_once(parents: dict[str, str], current: str) -> None:
    """Whatever the parents are, rings among them: nothing is lost, nothing repeated, and the order never goes back."""
    session = read([talk(*(node(name, parent, "user", name) for name, parent in parents.items()), current=current)])[0]
    assert sorted(turn.ref for turn in session.turns) == sorted(parents)
    seqs = [turn.seq for turn in session.turns]
    assert seqs == sorted(seqs)
    assert session.last_seq == sum(not turn.abandoned for turn in session.turns)
