"""The yotta engine's `index.json`: a projection of the memories, never the truth (`spec/bank.md` §8)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from store.access import path_owner
from store.errors import StorageFailure
from store.index.lock import index_lock
from store.index.tokens import entry_tokens
from store.memory import Memory
from store.vault.disk import Disk
from store.vault.whole import write_whole

INDEX_NAME = "index.json"
VERSION = 4
SHARD_ABOVE = 5000
"""Entries above which the index is split by year (`spec/bank.md` §8.3)."""

_SHARD = re.compile(r"index-(\d{4})\.json")
_LARGEST = 2**53


def index_entry(memory: Memory) -> dict[str, Any]:
    """One element of `entries`, keys in the engine's order (`spec/bank.md` §8.1); the path's owner wins (bank-D15)."""
    owner = path_owner(memory.path)
    return {
        "file": memory.path,
        "type": memory.type,
        "scope": "private" if owner else memory.scope,
        "owner": owner or memory.owner,
        "subject": memory.subject,
        "statement": memory.statement,
        "tags": list(memory.tags),
        "confidence": _number(1 if memory.confidence is None else memory.confidence),
        "created": memory.created,
        "updated": memory.updated,
        "access_count": _number(memory.access_count),
        "last_accessed": memory.last_accessed,
        "immutable": memory.immutable,
        "source": memory.source,
        "weight": _number(memory.weight),
        "feedback_net": _number(memory.feedback_net),
        "hit_days": memory.hit_days,
        "hit_queries": memory.hit_queries,
        "tokens": {token: _number(weight) for token, weight in entry_tokens(memory).weights.items()},
    }


def _number(value: float) -> float:
    """A number as JavaScript prints it: whole ones without a fraction."""
    if not math.isfinite(value):
        return 1
    value = min(max(value, -_LARGEST), _LARGEST)
    return int(value) if value == int(value) else value


def index_files(memories: Iterable[Memory], today: date) -> dict[str, bytes]:
    """File name → bytes of the whole index over `memories`: one file, or year shards and their manifest last."""
    entries = [index_entry(memory) for memory in memories]
    if len(entries) <= SHARD_ABOVE:
        return {INDEX_NAME: _json({"version": VERSION, "updated": today.isoformat(), "entries": entries})}
    years: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        years.setdefault(_year(entry["created"], today), []).append(entry)
    names = {f"index-{year:04}.json": year for year in sorted(years)}
    files = {name: _json({"version": VERSION, "year": year, "entries": years[year]}) for name, year in names.items()}
    manifest = {"version": VERSION, "updated": today.isoformat(), "shards": list(names), "count": len(entries)}
    return files | {INDEX_NAME: _json(manifest)}


def _year(created: str, today: date) -> int:
    head = created[:4]
    return int(head) if len(head) == 4 and head.isascii() and head.isdigit() else today.year


def _json(document: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2)
    except TypeError:  # a lone surrogate: no UTF-8 can hold it
        return orjson.dumps(_encodable(document), option=orjson.OPT_INDENT_2)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value


def write_index(root: Path, memories: Iterable[Memory], today: date, *, disk: Disk | None = None) -> None:
    """Bring a bank's index up to date with its live memories (their file values, without the ledger's counters).

    Files that would not change are left alone, each other one is replaced as a whole; shards that are no longer
    needed are deleted. In a bank with `keys/` private memories stay out (`spec/bank.md` §25.7). Raises `Busy` when
    another program keeps the index lock, `StorageFailure` when the folder refuses.
    """
    disk = disk or Disk()
    wanted = list(memories)
    if (root / "keys").is_dir():
        wanted = [memory for memory in wanted if not path_owner(memory.path) and memory.scope == "public"]
    files = index_files(wanted, today)
    with index_lock(root):
        for name, data in files.items():
            _replace(disk, root / name, data)
        for found in disk.scandir(root):
            if _SHARD.fullmatch(found.name) and found.name not in files:
                disk.unlink(root / found.name)


def _replace(disk: Disk, path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step; nothing happens when it is there already."""
    mode = disk.mode(path)
    if mode is not None and disk.read(path) == data:
        return
    write_whole(disk, path, data, 0o644 if mode is None else mode)


def has_index(root: Path) -> bool:
    """Whether the bank keeps an index file, valid or not."""
    return (root / INDEX_NAME).is_file()


def is_current(root: Path, *, disk: Disk | None = None) -> bool:
    """Whether the index can be used as it stands: there, readable, of this version (`spec/bank.md` §8.4)."""
    return _read(disk or Disk(), root / INDEX_NAME) is not None


def read_entries(root: Path, years: Sequence[int] = (), *, disk: Disk | None = None) -> list[dict[str, Any]] | None:
    """The entries of a valid index, or None when there is none (`spec/bank.md` §8.4).

    With `years` only those shards are read; an index of one piece is filtered by the year of `created`.
    """
    disk = disk or Disk()
    top = _read(disk, root / INDEX_NAME)
    if top is None:
        return None
    shards = top.get("shards")
    if not isinstance(shards, list):
        wanted = {f"{year:04}" for year in years}
        return [entry for entry in _entries(top) if not wanted or str(entry.get("created", ""))[:4] in wanted]
    found: list[dict[str, Any]] = []
    for name in shards:
        match = _SHARD.fullmatch(name) if isinstance(name, str) else None
        if match and (not years or int(match[1]) in years):
            found.extend(_entries(_read(disk, root / name) or {}))
    return found


def _read(disk: Disk, path: Path) -> dict[str, Any] | None:
    """One index file as an object, or None when it is missing, damaged or of an older version."""
    try:
        document = orjson.loads(disk.read(path))
    except (StorageFailure, ValueError):
        return None
    if not isinstance(document, dict):
        return None
    version = document.get("version")
    return document if isinstance(version, int | float) and version >= VERSION else None


def _entries(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    entries = document.get("entries")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def read_order(root: Path, *, disk: Disk | None = None) -> list[str] | None:
    """The paths in the order of a valid index, or None: the original order for ties (`decisions.md` §3.6)."""
    entries = read_entries(root, disk=disk)
    if entries is None:
        return None
    return list(dict.fromkeys(path for entry in entries if isinstance(path := entry.get("file"), str)))
