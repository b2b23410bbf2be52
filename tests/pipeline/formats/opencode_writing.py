"""Writing sessions of opencode for tests: the same session into its store of files and into its database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pipeline.formats import opencode
from pipeline.formats.session import Session
from tests.pipeline.formats.writing import source

MACHINE = "MACHINE"
MADE = 1_779_264_000_000
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


def told(session: Session) -> tuple[Any, ...]:
    """All that a session says, but the path of its store and the wording of its damage."""
    times = session.started, session.ended
    about = session.id, session.project, session.branch, session.parent, session.subagent
    return (*about, *times, session.compactions, list(session.turns), len(session.damage))


def traces(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir() if path.is_file()}


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
"""Two sessions in which `MACHINE` stands in every text that no person wrote."""
