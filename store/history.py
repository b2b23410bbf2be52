"""History: the changesets that were, newest first, out of the journal or moved to `history/` (`decisions.md` §4.2).

Whether a change stands is not written into its row, which is never rewritten: it follows from the later rows that
undo or redo it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson

from store.changes import Committed, FileEffect, Row, RowEffect
from store.vault.disk import Disk

TABLE = "history"
FOLDER = "history"
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")


def to_row(committed: Committed) -> dict[str, Any]:
    """A history row as the ledger keeps it."""
    row = asdict(committed)
    del row["undone_by"]
    return {key: value for key, value in row.items() if value not in (None, ())}


def from_row(row: Row) -> Committed:
    """A history row as it was committed; fields of a newer version are left out."""
    return Committed(
        row["number"],
        row["at"],
        row["reason"],
        row["origin"],
        row["by"],
        tuple(FileEffect(**effect) for effect in row.get("files", ())),
        tuple(RowEffect(**effect) for effect in row.get("rows", ())),
        row.get("undoes"),
        None,
        row.get("redoes"),
        tuple(row.get("notes", ())),
        tuple(row.get("folders", ())),
    )


def newest_first(disk: Disk, ledger: Path, rows: Mapping[str, Row]) -> Iterator[Committed]:
    """Every change, newest first, each marked with the undo that took it back, if one stands.

    `rows` are the ledger's own (after the last compaction); older ones are read month by month, only when reached.
    """
    undone: dict[int, int | None] = {}
    for change in _unmarked(disk, ledger, rows):
        for target, mark in ((change.undoes, change.number), (change.redoes, None)):
            if target is not None:
                undone.setdefault(target, mark)
        yield replace(change, undone_by=undone.get(change.number))


def _unmarked(disk: Disk, ledger: Path, rows: Mapping[str, Row]) -> Iterator[Committed]:
    last: int | None = None
    for key in sorted(rows, key=int, reverse=True):
        yield from_row(rows[key])
        last = int(key)
    for found in reversed(disk.scandir(ledger / FOLDER)):
        if found.name.endswith(".jsonl"):
            for change in reversed(moved(disk, ledger / FOLDER / found.name)):
                if last is None or change.number < last:
                    yield change
                    last = change.number


def moved(disk: Disk, path: Path) -> list[Committed]:
    """The rows of one month's file in order of their numbers; damaged or unfinished lines are left out."""
    found: dict[int, Committed] = {}
    for line in disk.read(path).splitlines():
        try:
            change = from_row(orjson.loads(line))
        except (ValueError, TypeError, KeyError):
            continue
        found[change.number] = change
    return [found[number] for number in sorted(found)]


def move_out(disk: Disk, ledger: Path, rows: Mapping[str, Row]) -> None:
    """Append rows to their months' files, durably; rows that stand there already are not repeated."""
    months: dict[str, list[Row]] = {}
    for key in sorted(rows, key=int):
        month = str(rows[key]["at"])[:7]
        months.setdefault(month if MONTH.fullmatch(month) else "0000-00", []).append(rows[key])
    if months:
        disk.mkdir(ledger / FOLDER, 0o700)
    for month, items in months.items():
        path = ledger / FOLDER / f"{month}.jsonl"
        before = disk.read(path) if disk.signature(path) else b""
        known = {change.number for change in moved(disk, path)} if before else set()
        lines = [orjson.dumps(row) + b"\n" for row in items if row["number"] not in known]
        start = b"\n" if before and not before.endswith(b"\n") else b""
        if lines:
            disk.append(path, start + b"".join(lines), 0o600)
    if months:
        disk.sync_dir(ledger / FOLDER)


def paths_in(changes: Iterable[Committed]) -> Iterator[str]:
    """Every path that a memory had in these changes: names that are never given again (`decisions.md` §2.1)."""
    for change in changes:
        for effect in change.files:
            for path in (effect.path_before, effect.path_after, effect.id):
                if path:
                    yield path
