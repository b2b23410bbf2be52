"""Files of a bank with a time of their own, and a look at them that counts what is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from store.vault.disk import Name
from store.vault.scan import Scan, Seen, scan
from tests.store.vault.faulty import FaultyDisk

SAMPLE = Path(__file__).parents[2] / "data" / "yotta-vault" / "vault"
OLD = 1_700_000_000_000_000_000
"""A modification time long ago, ns."""
STAMP = "2026-10-08T06-12-44-310Z"
HALF = b"---\ntype: FACT\nstatement: hal"


class Counting(FaultyDisk):
    """Counts the files that are read."""

    def read(self, path: Name) -> bytes:
        self.reads = [*getattr(self, "reads", []), Path(path).name]
        return super().read(path)


def entry(statement: str, owner: str = "aria") -> bytes:
    return f"---\ntype: FACT\nstatement: {statement}\nowner: {owner}\n---\n{statement}\n".encode()


def put(root: Path, path: str, data: bytes | None = None, age: int = OLD) -> str:
    """Write a file whose modification time is `age`."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(entry(path) if data is None else data)
    os.utime(target, ns=(age, age))
    return path


def look(root: Path, previous: Mapping[str, Seen] | None = None, now: int = OLD + 10**12, **rest: object) -> Scan:
    return scan(Counting(now=now), root, previous, **rest)  # type: ignore[arg-type]
