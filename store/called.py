"""What a memory is called in sentences and in the history, so that one line means one memory (`decisions.md` §2.1)."""

from __future__ import annotations

import re

from store.memory import TYPE_FOLDERS

_USUAL = re.compile(r"(?:private/([^/]+)/)?([a-z]+)/(\d{4})/(\d{2})/(\3-\4-\d{2}-\d{4,})\.md", re.ASCII)
_TYPES = {folder: type for type, folder in TYPE_FOLDERS.items()}


def called(id: str) -> str:
    """Type and file name, and of a private memory its owner: `PREF 2026-11-30-0001 of ana`.

    File names are numbered in each owner's folder of each type (`spec/bank.md` §4), so the name alone would mean
    several. A file that another program put elsewhere is called by its path.
    """
    found = _USUAL.fullmatch(id)
    type = _TYPES.get(found[2]) if found else None
    if found is None or type is None or (type == "FACT") is not (found[1] is None):
        return id
    return f"{type} {found[5]} of {found[1]}" if found[1] else f"{type} {found[5]}"
