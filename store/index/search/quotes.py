"""The person's words under a memory: they find it, though its own text may say it otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from store.fields import objects, text
from store.index.per_base import PerBase
from store.index.search.doc import Quotes, no_quotes
from store.joined import split_id
from store.memory import Memory
from store.view import View

TABLES = ("gaps", "profile", "proposals")
"""Rows that became a memory name it in `memory`, and keep the words that they came from."""
Under = Mapping[str, tuple[tuple[str, str], ...]]
"""For a memory's id the keys of rows and their words."""


def quotes_of(view: View) -> Quotes:
    """The words under each memory of a view, from the rows that it came from."""
    sources: list[tuple[Under, Mapping[str, Any]]] = []
    for table in TABLES:
        base, over = view.rows(table).parts()
        later = _under({key: row for key, row in over.items() if row is not None})
        sources += [(_UNDER[table].of(base), over), (later, {})]
    found = [(source, replaced) for source, replaced in sources if source]
    if not found:
        return no_quotes

    def quotes(memory: Memory) -> tuple[str, ...]:
        pairs = ((key, words, but) for source, but in found for key, words in source.get(memory.id, ()))
        return tuple(sorted({words for key, words, but in pairs if key not in but}))  # in no order that could change

    return quotes


def quoted_anew(view: View, before: View) -> set[str]:
    """The ids of memories that rows name which came, went or changed since an earlier view."""
    found: set[str] = set()
    for table in TABLES:
        rows, old = view.rows(table), before.rows(table)
        for key in rows.changed(old) if rows is not old else ():
            found |= {text(row, "memory") for row in (rows.get(key), old.get(key)) if row is not None}
    return found - {""}


def _under(rows: Mapping[str, Any]) -> Under:
    found: dict[str, list[tuple[str, str]]] = {}
    for key, row in rows.items():
        if memory := text(row, "memory"):
            root, named = split_id(key)[0], split_id(memory)[0]
            name = f"{root}:{memory}" if root and not named else memory
            found.setdefault(name, []).extend((key, words) for words in _words(row))
    return {name: tuple(words) for name, words in found.items() if words}


def _words(row: Mapping[str, Any]) -> Iterator[str]:
    for holder in (row, *objects(row, "sightings")):
        for quote in objects(holder, "quotes"):
            if words := text(quote, "quote"):
                yield words


_UNDER = {table: PerBase(_under) for table in TABLES}
