"""One view over two banks: the project's first, then the user's (`decisions.md` §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.layered import Layered
from store.memory import Memory, Problem
from store.view import View

ROOTS = ("project", "user")
LINKS = {"aliases": "id", "profile": "memory"}
"""The field of a table's rows that names a memory."""


def joined(project: View, user: View) -> View:
    """A view of both banks. Ids, keys of ledger rows and names of setting files carry `project:` or `user:`; paths stay
    bank-relative.

    Original order is the project's, then the user's. Settings, grants and known agents are the user's, because
    identity always comes from the user's bank (`spec/context.md` §1). Each commit still goes to one bank.
    """
    memories: dict[str, Memory] = {}
    for root, view in zip(ROOTS, (project, user), strict=True):
        first = len(memories)
        for at, memory in enumerate(sorted(view.memories.values(), key=lambda memory: memory.ordinal)):
            name = f"{root}:{memory.id}"
            memories[name] = replace(memory, id=name, ordinal=first + at)
    return View(
        Layered(memories),
        _tables(project, user),
        revision=project.revision + user.revision,
        problems=[
            Problem(f"{root}:{problem.path}", problem.message)
            for root, view in zip(ROOTS, (project, user), strict=True)
            for problem in view.problems
        ],
        grants=user.grants,
        agents=tuple(dict.fromkeys((*user.agents, *project.agents))),
        root=user.root,
        setting_files={
            f"{root}:{path}": file
            for root, view in zip(ROOTS, (project, user), strict=True)
            for path, file in view.setting_files.items()
        },
    )


def split_id(name: str) -> tuple[str, str]:
    """The root ("" outside a joined view) and the bank's own id in an id of a joined view."""
    root, colon, rest = name.partition(":")
    return (root, rest) if colon and root in ROOTS else ("", name)


def _tables(project: View, user: View) -> dict[str, Layered[str, Mapping[str, Any]]]:
    names = dict.fromkeys((*project.tables, *user.tables))
    tables = {name: _rows(name, project, user) for name in names if name != "settings"}
    return {**tables, "settings": user.rows("settings")}


def _rows(table: str, project: View, user: View) -> Layered[str, Mapping[str, Any]]:
    rows: dict[str, Mapping[str, Any]] = {}
    for root, view in zip(ROOTS, (project, user), strict=True):
        for key, row in view.rows(table).items():
            link = LINKS.get(table, "")
            rows[f"{root}:{key}"] = {**row, link: f"{root}:{row[link]}"} if row.get(link) else row
    return Layered(rows)
