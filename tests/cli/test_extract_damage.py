"""What is wrong with a file that `extract` is given is a sentence: which file, what, and what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.formats.head import HEAD
from pipeline.formats.session import Damage, Session
from tests.cli.desk import Desk
from tests.pipeline.formats.opencode_writing import in_database, talk, text, user
from tests.pipeline.formats.writing import dump
from tests.pipeline.formats.writing import user as message
from tui.cli.transcripts import damage_told

REPAIR = "let opencode repair it, or give an older copy"
MISSING = f"the database is damaged, and messages of the session are missing; {REPAIR}"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    sessions = [talk(user(text("I live in Oslo.")), name=f"ses_{number}") for number in range(2)]
    return in_database(tmp_path / "opencode.db", *sessions)


def emptied(path: Path, name: str) -> None:
    """The pages of a table or an index lose their cells, as when a page is written half."""
    with closing(sqlite3.connect(path)) as database:
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    data = bytearray(path.read_bytes())
    start = (page - 1) * int.from_bytes(data[16:18], "big")
    data[start + 3 : start + 5] = b"\0\0"
    path.write_bytes(data)


@pytest.mark.parametrize("lost", ["messages", "parts"])
def test_messages_that_a_damaged_database_does_not_find_are_missed(desk: Desk, store: Path, lost: str) -> None:
    emptied(store, lost)
    answer = desk("extract", str(store), "--offline")
    assert answer.err.startswith(f"{store}: {MISSING} (and 1 more like it)\n")


def test_a_database_whose_sessions_are_lost_is_damaged_and_not_empty(desk: Desk, store: Path) -> None:
    emptied(store, "session")
    answer = desk("extract", str(store), "--offline")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"{store} is a damaged database; {REPAIR}.\n"


def test_a_session_without_messages_is_no_damage(desk: Desk, tmp_path: Path) -> None:
    path = in_database(tmp_path / "opencode.db", talk(name="ses_1"))
    assert desk("extract", str(path), "--offline").err == f"{path}: an opencode session\n"


@pytest.mark.parametrize("kept", [100, 4096])
def test_a_database_that_ends_early_is_told_as_one(desk: Desk, store: Path, kept: int) -> None:
    store.write_bytes(store.read_bytes()[:kept])
    answer = desk("extract", str(store), "--offline")
    assert answer.code == 2
    assert answer.err == (
        f"{store} looks like a SQLite database without tables that can be read; it is damaged or empty: let the "
        "program that keeps it repair it, or give an older copy.\n"
    )


@pytest.mark.parametrize("byte", [b"\xff", b"\0"])
def test_a_database_whose_beginning_is_lost_is_not_taken_for_lines(desk: Desk, store: Path, byte: bytes) -> None:
    store.write_bytes(byte * 4096 + store.read_bytes()[4096:])
    answer = desk("extract", str(store), "--offline")
    assert answer.code == 2
    assert answer.err == (
        f"{store} is named like a database and does not begin like one; it is damaged or empty: let the program that "
        "keeps it repair it, or give an older copy.\n"
    )


def test_a_transcript_may_begin_with_a_message_of_any_length(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(dump([message("x " * HEAD, "u1"), message("I live in Oslo.", "u2")]))
    found = desk.json("extract", str(path), "--offline", "--dry-run").json
    assert [(one["session"], one["messages"]) for one in found["sessions"]] == [("claude-code/s1", 2)]


def test_what_is_wrong_in_many_places_of_a_file_is_told_once() -> None:
    worn, torn = (Damage(line, 0, "it is worn; mend it") for line in (3, 9)), Damage(4, 0, "it is torn; mend it")
    found = [
        Session("codex", "a", "/x/a.jsonl", (), damage=(*worn, torn)),
        Session("codex", "b", "/x/b.db", (), damage=(Damage(0, 0, "it is worn; mend it"),)),
    ]
    assert list(damage_told(found)) == [
        "/x/a.jsonl line 3: it is worn; mend it (and 1 more like it)",
        "/x/a.jsonl line 4: it is torn; mend it",
        "/x/b.db: it is worn; mend it",
    ]
