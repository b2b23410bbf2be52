"""What other engines read and we only keep in step: `index.json` and yotta's audit lines (`decisions.md` §3.5).

Never part of a commit: written when idle, at exit and after each command, in banks that have them or ask for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from store import clock
from store.access import path_owner
from store.changes import Committed
from store.index.yotta import has_index, is_current, write_index
from store.state import State
from store.vault.disk import Disk, Exists

README = """# A memory bank

One Markdown file per memory: public facts below `facts/`, what is private below `private/<owner>/`.
People, agents and other tools may read and edit these files; Memdesk keeps its own ledger in `.memdesk/`.
"""
SETTING = "yotta_index"
"""The bank's setting that keeps an index where there was none."""
IGNORED = ("index*.json", ".memdesk/", ".trash/", ".embed/", ".server/", ".memory-scan/", "keys/pending/")
"""What a bank under git leaves out (`decisions.md` §3.8)."""
WRITING = (".*.tmp", "index*.tmp", ".index.lock*")
"""What lies beside the files only while they are written, and is left out too: `git add` may come at any moment."""


@dataclass(slots=True)
class Pending:
    """What the projections do not tell yet."""

    index: bool = False
    forgotten: list[Mapping[str, Any]] = field(default_factory=list)

    def note(self, committed: Committed, by: str) -> None:
        """Take in a commit."""
        switched = any(effect.table == "settings" and effect.key == SETTING for effect in committed.rows)
        self.index = self.index or switched or bool(committed.ids)
        for effect in committed.files:
            if effect.state_after == "trashed" and effect.state_before != "trashed" and effect.path_before:
                self.forgotten.append(
                    {
                        "ts": committed.at,
                        "action": "forget",
                        "file": effect.path_before,
                        "trash": effect.path_after,
                        "owner": path_owner(effect.path_before),
                        "selfAgent": "" if by == "you" else by,
                    }
                )

    def write(self, state: State) -> None:
        """Bring the projections up to date; the writer lock is held, the index lock is taken second."""
        wanted = state.setting(SETTING) is True
        if self.forgotten:
            if wanted or _has_audit(state):
                _append_audit(state, self.forgotten)
            self.forgotten = []
        there = has_index(state.root)
        if (wanted or there) and (self.index or not is_current(state.root, disk=state.disk)):
            live = sorted((m for m in state.memories.values() if m.state == "live"), key=lambda memory: memory.ordinal)
            write_index(state.root, live, clock.today(), disk=state.disk)
        self.index = False


def _has_audit(state: State) -> bool:
    names = [found.name for found in state.disk.scandir(state.root / ".trash")]
    return any(name.startswith("audit-") for name in names)


def _append_audit(state: State, lines: list[Mapping[str, Any]]) -> None:
    folder = state.root / ".trash"
    state.disk.mkdir(folder)
    data = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    state.disk.append(folder / f"audit-{clock.today().isoformat()}.jsonl", data, 0o644)


def make_folders(disk: Disk, root: Path) -> None:
    """The folders and files of a new plain bank (`spec/bank.md` §1.7, `decisions.md` §3.8); what is there stays."""
    for name in ("facts", "private", ".archive"):
        disk.mkdir(root / name)
    for name, text in (("README.md", README), (".gitignore", "".join(f"{line}\n" for line in (*IGNORED, *WRITING)))):
        try:
            disk.write_new(root / name, text.encode())
        except Exists:
            continue
