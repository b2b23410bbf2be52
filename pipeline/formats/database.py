"""A SQLite database of another program, read while that program may be writing to it.

Nothing is written, neither in the database nor beside it: with a write-ahead log the files that SQLite shares between
programs are opened for reading only, and where that cannot be, or a change was left half done, a private copy is read.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from store.errors import BadInput, StorageFailure

MAGIC = b"SQLite format 3\x00"
WAIT = 2.0
"""Seconds that a database which another program holds is waited for."""
ATTEMPTS = 3
"""How often a database that changes meanwhile is read from the beginning."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged database raises; its own messages may be no text."""

_STEPS = 100_000
"""Steps of SQLite between two looks at whether to stop."""
_WAL = b"\x02"
"""The version in a database's header that says that it has a write-ahead log."""
_LOGS = ("-wal", "-journal")
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_CLOSED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_SHARED, _LOGGED, _AS_IT_LIES, _COPY = "mode=ro", "mode=ro&readonly_shm=1", "mode=ro&immutable=1", ""
_BY_COST = (_SHARED, _LOGGED, _AS_IT_LIES, _COPY)
_SETTLED = frozenset({_SHARED, _LOGGED})
"""Ways that hold what is read against writers."""
_State = tuple[int, int] | None

T = TypeVar("T")


def read(path: Path, tool: str, work: Callable[[sqlite3.Connection], T]) -> T:
    """What `work` makes of a database of `tool`, whose rows come as dictionaries; it sees one state of it.

    `work` is called again when the database changes meanwhile. Raises `BadInput` when it is damaged or lacks what
    `work` asks for, `StorageFailure` when it is locked, cannot be opened or does not come to rest.
    """
    for _ in range(ATTEMPTS):
        before = _states(path)
        try:
            found, settled = _read(path, work)
        except sqlite3.Error as error:
            if _states(path) == before or _code(error) in _BUSY:
                raise _told(path, tool, error) from error
        except UnicodeDecodeError as error:
            raise BadInput(broken(path, tool)) from error
        except OSError as error:
            raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check the file.") from error
        else:
            if settled or _states(path) == before:
                return found
    raise StorageFailure(f"{path} changes while it is read; close {tool}, or try again later.")


def tables(path: Path) -> tuple[str, ...]:
    """The names of a database's tables, also while a program locks it; none when it cannot be read.

    Of a database with a log that was left behind a copy is made only when its tables are all in the log.
    """
    try:
        ways = {*_ways(path), _AS_IT_LIES}
    except OSError:
        return ()
    for way in sorted(ways, key=_BY_COST.index):
        with suppress(OSError, *FAULTS), _opened(path, way, 0) as database:
            if found := database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                return tuple(str(row["name"]) for row in found)
    return ()


def is_sound(opened: sqlite3.Connection, stopped: Callable[[], bool]) -> bool:
    """Whether all that its tables hold can be found by their indexes: a look at the whole database.

    False also when `stopped` says so meanwhile.
    """
    opened.set_progress_handler(stopped, _STEPS)
    try:
        return opened.execute("PRAGMA integrity_check(1)").fetchall() == [{"integrity_check": "ok"}]
    except sqlite3.DatabaseError:
        return False
    finally:
        opened.set_progress_handler(None, 0)


def broken(path: Path, tool: str) -> str:
    """What a person is told of a damaged database."""
    return f"{path} is a damaged database; let {tool} repair it, or give an older copy."


def is_damage(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether a fault is the database's own, so that the rest of it may still be read."""
    return isinstance(error, UnicodeDecodeError) or _code(error) in _DAMAGED


def is_unknown(error: sqlite3.Error) -> bool:
    """Whether a database has no such table or column as was asked for."""
    return _code(error) == sqlite3.SQLITE_ERROR


def _read(path: Path, work: Callable[[sqlite3.Connection], T]) -> tuple[T, bool]:
    """What `work` makes of it, and whether it saw one state of the database whatever happened to that meanwhile."""
    ways = _ways(path)
    for way in ways[:-1]:
        try:
            return _read_by(way, path, work), way in _SETTLED
        except sqlite3.OperationalError as error:
            if _code(error) not in _CLOSED:
                raise
    return _read_by(ways[-1], path, work), ways[-1] in _SETTLED


def _read_by(way: str, path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    with _opened(path, way, WAIT) as database:
        return work(database)


def _ways(path: Path) -> Sequence[str]:
    """How to open a database so that nothing is written beside it, in the order to try.

    A log beside it is taken for its own whatever the header says, as SQLite does.
    """
    with path.open("rb") as stream:
        header = stream.read(20)
    if _size(_beside(path, "-wal")):
        return (_LOGGED, _COPY) if _size(_beside(path, "-shm")) else (_COPY,)
    if header[19:] == _WAL:
        return (_AS_IT_LIES,)
    return (_SHARED, _COPY) if _size(_beside(path, "-journal")) else (_SHARED,)


@contextmanager
def _opened(path: Path, way: str, patience: float) -> Iterator[sqlite3.Connection]:
    """The database in one state, for as long as it is open."""
    with ExitStack() as stack:
        place = path.resolve()
        if way == _COPY:
            place = _copy(place, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memdesk-"))))
        address = f"{place.as_uri()}?{way}" if way else place.as_uri()
        connected = sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)
        database = stack.enter_context(closing(connected))
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        database.row_factory = _row
        database.execute("BEGIN")
        yield database


def _row(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def _copy(path: Path, folder: Path) -> Path:
    """A copy of a database that nobody has open, with what was not yet written to it, or is to be taken back."""
    place = folder / "copy.db"
    shutil.copyfile(path, place)
    for ending in _LOGS:
        with suppress(FileNotFoundError):
            shutil.copyfile(_beside(path, ending), _beside(place, ending))
    return place


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _size(path: Path) -> int:
    state = _state(path)
    return state[0] if state else 0


def _state(path: Path) -> _State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _states(path: Path) -> tuple[_State, ...]:
    return tuple(_state(place) for place in (path, *(_beside(path, ending) for ending in _LOGS)))


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _told(path: Path, tool: str, error: sqlite3.Error) -> BadInput | StorageFailure:
    """What a person is told when a database cannot be read at all."""
    code = _code(error)
    if code in _BUSY:
        return StorageFailure(f"{path} is locked by another program; close {tool}, or try again later.")
    if code in _DAMAGED:
        return BadInput(broken(path, tool))
    if code == sqlite3.SQLITE_ERROR:
        return BadInput(f"{path} is no database of {tool} that can be read here ({error}); check the file.")
    return StorageFailure(f"{path} cannot be read ({error}); check the file and its permissions.")
