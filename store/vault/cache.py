"""Parsed files kept between runs, so that a warm open parses nothing (`storage.md` §6, `decisions.md` §3.2).

The files come in blocks of a thousand, each with its checksum: reading one holds up other threads for milliseconds.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import orjson

from store.memory import Problem
from store.packed import SHAPE, packed, unpacked
from store.vault.disk import Signature
from store.vault.scan import Seen

VERSION = f"vault-cache 2 {SHAPE}"
BLOCK = 1000
"""Files in a block."""
PREFIX = b"%08x %010d\n"
"""Before each block: its checksum and its length."""


def to_cache(files: Mapping[str, Seen]) -> bytes:
    """The seen files as checked blocks of bytes; files that were missing at the last look are left out."""
    rows = (_row(path, seen) for path, seen in files.items() if not seen.missed)
    blocks = list(iter(lambda: list(islice(rows, BLOCK)), []))
    return b"".join(map(_block, ([VERSION, len(blocks)], *blocks)))


def _row(path: str, seen: Seen) -> tuple[Any, ...]:
    memory, problem = seen.memory, seen.problem
    words = problem and (problem.path, problem.message)
    return path, tuple(seen.signature), seen.sha, memory and packed(memory), words, seen.trusted


def _block(value: object) -> bytes:
    body = orjson.dumps(value)
    return PREFIX % (zlib.crc32(body), len(body)) + body


def from_cache(data: bytes) -> dict[str, Seen] | None:
    """The seen files of a cache; None when it is damaged or of another version, then everything is parsed."""
    try:
        blocks = _blocks(data)
        version, count = next(blocks)
        if version != VERSION:
            return None
        files: dict[str, Seen] = {}
        for block in blocks:
            files |= {row[0]: _seen(*row[1:]) for row in block}
            count -= 1
    except (ValueError, TypeError, StopIteration):
        return None
    return files if count == 0 else None


def _blocks(data: bytes) -> Iterator[Any]:
    """The blocks one after the other. Raises `ValueError` at one that is not as it was written."""
    view, at = memoryview(data), 0
    while at < len(view):
        prefix = bytes(view[at : at + len(PREFIX % (0, 0))])
        at += len(prefix)
        body = view[at : at + int(prefix[9:])]
        if prefix != PREFIX % (zlib.crc32(body), len(body)):
            raise ValueError(prefix)
        yield orjson.loads(body)
        at += len(body)


def _seen(signature: list[int], sha: str, row: list[Any] | None, problem: list[str] | None, trusted: bool) -> Seen:
    memory = None if row is None else unpacked(row)
    return Seen(Signature(*signature), sha, memory, Problem(*problem) if problem else None, trusted)
