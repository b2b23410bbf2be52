"""The ledger as TinyDB tables: rows, their revisions, and a read-only database over them (`storage.md` §3, 9).

Writes go through `Bank` only (`decisions.md` §4.11): the tables here read from memory, never cache queries, give
copies, and refuse to write.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, cast

from tinydb import TinyDB
from tinydb.queries import QueryLike
from tinydb.storages import Storage
from tinydb.table import Document, Table

from store.changes import DropRow, PutRow, Row
from store.errors import AlreadyDecided, BadInput
from store.fields import REV, revision
from store.frames import RowOp
from store.journal import Rows
from store.layered import Layered

MAX_DEPTH = 60
_EMPTY: Layered[str, Row] = Layered()


def fields_of(row: Row | None) -> dict[str, Any]:
    """A row's fields without its revision; empty when there is no row."""
    return {name: value for name, value in (row or {}).items() if name != REV}


def checked(value: Any, depth: int = 0) -> Any:
    """A copy of a JSON value, refused when JSON cannot hold it exactly. Raises `BadInput`.

    Infinite and undefined numbers, whole numbers over 64 bits, lone surrogates and keys that are no text are refused
    before anything is written (`storage.md` §3).
    """
    if depth > MAX_DEPTH:
        raise BadInput(f"A ledger value is nested more than {MAX_DEPTH} deep; store less structure.")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str):
        return _checked_text(value)
    if isinstance(value, Mapping):
        return {_checked_key(key): checked(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [checked(item, depth + 1) for item in value]
    raise BadInput(f"The ledger cannot hold the value {type(value).__name__}; use text, numbers, lists and objects.")


def _checked_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("The ledger cannot hold text with half a character in it; clean it and try again.") from error
    return str(text)


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise BadInput("The ledger cannot hold a key that is no text; use text.")
    return _checked_text(key)


def after(row: Row | None, fields: Row, number: int) -> dict[str, Any]:
    """The row after `fields` were set by frame `number`; a value of None removes its field."""
    merged = {**(row or {}), **fields, REV: number}
    return {key: value for key, value in merged.items() if value is not None}


def check_revision(row: Row | None, change: PutRow | DropRow) -> None:
    """Raises `AlreadyDecided` when the row is no longer the one that the change was made on."""
    if change.rev is not None and change.rev != revision(row):
        raise AlreadyDecided("This was already decided or changed in the meantime; look at it again.")


def row_ops(tables: Rows, rows: Iterable[PutRow | DropRow], number: int) -> tuple[RowOp, ...]:
    """The operations of some row changes as frame `number`; later ones see the earlier ones.

    Raises `AlreadyDecided`, or `BadInput` for values that the ledger cannot hold.
    """
    pending: dict[tuple[str, str], Row | None] = {}
    for change in rows:
        place = (_checked_text(change.table), _checked_text(change.key))
        current = pending[place] if place in pending else tables.get(place[0], _EMPTY).get(place[1])
        check_revision(current, change)
        fields = checked(change.fields) if isinstance(change, PutRow) else None
        pending[place] = None if fields is None else after(current, fields, number)
    known = {place for place in pending if place[1] in tables.get(place[0], _EMPTY)}
    return tuple(RowOp(*place, row) for place, row in pending.items() if row is not None or place in known)


class JournalStorage(Storage):
    """What TinyDB reads: the rows of the ledger in memory. It never writes."""

    def __init__(self, tables: Rows) -> None:
        self.tables = tables

    def read(self) -> dict[str, dict[str, Any]]:
        """All tables, each as a dictionary of rows."""
        return {name: dict(rows) for name, rows in self.tables.items()}

    def write(self, data: dict[str, dict[str, Any]]) -> NoReturn:
        """Refused: `Bank.commit` and `Bank.record` are the ways in."""
        raise TypeError("The ledger is written through Bank.commit and Bank.record only.")


class LedgerTable(Table):
    """A table over the ledger: string keys, no query cache, copies as results, no writing."""

    document_id_class = str  # type: ignore[assignment]
    default_query_cache_capacity = 0

    def _rows(self) -> Mapping[str, Row]:
        return cast(JournalStorage, self._storage).tables.get(self.name, _EMPTY)

    def _read_table(self) -> dict[str, Mapping[str, Any]]:
        return dict(self._rows())

    def _update_table(self, *given: Any, **named: Any) -> NoReturn:
        raise TypeError("The ledger is written through Bank.commit and Bank.record only.")

    insert = insert_multiple = update = update_multiple = _update_table
    upsert = remove = truncate = _update_table

    def __len__(self) -> int:
        return len(self._rows())

    def __iter__(self) -> Iterator[Document]:
        return (_document(key, row) for key, row in self._rows().items())

    def search(self, cond: QueryLike) -> list[Document]:
        """Copies of the rows that match; a comparison of unlike types is no match (`storage.md` §3)."""
        return [_document(key, row) for key, row in self._rows().items() if _matches(cond, row)]

    def get(self, cond: Any = None, doc_id: Any = None, doc_ids: Any = None) -> Any:
        """One row by condition or key, or the rows of several keys."""
        rows = self._rows()
        if doc_id is not None:
            return _document(doc_id, rows[doc_id]) if doc_id in rows else None
        if doc_ids is not None:
            return [_document(key, rows[key]) for key in doc_ids if key in rows]
        return next((_document(key, row) for key, row in rows.items() if _matches(cond, row)), None)


class LedgerDB(TinyDB):
    """A TinyDB database over the ledger's rows at one moment: `LedgerDB(bank.view().tables)`."""

    table_class = LedgerTable
    default_storage_class = JournalStorage  # type: ignore[assignment]


def _document(key: str, row: Row) -> Document:
    return Document(copy.deepcopy(dict(row)), key)  # type: ignore[arg-type]


def _matches(cond: QueryLike, row: Row) -> bool:
    try:
        return bool(cond(row))
    except TypeError:
        return False
