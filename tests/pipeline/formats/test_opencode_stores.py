"""opencode: a store of files and a database that are read while the tool uses them, and never touched."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import database
from store.errors import BadInput, Cancelled, StorageFailure
from tests.pipeline.formats.changing import FLIPS, flipped
from tests.pipeline.formats.opencode_writing import (
    BASE,
    MADE,
    in_database,
    in_files,
    insert,
    put,
    read,
    talk,
    text,
    traces,
    user,
)
from tests.pipeline.formats.writing import texts


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
    for path in (in_files(tmp_path, long), in_database(tmp_path / "opencode.db", long)):
        (session,) = read(path)
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
    monkeypatch.setattr(database, "WAIT", 0)
    path = in_database(tmp_path / "opencode.db", talk(user(text("Filed."))))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailure, match="is locked by another program"):
            read(path)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (database.MAGIC, "."),
        (database.MAGIC + b"\x10\x00\x01\x01" + b"x" * 5_000, "damaged|no database"),
        (database.MAGIC + b"\x10\x00\x02\x02" + b"x" * 5_000, "damaged|no database"),
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


@cache
def base() -> bytes:
    with TemporaryDirectory() as folder:
        return in_database(Path(folder) / "opencode.db", *BASE).read_bytes()


@given(FLIPS, st.integers(0, 5_000))
def test_fuzz_a_database_with_changed_bytes_is_read_or_told(flips: list[tuple[int, int]], end: int) -> None:
    data = flipped(base(), flips)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        path.write_bytes(database.MAGIC + data[16 : len(data) - (end if end % 3 == 0 else 0)])
        try:
            found = read(path)
        except (BadInput, StorageFailure) as error:
            assert str(path) in str(error)
        else:
            assert all(session.format == "opencode" for session in found)
