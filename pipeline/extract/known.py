"""Does the bank say this already? Exact text over active memories, from an index (`spec/extraction.md` §23.9)."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Mapping
from typing import Any

from pipeline.extract.canonical import canonical
from pipeline.extract.options import Neutralize
from store.memory import Memory
from store.view import View

_NOT_LETTERS = re.compile(r"[\W_]+")
_KEPT = 4
"""Bases whose index is kept: the bank at hand, the project's bank, and one change of each."""

_indexes: list[tuple[Mapping[str, Memory], dict[str, list[str]]]] = []
_lock = threading.Lock()


def skeleton(text: str) -> str:
    """Letters and digits of a text alone: texts that are the same after normalisation have the same."""
    return _NOT_LETTERS.sub("", text if text.isascii() else unicodedata.normalize("NFC", text))


def known(view: View, content: str, project: str, mode: Neutralize = "substitute") -> str | None:
    """The id of a live memory whose statement is this content exactly (spacing and composition forgiven), or None.

    `project` leaves out memories of other projects; those of no project count everywhere.
    """
    wanted, letters = canonical(content, mode), skeleton(content)
    base, over = view.memories.parts()
    found = [base[name] for name in _index(base).get(letters, ()) if name not in over]
    found += [memory for memory in over.values() if memory is not None and skeleton(memory.statement) == letters]
    for memory in found:
        if memory.state != "live" or memory.project not in ("", project):
            continue
        if memory.statement == content or canonical(memory.statement, mode) == wanted:
            return memory.id
    return None


def _index(base: Mapping[str, Memory]) -> dict[str, list[str]]:
    """Ids of the base by skeleton, built once per base."""
    with _lock:
        for kept, index in _indexes:
            if kept is base:
                return index
        index = {}
        for name, memory in base.items():
            index.setdefault(skeleton(memory.statement), []).append(name)
        _indexes.insert(0, (base, index))
        del _indexes[_KEPT:]
        return index


def alive(view: View, reference: Any) -> bool:
    """Whether a row's pointer to a memory still leads to a live one."""
    memory = view.memories.get(reference) if isinstance(reference, str) else None
    return memory is not None and memory.state == "live"
