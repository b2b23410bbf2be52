"""The inside of one open bank: what is known of its files and its ledger. Only `Bank` and its rooms touch it.

Everything here changes under the bank's thread lock; what is handed out (`View`, memories, rows) never changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store import objects
from store.changes import FileEffect, Row
from store.errors import MemdeskError
from store.frames import FileOp, Frame
from store.journal import Journal, Rows, apply_frames
from store.layered import Layered
from store.lock import WriterLock
from store.memory import Memory, Problem
from store.objects import sha_of
from store.setting_file import SettingFile, is_setting, shown
from store.vault import entry, layout
from store.vault.disk import Disk, Missing, Signature
from store.vault.layout import Numbers
from store.vault.scan import Seen
from store.view import View

REMEMBERED = 256
"""Texts and memories that were replaced, kept in memory as bases of edits that are still open."""


@dataclass(slots=True)
class Fold:
    """What the ledger last did at one path: the newest operation and every content that it knows of there."""

    n: int
    newest: FileOp
    states: set[str | None]


@dataclass(slots=True)
class State:
    """One bank as known now. Paths are bank-relative with `/`.

    The ledger: `tables` are its rows, `blobs` the texts in its journal by hash, `past_numbers` the numbers in its
    snapshot. `base` is the frame that the journal goes on from, `seen` the last one taken in, `done` the last one whose
    files are safely in their folders; `unsynced` counts the frames with files since.
    `live`: by path, what the frames since `done` did there. `known`: by path, the hash that the newest frame names.
    `waiting`: operations that are committed but not in their files yet; their texts are shown from the journal.
    `lost`: paths that somebody wrote before a text of ours got there, which is to be kept aside.
    `stuck`: why nothing can be written until that is mended; `doubtful`: a sync failed, so the journal is written anew.

    The files: `memories` by id as they are shown, `files` by path as they were last read, `numbers` every name ever
    given, `ordinal` the next place in the original order. `renamed`: path → id of files that another program moved.
    `outside`: changes by other programs, by id, that no history row tells yet. `texts` and `replaced` are the bases of
    edits that are still open: texts, and memories, by hash.
    """

    root: Path
    disk: Disk
    journal: Journal
    lock: WriterLock
    tables: Rows = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    past_numbers: dict[str, int] = field(default_factory=dict)
    memories: Layered[str, Memory] = field(default_factory=Layered)
    files: dict[str, Seen] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=lambda: Numbers.of(()))
    ordinal: int = 0
    live: dict[str, Fold] = field(default_factory=dict)
    done: int = 0
    unsynced: int = 0
    waiting: dict[str, FileOp] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    outside: dict[str, FileEffect] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    setting_files: Mapping[str, SettingFile] = field(default_factory=dict)
    setting_problems: tuple[Problem, ...] = ()
    grants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    revision: int = 0
    stuck: str = ""
    doubtful: bool = False
    seen: int = 0
    base: int = 0
    known: dict[str, str | None] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    texts: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    replaced: OrderedDict[str, Memory] = field(default_factory=OrderedDict)
    touched: set[str] = field(default_factory=set)
    """Paths that commits changed while a scan was under way."""

    @property
    def ledger(self) -> Path:
        """The ledger's folder."""
        return self.journal.folder

    def view(self, before: View | None = None) -> View:
        """The state as screens and pipelines see it; `before` is the view that it follows."""
        return View(
            self.memories,
            dict(self.tables),
            revision=self.revision,
            problems=(*self.problems, *self.setting_problems),
            grants=self.grants,
            agents=self.agents,
            root=str(self.root),
            before=before,
            setting_files=self.setting_files,
        )

    def rows(self, table: str) -> Mapping[str, Row]:
        """A ledger table."""
        found = self.tables.get(table)
        return found if found is not None else {}

    def setting(self, key: str) -> object:
        """A bank setting, None when it is not set."""
        return self.rows("settings").get(key, {}).get("value")

    def id_of(self, path: str) -> str:
        """The identity of the file at a path: where it was made, or what an alias says (`decisions.md` §2.1)."""
        row = self.rows("aliases").get(path)
        made = self.renamed.get(path) or (str(row["id"]) if row and "id" in row else layout.made_at(path))
        shown = self.memories.get(made)
        return path if shown is not None and shown.path != path and shown.path in self.files else made

    def aliases(self) -> dict[str, str]:
        """Path → id of every file that does not lie where it was made."""
        return {path: str(row["id"]) for path, row in self.rows("aliases").items() if "id" in row} | self.renamed

    def remember(self, data: bytes) -> None:
        """Keep a text as the base of an edit that may come."""
        self.texts[sha_of(data)] = data
        while len(self.texts) > REMEMBERED:
            self.texts.popitem(last=False)

    def bytes_of(self, sha: str) -> bytes | None:
        """The bytes of a hash: open edits, the journal, `objects/`, or a live file that has them."""
        found = self.texts.get(sha)
        return found if found is not None else self.bytes_kept(sha)

    def bytes_kept(self, sha: str) -> bytes | None:
        """The bytes of a hash that are kept for good: in the journal or in `objects/`."""
        found = self.blobs.get(sha)
        return found if found is not None else objects.read(self.disk, self.ledger, sha)

    def current(self, path: str) -> bytes | None:
        """The bytes at a path now, from the journal where they are not in the file yet; None: no file."""
        if (waiting := self.waiting.get(path)) is not None:
            return waiting.data
        try:
            return self.disk.read(self.root / path)
        except Missing:
            return None

    def occupied(self, path: str) -> bool:
        """Whether a path is taken: by a file we know, or by one that is just being made."""
        return path in self.files or path in self.waiting or self.disk.signature(self.root / path) is not None

    def take_rows(self, frames: Iterable[Frame]) -> None:
        """Apply frames to the ledger rows, and remember the texts that they carry."""
        frames = tuple(frames)
        self.tables = apply_frames(self.tables, frames)
        self.take_texts(frames)

    def take_texts(self, frames: tuple[Frame, ...]) -> None:
        """Remember what frames say of files: texts, names, and what a crash would have to redo."""
        self.blobs.update(objects.in_frames(frames))
        for frame in frames:
            self.done = max(self.done, frame.done)
            for op in frame.files:
                fold(self.live, op, frame.n)
                self.known[op.path] = op.new
                self.numbers = self.numbers.with_path(op.path)
            for row in frame.ops:
                if row.table == "aliases":
                    self.numbers = self.numbers.with_path(row.key)
        self.checked_in(self.done)

    def checked_in(self, n: int) -> None:
        """Files up to frame `n` are safely in their folders: their redo texts are no longer needed."""
        self.done = max(self.done, n)
        self.live = {path: known for path, known in self.live.items() if known.n > self.done}

    def show(self, path: str, data: bytes | None, signature: Signature | None = None) -> None:
        """Make the file at `path` known with these bytes (None: no file) to the view and to the next scan."""
        if is_setting(path):
            self.setting_files = shown(self.setting_files, path, data)
            return
        seen = self.files.pop(path, None)
        if seen is not None and seen.memory is not None:
            self._forget(seen.memory)
        self.touched.add(path)
        if data is None:
            return
        before = seen.memory if seen is not None else self.replaced.get(sha_of(data))
        memory, problem = self._parsed(path, data, before)
        self.files[path] = Seen(signature or Signature(0, 0, -1), sha_of(data), memory, problem, False, 0)
        if memory is not None:
            self.memories = self.memories.with_changes({memory.id: memory})
            self.numbers = self.numbers.with_path(path)

    def _forget(self, memory: Memory) -> None:
        self.keep_replaced(memory)
        shown = self.memories.get(memory.id)
        if shown is not None and shown.path == memory.path:
            self.memories = self.memories.with_changes({}, (memory.id,))

    def keep_replaced(self, memory: Memory) -> None:
        """Keep a memory that is being replaced, as the base of edits that are still open."""
        self.replaced[memory.sha] = memory
        while len(self.replaced) > REMEMBERED:
            self.replaced.popitem(last=False)

    def _parsed(self, path: str, data: bytes, before: Memory | None) -> tuple[Memory | None, Problem | None]:
        id = self.id_of(path)
        known = before is not None and before.id == id
        ordinal = before.ordinal if before is not None and known else self.ordinal
        self.ordinal = max(self.ordinal, ordinal + 1)
        try:
            memory = entry.parse(
                data,
                id=id,
                path=path,
                state=layout.state_of(path),
                ordinal=ordinal,
                trashed_at=layout.trashed_at(path),
                sha=sha_of(data),
            )
        except MemdeskError as error:
            return None, Problem(path, str(error))
        return memory, None


def fold(live: dict[str, Fold], op: FileOp, n: int) -> None:
    """Add one file operation to what is known of its path (`storage.md` §7: fold per file)."""
    if op.folder != "vault":
        return
    known = live.get(op.path)
    if known is None:
        live[op.path] = Fold(n, op, {op.old, op.new})
        return
    known.n, known.newest = n, op
    known.states |= {op.old, op.new}
