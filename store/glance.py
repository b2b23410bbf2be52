"""A look at a bank's ledger without opening the bank: its rows, and whether it was written to since the last look."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.changes import Row

State = list[str | int]


def state_of(ledger: Path) -> State:
    """What is another one after every write: which generation the ledger is in, and what its journal's file is.

    `ledger` is its folder (`store.places.ledger_folder`). Raises `OSError`, `ValueError` for what is no ledger.
    """
    generation = int((ledger / "CURRENT").read_text(encoding="ascii"))
    seen = (ledger / f"journal-{generation:06d}.jsonl").stat()
    return [str(ledger), generation, seen.st_size, seen.st_mtime_ns, seen.st_ino]


def tables_of(ledger: Path) -> Mapping[str, Mapping[str, Row]] | None:
    """The ledger's rows by table; None when only opening the bank can tell what to make of it."""
    from store.errors import MemdeskError  # whoever only asks for the state does not pay for what reads
    from store.journal import Journal
    from store.vault.disk import Disk

    try:
        loaded = Journal(ledger, Disk()).load()
    except MemdeskError:
        return None
    return None if loaded.fault else loaded.tables
