"""The tables of Hermes's `state.db` (`spec/formats.md` §14), opened for reading only while Hermes may be writing.

Only columns that are there are asked for: the schema has grown with every version (`sessions` and `messages` as of
version 30 of Hermes's own count).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pipeline.formats.content import mapping
from pipeline.formats.lines import scrub
from store.errors import BadInput, StorageFailure

_SESSION = (
    *("id", "source", "parent_session_id", "started_at", "ended_at", "end_reason", "model_config"),
    *("cwd", "git_repo_root", "git_branch", "message_count"),
)
_MESSAGE = (
    *("id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"),
    *("observed", "_compressed_summary", "active", "compacted", "display_kind"),
)
_STRUCTURED = "\x00json:"
"""How a content begins that is a list of blocks."""
BUSY = 5
"""Seconds to wait for a writer."""
BROKEN = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged database raises; its own messages may be no text."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, never written: where no writer left a log, not even the files beside it are made.

    Raises `StorageFailure` when it cannot be opened, `BadInput` when it holds no sessions of Hermes.
    """
    failed = "it is no database"
    for how in _ways(path):
        database = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=BUSY)
        try:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            database.row_factory = sqlite3.Row
            there = _columns(database, "sessions"), _columns(database, "messages")
        except BROKEN as error:
            database.close()
            failed = str(error)
            continue
        with closing(database):
            if "id" not in there[0] or not {"id", "session_id", "role"} <= there[1]:
                raise BadInput(f"{path} holds no sessions of Hermes; give the path of its state.db.")
            yield database
            return
    raise StorageFailure(f"{path} cannot be read ({failed}); it may be damaged, or busy for too long.")


def _ways(path: Path) -> tuple[str, ...]:
    """How to open it: with what a writer has not yet put into the file, or as it lies there."""
    beside = (path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-journal"))
    written = any(file.is_file() and file.stat().st_size for file in beside)
    return ("mode=ro&readonly_shm=1", "mode=ro&immutable=1") if written else ("mode=ro&immutable=1",)


def _columns(database: sqlite3.Connection, name: str) -> set[str]:
    return {str(row["name"]) for row in database.execute(f"PRAGMA table_info({name})")}


def _select(database: sqlite3.Connection, name: str, wanted: tuple[str, ...], rest: str) -> str:
    there = _columns(database, name)
    return f"SELECT {', '.join(column for column in wanted if column in there)} FROM {name} {rest}"


def heads(database: sqlite3.Connection, path: Path) -> list[dict[str, Any]]:
    """The rows of `sessions`, in the order in which they were begun; raises `StorageFailure` when they are damaged."""
    try:
        rows = [dict(row) for row in database.execute(_select(database, "sessions", _SESSION, "ORDER BY rowid"))]
    except BROKEN as error:
        raise StorageFailure(f"{path} cannot be read ({error}); it may be damaged, or busy for too long.") from error
    return [row | {"model_config": mapping(parsed(row.get("model_config")))} for row in rows if _named(row)]


def _named(row: dict[str, Any]) -> bool:
    return isinstance(row.get("id"), str) and row["id"] != ""


def messages(database: sqlite3.Connection, session: str) -> Iterator[dict[str, Any]]:
    """The rows of `messages` of a session in the order in which they were written, content and calls taken apart."""
    query = _select(database, "messages", _MESSAGE, "WHERE session_id = ? ORDER BY id")
    for row in database.execute(query, (session,)):
        message = dict(row)
        content = message.get("content")
        if isinstance(content, str) and content.startswith(_STRUCTURED):
            content = parsed(content.removeprefix(_STRUCTURED))
        message["content"] = scrub(content)
        message["tool_calls"] = parsed(message.get("tool_calls"))
        yield message


def parsed(value: Any) -> Any:
    """The value of a column that holds JSON; None where it holds none."""
    if not isinstance(value, str):
        return value
    try:
        return scrub(json.loads(value, strict=False))
    except (ValueError, RecursionError):
        return None
