"""A database of another program is read in one state, whatever that program is doing, and nothing of it is touched."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from pipeline.formats.database import read, tables
from store.errors import BadInput, StorageFailure
from tests.pipeline.formats.opencode_writing import traces


def made(path: Path, mode: str = "DELETE", rows: int = 1) -> Path:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"PRAGMA journal_mode={mode}")
        database.execute("CREATE TABLE said(words)")
        database.executemany("INSERT INTO said VALUES('first')", [()] * rows)
    return path


WRITER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    database.execute(line)
    print("done", flush=True)
"""


@contextmanager
def held(path: Path, *statements: str) -> Iterator[None]:
    """The database while another program has it open and has executed these statements."""
    with Popen([sys.executable, "-c", WRITER, str(path)], stdin=PIPE, stdout=PIPE, text=True, bufsize=1) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        for statement in statements:
            writer.stdin.write(f"{statement}\n")
            assert writer.stdout.readline() == "done\n"
        yield


def words(path: Path) -> list[str]:
    return read(path, "the tool", lambda database: [row["words"] for row in database.execute("SELECT words FROM said")])


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_database_at_rest_is_told_and_read_without_a_trace(tmp_path: Path, journal: str) -> None:
    path = made(tmp_path / "a b?#%.db", journal)
    before = traces(tmp_path)
    assert tables(path) == ("said",)
    assert words(path) == ["first"]
    assert traces(tmp_path) == before


def test_a_database_that_a_program_writes_to_is_told_and_read_without_a_trace(tmp_path: Path) -> None:
    path = made(tmp_path / "live.db", "WAL")
    with held(path, "PRAGMA wal_autocheckpoint=0", "INSERT INTO said VALUES('second')"):
        before = traces(tmp_path)
        assert set(before) == {"live.db", "live.db-wal", "live.db-shm"}
        assert tables(path) == ("said",)
        assert words(path) == ["first", "second"]
        assert traces(tmp_path) == before


def test_a_locked_database_is_told_all_the_same_and_says_that_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.formats.database.WAIT", 0)
    path = made(tmp_path / "locked.db")
    with held(path, "BEGIN EXCLUSIVE"):
        before = traces(tmp_path)
        assert tables(path) == ("said",)
        with pytest.raises(StorageFailure, match="is locked by another program; close the tool, or try again later"):
            words(path)
        assert traces(tmp_path) == before


def test_a_change_that_a_crash_left_half_done_is_taken_back_in_a_private_copy(tmp_path: Path) -> None:
    path = made(tmp_path / "live.db", rows=2_000)
    left = tmp_path / "left"
    left.mkdir()
    with held(path, "PRAGMA cache_size=1", "BEGIN", "UPDATE said SET words = 'half done'"):
        for name in ("live.db", "live.db-journal"):
            shutil.copyfile(tmp_path / name, left / name)
    before = traces(left)
    assert b"half done" in before["live.db"][1]
    assert tables(left / "live.db") == ("said",)
    assert words(left / "live.db") == ["first"] * 2_000
    assert traces(left) == before


def test_tables_that_are_all_in_a_log_that_was_left_behind_are_found(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    left = tmp_path / "left"
    left.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE said(words)")
        for name in ("live.db", "live.db-wal"):
            shutil.copyfile(tmp_path / name, left / name)
    before = traces(left)
    assert tables(left / "live.db") == ("said",)
    assert words(left / "live.db") == []
    assert traces(left) == before


def test_a_log_beside_a_database_that_keeps_none_makes_no_file(tmp_path: Path) -> None:
    path = made(tmp_path / "odd.db")
    (tmp_path / "odd.db-wal").write_bytes(b"no log at all" * 100)
    before = traces(tmp_path)
    assert tables(path) == ("said",)
    assert words(path) == ["first"]
    assert traces(tmp_path) == before


def test_what_is_no_database_holds_no_tables_and_is_refused(tmp_path: Path) -> None:
    assert tables(tmp_path / "nothing.db") == ()
    with pytest.raises(StorageFailure, match="cannot be read"):
        words(tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("no database at all, but text")
    assert tables(tmp_path / "text.db") == ()
    with pytest.raises(BadInput, match="is a damaged database; let the tool repair it"):
        words(tmp_path / "text.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE other(x)")
    with pytest.raises(BadInput, match="is no database of the tool that can be read here"):
        words(tmp_path / "other.db")
