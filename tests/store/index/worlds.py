"""Memories and views for the tests of the index, and what is asked of one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np

from store.index.search.index import SearchIndex
from store.index.search.threads import Threads
from store.layered import Layered
from store.memory import Memory
from store.view import View

WORDS = (
    "harbour",
    "harbours",
    "ferry",
    "ferries",
    "ferried",
    "boat",
    "小熊",
    "灯塔",
    "灯",
    "Café",
    "getUserName",
    "→",
    "a",
)


def memory(name: str, text: str, day: str = "2026-10-01", **fields: Any) -> Memory:
    """A memory as it would be read from its file: another text, day or field is another file."""
    path, file = f"facts/{name}.md", repr((text, day, sorted(fields.items())))
    sha = hashlib.sha256(file.encode()).hexdigest()
    return Memory(path, path, sha, statement=text, body=text, created=day, **fields)


def view(texts: Mapping[str, str]) -> View:
    """A view of memories by name and text."""
    return View.of(memory(name, text) for name, text in texts.items())


def changed(before: View, put: Mapping[str, str], drop: tuple[str, ...] = ()) -> View:
    """The view that follows."""
    new = {found.id: found for found in (memory(name, text) for name, text in put.items())}
    memories: Layered[str, Memory] = before.memories.with_changes(new, tuple(f"facts/{name}.md" for name in drop))
    return View(memories, before.tables, revision=before.revision + 1)


def standing(index: SearchIndex) -> dict[str, int]:
    """The row of each entry that stands."""
    return {index.key(row): row for row in np.flatnonzero(index.alive).tolist()}


def answers(index: SearchIndex) -> dict[str, object]:
    """Everything that a ranker asks of an index, by the name of the entry."""
    rows = standing(index)

    def named(scores: np.ndarray | None) -> dict[str, float]:
        found = {} if scores is None else {key: float(scores[row]) for key, row in rows.items()}
        return {key: value for key, value in found.items() if value}

    threads = index.threads
    return {
        "words": [
            named(index.word(word)) for word in ("harbour", "ferries", "小熊", "灯", "cafe", "username", "user", "→")
        ],
        "prefixes": [named(index.prefix(head)) for head in ("h", "harb", "ferr", "灯", "小", "c", "g", "zz", "")],
        "forms": {form: found for form in index.forms("ferri") if (found := named(index.word(form)))},
        "owners": {
            name: {index.key(row) for row in found.tolist() if index.alive[row]} for name, found in index.owners.items()
        },
        "kinds": {
            key: (int(index.asks[row]), int(index.signs[row]), int(index.lengths[row])) for key, row in rows.items()
        },
        "days": {key: int(index.days[row]) for key, row in rows.items()},
        "threads": sorted(
            _by_place(index, threads, threads.sessions == session) for session in set(threads.sessions.tolist())
        ),
        "spelled": [term for _, term in index.spellings("harbuor", beginning=False) if named(index.word(term))],
    }


def _by_place(index: SearchIndex, threads: Threads, chosen: np.ndarray) -> list[list[str]]:
    """The names of a session's entries, place by place."""
    places = groupby(np.flatnonzero(chosen).tolist(), lambda at: int(threads.places[at]))
    return [[index.key(int(threads.rows[at])) for at in found] for _, found in places]
