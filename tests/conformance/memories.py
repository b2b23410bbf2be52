"""Memories and views at hand for the bank cases, without a disk."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from store.memory import DEFAULT_SCOPES, TYPE_FOLDERS, Memory
from store.vault.entry import parse
from store.view import View

VAULT = Path(__file__).parent.parent / "data" / "yotta-vault" / "vault"
TODAY = "2026-10-12"
_numbers = itertools.count(1)


def make(subject: str, statement: str = "", *, type: str = "FACT", owner: str = "", **fields: Any) -> Memory:
    """A memory as if read from its file; private types lie below their owner's folder."""
    number = next(_numbers)
    folder = "facts" if type == "FACT" else f"private/{owner}/{TYPE_FOLDERS[type]}"
    path = fields.pop("path", f"{folder}/2026/10/2026-10-12-{number:04}.md")
    fields.setdefault("id", path)
    fields.setdefault("created", TODAY)
    fields.setdefault("updated", fields["created"])
    scope = DEFAULT_SCOPES[type]
    return Memory(
        path=path, sha="", type=type, subject=subject, statement=statement, owner=owner, scope=scope, **fields
    )


def worked_vault() -> View:
    """The worked vault of `spec/bank.md` §24, its grants included."""
    live: list[Memory] = []
    for file in sorted([*VAULT.glob("facts/**/*.md"), *VAULT.glob("private/**/*.md")]):
        path = file.relative_to(VAULT).as_posix()
        live.append(parse(file.read_bytes(), id=path, path=path, ordinal=len(live)))
    grants = {reader: tuple(owners) for reader, owners in json.loads((VAULT / "grants.json").read_bytes()).items()}
    return View.of(live, grants=grants)
