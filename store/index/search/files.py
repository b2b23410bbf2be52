"""The index of a bank in the user's cache folder: whoever deletes it loses seconds (`decisions.md` §3.2).

A generation is one file; a newer one takes its name by rename, and who has mapped the older one keeps it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from store.index.search.container import Array, map_arrays, write_arrays
from store.index.search.segment import FULL, K1, PIVOT, B, Segment
from store.index.search.strings import Strings
from store.index.search.words import TOKENISER
from store.places import bank_key, cache_home

FORMAT = 3
KIND = f"search {FORMAT} {TOKENISER} {K1:g} {B:g} {PIVOT} {FULL}"
"""What a file must say of itself to be used: made by these rules."""


def index_file(root: Path, cache_dir: Path | None = None) -> Path:
    """The file of a bank's index; it need not be there."""
    return (cache_dir or cache_home()) / "banks" / bank_key(root) / "search"


def save(segment: Segment, path: Path) -> bool:
    """Put a segment at `path` in one step; False when another program is at it, or the folder refuses."""
    return put_arrays(path, KIND, {field.name: getattr(segment, field.name) for field in fields(Segment)}, {})


def put_arrays(path: Path, kind: str, arrays: Mapping[str, Array | Strings], facts: Mapping[str, Any]) -> bool:
    """Put arrays at `path` in one step; False when another program is at it, or the folder refuses.

    The copy always has the same name, so that whoever is killed leaves no more than one.
    """
    copy = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=0):
            _replace(path, copy, kind, arrays, facts)
    except (OSError, Timeout):
        return False
    return True


def _replace(
    path: Path, copy: Path, kind: str, arrays: Mapping[str, Array | Strings], facts: Mapping[str, Any]
) -> None:
    with suppress(FileNotFoundError):
        copy.unlink()
    try:
        with open(copy, "xb", opener=_private) as file:
            write_arrays(file, kind, arrays, facts)
        copy.replace(path)
    except OSError:
        with suppress(OSError):  # half a copy would keep a full disk full
            copy.unlink()
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def load(path: Path) -> Segment | None:
    """The segment at `path`, mapped; None when there is none, it is damaged, or it was made by other rules."""
    found = map_arrays(path, KIND)
    if found is None:
        return None
    arrays: dict[str, Any] = found[0]
    return Segment(**arrays) if arrays.keys() == {field.name for field in fields(Segment)} else None
