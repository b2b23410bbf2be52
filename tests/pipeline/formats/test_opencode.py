"""opencode: the same sessions in a store of files and in a database, which are read and never touched."""

from __future__ import annotations

import copy
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.formats import opencode, opencode_database
from pipeline.formats.opencode import REPEATED, REQUEST, REVERTED
from pipeline.formats.session import Author, Session
from store.errors import BadInput, Cancelled, StorageFailure
from tests.pipeline.formats.changing import changed
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.writing import DATA, authors, source, texts, words

MACHINE = "MACHINE"
MADE = 1_779_264_000_000
SAMPLES = DATA / "transcripts" / "opencode"
TABLES = """
CREATE TABLE project(id text primary key, worktree text not null, time_created integer);
CREATE TABLE session(id text primary key, project_id text, parent_id text, directory text, title text, revert text,
  time_created integer, time_updated integer);
CREATE TABLE message(id text primary key, session_id text, time_created integer, data text);
CREATE TABLE part(id text primary key, message_id text, session_id text, time_created integer, data text);
CREATE INDEX messages ON message(session_id);
CREATE INDEX parts ON part(message_id);
"""


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words} | more


def user(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)} | more


def model(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "parts": list(parts)} | more


def talk(*messages: dict[str, Any], name: str = "ses_1", **about: Any) -> dict[str, Any]:
    """A session; its messages are m001, m002, …, one a second, and their parts m001p001, m001p002, …."""
    base = {"id": name, "projectID": "p1", "directory": "/dev/tide", "time": {"created": MADE}}
    return base | about | {"messages": list(messages)}


def parts_of(session: dict[str, Any]) -> list[tuple[str, Any, list[tuple[str, Any]]]]:
    """The messages of a session with their names, and the parts of each with theirs."""
    found: list[tuple[str, Any, list[tuple[str, Any]]]] = []
    for at, message in enumerate(session["messages"], start=1):
        name = f"{session['id']}m{at:03}"
        parts = message.get("parts", []) if isinstance(message, dict) else []
        data = {"time": {"created": MADE + at * 1000}} | message if isinstance(message, dict) else message
        kept = {key: value for key, value in data.items() if key != "parts"} if isinstance(data, dict) else data
        found.append((name, kept, [(f"{name}p{place:03}", part) for place, part in enumerate(parts, start=1)]))
    return found


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def in_files(folder: Path, *sessions: dict[str, Any], worktree: str = "/dev/tide") -> Path:
    root = folder / "storage"
    put(root / "project" / "p1.json", {"id": "p1", "worktree": worktree})
    for session in sessions:
        about = {key: value for key, value in session.items() if key != "messages"}
        put(root / "session" / "p1" / f"{session['id']}.json", about)
        for name, data, parts in parts_of(session):
            put(root / "message" / session["id"] / f"{name}.json", data)
            for part, value in parts:
                put(root / "part" / name / f"{part}.json", value)
    return root


def in_database(path: Path, *sessions: dict[str, Any], worktree: str = "/dev/tide", log: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous=OFF")
        database.execute(f"PRAGMA journal_mode={'WAL' if log else 'MEMORY'}")
        database.executescript(TABLES)
        database.execute("INSERT INTO project VALUES('p1', ?, 1)", (worktree,))
        for session in sessions:
            insert(database, session)
        database.commit()
    return path


def insert(database: sqlite3.Connection, session: dict[str, Any]) -> None:
    keys = ("id", "projectID", "parentID", "directory", "title")
    revert = json.dumps(session["revert"]) if "revert" in session else None
    row = (*(value if isinstance(value := session.get(key), str) else None for key in keys), revert, MADE, MADE)
    database.execute("INSERT INTO session VALUES(?, ?, ?, ?, ?, ?, ?, ?)", row)
    for at, (name, data, parts) in enumerate(parts_of(session), start=1):
        made = MADE + at * 1000
        database.execute("INSERT INTO message VALUES(?, ?, ?, ?)", (name, session["id"], made, json.dumps(data)))
        for part, value in parts:
            row = (part, name, session["id"], made, json.dumps(value))
            database.execute("INSERT INTO part VALUES(?, ?, ?, ?, ?)", row)


def read(path: Path, **options: Any) -> tuple[Session, ...]:
    return opencode.read_path(path, source(str(path)), **options)


def one(tmp_path: Path, session: dict[str, Any], **options: Any) -> Session:
    """The session out of both stores, which tell the same of it."""
    (filed,) = read(in_files(tmp_path, session, **options))
    (kept,) = read(in_database(tmp_path / "x" / "opencode.db", session, **options))
    assert told(filed) == told(kept)
    return kept


def told(session: Session) -> tuple[Any, ...]:
    """All that a session says, but the path of its store and the wording of its damage."""
    times = session.started, session.ended
    about = session.id, session.project, session.branch, session.parent, session.subagent
    return (*about, *times, session.compactions, list(session.turns), len(session.damage))


def traces(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir() if path.is_file()}


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


def test_a_folder_gives_the_sessions_of_both_stores_once(tmp_path: Path) -> None:
    old, both = talk(user(text("Old.")), name="ses_a"), talk(user(text("Both.")), name="ses_b")
    root = in_files(tmp_path, old, both)
    in_database(tmp_path / "opencode.db", both | {"messages": [user(text("Both, newer."))]})
    assert [(session.id, texts(session)) for session in read(tmp_path)] == [
        ("ses_b", ["Both, newer."]),
        ("ses_a", ["Old."]),
    ]
    assert [session.id for session in read(root)] == ["ses_a", "ses_b"]


def test_damaged_files_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    root = in_files(tmp_path, talk(user(text("One."), text("torn")), user(text("Two.")), user(text("Three."))))
    put(root / "part" / "ses_1m001" / "ses_1m001p002.json", b'{"type": "te')
    put(root / "message" / "ses_1" / "ses_1m002.json", b"[1]")
    put(root / "session" / "p1" / "ses_2.json", b"\x00")
    (root / "message" / "ses_1" / "ses_1m004.json").mkdir()
    first, second = read(root)
    assert texts(first) == ["One.", "Three."]
    assert sorted(damage.reason.split(" is")[0] for damage in first.damage) == [
        "message ses_1m002",
        "message ses_1m004",
        "part ses_1m001p002",
    ]
    assert (second.id, len(second.damage)) == ("ses_2", 1)
    with pytest.raises(BadInput, match="is no session of opencode"):
        read(root / "session" / "p1" / "ses_2.json")


def test_names_inside_a_file_lead_nowhere(tmp_path: Path) -> None:
    """What a message calls itself is no path: only names of files and folders are followed."""
    put(tmp_path / "secret" / "p.json", text("not of this session"))
    root = in_files(tmp_path, talk(user(text("Mine."), id="../../secret", sessionID="../..")))
    assert texts(read(root)[0]) == ["Mine."]


def test_a_long_piece_is_skipped_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = talk(user(text("x" * 4_000), text("Short.")))
    monkeypatch.setattr("pipeline.formats.opencode_files.LINE_LIMIT", 2_000)
    monkeypatch.setattr("pipeline.formats.opencode_database.LINE_LIMIT", 2_000)
    session = one(tmp_path, long)
    assert (texts(session), len(session.damage)) == (["Short."], 1)


def test_a_folder_without_sessions_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(BadInput, match="opencode"):
            read(path)


@pytest.mark.parametrize("store", [in_files, lambda folder, *told: in_database(folder / "opencode.db", *told)])
def test_progress_is_told_and_a_stop_is_obeyed(tmp_path: Path, store: Callable[..., Path]) -> None:
    path = store(tmp_path, talk(user(text("One.")), user(text("Two."))))
    seen: list[int] = []
    assert len(read(path, progress=seen.append)) == 1
    assert seen == sorted(seen) and seen[-1] > 100
    with pytest.raises(Cancelled):
        read(path, cancelled=lambda: len(seen) > 0)


WRITER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("PRAGMA wal_autocheckpoint=0")
said, part = '{"role": "user"}', '{"type": "text", "text": "Logged."}'
for line in sys.stdin:
    database.execute("INSERT INTO message VALUES('new', 'ses_1', ?, ?)", (int(line), said))
    database.execute("INSERT INTO part VALUES('p', 'new', '', 1, ?)", (part,))
    database.commit()
    print("written", flush=True)
"""


def test_a_database_that_another_program_writes_to_is_read_as_it_stands_and_left_as_it_is(tmp_path: Path) -> None:
    path = in_database(tmp_path / "opencode.db", talk(user(text("Filed."))), log=True)
    with Popen([sys.executable, "-c", WRITER, str(path)], stdin=PIPE, stdout=PIPE, text=True, bufsize=1) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        writer.stdin.write(f"{MADE + 99_000}\n")
        assert writer.stdout.readline() == "written\n"
        before = traces(tmp_path)
        assert set(before) == {"opencode.db", "opencode.db-wal", "opencode.db-shm"}
        assert texts(read(path)[0]) == ["Filed.", "Logged."]
        assert traces(tmp_path) == before
        writer.stdin.close()
    assert texts(read(path)[0]) == ["Filed.", "Logged."]


def test_a_closed_database_is_read_without_files_beside_it(tmp_path: Path) -> None:
    path = in_database(tmp_path / "opencode.db", talk(user(text("Filed."))), log=True)
    before = traces(tmp_path)
    assert set(before) == {"opencode.db"}
    assert [texts(session) for session in read(path)] == [["Filed."]]
    assert traces(tmp_path) == before


@pytest.mark.parametrize("shared", [True, False])
def test_a_log_that_was_left_behind_is_read_with_its_database(tmp_path: Path, shared: bool) -> None:
    """After a crash the log stays; in a copied folder the file that programs share may be missing."""
    path = in_database(tmp_path / "live" / "opencode.db", talk(user(text("Filed."))), log=True)
    left = tmp_path / "left"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        insert(writer, talk(user(text("In the log.")), name="ses_2"))
        writer.commit()
        shutil.copytree(path.parent, left)
    if not shared:
        (left / "opencode.db-shm").unlink()
    before = traces(left)
    assert [texts(session) for session in read(left / "opencode.db")] == [["Filed."], ["In the log."]]
    assert traces(left) == before


def test_a_database_that_changes_meanwhile_is_read_again(tmp_path: Path) -> None:
    path = in_database(tmp_path / "opencode.db", talk(user(text("Filed."))), log=True)
    written: list[int] = []

    def write(_: int) -> None:
        if len(written) < most:
            written.append(1)
            with closing(sqlite3.connect(path)) as writer:
                insert(writer, talk(user(text("Later.")), name=f"new_{len(written)}"))
                writer.commit()

    most = 1
    assert len(read(path, progress=write)) == 2
    most = 100
    with pytest.raises(StorageFailure, match="changes while it is read"):
        read(path, progress=write)


def test_a_locked_database_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencode_database, "WAIT", 0)
    path = in_database(tmp_path / "opencode.db", talk(user(text("Filed."))))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailure, match="is locked by another program"):
            read(path)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (opencode_database.MAGIC, "."),
        (opencode_database.MAGIC + b"\x10\x00\x01\x01" + b"x" * 5_000, "damaged|no database"),
        (opencode_database.MAGIC + b"\x10\x00\x02\x02" + b"x" * 5_000, "damaged|no database"),
    ],
)
def test_a_broken_database_is_told_in_a_sentence(tmp_path: Path, data: bytes, match: str) -> None:
    (tmp_path / "opencode.db").write_bytes(data)
    with pytest.raises(BadInput, match=match):
        read(tmp_path / "opencode.db")


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as database:
        database.execute("CREATE TABLE session(id)")
        database.execute("INSERT INTO session VALUES('s')")
        database.commit()
    with pytest.raises(BadInput, match="is no database of opencode"):
        read(tmp_path / "opencode.db")


def test_older_columns_and_odd_values_are_no_hindrance(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as database:
        database.executescript(
            "CREATE TABLE session(id, project_id); CREATE TABLE message(id, session_id, time_created, data);"
            "CREATE TABLE part(id, message_id, time_created, data);"
            "INSERT INTO session VALUES('s', 7); INSERT INTO message VALUES('m', 's', 'soon', '{\"role\": \"user\"}');"
            'INSERT INTO part VALUES(\'a\', \'m\', 1, \'{"type": "text", "text": "Mine."}\');'
            "INSERT INTO part VALUES('b', 'm', 1, NULL), ('c', 'm', 1, 7), ('d', 'm', 1, x'ff');"
        )
    (session,) = read(tmp_path / "opencode.db")
    assert (texts(session), len(session.damage)) == (["Mine."], 3)


BASE = [
    talk(
        user(text(f"<memories>{MACHINE}</memories>first words"), text(MACHINE, synthetic=True)),
        model(
            {"type": "tool", "tool": "bash", "state": {"input": {"c": MACHINE}, "output": MACHINE, "error": MACHINE}},
            text(MACHINE),
            {"type": "reasoning", "text": MACHINE},
        ),
        user({"type": "compaction", "overflow": True}),
        model(text(MACHINE), summary=True),
        user({"type": "subtask", "prompt": MACHINE}, text("last words")),
        revert={"messageID": "x"},
    ),
    talk(user(text(MACHINE)), parentID="ses_1", name="ses_2"),
]
DECISIVE = frozenset({"role", "type", "synthetic", "parentID", "id", "tool", "messages", "parts"})
"""Fields that say who wrote something; changes below leave them as they are."""


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


@cache
def base() -> bytes:
    with TemporaryDirectory() as folder:
        return in_database(Path(folder) / "opencode.db", *BASE).read_bytes()


FLIPS = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=12)


@given(FLIPS, st.integers(0, 5_000))
def test_fuzz_a_database_with_changed_bytes_is_read_or_told(flips: list[tuple[int, int]], end: int) -> None:
    data = bytearray(base())
    for place, value in flips:
        data[place % len(data)] = value
    with TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        path.write_bytes(opencode_database.MAGIC + data[16 : len(data) - (end if end % 3 == 0 else 0)])
        try:
            found = read(path)
        except (BadInput, StorageFailure) as error:
            assert str(path) in str(error)
        else:
            assert all(session.format == "opencode" for session in found)


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
