"""The entry codec: reading tolerantly, writing exactly, line by line and never as YAML (`spec/bank.md` §3, §25)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.memory import Memory, State


def parse(
    data: bytes, *, id: str, path: str, state: State = "live", ordinal: int = 0, trashed_at: str = "", sha: str = ""
) -> Memory:
    """A memory from file bytes. `body` comes with LF line ends and without newlines around it.

    Raises `BadInput` for a file with zero bytes (no text) or a front matter over 64 KiB.
    """


def render(fields: Mapping[str, Any]) -> bytes:
    """File bytes of a new memory. `fields` by `Memory` field names (+ any unknown key as text, + `extra` pairs).

    Needs `type`, `subject`, `statement`, `created`; a field of None is left out. Raises `BadInput`.
    """


def edit(data: bytes, fields: Mapping[str, Any], *, updated: str = "") -> bytes:
    """The file after some fields changed: only their lines differ (`decisions.md` §8.4), and `updated` if given.

    Values equal to what the file says touch nothing; when nothing changes the bytes are the same, `updated` too.
    None removes a key. Raises `BadInput` when a value cannot be written or the front matter is not closed.
    """
