"""A new generation of the ledger: a fresh snapshot, an empty journal, history and texts moved out (`storage.md` §5)."""

from __future__ import annotations

from collections.abc import Mapping

from store import history, objects
from store.changes import Row
from store.journal import FOLDER_MODE
from store.layered import Layered
from store.snapshot import Snapshot
from store.state import State
from store.transaction import checkpoint

LARGE = 8 * 1024 * 1024
"""Bytes of journal after which it is compacted in any case."""
TIMES = 4
"""Times the snapshot's size after which a journal is compacted, if it is not small."""
SMALL = 256 * 1024


def is_due(state: State) -> bool:
    """Whether the journal has grown enough to be worth a new generation."""
    length = state.journal.length
    return length > LARGE or length > max(SMALL, TIMES * state.journal.snapshot_size)


def compact(state: State) -> None:
    """Write a new generation from what is known; the lock is held. A kill at any point loses nothing.

    Does nothing while a committed text is not in its file. One earlier generation stays.
    """
    if state.waiting:
        return
    checkpoint(state)
    rows: Mapping[str, Row] = state.rows(history.TABLE)
    history.move_out(state.disk, state.ledger, rows)
    state.disk.mkdir(state.ledger / objects.FOLDER, FOLDER_MODE)
    objects.store(state.disk, state.ledger, state.blobs)
    tables = {name: table for name, table in state.tables.items() if name != history.TABLE}
    numbers = {**state.past_numbers, **dict(state.numbers.highest)}
    state.journal.publish(state.journal.generation + 1, Snapshot(state.seen, tables, numbers))
    state.tables = {**tables, history.TABLE: Layered()}
    state.past_numbers = numbers
    state.blobs = {}
    state.revision += 1
    state.journal.drop_old()


def repair(state: State, at: str) -> None:
    """After damage: keep the damaged files aside, go on from the last good state; the lock is held."""
    state.journal.quarantine(at)
    state.journal.fault = ""
    compact(state)
