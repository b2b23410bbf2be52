"""Files that are there as a whole or not at all: written beside the place, then renamed into it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.vault.disk import Disk


def write_whole(disk: Disk, path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put `data` at `path` in one step; its name is durable once the caller has synced the folder.

    The copy is always `<name>.tmp`, so that an interrupted write leaves no more than one: two writers of one path need
    a lock between them, or a reader that checks what it reads. Raises `StorageFailure`; what was there stays.
    """
    copy = path.with_name(f"{path.name}.tmp")
    disk.unlink(copy)
    disk.write_new(copy, data, mode)
    disk.replace(copy, path)
