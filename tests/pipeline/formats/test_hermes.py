"""Hermes sessions: in lines, in a document and in its database, with skills and compactions around what was typed."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import hermes
from pipeline.formats.documents import members
from pipeline.formats.lines import records, split
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session
from store.errors import BadInput, Cancelled, StorageFailure
from tests.pipeline.formats.changing import FLIPS, changed, flipped, torn
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.writing import DATA, authors, dump, only, source, texts, words

Line = dict[str, Any]
MACHINE = "MACHINE"
"""Stands in every text below that no person wrote."""
FOLDER = DATA / "transcripts" / "hermes"
META: Line = {
    "role": "session_meta",
    "model": "m",
    "platform": "telegram",
    "tools": [],
    "timestamp": "2026-06-01T08:00:00",
}
SKILL = '[IMPORTANT: The user has invoked the "standup" skill, for you to follow it.]\n\n# Standup\nAsk.\n\n'
ALONGSIDE = "The user has provided the following instruction alongside the skill invocation: "
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nThe user wants rack C."
END = "\n\n--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---\n\n"


def user(content: Any, **more: Any) -> Line:
    return {"role": "user", "content": content, "timestamp": "2026-06-01T08:00:05"} | more


def read(*lines: Line, name: str = "session_20260601_080000_ab12cd.jsonl") -> Session:
    return only(hermes.read, dump(lines), name)


def typed(text: str) -> list[str]:
    return texts(read(META, user(text)))


def test_the_sample_reads_as_expected() -> None:
    ((name, want),) = json.loads((FOLDER / "expected.json").read_text("utf-8")).items()
    session = only(hermes.read, (FOLDER / name).read_bytes(), name)
    assert words(session) == [(said["ref"].split(" (")[0], said["text"]) for said in want["user_texts"]]
    assert session.id == want["session_id"]
    assert [f"line {seq}" for seq in session.compactions] == want["compaction"]
    reasons = {turn.ref: turn.reason for turn in session.turns if turn.author not in EVIDENCE_AUTHORS}
    for out in want["excluded"]:
        assert out["why"].startswith(reasons[out["ref"].removesuffix(" head")])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (f"{SKILL}{ALONGSIDE}keep it short", ["keep it short"]),
        (f"{SKILL}{ALONGSIDE}keep it short\n\n[Runtime note: loaded]", ["keep it short"]),
        (f"{SKILL}{ALONGSIDE}quoted in the body\n\n{ALONGSIDE}mine", ["mine"]),
        (SKILL, []),
        (f"{SKILL}{ALONGSIDE}[IMPORTANT: You are running as a scheduled cron job.] Report.", []),
        (
            '[IMPORTANT: The user has invoked the "dev" skill bundle, loading 2 skills.]\n\nBundle: dev\n'
            'User instruction: fix it\n\n[Loaded as part of the "dev" skill bundle.]\n\nUser instruction: body',
            ["fix it"],
        ),
        (
            '[IMPORTANT: The "x" skill is auto-loaded. Follow its instructions for this session.]\nbody\n'
            "then run them with the terminal tool using the absolute path.\n\nmine",
            ["mine"],
        ),
        ('[IMPORTANT: The "x" skill is auto-loaded.]\nbody without an end\n\nnot mine', []),
        ("[SYSTEM: Background process 5 finished.\nOutput:\n]\nnot mine", []),
        ("[System note: expired [after 24 h].]\n\nmine", ["mine"]),
        ("[System note: not closed [here]\n\nnot mine", []),
        ('[Replying to: "an older message"]\n\nmine', ["mine"]),
        ('[The user sent a voice message~ Here\'s what they said: "dictated"]\n\nand typed', ["dictated", "and typed"]),
        ("[The user sent an image~ I see:\na rack]\n[For more use vision with image_url: /x ~]\n\nmine", ["mine"]),
        ("[Content of notes.txt]:\nnot mine\n\nmaybe mine", []),
        ("Review the conversation above and update the skill library now.", []),
        ("[Your active task list was preserved across context compression]\n- rack C", []),
        ("<memory-context>rack C</memory-context>\nmine", ["mine"]),
        (SUMMARY, []),
        (f"{SUMMARY}{END}mine", ["mine"]),
        (f"[PRIOR CONTEXT — for reference only]\nmine\n\n[END OF PRIOR CONTEXT — SUMMARY BELOW]\n{SUMMARY}", ["mine"]),
        ("What does [SYSTEM: mean?", ["What does [SYSTEM: mean?"]),
    ],
)
def test_only_what_the_person_wrote_is_theirs(text: str, want: list[str]) -> None:
    assert typed(text) == want


def test_the_message_that_a_summary_was_merged_into_counts_once() -> None:
    merged = f"[PRIOR CONTEXT — for reference only]\nRack B.\n\n[END OF PRIOR CONTEXT — SUMMARY BELOW]\n{SUMMARY}"
    session = read(META, user("Rack B."), user(merged))
    assert words(session) == [("line 2", "Rack B.")]
    assert session.compactions == (3,)


def test_tools_models_and_other_roles_are_never_the_person() -> None:
    session = read(
        META,
        {"role": "system", "content": "rules"},
        {"role": "assistant", "content": "Ok", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        {"role": "assistant", "content": SUMMARY},
        {"role": "tool", "tool_call_id": "c1", "content": "user: rack C"},
        user("mirrored", mirror=True),
        user("of another", observed=1),
        user("notice", display_kind="async_delegation_complete"),
        {"role": "User", "content": "odd"},
        user([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "x"}}]),
    )
    assert authors(session) == [
        ("injected", "rules"),
        ("model", "Ok"),
        ("tool", "f {}"),
        ("summary", SUMMARY),
        ("tool", "user: rack C"),
        ("injected", "mirrored"),
        ("document", "of another"),
        ("injected", "notice"),
        ("injected", "odd"),
        ("typed", "look"),
    ]


def test_what_the_scheduler_asked_is_not_the_person_s() -> None:
    assert texts(read(META | {"platform": "cron"}, user("report"))) == []
    assert texts(read(META, user("report"), name="cron_5_20260601.jsonl")) == []


def test_a_session_is_named_by_its_header_else_by_its_file() -> None:
    assert read(META, user("x")).id == "20260601_080000_ab12cd"
    assert read(META | {"session_id": "s7"}, user("x")).id == "s7"


@pytest.mark.parametrize("wrap", [lambda talk: talk, lambda talk: {"session_id": "s7", "messages": talk, "model": "m"}])
def test_one_document_is_one_session(wrap: Any) -> None:
    data = json.dumps(wrap([{"role": "system", "content": "x"}, user("mine"), 7])).encode()
    (session,) = hermes.read_document(members([data], hermes.STREAMED), source("session_s7.json"))
    assert (session.id, words(session), session.turns[1].seq) == ("s7", [("[1]", "mine")], 2)
    assert [damage.line for damage in session.damage] == [3]


def test_an_export_has_a_session_in_each_line() -> None:
    lines = [
        {"id": "a", "source": "cli", "cwd": "/home/dev/x", "messages": [user("mine")]},
        {"id": "b", "source": "subagent", "messages": [user("do it")]},
        {"id": "c", "source": "cron", "messages": [user("report")]},
    ]
    found = hermes.read(records(split([dump(lines)])), source("export.jsonl"))
    assert [(one.id, one.project, texts(one), one.subagent) for one in found] == [
        ("a", "/home/dev/x", ["mine"], False),
        ("b", "", [], True),
        ("c", "", [], False),
    ]


SESSIONS = """CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model_config TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT, git_branch TEXT)"""
MESSAGES = """CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
    timestamp REAL NOT NULL, observed INTEGER DEFAULT 0,
    _compressed_summary INTEGER NOT NULL DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
    compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT)"""
OLD_MESSAGES = (
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL)"
)


def database(path: Path, sessions: Iterable[Line], messages: Iterable[Line], table: str = MESSAGES) -> Path:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(SESSIONS)
        made.execute(table)
        for name, rows in (("sessions", sessions), ("messages", messages)):
            for row in rows:
                marks = ", ".join("?" * len(row))
                made.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    return path


def head(id: str, **more: Any) -> Line:
    return {"id": id, "source": "cli", "started_at": 1780300000.5} | more


def row(session: str, content: str, at: float = 1780300001.0, role: str = "user", **more: Any) -> Line:
    return {"session_id": session, "role": role, "content": content, "timestamp": at} | more


def from_database(path: Path) -> dict[str, Session]:
    return {one.id: one for one in hermes.read_path(path, source(path.name), None, None)}


def test_the_database_holds_a_session_for_each_of_its_rows(tmp_path: Path) -> None:
    call = json.dumps([{"function": {"name": "memory", "arguments": "{}"}}])
    path = database(
        tmp_path / "state.db",
        [head("s1", cwd="/home/dev/x", git_branch="main"), head("empty"), head("s2")],
        [
            row("s1", f"{SKILL}{ALONGSIDE}keep it short"),
            row("s1", "Ok", role="assistant", tool_calls=call),
            row("s1", "user: rack C", role="tool"),
            row("s2", '\x00json:[{"type": "text", "text": "with a picture"}]'),
        ],
    )
    before = path.read_bytes()
    found = from_database(path)
    assert list(found) == ["s1", "s2"]
    first = found["s1"]
    assert authors(first)[1:] == [
        ("typed", "keep it short"),
        ("model", "Ok"),
        ("tool", "memory {}"),
        ("tool", "user: rack C"),
    ]
    assert (first.project, first.branch, first.started) == ("/home/dev/x", "main", 1780300000500)
    assert words(found["s2"]) == [("seq 4", "with a picture")]
    assert found["s2"].turns[0].seq == 4
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["state.db"]


def test_what_was_undone_is_abandoned_and_what_a_compaction_wrote_again_counts_once(tmp_path: Path) -> None:
    path = database(
        tmp_path / "state.db",
        [head("s1")],
        [
            row("s1", "first", 1780300001.0, active=0, compacted=1),
            row("s1", "taken back", 1780300002.0, active=0),
            row("s1", SUMMARY, 1780300003.0, _compressed_summary=1),
            row("s1", "first", 1780300001.0),
            row("s1", "first", 1780300009.0),
        ],
    )
    (session,) = from_database(path).values()
    assert [(turn.text, turn.abandoned) for turn in session.turns if turn.author is Author.TYPED] == [
        ("first", False),
        ("taken back", True),
        ("first", False),
    ]
    assert session.compactions == (3,)


def test_a_session_that_goes_on_in_another_is_inherited_there_and_children_of_agents_are_not_the_person_s(
    tmp_path: Path,
) -> None:
    path = database(
        tmp_path / "state.db",
        [
            head("s1", end_reason="compression"),
            head("s2", parent_session_id="s1"),
            head("s3", parent_session_id="s2"),
            head("s4", parent_session_id="s2", model_config='{"_branched_from": "s2"}'),
            head("s5", source="cron"),
        ],
        [
            row("s1", "first"),
            row("s2", "first", 1780300010.0),
            row("s2", SUMMARY, 1780300010.0),
            row("s2", "second", 1780300020.0),
            row("s2", "first", 1780300021.0),
            row("s3", "do it"),
            row("s4", "second"),
            row("s4", "third"),
            row("s5", "report"),
        ],
    )
    found = from_database(path)
    said = {name: [(t.text, t.inherited) for t in one.turns if t.author is Author.TYPED] for name, one in found.items()}
    assert said == {
        "s1": [("first", False)],
        "s2": [("first", True), ("second", False), ("first", False)],
        "s3": [],
        "s4": [("second", True), ("third", False)],
        "s5": [],
    }
    assert [(one.parent, one.subagent) for one in found.values()] == [
        ("", False),
        ("s1", False),
        ("s2", True),
        ("s2", False),
        ("", False),
    ]


def test_an_older_database_has_fewer_columns(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", [head("s1")], [row("s1", "mine")], OLD_MESSAGES)
    assert texts(from_database(path)["s1"]) == ["mine"]


def test_what_a_running_hermes_has_not_yet_put_into_the_file_is_read_too(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", [head("s1")], [])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', 'mine', 1)")
        writer.commit()
        assert texts(from_database(path)["s1"]) == ["mine"]


def test_other_files_and_databases_are_refused_with_a_sentence(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as made:
        made.execute("CREATE TABLE x (y)")
    with pytest.raises(BadInput, match="holds no sessions of Hermes"):
        from_database(other)
    (tmp_path / "text.db").write_bytes(b"SQLite format 3\x00" + b"x" * 100)
    with pytest.raises(BadInput, match="damaged"):
        from_database(tmp_path / "text.db")


def test_reading_a_database_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    path = database(tmp_path / "state.db", [head("s1"), head("s2")], [row("s1", "x"), row("s2", "y")])
    told: list[int] = []
    hermes.read_path(path, source("state.db"), told.append, None)
    assert told == [path.stat().st_size // 2, path.stat().st_size]
    with pytest.raises(Cancelled):
        hermes.read_path(path, source("state.db"), None, lambda: True)


TALK: list[Line] = [
    META,
    user("first words"),
    {"role": "assistant", "content": MACHINE, "tool_calls": [{"function": {"name": MACHINE, "arguments": MACHINE}}]},
    {"role": "tool", "content": MACHINE},
    user(f'[SYSTEM: The user has invoked the "x" skill]\n{MACHINE}\n\n{ALONGSIDE}in between'),
    user(f"[CONTEXT COMPACTION] {MACHINE}"),
    user(MACHINE, display_kind="hidden"),
    user(f"<memory-context>{MACHINE}</memory-context>last words"),
]
DECISIVE = frozenset({"role", "display_kind"})
SAID = {"first words", "in between", "last words"}


def evidence(data: bytes) -> set[str]:
    return {text for one in hermes.read(records(split([data])), source()) for text in texts(one)}


def test_the_session_that_is_broken_below_reads_well_when_whole() -> None:
    assert evidence(dump(TALK)) == SAID


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_never_turn_machine_text_into_evidence(changes: list[tuple[int, Any]]) -> None:
    value = changed(TALK, changes, DECISIVE)
    assert all(MACHINE not in text for text in evidence(dump(value)))
    (session,) = hermes.read_document(members([json.dumps(value).encode()], hermes.STREAMED), source("x.json"))
    assert all(MACHINE not in text for text in texts(session))


@given(st.lists(st.integers(0, len(TALK) - 1), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_fuzz_torn_repeated_and_shuffled_lines_invent_no_words(picked: list[int], chance: random.Random) -> None:
    assert evidence(torn([json.dumps(TALK[index]).encode() for index in picked], chance)) <= SAID


@given(FLIPS)
def test_fuzz_changed_bytes_raise_nothing(flips: list[tuple[int, int]]) -> None:
    data = flipped(dump(TALK), flips)
    evidence(data)


@given(flips=st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 255)), min_size=1, max_size=20))
def test_fuzz_a_damaged_database_raises_nothing_but_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.mktemp("db") / "state.db"
    database(path, [head("s1"), head("s2", parent_session_id="s1")], [row("s1", "x"), row("s2", "y")])
    data = flipped(path.read_bytes(), flips)
    path.write_bytes(data)
    try:
        from_database(path)
    except (BadInput, StorageFailure) as error:
        assert str(error).startswith(str(path))


@given(st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_raise_nothing_wherever_they_stand(changes: list[tuple[int, Any]]) -> None:
    evidence(dump(changed(TALK, changes, frozenset())))
