"""Changesets: what happens together or not at all, and how it reads as a row of history.

A proposal is a changeset that waits, the history is the changesets that were, undo is the inverse of one
(`architecture.md`, "The one idea").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from store.memory import Quote, State
from store.setting_file import is_setting

Origin = Literal["screen", "terminal", "script", "agent", "outside", "library"]
Row = Mapping[str, Any]
"""One ledger document: JSON values under string keys."""


@dataclass(frozen=True, slots=True)
class NewId:
    """Stands in a row's fields for the id that a `PutMemory` with the same `key` is given by the commit."""

    key: str


@dataclass(frozen=True, slots=True)
class PutMemory:
    """Make a memory (`id` is None) or change some of its fields.

    `fields` maps field names of `Memory` to new values; fields not named stay as they are, byte for byte. A new
    memory needs at least `type`, `subject` and `statement`. `text` replaces the whole file instead, as an editor does.
    `base` is the SHA-256 that the edit started from; None means whatever is there when the commit compares.
    """

    id: str | None
    fields: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None
    base: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class MoveMemory:
    """Move a memory to the live tree, the archive or the trash."""

    id: str
    state: State
    base: str | None = None


@dataclass(frozen=True, slots=True)
class PutRow:
    """Set fields of one ledger row (made when missing). A value of None removes the field.

    `rev` is the row's revision that the decision was made on (`_rev` of the row as read; 0: must not exist);
    a different one raises `AlreadyDecided`. None means no check.
    """

    table: str
    key: str
    fields: Mapping[str, Any]
    rev: int | None = None


@dataclass(frozen=True, slots=True)
class DropRow:
    """Delete one ledger row; deleting a missing one is no fault."""

    table: str
    key: str
    rev: int | None = None


@dataclass(frozen=True, slots=True)
class PutSettingFile:
    """Write a setting file (a rule, a persona, a skill) as a whole, or with `text` None take it away.

    `path` is bank-relative (`settings/rules/tone.md`). `base` is the SHA-256 of the file that the decision was made on,
    None when there was none: a file is never overwritten unseen (`spec/memora.md` §11.6).
    """

    path: str
    text: str | None
    base: str | None = None


Change = PutMemory | MoveMemory | PutRow | DropRow | PutSettingFile


@dataclass(frozen=True, slots=True)
class Changeset:
    """What happens together, why, and who wants it.

    `agent` is the name spoken for, or None for the person. `reason` is one short line for the history
    ("forget 2026-11-30-0001"). `allow_secrets` is a person's answer to the secret question. `proposed` marks text that
    a model or an agent wrote: a secret in it is refused whatever the person answered (`decisions.md` §4.6).
    """

    changes: Sequence[Change]
    reason: str
    origin: Origin = "library"
    agent: str | None = None
    evidence: Sequence[Quote] = ()
    allow_secrets: bool = False
    proposed: bool = False


@dataclass(frozen=True, slots=True)
class FileEffect:
    """What a commit did to one memory or setting file: paths and hashes before and after (None: was or is not there).

    The id of a setting file is its path, and its state is live.
    """

    id: str
    path_before: str | None
    path_after: str | None
    sha_before: str | None
    sha_after: str | None
    state_before: State | None
    state_after: State | None


@dataclass(frozen=True, slots=True)
class RowEffect:
    """What a commit did to one row: only the fields that changed, before and after (absent: None)."""

    table: str
    key: str
    before: Row
    after: Row
    existed: bool = True
    exists: bool = True


@dataclass(frozen=True, slots=True)
class Committed:
    """One row of history: a numbered changeset that was committed.

    `undoes` names the change that this one takes back; `undone_by` the one that took this back (None: it stands).
    `by` is "you", an agent's name, or "another program".
    """

    number: int
    at: str
    reason: str
    origin: Origin
    by: str
    files: tuple[FileEffect, ...] = ()
    rows: tuple[RowEffect, ...] = ()
    undoes: int | None = None
    undone_by: int | None = None
    redoes: int | None = None
    notes: tuple[str, ...] = ()
    """What a person should know about it: text kept aside, a merge with another program's edit."""
    folders: tuple[str, ...] = ()
    """Folders that it made for setting files, the outer ones first; undo takes away those that are empty then."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the memories it touched."""
        return tuple(effect.id for effect in self.files if not is_setting(effect.id))


@dataclass(frozen=True, slots=True)
class Event:
    """Told to subscribers after the view has moved on.

    `kind`: `committed` (by this process), `recorded` (bookkeeping), `outside` (another program changed files or the
    ledger), `conflict`, `notice`. `message` is for people and may be empty.
    """

    kind: Literal["committed", "recorded", "outside", "conflict", "notice"]
    ids: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    message: str = ""
    number: int | None = None
