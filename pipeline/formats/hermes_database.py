"""The tables of Hermes's `state.db` (`spec/formats.md` §14).

Only columns that are there are asked for: the schema has grown with every version (`sessions` and `messages` as of
version 30 of Hermes's own count).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pipeline.formats import database
from pipeline.formats.content import mapping, parsed
from pipeline.formats.lines import scrub
from store.errors import BadInput

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

T = TypeVar("T")


def read(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """What `work` makes of the database. Raises what `database.read` does, `BadInput` for one of another program."""

    def checked(opened: sqlite3.Connection) -> T:
        if "id" not in _columns(opened, "sessions") or not {"id", "session_id", "role"} <= _columns(opened, "messages"):
            raise BadInput(f"{path} holds no sessions of Hermes; give the path of its state.db.")
        return work(opened)

    return database.read(path, "Hermes", checked)


def _columns(opened: sqlite3.Connection, name: str) -> set[str]:
    return {str(row["name"]) for row in opened.execute(f"PRAGMA table_info({name})")}


def _select(opened: sqlite3.Connection, name: str, wanted: tuple[str, ...], rest: str) -> str:
    there = _columns(opened, name)
    return f"SELECT {', '.join(column for column in wanted if column in there)} FROM {name} {rest}"


def heads(opened: sqlite3.Connection) -> list[dict[str, Any]]:
    """The rows of `sessions`, in the order in which they were begun."""
    rows = opened.execute(_select(opened, "sessions", _SESSION, "ORDER BY rowid"))
    return [row | {"model_config": mapping(parsed(row.get("model_config")))} for row in rows if _named(row)]


def _named(row: dict[str, Any]) -> bool:
    return isinstance(row.get("id"), str) and row["id"] != ""


def messages(opened: sqlite3.Connection, session: str) -> Iterator[dict[str, Any]]:
    """The rows of `messages` of a session in the order in which they were written, content and calls taken apart."""
    query = _select(opened, "messages", _MESSAGE, "WHERE session_id = ? ORDER BY id")
    for message in opened.execute(query, (session,)):
        content = message.get("content")
        if isinstance(content, str) and content.startswith(_STRUCTURED):
            content = parsed(content.removeprefix(_STRUCTURED))
        message["content"] = scrub(content)
        message["tool_calls"] = parsed(message.get("tool_calls"))
        yield message
