"""The newer store of opencode (`spec/formats.md` §5): a SQLite database of sessions, messages and their parts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pipeline.formats import database
from pipeline.formats.content import string
from pipeline.formats.lines import LINE_LIMIT
from pipeline.formats.opencode_store import Meter, Part, Stored, in_order, made, parsed, unread
from store.errors import BadInput

REPAIR = "let opencode repair it, or give an older copy"
_ROW = "CASE WHEN length(data) <= ? THEN data END AS data"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Open:
    """A database that is being read."""

    database: sqlite3.Connection
    path: Path
    meter: Meter
    sound: Callable[[], bool]
    """Whether nothing is missing in its indexes; looked at once, where something seems to be missing."""


def read(path: Path, build: Callable[[Stored], T], meter: Meter) -> tuple[T, ...]:
    """What `build` makes of each session of a database, the oldest first. Raises what `database.read` does.

    Damage that is not where the sessions are listed is that of its session.
    """

    def work(opened: sqlite3.Connection) -> tuple[T, ...]:
        sound = cache(lambda: database.is_sound(opened, meter.stopped))
        found = tuple(build(session) for session in _sessions(_Open(opened, path, meter, sound)))
        if not found and not sound():
            meter.add(0)
            raise BadInput(database.broken(path, "opencode"))
        return found

    return database.read(path, "opencode", work)


def _sessions(open: _Open) -> Iterator[Stored]:
    worktrees = _worktrees(open.database)
    rows = [_about(row) for row in open.database.execute("SELECT * FROM session")]
    for name, about in in_order(rows):
        yield _session(open, name, about, worktrees.get(about["projectID"], ""))


def _worktrees(opened: sqlite3.Connection) -> dict[str, str]:
    """The folder of each project; none where the database keeps no projects."""
    try:
        return {str(row.get("id")): string(row.get("worktree")) for row in opened.execute("SELECT * FROM project")}
    except sqlite3.OperationalError as error:
        if not database.is_unknown(error):
            raise
        return {}


def _about(row: dict[str, Any]) -> Part:
    """A row as a session file has it."""
    about = {
        "projectID": string(row.get("project_id")),
        "parentID": string(row.get("parent_id")),
        "directory": string(row.get("directory")),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
        "revert": parsed(string(row.get("revert"))),
    }
    return str(row.get("id")), about


def _session(open: _Open, name: str, about: dict[str, Any], worktree: str) -> Stored:
    def parts(message: str) -> Iterator[Part]:
        found = False
        for part in _objects(open, "part", ("message_id", message), session):
            found = True
            yield part
        if not found and message in own and not session.damage:
            _missing(open, session)

    session = Stored(name, open.path, about, worktree, [], parts)
    session.messages = in_order(_objects(open, "message", ("session_id", name), session))
    own = {name for name, data in session.messages if data.get("role") == "user"}
    if not session.messages and not session.damage:
        _missing(open, session)
    return session


def _missing(open: _Open, session: Stored) -> None:
    """What no session lacks is not there: the session says so where the database is damaged."""
    if not open.sound():
        open.meter.add(0)
        session.damaged(f"the database is damaged, and messages of the session are missing; {REPAIR}")


def _objects(open: _Open, table: str, of: tuple[str, str], session: Stored) -> Iterator[Part]:
    """The rows of a table that belong to something, by their ids. A damaged page ends them, and the session says so."""
    query = f"SELECT id, time_created, {_ROW} FROM {table} WHERE {of[0]} = ? ORDER BY id"
    try:
        for row in open.database.execute(query, (LINE_LIMIT, of[1])):
            yield str(row["id"]), _object(open, table, row, session)
    except sqlite3.DatabaseError as error:
        if not database.is_damage(error):
            raise
        session.damaged(f"the database is damaged where a {table} of the session stands; {REPAIR}")


def _object(open: _Open, table: str, row: dict[str, Any], session: Stored) -> dict[str, Any]:
    text = row["data"] if isinstance(row["data"], str | bytes) else None
    open.meter.add(len(text or ""))
    data = parsed(text)
    if data is None:
        session.damaged(unread(table, str(row["id"])))
    found = data or {}
    return found if made(found) is not None else found | {"time": {"created": row["time_created"]}}
