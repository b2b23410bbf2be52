"""Memories and views for the tests of the index."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from store.layered import Layered
from store.memory import Memory
from store.view import View


def memory(name: str, text: str, day: str = "2026-10-01") -> Memory:
    path = f"facts/{name}.md"
    return Memory(path, path, hashlib.sha256(text.encode()).hexdigest(), statement=text, body=text, created=day)


def view(texts: Mapping[str, str]) -> View:
    """A view of memories by name and text."""
    return View.of(memory(name, text) for name, text in texts.items())


def changed(before: View, put: Mapping[str, str], drop: tuple[str, ...] = ()) -> View:
    """The view that follows."""
    new = {found.id: found for found in (memory(name, text) for name, text in put.items())}
    memories: Layered[str, Memory] = before.memories.with_changes(new, tuple(f"facts/{name}.md" for name in drop))
    return View(memories, before.tables, revision=before.revision + 1)
