"""The newer store of opencode (`spec/formats.md` §5): a SQLite database, read while the tool may be writing to it.

Nothing is written, neither in the database nor beside it: with a write-ahead log the files that SQLite shares between
programs are opened for reading only, and where that cannot be a private copy is read.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pipeline.formats.content import string
from pipeline.formats.lines import LINE_LIMIT
from pipeline.formats.opencode_store import Meter, Part, Stored, in_order, made, parsed, unread
from store.errors import BadInput, StorageFailure

MAGIC = b"SQLite format 3\x00"
WAIT = 2.0
"""Seconds that a database which another program holds is waited for."""
ATTEMPTS = 3
"""How often a database that changes meanwhile is read from the beginning."""

_WAL = 2
"""The version in a database's header that says that it has a write-ahead log."""
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_CLOSED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_BROKEN = "is a damaged database; let opencode repair it, or give an older copy."
_ROW = "CASE WHEN length(data) <= ? THEN data END AS data"
_SHARED, _LOGGED, _COPY = "mode=ro", "mode=ro&readonly_shm=1", ""
_SETTLED = frozenset({_SHARED, _LOGGED})
"""Ways that hold what is read against writers."""
_STATE = tuple[int, int] | None

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Open:
    """A database that is being read."""

    database: sqlite3.Connection
    path: Path
    meter: Meter


def read(path: Path, build: Callable[[Stored], T], meter: Meter) -> tuple[T, ...]:
    """What `build` makes of each session of a database, the oldest first.

    Raises `BadInput` when it is no database of opencode or damaged where it lists its sessions, `StorageFailure` when
    it is locked, cannot be opened or does not come to rest. Other damage is that of its session.
    """
    for _ in range(ATTEMPTS):
        before = _states(path)
        try:
            found, settled = _read(path, build, meter)
        except sqlite3.Error as error:
            if _states(path) == before or _code(error) in _BUSY:
                raise _told(path, error) from error
        except UnicodeDecodeError as error:
            raise BadInput(f"{path} {_BROKEN}") from error
        except OSError as error:
            raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check the file.") from error
        else:
            if settled or _states(path) == before:
                return found
    raise StorageFailure(f"{path} changes while it is read; close opencode, or try again later.")


def _read(path: Path, build: Callable[[Stored], T], meter: Meter) -> tuple[tuple[T, ...], bool]:
    """The sessions, and whether what was read is one state of the database whatever happened to it meanwhile."""
    ways = _ways(path)
    for way in ways[:-1]:
        try:
            return _read_by(way, path, build, meter), way in _SETTLED
        except sqlite3.OperationalError as error:
            if _code(error) not in _CLOSED:
                raise
    return _read_by(ways[-1], path, build, meter), ways[-1] in _SETTLED


def _read_by(way: str, path: Path, build: Callable[[Stored], T], meter: Meter) -> tuple[T, ...]:
    with _opened(path, way) as database:
        return tuple(build(session) for session in _sessions(_Open(database, path, meter)))


def _ways(path: Path) -> Sequence[str]:
    """How to open a database so that nothing is written beside it, in the order to try."""
    with path.open("rb") as stream:
        header = stream.read(20)
    if len(header) < 20 or header[19] != _WAL:
        return (_SHARED,)
    if not _size(_beside(path, "-wal")):
        return ("mode=ro&immutable=1",)
    return (_LOGGED, _COPY) if _size(_beside(path, "-shm")) else (_COPY,)


@contextmanager
def _opened(path: Path, way: str) -> Iterator[sqlite3.Connection]:
    """The database in one state, for as long as it is open."""
    with ExitStack() as stack:
        place = path.resolve()
        if way == _COPY:
            place = _copy(place, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memdesk-"))))
        address = f"{place.as_uri()}?{way}" if way else place.as_uri()
        database = stack.enter_context(closing(sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)))
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        database.row_factory = _row
        database.execute("BEGIN")
        yield database


def _row(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def _copy(path: Path, folder: Path) -> Path:
    """A copy of a database that nobody has open, with the log of what was not yet written to it."""
    place = folder / "opencode.db"
    shutil.copyfile(path, place)
    with suppress(FileNotFoundError):
        shutil.copyfile(_beside(path, "-wal"), _beside(place, "-wal"))
    return place


def _sessions(open: _Open) -> Iterator[Stored]:
    worktrees = _worktrees(open.database)
    rows = [_about(row) for row in open.database.execute("SELECT * FROM session")]
    for name, about in in_order(rows):
        yield _session(open, name, about, worktrees.get(about["projectID"], ""))


def _worktrees(database: sqlite3.Connection) -> dict[str, str]:
    """The folder of each project; none where the database keeps no projects."""
    try:
        return {str(row.get("id")): string(row.get("worktree")) for row in database.execute("SELECT * FROM project")}
    except sqlite3.OperationalError as error:
        if _code(error) != sqlite3.SQLITE_ERROR:
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
        return _objects(open, "part", ("message_id", message), session)

    session = Stored(name, open.path, about, worktree, [], parts)
    session.messages = in_order(_objects(open, "message", ("session_id", name), session))
    return session


def _objects(open: _Open, table: str, of: tuple[str, str], session: Stored) -> Iterator[Part]:
    """The rows of a table that belong to something, by their ids. A damaged page ends them, and the session says so."""
    query = f"SELECT id, time_created, {_ROW} FROM {table} WHERE {of[0]} = ? ORDER BY id"
    try:
        for row in open.database.execute(query, (LINE_LIMIT, of[1])):
            yield str(row["id"]), _object(open, table, row, session)
    except sqlite3.DatabaseError as error:
        if _code(error) not in _DAMAGED:
            raise
        session.damaged(f"the database is damaged where a {table} of the session stands")


def _object(open: _Open, table: str, row: dict[str, Any], session: Stored) -> dict[str, Any]:
    text = row["data"] if isinstance(row["data"], str | bytes) else None
    open.meter.add(len(text or ""))
    data = parsed(text)
    if data is None:
        session.damaged(unread(table, str(row["id"])))
    found = data or {}
    return found if made(found) is not None else found | {"time": {"created": row["time_created"]}}


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _size(path: Path) -> int:
    state = _state(path)
    return state[0] if state else 0


def _state(path: Path) -> _STATE:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _states(path: Path) -> tuple[_STATE, ...]:
    return tuple(_state(place) for place in (path, _beside(path, "-wal"), _beside(path, "-journal")))


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _told(path: Path, error: sqlite3.Error) -> BadInput | StorageFailure:
    """What a person is told when a database cannot be read at all."""
    code = _code(error)
    if code in _BUSY:
        return StorageFailure(f"{path} is locked by another program; close opencode, or try again later.")
    if code in _DAMAGED:
        return BadInput(f"{path} {_BROKEN}")
    if code == sqlite3.SQLITE_READONLY:
        return StorageFailure(f"{path} was left in the middle of a change; start opencode once, then try again.")
    if code == sqlite3.SQLITE_ERROR:
        return BadInput(f"{path} is no database of opencode that can be read here ({error}); check the file.")
    return StorageFailure(f"{path} cannot be read ({error}); check the file and its permissions.")
