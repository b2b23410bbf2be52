"""The person's words under a memory: they find it, though its own text may say it otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from store.fields import objects, text
from store.index.per_base import PerBase
from store.index.search.doc import Quotes
from store.joined import split_id
from store.memory import Memory
from store.view import View

TABLES = ("gaps", "profile", "proposals")
"""Rows that became a memory name it in `memory`, and keep the words that they came from."""
Under = Mapping[str, tuple[str, ...]]


def quotes_of(view: View) -> Quotes:
    """The words under each memory of a view, from the rows that it came from."""
    sources = []
    for table in TABLES:
        base, over = view.rows(table).parts()
        sources += [_UNDER[table].of(base), _under({key: row for key, row in over.items() if row is not None})]
    found = [source for source in sources if source]

    def quotes(memory: Memory) -> tuple[str, ...]:
        return tuple(dict.fromkeys(words for source in found for words in source.get(memory.id, ())))

    return quotes


def _under(rows: Mapping[str, Any]) -> Under:
    found: dict[str, list[str]] = {}
    for key, row in rows.items():
        if memory := text(row, "memory"):
            root, named = split_id(key)[0], split_id(memory)[0]
            name = f"{root}:{memory}" if root and not named else memory
            found.setdefault(name, []).extend(_words(row))
    return {name: tuple(words) for name, words in found.items() if words}


def _words(row: Mapping[str, Any]) -> Iterator[str]:
    for holder in (row, *objects(row, "sightings")):
        for quote in objects(holder, "quotes"):
            if words := text(quote, "quote"):
                yield words


_UNDER = {table: PerBase(_under) for table in TABLES}
