"""Changes as JSON and back: a proposal is a changeset that waits in the ledger (`architecture.md`, "The one idea")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from store.changes import Change, DropRow, MoveMemory, NewId, PutMemory, PutRow, PutSettingFile
from store.errors import BadInput
from store.memory import State
from store.setting_file import check_setting_path

_NEW = "$new"
"""Marks a `NewId` among JSON values."""


def to_rows(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """The changes as JSON objects; what is not said is left out."""
    return [_object(change) for change in changes]


def from_rows(rows: object) -> tuple[Change, ...]:
    """The changes of a proposal's row. Raises `BadInput` for a damaged row."""
    entries = rows if isinstance(rows, list | tuple) else ()
    try:
        return tuple(_change(row) for row in entries)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("This proposal is damaged and cannot be carried out; reject it.") from error


def _object(change: Change) -> dict[str, Any]:
    if isinstance(change, PutMemory):
        fields = {name: _plain(value) for name, value in change.fields.items()}
        return _without_none(
            {
                "op": "put",
                "id": change.id,
                "fields": fields,
                "text": change.text,
                "base": change.base,
                "key": change.key or None,
            }
        )
    if isinstance(change, MoveMemory):
        return _without_none({"op": "move", "id": change.id, "state": change.state, "base": change.base})
    if isinstance(change, PutSettingFile):
        return _without_none({"op": "setting", "path": change.path, "text": change.text, "base": change.base})
    if isinstance(change, PutRow):
        fields = {name: _plain(value) for name, value in change.fields.items()}
        return {"op": "row", "table": change.table, "key": change.key, "fields": fields}
    return {"op": "drop", "table": change.table, "key": change.key}


def _change(row: Mapping[str, Any]) -> Change:
    op = row["op"]
    if op == "put":
        fields = {str(name): _value(value) for name, value in row.get("fields", {}).items()}
        return PutMemory(row.get("id"), fields, row.get("text"), row.get("base"), row.get("key", ""))
    if op == "move":
        if row["state"] not in get_args(State):
            raise ValueError(row["state"])
        return MoveMemory(str(row["id"]), cast(State, row["state"]), row.get("base"))
    if op == "setting":
        return PutSettingFile(check_setting_path(str(row["path"])), row.get("text"), row.get("base"))
    if op == "row":
        return PutRow(str(row["table"]), str(row["key"]), {name: _value(item) for name, item in row["fields"].items()})
    if op == "drop":
        return DropRow(str(row["table"]), str(row["key"]))
    raise ValueError(op)


def _plain(value: Any) -> Any:
    if isinstance(value, NewId):
        return {_NEW: value.key}
    return list(value) if isinstance(value, tuple) else value


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and set(value) == {_NEW}:
        return NewId(str(value[_NEW]))
    return value


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
