"""Three-way merge of an entry: front matter by key, body by lines (`storage.md` §6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clash:
    """What two edits both changed differently: keys, and body line ranges of the base (1-based, inclusive)."""

    keys: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()

    @property
    def message(self) -> str:
        """Names what overlaps, in words for a person."""
        return ""


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | Clash:
    """Both edits of `base` in one file, built on the bytes of `theirs`; or what overlaps."""
