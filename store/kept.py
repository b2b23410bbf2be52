"""Texts kept aside: what an edit would otherwise have overwritten (`storage.md` §6, "Writing").

Each is a file in `kept/` with a small JSON file beside it that says what it belongs to.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import orjson

from store.errors import StorageFailure
from store.objects import sha_of
from store.vault.disk import Disk

FOLDER = "kept"

Side = Literal["ours", "theirs"]


@dataclass(frozen=True, slots=True)
class Kept:
    """One text kept aside: `file` its name in `kept/`, `side` whose text it is, `why` one sentence for people."""

    file: str
    id: str
    path: str
    at: str
    side: Side
    sha: str
    why: str


def keep(disk: Disk, ledger: Path, data: bytes, *, id: str, path: str, at: str, side: Side, why: str) -> Kept:
    """Put `data` aside durably; the same text for the same path is kept once. Raises `StorageFailure`."""
    folder, sha = ledger / FOLDER, sha_of(data)
    for known in listed(disk, ledger):
        if (known.path, known.sha, known.side) == (path, sha, side):
            return known
    disk.mkdir(folder, 0o700)
    stem = f"{at.replace(':', '').replace('.', '').replace('-', '')}-{secrets.token_hex(3)}"
    kept = Kept(f"{stem}.md", id, path, at, side, sha, why)
    disk.write_new(folder / kept.file, data, 0o600)
    disk.write_new(folder / f"{stem}.json", orjson.dumps(asdict(kept)), 0o600)
    disk.sync_dir(folder)
    return kept


def listed(disk: Disk, ledger: Path) -> tuple[Kept, ...]:
    """What is kept aside, oldest first; a damaged description is left out, its text stays."""
    found, folder = [], ledger / FOLDER
    for name in (entry.name for entry in disk.scandir(folder)):
        if name.endswith(".json"):
            try:
                found.append(Kept(**orjson.loads(disk.read(folder / name))))
            except (StorageFailure, ValueError, TypeError):
                continue
    return tuple(found)


def read(disk: Disk, ledger: Path, file: str) -> bytes:
    """The bytes of one kept text. Raises `StorageFailure` when it is not there."""
    return disk.read(ledger / FOLDER / Path(file).name)


def drop(disk: Disk, ledger: Path, file: str) -> bool:
    """Delete one kept text after a person has dealt with it; False when it is not there."""
    if Path(file).name != file:
        return False
    text = ledger / FOLDER / file
    disk.unlink(text.with_suffix(".json"))
    return disk.unlink(text)
