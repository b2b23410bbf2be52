"""The newest memories of a bank as the last session left them: rows for the first frame, before the bank is read.

It lies beside the other cache of the bank and may be deleted at any time; deleting a bank's cache deletes both. What it
says may be out of date; the bank itself stands behind it a moment later.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from store.layered import Layered
from store.memory import Memory
from store.packed import SHAPE, packed, unpacked
from store.vault.whole import write_whole
from store.view import HEAD_REVISION, View

if TYPE_CHECKING:
    from store.vault.disk import Disk

VERSION = f"memdesk-head 1 {SHAPE}"
MOST = 150
"""Memories that are kept: more than the largest screen has rows."""


def head_file(cache: Path) -> Path:
    """Where the head lies, beside the cache of the parsed memories."""
    return cache.with_name("head")


def newest(memories: Sequence[Memory], most: int) -> list[Memory]:
    """The memories that changed last, newest first; equal days stay in the order given."""
    return nlargest(most, memories, key=lambda memory: memory.updated or memory.created)


def _bytes(root: str | Path) -> str:
    """A folder as JSON can hold it: its name need not be UTF-8."""
    return os.fsencode(root).hex()


def write_head(disk: Disk, path: Path, view: View) -> None:
    """Leave the head of a view, whole or not at all, unless the same one is there."""
    body = orjson.dumps(
        [VERSION, _bytes(view.root), len(view.live), [packed(memory) for memory in newest(view.live, MOST)]]
    )
    data = b"%08x\n%b" % (zlib.crc32(body), body)
    if disk.signature(path) is not None and disk.read(path) == data:
        return
    disk.mkdir(path.parent, 0o700)
    write_whole(disk, path, data)


def read_head(path: Path, root: Path) -> View | None:
    """A view of the newest memories alone, `unread` telling how many more there are; None when there is none to trust.

    Its ledger is empty.
    """
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
        if checksum != b"%08x" % zlib.crc32(body):
            return None
        version, known, count, rows = orjson.loads(body)
        if version != VERSION or known != _bytes(root):
            return None
        memories = [unpacked(row) for row in rows]
    except (OSError, ValueError, TypeError):
        return None
    found, unread = Layered({memory.id: memory for memory in memories}), count - len(memories)
    return View(found, revision=HEAD_REVISION, root=str(root), unread=unread)
