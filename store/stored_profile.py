"""The profile that another engine left in a bank, read and never written (`spec/context.md` §8)."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from store.access import safe_id
from store.errors import StorageFailure
from store.vault.disk import Disk

PROFILE_NAME = "profile.md"
LARGEST = 256 * 1024
"""Characters above which such a file is no profile that a pack could hold (`decisions.md` §3.4)."""
WIDEST = 4
"""Bytes of a character: a file of more than that many is not even read."""

_REFRESHED = re.compile(r"更新日期[：:]\s*(\d{4}-\d{2}-\d{2})")


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where it may not look, and for a name too long


def stored_profile(root: Path, owner: str, disk: Disk | None = None) -> tuple[str, str]:
    """The text of an owner's stored profile and the ISO date from which it is; both empty when there is none.

    The date is the one that the file names, else the day on which it was last written. A link that leads out of the
    bank is not followed.
    """
    disk = disk or Disk()
    path = root / "private" / owner / PROFILE_NAME
    if not safe_id(owner) or not _is_file(path) or not path.resolve().is_relative_to(root.resolve()):
        return "", ""
    try:
        signature = disk.signature(path)
        if signature is None or signature.size > LARGEST * WIDEST:
            return "", ""
        text = disk.read(path).decode("utf-8")
    except (StorageFailure, UnicodeDecodeError):
        return "", ""
    if len(text) > LARGEST or not text.strip():
        return "", ""
    named = _REFRESHED.search(text)
    return text, named[1] if named else datetime.fromtimestamp(signature.mtime_ns / 1e9).date().isoformat()
