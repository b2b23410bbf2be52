"""The ledger's snapshot: all rows as one JSON file of TinyDB's own shape, checked by a checksum (`storage.md` §4).

Stock TinyDB opens it: document ids are numbers, the key of a row stands in the row as `_key`. The file begins with
the table `_meta`, whose first value is the checksum of everything behind it.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from store.changes import Row

FORMAT = 1
"""Version of the ledger's format; a newer one is read only (`storage.md` §8)."""

_START = b'{"_meta":{"1":{"crc":"'
_CRC_END = len(_START) + 8

Tables = Mapping[str, Mapping[str, Row]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The ledger up to frame `n`. `numbers` keeps the highest file number ever given per type folder (bank-D06)."""

    n: int
    tables: Tables = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    format: int = FORMAT


def encode(snapshot: Snapshot) -> bytes:
    """The snapshot's file: one row a line. Raises `TypeError` when a row cannot be written as JSON."""
    meta = {"format": snapshot.format, "n": snapshot.n, "numbers": dict(snapshot.numbers)}
    parts = [b",", orjson.dumps(meta)[1:], b"}"]
    for name, rows in snapshot.tables.items():
        lines = [
            b"\n%s:%s" % (orjson.dumps(str(number)), orjson.dumps({"_key": key, **row}))
            for number, (key, row) in enumerate(rows.items(), 1)
        ]
        parts.append(b",\n%s:{%s}" % (orjson.dumps(name), b",".join(lines)))
    rest = b'"' + b"".join(parts) + b"}\n"
    return _START + b"%08x" % binascii.crc32(rest) + rest


def decode(data: bytes) -> Snapshot | None:
    """The snapshot of a file's bytes, or None when it is damaged in any way."""
    rest = data[_CRC_END:]
    if not data.startswith(_START) or data[len(_START) : _CRC_END] != b"%08x" % binascii.crc32(rest):
        return None
    body: dict[str, dict[str, dict[str, Any]]] = orjson.loads(data)
    meta = body.pop("_meta")["1"]
    tables = {name: {row.pop("_key"): row for row in rows.values()} for name, rows in body.items()}
    return Snapshot(meta["n"], tables, meta["numbers"], meta["format"])
