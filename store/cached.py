"""What one session leaves for the next in the user's cache folder: the head and the parsed files (`decisions.md` §3.2).

Whoever deletes it loses time only. The bytes are made in `store/head.py` and `store/vault/cache.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from store import head
from store.errors import StorageFailure
from store.state import State
from store.vault.cache import from_cache, to_cache
from store.vault.scan import Seen
from store.vault.whole import write_whole
from store.view import View

HEADER = b"memdesk "
"""A cache begins with this word and the number of the last frame that it knows."""
CACHED_FROM = 32
"""Entries that must have changed before a cache is written again, or one in a hundred if that is more."""


@dataclass(frozen=True, slots=True)
class Cached:
    """The parsed files of an earlier session, and the last frame that was known then."""

    files: Mapping[str, Seen]
    frame: int


def read_cache(state: State, path: Path) -> Cached | None:
    """What an earlier session left, or None when there is nothing to trust."""
    try:
        first, _, body = state.disk.read(path).partition(b"\n")
    except StorageFailure:
        return None
    number = first.removeprefix(HEADER)
    files = from_cache(body) if first.startswith(HEADER) and number.isdigit() else None
    return None if files is None else Cached(files, int(number))


def leave(state: State, path: Path, view: View, changed: int, *, looked_only: bool = False) -> bool:
    """Leave what the next session starts from: the head, and the parsed files when enough `changed` to be worth it.

    Whether all that changed is kept now. Nothing is left while other programs' changes wait for their history row;
    whoever `looked_only` leaves nothing but what saves much time. A folder that refuses is no fault.
    """
    if state.outside or state.renamed or state.waiting:
        return False
    top, due = head.head_file(path), changed > max(CACHED_FROM, len(state.files) // 100)
    try:
        if due or (not looked_only and (changed or head.read_head(top, state.root) is None)):
            head.write_head(state.disk, top, view)
        if not due:
            return False
        with state.lock.threads:
            write_cache(state, path)
    except StorageFailure:
        return False
    return True


def write_cache(state: State, path: Path) -> None:
    """Leave the parsed files for the next session, whole or not at all."""
    state.disk.mkdir(path.parent, 0o700)
    write_whole(state.disk, path, HEADER + b"%d\n" % state.seen + to_cache(state.files))
