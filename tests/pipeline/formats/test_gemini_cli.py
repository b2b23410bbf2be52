"""Gemini CLI: a log that takes back, replaces and compresses, and puts texts of files under the person's name."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import gemini_cli
from pipeline.formats.documents import CUT_SHORT, members
from pipeline.formats.envelopes import load
from pipeline.formats.gemini_cli import BOUNDARY, REPEATED, REWOUND
from pipeline.formats.gemini_projects import hash_of, project_of
from pipeline.formats.gemini_words import ACKNOWLEDGED, FILE, SNAPSHOT
from pipeline.formats.lines import NOT_OBJECT, chunks, records, split
from pipeline.formats.session import Author, Session
from pipeline.formats.source import Source
from store.errors import BadInput
from tests.pipeline.formats.changing import FLIPS, changed, flipped
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_lines import cut
from tests.pipeline.formats.writing import DATA, NOW_MS, authors, dump, source, texts, words

MACHINE = "MACHINE"
ABOUT = {"sessionId": "s-1", "projectHash": "abc", "startTime": "2026-05-20T10:00:00.000Z", "kind": "main"}
THANKS = "Got it. Thanks for the additional context!"


def says(name: str, content: Any, kind: str = "user", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-05-20T10:00:05.000Z", "type": kind, "content": content} | more


def answers(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return says(name, content, "gemini", **({"model": "gemini-3-pro"} | more))


def read(lines: list[Any], path: str = "session.jsonl") -> Session:
    (session,) = gemini_cli.read(records(split([dump(lines)])), source(path))
    return session


def document(value: Any, path: str = "session.json", places: list[int] | None = None) -> Session:
    parts = members(cut(json.dumps(value).encode(), places or []), gemini_cli.STREAMED)
    (session,) = gemini_cli.read_document(parts, source(path))
    return session


def live(session: Session) -> list[tuple[str, str]]:
    return [(turn.ref, turn.text) for turn in session.turns if turn.author is Author.TYPED and not turn.abandoned]


def fates(session: Session) -> list[tuple[str, str]]:
    """What the person typed and what became of it."""
    return [(turn.text, turn.reason) for turn in session.turns if turn.author is Author.TYPED]


def test_the_sample_reads_as_expected() -> None:
    folder = DATA / "transcripts" / "gemini-cli"
    ((name, want),) = json.loads((folder / "expected.json").read_text("utf-8")).items()
    with (folder / name).open("rb") as stream:
        (session,) = gemini_cli.read(records(split(chunks(stream))), Source(folder / name, load(), NOW_MS))
    assert (session.id, session.subagent) == (want["session_id"], want["subagent"])
    assert f"(hash only) {session.project}" == want["project"]
    assert live(session) == [(item["ref"], item["text"]) for item in want["user_texts"]]
    for item in want["excluded"]:
        ((author, reason),) = {(turn.author, turn.reason) for turn in session.turns if turn.ref == item["ref"]}
        assert item["why"].startswith(reason) and reason
        assert author is not Author.TYPED or reason == REWOUND
    assert next(turn.text for turn in session.turns if turn.ref == "a1") == "I will use dashes."
    assert (session.started, session.ended) == (1779271200500, 1779271380000)


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ("Plain text.", [("typed", "Plain text.")]),
        ({"text": "One part."}, [("typed", "One part.")]),
        (
            ["A string.", {"text": "A part."}, {"inlineData": {"data": "x"}}, 7],
            [("typed", "A string."), ("typed", "A part.")],
        ),
        ("<session_context>\nToday\n</session_context>", [("injected", "Today")]),
        ("<session_context>\nnever closed", [("injected", "<session_context>\nnever closed")]),
        (
            [{"text": "Mine."}, {"text": "<hook_context>hook</hook_context>"}],
            [("typed", "Mine."), ("injected", "hook")],
        ),
        ("This is the Gemini CLI. We are setting up the context for our chat.\nToday.", [("injected", None)]),
        ("Here is the user's editor context as a JSON object. This is …\n{}", [("injected", None)]),
        ("System: Potential loop detected. Details: x. Please take a step back", [("injected", None)]),
        ("/memory show", [("command", "/memory show")]),
        ("  ?help", [("command", "?help")]),
        ([{"text": "/plan"}, {"text": "the house"}], [("command", "/plan"), ("command", "the house")]),
        (
            [{"functionResponse": {"response": {"output": "out"}}}, {"text": "more"}],
            [("tool", "out"), ("tool", "more")],
        ),
        ([{"functionResponse": {"response": {"error": "bad"}}}], [("tool", "bad")]),
        ("<state_snapshot>all</state_snapshot>", [("summary", "all")]),
        ("<scratchpad>hm</scratchpad>\n<state_snapshot>all</state_snapshot>", [("summary", "hm"), ("summary", "all")]),
        ([{"text": "a thought", "thought": True}], []),
        (None, []),
    ],
)
def test_each_part_under_the_person_s_name_has_its_author(content: Any, want: list[tuple[str, str | None]]) -> None:
    found = authors(read([ABOUT, says("u1", content), says("u2", "End.")]))
    assert [author for author, _ in found] == [*(author for author, _ in want), "typed"]
    assert all(text in {None, told} for (_, told), (_, text) in zip(found, want, strict=False))


FILES = "--- Content from referenced files ---"


def test_texts_of_files_are_documents_with_the_part_that_they_are() -> None:
    """What was shown to the person says what they typed; older versions kept only the mark before the files."""
    parts = [
        {"text": "Look at @a.md"},
        {"text": f"\n{FILES}"},
        {"text": "\nContent from @a.md:\n"},
        {"text": "Deploy on Friday."},
        {"text": "\n--- End of content ---"},
    ]
    shown = read([ABOUT, says("u1", parts, displayContent=[{"text": "Look at @a.md"}])])
    older = read([ABOUT, says("u1", parts)])
    for session in (shown, older):
        assert words(session) == [("u1", "Look at @a.md")]
        assert [(turn.ref, turn.author.value) for turn in session.turns[1:]] == [
            (f"u1 part {place}", "document") for place in (2, 3, 4, 5)
        ]
        assert {turn.reason for turn in session.turns[1:]} == {FILE}
    text = f"Look at @a.md\n{FILES}\nContent from @a.md:\n--- End of content ---\nI am the person."
    assert words(read([ABOUT, says("u1", text)])) == [("u1", "Look at @a.md")]
    resource = [{"text": "Read @srv:r"}, {"text": "\nContent from @srv:r:\n"}, {"text": "remote"}]
    assert words(read([ABOUT, says("u1", resource)])) == [("u1", "Read @srv:r")]


def test_what_a_command_stands_for_is_no_file_and_not_typed() -> None:
    session = read([ABOUT, says("u1", "A long prompt.", displayContent="/plan")])
    assert [(turn.author.value, turn.text, turn.reason) for turn in session.turns] == [
        ("command", "/plan", "slash command"),
        ("injected", "A long prompt.", "prompt of a command"),
    ]


def test_a_message_that_comes_again_replaces_the_first_in_its_place() -> None:
    lines = [ABOUT, says("u1", "Frist."), answers("a1", "Sure."), says("u1", "First."), answers("a1", "Sure!")]
    session = read(lines)
    assert [(turn.seq, turn.ref, turn.text) for turn in session.turns] == [(2, "u1", "First."), (3, "a1", "Sure!")]


def test_rewound_words_are_abandoned_and_those_before_stay() -> None:
    lines = [
        ABOUT,
        says("u1", "Keep."),
        says("u2", "Dark."),
        answers("a2", "Dark it is."),
        {"$rewindTo": "u2"},
        says("u3", "Light."),
    ]
    assert fates(read(lines)) == [("Keep.", ""), ("Dark.", REWOUND), ("Light.", "")]
    assert fates(read([*lines, {"$rewindTo": "gone"}])) == [("Keep.", REWOUND), ("Dark.", REWOUND), ("Light.", REWOUND)]
    again = read([*lines, says("u2", "Dark after all.")])
    assert [(turn.ref, turn.text, turn.abandoned) for turn in again.turns if turn.ref == "u2"] == [
        ("u2", "Dark.", True),
        ("u2", "Dark after all.", False),
    ]


def compressed(
    *kept: dict[str, Any], summary: str = "I think.\n<state_snapshot>dark theme</state_snapshot>"
) -> list[Any]:
    """What the tool writes when it compresses: a summary, its own thanks, what it kept, then all of it at once."""
    new = [says("n1", [{"text": summary}]), says("n2", [{"text": THANKS}], "gemini"), *kept]
    return [*new, {"$set": {"messages": new, "lastUpdated": "2026-05-20T11:00:00.000Z"}}]


def test_a_compression_is_marked_and_what_it_drops_was_said_all_the_same() -> None:
    lines = [ABOUT, says("u1", "Tabs."), answers("a1", "Yes."), says("u2", "Width 100.")]
    session = read([*lines, *compressed(says("n3", [{"text": "Width 100."}])), says("u3", "And no emoji.")])
    assert session.compactions == (8,)
    assert [(turn.seq, turn.ref, turn.text, turn.reason) for turn in session.turns if turn.seq == 8] == [
        (8, "line 8", "", BOUNDARY)
    ]
    assert [(turn.text, turn.reason, turn.inherited) for turn in session.turns if turn.author is Author.TYPED] == [
        ("Tabs.", "", False),
        ("Width 100.", "", False),
        ("Width 100.", REPEATED, True),
        ("And no emoji.", "", False),
    ]
    assert [(turn.ref, turn.reason) for turn in session.turns if turn.author is Author.SUMMARY] == [
        ("n1", SNAPSHOT),
        ("n2", ACKNOWLEDGED),
    ]


def test_a_compression_that_keeps_the_messages_repeats_nothing() -> None:
    """Their ids stay: the same words, typed twice, count twice."""
    second = says("u2", "Go on.")
    new = [says("n1", "<state_snapshot>x</state_snapshot>"), says("n2", THANKS, "gemini"), second]
    session = read([ABOUT, says("u1", "Go on."), second, {"$set": {"messages": new}}])
    assert [(turn.ref, turn.inherited) for turn in session.turns if turn.author is Author.TYPED] == [
        ("u1", False),
        ("u2", False),
    ]
    assert session.compactions == (4,)
    assert fates(read([ABOUT, says("u1", "One."), {"$set": {"messages": []}}, {"$rewindTo": "u1"}])) == [("One.", "")]


def test_a_model_that_thanks_for_itself_makes_nothing_a_summary() -> None:
    session = read([ABOUT, says("u1", "We use tabs."), answers("a1", THANKS)])
    assert authors(session) == [("typed", "We use tabs."), ("model", THANKS)]


def test_notes_of_the_tool_and_unknown_messages_are_injected() -> None:
    lines = [says(kind, kind, kind) for kind in ("info", "warning", "error", "plan")] + [{"id": "x", "content": "none"}]
    told = [(turn.author.value, turn.text, turn.reason) for turn in read([ABOUT, *lines]).turns]
    kinds = [("injected", kind, kind) for kind in ("info", "warning", "error", "plan")]
    assert told == [*kinds, ("injected", "none", "no type")]


def test_calls_and_results_are_the_tool_s_wherever_they_stand() -> None:
    call = {"name": "look", "args": {"q": 1}, "result": [{"functionResponse": {"response": {"output": "found"}}}]}
    parts = [
        {"text": "Looking."},
        {"text": "hm", "thought": True},
        {"functionCall": {"name": "look", "args": {"q": 2}}},
    ]
    found = authors(read([ABOUT, answers("a1", parts, toolCalls=[call, {"name": "other", "result": "plain"}, 7])]))
    assert found[:6] == [
        ("model", "Looking."),
        ("tool", 'look {"q":2}'),
        ("tool", 'look {"q":1}'),
        ("tool", "found"),
        ("tool", "other null"),
        ("tool", "plain"),
    ]


def test_a_sub_agent_is_a_session_of_its_own_that_nobody_typed_in() -> None:
    lines = [ABOUT | {"kind": "subagent"}, says("u1", "Find it."), answers("a1", "Found."), says("u2", "/run")]
    session = read(lines, "tmp/p/chats/parent-1/s-1.jsonl")
    assert (session.id, session.parent, session.subagent) == ("parent-1:s-1", "parent-1", True)
    assert [(turn.author.value, turn.reason) for turn in session.turns] == [
        ("other agent", "sub-agent prompt"),
        ("other agent", "sub-agent report"),
        ("other agent", "sub-agent prompt"),
    ]
    assert read([ABOUT, *lines[1:]], "tmp/p/chats/parent-1/s-1.jsonl").subagent
    assert texts(read([ABOUT, *lines[1:]], "tmp/chats/chats/s-1.jsonl")) == ["Find it."]


def test_an_older_file_is_one_document_in_any_order_of_its_keys() -> None:
    messages = [says("u1", "Fix it."), 7, answers("a1", "Done."), says("", "No name.")]
    session = document({"lastUpdated": "x", "messages": messages, **ABOUT})
    assert (session.id, session.project) == ("s-1", "abc")
    assert [(turn.seq, turn.ref, turn.text) for turn in session.turns] == [
        (2, "u1", "Fix it."),
        (4, "a1", "Done."),
        (5, "[3]", "No name."),
    ]
    assert [(damage.line, damage.reason) for damage in session.damage] == [(2, NOT_OBJECT)]
    assert document({"messages": messages[:1], **ABOUT, "kind": "subagent"}).subagent
    assert read([ABOUT | {"messages": messages}]).turns[0].text == "Fix it."


HISTORY = [
    {"role": "user", "parts": [{"text": "Okay, just setting up the context for our chat."}]},
    {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
    {"role": "user", "parts": [{"text": "Use spaces."}]},
    {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a b"}}}]},
]


@pytest.mark.parametrize("value", [{"history": HISTORY, "authType": "oauth"}, HISTORY])
def test_a_checkpoint_is_read_with_and_without_what_stands_around_it(value: Any) -> None:
    session = document(value, "tmp/p1/checkpoint-my%20tag.json")
    assert session.id == "p1:checkpoint-my tag"
    assert session.project == "p1"
    assert [(turn.seq, turn.ref, turn.author.value, turn.text) for turn in session.turns] == [
        (1, "[0]", "injected", "Okay, just setting up the context for our chat."),
        (2, "[1]", "summary", "Got it. Thanks for the context!"),
        (3, "[2]", "typed", "Use spaces."),
        (4, "[3]", "tool", "ls {}"),
        (5, "[4]", "tool", "a b"),
    ]
    assert session.turns[2].at is None and session.turns[2].doubtful_time


def test_a_restore_point_of_a_tool_is_refused() -> None:
    with pytest.raises(BadInput, match="is a restore point of Gemini CLI"):
        document({"history": [], "clientHistory": HISTORY, "toolCall": {"name": "write_file"}})


def test_a_document_that_ends_early_gives_what_it_has() -> None:
    data = json.dumps({**ABOUT, "messages": [says("u1", "One."), says("u2", "Two.")]}).encode()
    (session,) = gemini_cli.read_document(members([data[:-30]], gemini_cli.STREAMED), source())
    assert texts(session) == ["One."]
    assert [damage.reason for damage in session.damage] == [CUT_SHORT]


def test_the_project_is_the_folder_where_the_tool_tells_it(tmp_path: Path) -> None:
    home, folder = tmp_path / ".gemini", "/home/dev/tidepool"
    chat = home / "tmp" / "tidepool" / "chats" / "session-1.jsonl"
    chat.parent.mkdir(parents=True)
    assert project_of(chat, "", []) == "tidepool"
    assert project_of(chat, "abc", []) == "abc"
    assert project_of(chat, hash_of(folder), ["/elsewhere", folder]) == folder
    (home / "projects.json").write_text(json.dumps({"projects": {"/home/dev/other": "other", folder: "tidepool"}}))
    assert project_of(chat, hash_of(folder), []) == folder
    assert project_of(chat.parent / "parent" / "agent.jsonl", "", []) == folder
    assert project_of(home / "tmp" / hash_of(folder) / "chats" / "s.jsonl", hash_of(folder), []) == folder
    assert project_of(home / "tmp" / "tidepool" / "checkpoint-x.json", "", []) == folder
    (chat.parents[1] / ".project_root").write_text("/home/dev/moved\n")
    assert project_of(chat, "", []) == "/home/dev/moved"
    assert project_of(tmp_path / "tmp" / "x" / "s.jsonl", "abc", []) == "abc"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"projects": [1]}', '{"projects": {"/a": 1}}', "[" * 100_000])
def test_a_broken_list_of_projects_hides_no_session(tmp_path: Path, text: str) -> None:
    chat = tmp_path / "tmp" / "tidepool" / "chats" / "session-1.jsonl"
    (tmp_path / "projects.json").write_text(text)
    assert project_of(chat, "abc", []) == "abc"


BASE: list[dict[str, Any]] = [
    ABOUT,
    says("u0", f"<session_context>{MACHINE}</session_context>"),
    says("u1", [{"text": "first words"}]),
    answers(
        "a1", MACHINE, toolCalls=[{"name": MACHINE, "result": [{"functionResponse": {"response": {"o": MACHINE}}}]}]
    ),
    says("u2", [{"functionResponse": {"response": {"output": MACHINE}}}]),
    says("u3", [{"text": "named"}, {"text": f"\n{FILES}\n{MACHINE}"}], displayContent=[{"text": "named"}]),
    says("i1", MACHINE, "info"),
    says("u4", "taken back"),
    {"$rewindTo": "u4"},
    says("n1", f"<state_snapshot>{MACHINE}</state_snapshot>"),
    says("n2", THANKS, "gemini"),
    {"$set": {"messages": [says("n1", f"<state_snapshot>{MACHINE}</state_snapshot>"), says("n2", THANKS, "gemini")]}},
    {"$set": {"summary": MACHINE}},
    says("u5", "last words"),
]
DECISIVE = frozenset({"type", "functionResponse", "functionCall"})
"""Fields that say who wrote something; changes below leave them as they are."""


def test_the_session_that_is_broken_below_reads_well_when_whole() -> None:
    assert [text for _, text in live(read(BASE))] == ["first words", "named", "last words"]


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=5))
def test_fuzz_changed_values_raise_nothing_and_make_no_machine_a_person(changes: list[tuple[int, Any]]) -> None:
    value = changed(copy.deepcopy(BASE), changes, DECISIVE)
    whole = {"messages": [line for line in value if isinstance(line, dict) and "type" in line], **ABOUT}
    for session in (read(value), document(whole), document({"history": whole["messages"]}), document(value)):
        assert not any(MACHINE in text for text in texts(session))


@given(FLIPS, st.integers(0, 3_000))
def test_fuzz_changed_bytes_raise_nothing(flips: list[tuple[int, int]], end: int) -> None:
    data = flipped(dump(BASE), flips)
    data = data[: max(0, len(data) - end)]
    assert len(gemini_cli.read(records(split([data])), source())) == 1
    assert len(gemini_cli.read_document(members([data], gemini_cli.STREAMED), source())) == 1


STEPS = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 9).map(lambda name: -1 - name)), max_size=30)


@given(STEPS)
def test_property_what_is_live_is_what_the_tool_itself_would_load(steps: list[int]) -> None:
    """Any run of messages (0 and on) and rewinds (below 0), against a dictionary kept in order."""
    lines: list[Any] = [ABOUT]
    kept: dict[str, str] = {}
    for at, step in enumerate(steps):
        name = f"u{step if step >= 0 else -1 - step}"
        if step >= 0:
            lines.append(says(name, f"Say {at}."))
            kept[name] = f"Say {at}."
        else:
            lines.append({"$rewindTo": name})
            order = list(kept)
            kept = {key: kept[key] for key in order[: order.index(name)]} if name in kept else {}
    session = read(lines)
    assert live(session) == list(kept.items())
    assert [turn.seq for turn in session.turns] == sorted(turn.seq for turn in session.turns)
