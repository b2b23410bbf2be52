"""opencode: who wrote which part of a message, however the session is stored."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.formats.opencode import REPEATED, REQUEST, REVERTED
from pipeline.formats.session import Author, Session
from tests.pipeline.formats.changing import changed
from tests.pipeline.formats.opencode_writing import (
    BASE,
    MACHINE,
    MADE,
    in_database,
    in_files,
    model,
    read,
    talk,
    text,
    told,
    traces,
    user,
)
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.writing import DATA, authors, texts, words

SAMPLES = DATA / "transcripts" / "opencode"
DECISIVE = frozenset({"role", "type", "synthetic", "parentID", "id", "tool", "messages", "parts"})
"""Fields that say who wrote something; changes below leave them as they are."""


def one(tmp_path: Path, session: dict[str, Any], **options: Any) -> Session:
    """The session out of both stores, which tell the same of it."""
    (filed,) = read(in_files(tmp_path, session, **options))
    (kept,) = read(in_database(tmp_path / "x" / "opencode.db", session, **options))
    assert told(filed) == told(kept)
    return kept


@pytest.mark.parametrize("name", ["storage/session/3f5a9c/ses_tide01.json", "db/opencode.db"])
def test_the_samples_read_as_expected(name: str) -> None:
    want = json.loads((SAMPLES / "expected.json").read_text("utf-8"))[name]
    before = traces((SAMPLES / name).parent)
    found = read(SAMPLES / name)
    assert traces((SAMPLES / name).parent) == before
    assert (found[0].id, found[0].project, found[0].subagent) == (want["session_id"], want["project"], False)
    assert [pair for session in found for pair in words(session)] == [
        (item["ref"], item["text"]) for item in want["user_texts"]
    ]
    for item in want["excluded"]:
        (turn,) = [turn for session in found for turn in session.turns if turn.ref == item["ref"]]
        assert item["why"].startswith(turn.reason) and turn.reason
    marks = [[turn.ref for turn in session.turns if turn.seq in session.compactions] for session in found]
    assert [ref for refs in marks for ref in refs] == [item.split(" /")[0] for item in want.get("compaction", [])]


def test_the_sub_agent_of_the_sample_is_a_session_without_typed_words() -> None:
    _, session = read(SAMPLES / "db" / "opencode.db")
    assert (session.id, session.parent, session.subagent) == ("ses_db2", "ses_db1", True)
    assert authors(session) == [("other agent", "Find the last tag.")]


ANSWERED: dict[str, Any] = {
    "status": "completed",
    "input": {"questions": [{"question": "Which colour?"}, {"question": "Which size?"}]},
    "output": 'User has answered your questions: "Which colour?"="Blue, Green". You can now continue.',
    "metadata": {"answers": [["Blue", "Green"], []]},
}
QUESTION: dict[str, Any] = {"type": "tool", "tool": "question", "state": ANSWERED}


def test_each_part_has_its_author(tmp_path: Path) -> None:
    session = one(
        tmp_path,
        talk(
            user(
                text("<memories>tea</memories>Make coffee."),
                text("file text", synthetic=True),
                text("old draft", ignored=True),
                {"type": "file", "filename": "a.py", "url": "file:///a.py"},
                {"type": "agent", "name": "explore"},
                {"type": "subtask", "prompt": "Look it up."},
                {"type": "patch", "text": "no text part"},
            ),
            model(
                {"type": "step-start"},
                {"type": "reasoning", "text": "hm"},
                text("Making."),
                {"type": "tool", "tool": "bash", "state": {"input": {"c": 1}, "output": "done"}},
                {"type": "tool", "tool": "bash", "state": {"input": {}, "error": "failed", "status": "error"}},
            ),
            {"role": "system", "parts": [text("Be kind.")]},
        ),
    )
    assert [(turn.author.value, turn.text, turn.reason) for turn in session.turns] == [
        ("injected", "tea", "recalled memory"),
        ("typed", "Make coffee.", ""),
        ("injected", "file text", "synthetic"),
        ("injected", "old draft", "ignored"),
        ("document", "a.py", "file"),
        ("other agent", "Look it up.", "subtask"),
        ("model", "Making.", ""),
        ("tool", 'bash {"c":1}', "tool call"),
        ("tool", "done", "tool_result"),
        ("tool", "bash {}", "tool call"),
        ("tool", "failed", "tool_result"),
        ("injected", "Be kind.", "system"),
    ]
    assert {turn.seq for turn in session.turns} == {1, 2, 3}


def test_answers_to_the_question_tool_are_the_person_s(tmp_path: Path) -> None:
    session = one(tmp_path, talk(model(QUESTION)))
    assert [(turn.text, turn.question) for turn in session.turns if turn.author is Author.CHOSEN] == [
        ("Blue", "Which colour?"),
        ("Green", "Which colour?"),
    ]


@pytest.mark.parametrize(
    "state",
    [
        {"output": "[Never-Ask] No user is available to answer."},
        {"status": "error"},
        {"metadata": None},
        {"input": {"questions": "x"}},
    ],
)
def test_a_question_that_nobody_answered_has_no_answer(tmp_path: Path, state: dict[str, Any]) -> None:
    asked = QUESTION | {"state": ANSWERED | state}
    assert words(one(tmp_path, talk(model(asked)))) == []
    assert words(one(tmp_path / "tool", talk(model(QUESTION | {"tool": "srv_question"})))) == []
    assert words(one(tmp_path / "sub", talk(model(QUESTION), parentID="ses_0"))) == []


def test_a_sub_agent_was_never_typed_to(tmp_path: Path) -> None:
    session = one(tmp_path, talk(user(text("Find it.")), model(text("Found.")), parentID="ses_0"))
    assert (session.parent, session.subagent) == ("ses_0", True)
    assert [(turn.author.value, turn.reason) for turn in session.turns] == [
        ("other agent", "session ses_1 has parent_id"),
        ("other agent", "sub-agent report"),
    ]


def test_a_compaction_is_marked_once_at_its_request_or_else_at_its_summary(tmp_path: Path) -> None:
    session = one(
        tmp_path,
        talk(
            user(text("Tabs.")),
            user({"type": "compaction", "auto": True}),
            model(text("They want tabs."), summary=True),
            user(text("Width 100."), summary={"title": "not a compaction"}),
            model(text("All so far."), summary=True),
        ),
    )
    assert session.compactions == (2, 5)
    assert [(turn.seq, turn.author.value, turn.reason) for turn in session.turns if turn.seq in {2, 3, 5}] == [
        (2, "injected", REQUEST),
        (3, "summary", "compact summary"),
        (5, "summary", "compact summary"),
    ]
    assert session.turns[1].ref == "ses_1m002"


def test_what_is_typed_once_more_by_the_tool_after_a_compaction_was_said_once(tmp_path: Path) -> None:
    asked = {"type": "compaction", "auto": True, "overflow": True}
    summary = model(text("All so far."), summary=True)
    again = (user(text("Look.")), user(asked), summary, user(text("Look.")), user(text("Look.")))
    session = one(tmp_path, talk(*again))
    assert [(turn.text, turn.inherited, turn.reason) for turn in session.turns if turn.author is Author.TYPED] == [
        ("Look.", False, ""),
        ("Look.", True, REPEATED),
        ("Look.", False, ""),
    ]
    plain = one(tmp_path / "plain", talk(again[0], user(asked | {"overflow": False}), summary, again[0]))
    assert [turn.inherited for turn in plain.turns if turn.author is Author.TYPED] == [False, False]


@pytest.mark.parametrize(
    ("revert", "left"),
    [
        ({"messageID": "ses_1m002"}, ["b", "c", "d"]),
        ({"messageID": "ses_1m002", "partID": "ses_1m002p002"}, ["c", "d"]),
        ({"messageID": "gone"}, []),
        ("no object", []),
    ],
)
def test_what_the_person_went_back_over_is_abandoned(tmp_path: Path, revert: Any, left: list[str]) -> None:
    session = one(tmp_path, talk(user(text("a")), user(text("b"), text("c")), user(text("d")), revert=revert))
    assert [turn.text for turn in session.turns if turn.abandoned] == left
    assert {turn.reason for turn in session.turns if turn.abandoned} <= {REVERTED}


@pytest.mark.parametrize(
    ("about", "worktree", "want"),
    [
        ({}, "/dev/tide", ("/dev/tide", "")),
        ({"directory": "/dev/tide/sub"}, "/dev/tide", ("/dev/tide", "")),
        ({"directory": "/dev/wt/blue"}, "/dev/tide", ("/dev/tide", "blue")),
        ({"directory": "/dev/notes"}, "/", ("/dev/notes", "")),
        ({"directory": "/dev/notes"}, "", ("/dev/notes", "")),
        ({"directory": 7}, "/dev/tide", ("/dev/tide", "")),
    ],
)
def test_the_project_is_its_checkout_or_the_folder_of_the_session(
    tmp_path: Path, about: dict[str, Any], worktree: str, want: tuple[str, str]
) -> None:
    (session,) = read(in_files(tmp_path, talk(user(text("Hi.")), **about), worktree=worktree))
    assert (session.project, session.branch) == want


def test_the_project_named_global_is_no_project(tmp_path: Path) -> None:
    session = talk(user(text("Hi.")), projectID="global", directory="/dev/notes")
    assert read(in_files(tmp_path, session))[0].project == "/dev/notes"


def test_messages_stand_in_the_order_of_their_times_and_parts_in_that_of_their_ids(tmp_path: Path) -> None:
    late, early = user(text("second"), time={"created": MADE + 9}), user(text("first"), time={"created": MADE + 1})
    assert texts(one(tmp_path, talk(late, early))) == ["first", "second"]
    (timeless,) = read(in_files(tmp_path / "x", talk(late, early | {"time": None})))
    assert texts(timeless) == ["second", "first"]


def test_the_sessions_that_are_broken_below_read_well_when_whole(tmp_path: Path) -> None:
    assert [texts(session) for session in read(in_files(tmp_path, *BASE))] == [["first words", "last words"], []]


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=5))
def test_fuzz_changed_values_raise_nothing_and_make_no_machine_a_person(changes: list[tuple[int, Any]]) -> None:
    sessions = changed([*copy.deepcopy(BASE)], changes, DECISIVE)
    with TemporaryDirectory() as folder:
        found = read(in_database(Path(folder) / "opencode.db", *filter(_is_session, sessions)))
    assert not any(MACHINE in said for session in found for said in texts(session))


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value


SAID = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<[#\x00"), min_size=1).filter(str.strip)
SAYS = st.tuples(st.sampled_from([user, model]), st.lists(SAID, max_size=3))


@settings(max_examples=max(20, settings().max_examples // 6))
@given(st.lists(SAYS, max_size=6))
def test_property_both_stores_tell_the_same(messages: list[tuple[Any, list[str]]]) -> None:
    session = talk(*(who(*(text(said) for said in parts)) for who, parts in messages))
    with TemporaryDirectory() as folder:
        found = one(Path(folder), session)
    people = {user: "typed", model: "model"}
    assert [(author, said.strip()) for author, said in authors(found)] == [
        (people[who], said.strip()) for who, parts in messages for said in parts
    ]
