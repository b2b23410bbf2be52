"""Does the bank say this already? Exact text over active memories, from an index (`spec/extraction.md` §23.9)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from pipeline.extract.canonical import canonical
from pipeline.extract.options import Neutralize
from store.index.per_base import PerBase
from store.memory import Memory
from store.view import View

_NOT_LETTERS = re.compile(r"[\W_]+")


def skeleton(text: str) -> str:
    """Letters and digits of a text alone: texts that are the same after normalisation have the same."""
    return _NOT_LETTERS.sub("", text if text.isascii() else unicodedata.normalize("NFC", text))


def _by_skeleton(base: Mapping[str, Memory]) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for name, memory in base.items():
        index.setdefault(skeleton(memory.statement), []).append(name)
    return index


_INDEX = PerBase(_by_skeleton)


def known(view: View, content: str, project: str, mode: Neutralize = "substitute") -> str | None:
    """The id of a live memory whose statement is this content exactly (spacing and composition forgiven), or None.

    `project` leaves out memories of other projects; those of no project count everywhere.
    """
    wanted, letters = canonical(content, mode), skeleton(content)
    base, over = view.memories.parts()
    found = [base[name] for name in _INDEX.of(base).get(letters, ()) if name not in over]
    found += [memory for memory in over.values() if memory is not None and skeleton(memory.statement) == letters]
    for memory in found:
        if memory.state != "live" or memory.project not in ("", project):
            continue
        if memory.statement == content or canonical(memory.statement, mode) == wanted:
            return memory.id
    return None


def alive(view: View, reference: Any) -> bool:
    """Whether a row's pointer to a memory still leads to a live one."""
    memory = view.memories.get(reference) if isinstance(reference, str) else None
    return memory is not None and memory.state == "live"
