"""What Health tells about a bank's ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from store import kept
from store.state import State


@dataclass(frozen=True, slots=True)
class LedgerStatus:
    """The state of a bank's ledger. `journal` and `snapshot` in bytes; `waiting`: committed texts not in their files.

    `kept` counts the texts put aside in conflicts, `quarantined` the damaged files; `counts` the rows by table.
    """

    folder: Path
    exists: bool
    generation: int
    last_frame: int
    journal: int
    snapshot: int
    quarantined: int
    kept: int
    waiting: int
    read_only: str
    counts: Mapping[str, int]


def status_of(state: State, read_only: str) -> LedgerStatus:
    """The status now; `read_only` is why nothing can be written."""
    return LedgerStatus(
        state.ledger,
        state.journal.exists(),
        state.journal.generation,
        state.seen,
        state.journal.length,
        state.journal.snapshot_size,
        state.journal.quarantined(),
        len(kept.listed(state.disk, state.ledger)),
        len(state.waiting),
        read_only,
        {name: len(rows) for name, rows in state.tables.items()},
    )
