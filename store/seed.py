"""Fills a new bank's folder with memories before anybody opens it: the demo, and banks for measuring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from store.vault import layout
from store.vault.disk import Disk
from store.vault.entry import render


def seed(root: Path, memories: Iterable[Mapping[str, Any]], now: datetime, disk: Disk | None = None) -> list[str]:
    """Write one file per memory below `root`, which must be a bank that no program has open.

    `memories` are fields as in `PutMemory`, with `created` as a date; `state` may place one in archive or trash.
    Returns the ids in the order given. Raises `BadInput` for fields that make no memory, `StorageFailure` for the disk.
    """
    disk = disk or Disk()
    numbers = layout.Numbers.of(())
    ids: list[str] = []
    for given in memories:
        fields = {key: value for key, value in given.items() if key != "state"}
        path = layout.new_path(fields["type"], fields.get("owner", ""), fields["created"], numbers)
        numbers = numbers.with_path(path)
        target = root / _place(path, given.get("state", "live"), now)
        disk.mkdir(target.parent)
        disk.write_new(target, render(fields))
        ids.append(path)
    return ids


def _place(path: str, state: str, now: datetime) -> str:
    if state == "archived":
        return layout.archive_path(path)
    return layout.trash_path(path, layout.stamp(now)) if state == "trashed" else path
