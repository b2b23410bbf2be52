"""A bank that keeps nothing: what a run would do, done to a copy in memory (dry runs, and tests of the engines)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from store.changes import Change, Changeset, DropRow, MoveMemory, NewId, PutMemory, PutRow, PutSettingFile
from store.errors import Changed, unknown_memory
from store.fields import REV, revision
from store.layered import Layered
from store.ledger import check_revision
from store.memory import Memory
from store.setting_file import SettingFile, check_setting_path, shown
from store.view import View

_FIELDS = frozenset(field.name for field in fields(Memory)) - {"id", "path", "sha"}


class Rehearsal:
    """Starts as the given view and takes commits and records as a bank does, in memory and without files.

    It checks the revisions of rows and the bases of memories; secrets and permissions are the real bank's to judge.
    """

    def __init__(self, view: View | None = None) -> None:
        self._view = view or View.of(())
        self.commits: list[Changeset] = []

    def view(self) -> View:
        """The state as it is now."""
        return self._view

    def record(self, rows: Sequence[PutRow | DropRow]) -> None:
        """Take bookkeeping rows; raises `AlreadyDecided` when one was read at another revision."""
        self._apply(rows)

    def commit(self, changeset: Changeset) -> None:
        """Take a changeset as a whole, or raise and take nothing."""
        self._apply(changeset.changes)
        self.commits.append(changeset)

    def _apply(self, changes: Sequence[Change]) -> None:
        self.check(changes)
        made: dict[str, str] = {}
        for change in changes:
            self.step(change, made)

    def check(self, changes: Sequence[Change]) -> None:
        """Whether all of it can be done; raises before anything was."""
        for change in changes:
            if isinstance(change, PutRow | DropRow):
                self._check_row(change)
            elif isinstance(change, PutSettingFile):
                self._check_setting(change)
            elif isinstance(change, MoveMemory) or change.id is not None:
                self._check_memory(change)

    def step(self, change: Change, made: dict[str, str]) -> None:
        """Do one change; `made` maps the keys of new memories to their ids."""
        if isinstance(change, PutMemory):
            self._put_memory(change, made)
        elif isinstance(change, MoveMemory):
            moved = replace(self._view.memories[change.id], state=change.state)
            self._next(memories=self._view.memories.with_changes({moved.id: moved}))
        elif isinstance(change, PutRow):
            self._put_row(change, made)
        elif isinstance(change, PutSettingFile):
            data = None if change.text is None else change.text.encode()
            self._next(settings=shown(self._view.setting_files, change.path, data))
        else:
            table = self._view.rows(change.table).with_changes({}, (change.key,))
            self._next(table=(change.table, table))

    def _check_row(self, change: PutRow | DropRow) -> None:
        check_revision(self._view.rows(change.table).get(change.key), change)

    def _check_setting(self, change: PutSettingFile) -> None:
        known = self._view.setting_files.get(check_setting_path(change.path))
        if (known.sha if known else None) != change.base:
            raise Changed("The setting file is not the one that was looked at; look at it again.")

    def _check_memory(self, change: MoveMemory | PutMemory) -> None:
        memory = self._view.memories.get(change.id or "")
        if memory is None:
            raise unknown_memory(change.id or "")
        if change.base is not None and change.base != memory.sha:
            raise Changed("The memory was changed in the meantime; look at it again.")

    def _put_memory(self, change: PutMemory, made: dict[str, str]) -> None:
        known = {name: value for name, value in change.fields.items() if name in _FIELDS}
        extra = tuple((name, str(value)) for name, value in change.fields.items() if name not in _FIELDS)
        if change.id is not None:
            memory = replace(self._view.memories[change.id], **known)
        else:
            number = len(self._view.memories) + 1
            name = f"new/{number:04}.md"
            memory = Memory(id=name, path=name, sha=f"new-{number}", ordinal=number, **known)
            made[change.key] = name
        memory = replace(memory, extra=(*memory.extra, *extra)) if extra else memory
        self._next(memories=self._view.memories.with_changes({memory.id: memory}))

    def _put_row(self, change: PutRow, made: Mapping[str, str]) -> None:
        rows = self._view.rows(change.table)
        row = dict(rows.get(change.key, {}))
        for name, value in change.fields.items():
            row[name] = made[value.key] if isinstance(value, NewId) else value
        kept = {name: value for name, value in row.items() if value is not None}
        kept[REV] = revision(row) + 1
        self._next(table=(change.table, rows.with_changes({change.key: kept})))

    def _next(
        self,
        memories: Layered[str, Memory] | None = None,
        table: tuple[str, Layered[str, Mapping[str, Any]]] | None = None,
        settings: Mapping[str, SettingFile] | None = None,
    ) -> None:
        view = self._view
        tables = {**view.tables, table[0]: table[1]} if table else view.tables
        self._view = View(
            memories if memories is not None else view.memories,
            tables,
            revision=view.revision + 1,
            problems=view.problems,
            grants=view.grants,
            agents=view.agents,
            root=view.root,
            setting_files=view.setting_files if settings is None else settings,
        )
