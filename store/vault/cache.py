"""Parsed files kept between runs, so that a warm open parses nothing (`storage.md` §6, `decisions.md` §3.2)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

import orjson

from store.memory import Memory, Problem
from store.vault.disk import Signature
from store.vault.scan import Seen

NAMES = tuple(field.name for field in fields(Memory))
VERSION = f"vault-cache 1 {','.join(NAMES)}"
"""A cache of another shape of `Memory` is another version."""
TAGS, EXTRA = NAMES.index("tags"), NAMES.index("extra")
_row = attrgetter(*NAMES)


def to_cache(files: Mapping[str, Seen]) -> bytes:
    """The seen files as one checked block of bytes; files that were missing at the last look are left out."""
    rows = [
        [
            path,
            tuple(seen.signature),
            seen.sha,
            seen.memory and _row(seen.memory),
            seen.problem and (seen.problem.path, seen.problem.message),
            seen.trusted,
        ]
        for path, seen in files.items()
        if not seen.missed
    ]
    body = orjson.dumps([VERSION, rows])
    return b"%08x\n%b" % (zlib.crc32(body), body)


def from_cache(data: bytes) -> dict[str, Seen] | None:
    """The seen files of a cache; None when it is damaged or of another version, then everything is parsed."""
    if data[:9] != b"%08x\n" % zlib.crc32(memoryview(data)[9:]):
        return None
    try:
        version, rows = orjson.loads(memoryview(data)[9:])
        if version != VERSION:
            return None
        return {row[0]: _seen(*row[1:]) for row in rows}
    except (ValueError, TypeError):
        return None


def _seen(signature: list[int], sha: str, row: list[Any] | None, problem: list[str] | None, trusted: bool) -> Seen:
    if row is not None:
        row[TAGS] = tuple(row[TAGS])
        row[EXTRA] = tuple((key, value) for key, value in row[EXTRA])
    memory = None if row is None else Memory(*row)
    return Seen(Signature(*signature), sha, memory, Problem(*problem) if problem else None, trusted)
