"""The ledger on disk: generations of one snapshot and one journal, and which of them is current (`storage.md` §4, 7).

Nothing here takes the lock or knows TinyDB: callers hold the lock for everything that writes. Reading is tolerant
and never cuts: what looks like damage makes the ledger readable only, with the last good state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from store import frames as codec
from store import snapshot as snapshots
from store.changes import Row
from store.errors import DamagedLedger, StorageFailure
from store.frames import Frame, Parsed
from store.layered import Layered
from store.snapshot import FORMAT, Snapshot
from store.vault.disk import Disk, Exists, Missing, Signature
from store.vault.whole import write_whole

FOLDER_MODE = 0o700
FILE_MODE = 0o600
DIGITS = 9
"""Digits that the number of a generation may have."""
ATTEMPTS = 5
"""Readings of a generation that another process may be replacing meanwhile."""

NEWER = "The ledger was written by a newer Memdesk and is readable only here; update Memdesk to write to it."

Rows = dict[str, Layered[str, Row]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """One whole reading: rows by table, the frames of the current journal, the last frame's number.

    `fault` says in one sentence why the ledger must not be written ("" when it may).
    """

    tables: Rows
    frames: tuple[Frame, ...]
    numbers: Mapping[str, int]
    fault: str = ""


class Journal:
    """The current generation of a ledger folder, as far as it was read.

    `length` bytes of the journal file are known and valid; `last` is the last frame's number; `torn` whether an
    unfinished write stands behind it.
    """

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.folder = folder
        self.disk = disk
        self.generation = 0
        self.length = 0
        self.last = 0
        self.torn = False
        self.fault = ""
        self.newer = False
        self.snapshot_size = 0
        self._begun = 0
        """The newest generation that is known to hold frames: `vault.json` says so."""
        self._current: Signature | None = None

    @property
    def file(self) -> Path:
        """The current generation's journal."""
        return self.folder / f"journal-{self.generation:06d}.jsonl"

    def snapshot_file(self, generation: int) -> Path:
        """A generation's snapshot."""
        return self.folder / f"snapshot-{generation:06d}.json"

    def exists(self) -> bool:
        """Whether the ledger was ever made; one without its `CURRENT` file was, and is damaged."""
        return self.disk.signature(self.folder / "CURRENT") is not None or self._remains()

    def _remains(self) -> bool:
        """Whether there is more than an interrupted `create` leaves: an empty first generation."""
        found = [item for item in self.disk.scandir(self.folder) if _generation_of(item.name)]
        return any(
            _generation_of(item.name) > 1
            or (item.name.startswith("journal-") and item.signature and item.signature.size)
            for item in found
        )

    def create(self, at: str) -> None:
        """Make an empty ledger, generation 1; `CURRENT` last, so that a crash in between leaves none."""
        for name, text in ((".gitignore", "*\n"), ("vault.json", _made(at))):
            if self.disk.signature(self.folder / name) is None:
                self.disk.write_new(self.folder / name, text.encode(), FILE_MODE)
        self.publish(1, Snapshot(0))

    def publish(self, generation: int, snapshot: Snapshot) -> None:
        """Write a generation and make it the current one (`storage.md` §5, "Compaction")."""
        data = snapshots.encode(snapshot)
        write_whole(self.disk, self.snapshot_file(generation), data)
        journal = self.folder / f"journal-{generation:06d}.jsonl"
        write_whole(self.disk, journal, b"")
        self.disk.sync_dir(self.folder)
        write_whole(self.disk, self.folder / "CURRENT", b"%d\n" % generation)
        self.disk.sync_dir(self.folder)
        self.generation, self.length, self.last, self.torn = generation, 0, snapshot.n, False
        self.snapshot_size = len(data)
        self._current = self.disk.signature(self.folder / "CURRENT")

    def load(self) -> Loaded:
        """Read everything. A generation that vanishes while it is read is read again. Raises `StorageFailure`."""
        for attempt in range(ATTEMPTS):
            try:
                return self._load()
            except Missing:
                if attempt == ATTEMPTS - 1:
                    raise
        raise DamagedLedger(f"The ledger in {self.folder} has no readable generation; look into its quarantine folder.")

    def _load(self) -> Loaded:
        self._current = self.disk.signature(self.folder / "CURRENT")
        if self._current is None and not self._remains():
            return Loaded({}, (), {})
        self.fault, self.newer = "", False
        known, held = self.generation, self.length
        self.generation = self._current_generation()
        about = self._about()  # before the journal: whoever begins it meanwhile says so afterwards
        start, frames = self._start(self.generation)
        blob = self._frames_of(self.generation)
        parsed = codec.parse(blob, frames[-1].n if frames else start.n)
        self.length, self.torn = parsed.length, parsed.tail == "torn"
        self._judge(parsed, held if known == self.generation else 0)
        if max(start.format, _number(about, "format")) > FORMAT:
            self.newer, self.fault = True, NEWER
        frames = (*frames, *parsed.frames)
        self.last = frames[-1].n if frames else start.n
        return Loaded(apply_frames(_layers(start), frames), frames, start.numbers, self.fault)

    def _current_generation(self) -> int:
        if self._current is None:
            self.fault = _sentence("its CURRENT file is gone")
            return self._before(None) or 1
        text = self.disk.read(self.folder / "CURRENT").strip()
        if text.isdigit() and len(text) <= DIGITS:
            return int(text)
        self.fault = _sentence("its CURRENT file is damaged")
        return self._before(None) or 1

    def _before(self, generation: int | None) -> int:
        """The newest generation on the disk, of those before the one given; 0 for none."""
        found = (_generation_of(item.name) for item in self.disk.scandir(self.folder))
        return max((number for number in found if generation is None or number < generation), default=0)

    def _frames_of(self, generation: int) -> bytes:
        """A generation's journal; empty and told when it is away or refuses, since the memories stand without it."""
        try:
            return self.disk.read(self.folder / f"journal-{generation:06d}.jsonl")
        except StorageFailure as error:
            if isinstance(error, Missing) and self._moved_on():
                raise
            self.fault = self.fault or _sentence(f"the journal of generation {generation} cannot be read")
            return b""

    def _start(self, generation: int) -> tuple[Snapshot, tuple[Frame, ...]]:
        """The current snapshot, or in its place the previous generation with its journal (`storage.md` §7)."""
        try:
            data = self.disk.read(self.snapshot_file(generation))
        except StorageFailure as error:
            if isinstance(error, Missing) and self._moved_on():
                raise
            data = b""
        self.snapshot_size = len(data)
        found = snapshots.decode(data)
        if found is not None:
            return found, ()
        self.fault = _sentence(f"the snapshot of generation {generation} is damaged")
        earlier = self._before(generation)
        if not earlier:
            return Snapshot(0), ()
        start, frames = self._start(earlier)
        parsed = codec.parse(self._frames_of(earlier), start.n if not frames else frames[-1].n)
        return start, (*frames, *parsed.frames)

    def _judge(self, parsed: Parsed, held: int) -> None:
        """What is wrong with the journal; `held` are the bytes of it that were valid when it was read before."""
        if parsed.tail == "damaged":
            self.fault = _sentence(parsed.why)
        elif parsed.tail == "newer":
            self.newer, self.fault = True, NEWER
        elif not parsed.frames and self._begun >= self.generation:
            self.fault = self.fault or _sentence(f"the journal of generation {self.generation} was emptied")
        elif parsed.length < held:
            self.fault = self.fault or _sentence("the end of its journal is gone")

    def _about(self) -> dict[str, Any]:
        """What `vault.json` says of the ledger; nothing when it cannot be read."""
        try:
            about = orjson.loads(self.disk.read(self.folder / "vault.json"))
        except (StorageFailure, ValueError):
            about = {}
        found = about if isinstance(about, dict) else {}
        self._begun = _number(found, "begun")
        return found

    def note_begun(self) -> None:
        """Say in `vault.json`, once for each generation, that its journal holds frames; the lock is held.

        A journal that is empty then lost them: without this it would be a ledger that was just made.
        """
        if self.length and self._begun < self.generation:
            about = {"format": FORMAT, "min_reader": 1, **self._about(), "begun": self.generation}
            write_whole(self.disk, self.folder / "vault.json", orjson.dumps(about) + b"\n")
            self._begun = self.generation

    def _moved_on(self) -> bool:
        return self.disk.signature(self.folder / "CURRENT") != self._current

    def news(self) -> tuple[Frame, ...] | None:
        """Frames that other processes appended since; None when the generation changed and everything must be read.

        Costs two stats when there are none.
        """
        if self._moved_on():
            return None
        if self._current is None:
            return ()
        size = self.disk.signature(self.file)
        if size is None or size.size < self.length:
            return None
        if size.size == self.length:
            self.torn = False
            return ()
        parsed = codec.parse(self.disk.read(self.file)[self.length :], self.last)
        if parsed.tail in {"damaged", "newer"}:
            return None
        self.torn = parsed.tail == "torn"
        self.length += parsed.length
        self.last = parsed.frames[-1].n if parsed.frames else self.last
        return parsed.frames

    def is_current(self) -> bool:
        """Whether nothing was written to the ledger since it was last read."""
        size = self.disk.signature(self.file) if self.generation else None
        return not self._moved_on() and (size.size if size else 0) == self.length

    def rest(self) -> tuple[Frame, ...]:
        """Frames that were appended to the generation read last, before another process began a new one."""
        try:
            data = self.disk.read(self.file)
        except Missing:
            return ()
        return codec.parse(data[self.length :], self.last).frames if self.generation else ()

    def forget(self) -> None:
        """Make the next look read everything anew: what is on the disk is unknown (`storage.md` §5.4)."""
        self._current, self.generation, self.length, self.last = None, 0, 0, 0

    def cut_tail(self) -> None:
        """Take away an unfinished last write; the lock is held, so nobody is writing it."""
        if self.torn and not self.fault:
            self.disk.truncate(self.file, self.length)
            self.torn = False

    def append(self, frame: Frame) -> None:
        """The commit point: one write and one sync. Raises `StorageFailure`; then nothing happened, except after
        `SyncFailed`, when what is on the disk is unknown."""
        line = codec.encode(frame)
        self.disk.append(self.file, line, FILE_MODE)
        self.length += len(line)
        self.last = frame.n

    def rewrite(self) -> None:
        """Put the journal's valid bytes into a fresh file: those of the old one may not be on the disk (§5.4)."""
        write_whole(self.disk, self.file, self.disk.read(self.file)[: self.length])
        self.disk.sync_dir(self.folder)
        self.torn = False

    def quarantine(self, at: str) -> None:
        """Copy what looks damaged aside, once per state of it, before anybody repairs or writes; `at` is now."""
        folder = self.folder / "quarantine"
        self.disk.mkdir(folder, FOLDER_MODE)
        for path in (self.file, self.snapshot_file(self.generation)):
            try:
                data = self.disk.read(path)
                self.disk.write_new(folder / f"{path.stem}-{len(data)}{path.suffix}", data, FILE_MODE)
            except (Missing, Exists):
                continue
        report = folder / f"{at.replace(':', '').replace('.', '')}.txt"
        if self.disk.signature(report) is None:
            self.disk.write_new(report, (self.fault + "\n").encode(), FILE_MODE)

    def quarantined(self) -> int:
        """Journals and snapshots kept aside because of damage."""
        return sum(not found.name.endswith(".txt") for found in self.disk.scandir(self.folder / "quarantine"))

    def drop_old(self) -> None:
        """Delete every generation but the current one and the one before it."""
        for found in self.disk.scandir(self.folder):
            if 0 < _generation_of(found.name) < self.generation - 1 or found.name.endswith(".tmp"):
                self.disk.unlink(self.folder / found.name)


def apply_frames(tables: Rows, frames: Iterable[Frame]) -> Rows:
    """The rows after the operations of some frames; `tables` stays as it was."""
    put: dict[str, dict[str, Row | None]] = {}
    for frame in frames:
        for op in frame.ops:
            put.setdefault(op.table, {})[op.key] = op.row
    result = dict(tables)
    for name, rows in put.items():
        kept = {key: row for key, row in rows.items() if row is not None}
        gone = tuple(key for key, row in rows.items() if row is None)
        result[name] = result.get(name, Layered()).with_changes(kept, gone)
    return result


def _layers(snapshot: Snapshot) -> Rows:
    return {name: Layered(rows) for name, rows in snapshot.tables.items()}


def _generation_of(name: str) -> int:
    """The generation that a file name tells, 0 for other files."""
    stem, _, number = name.partition(".")[0].rpartition("-")
    return int(number) if stem in {"snapshot", "journal"} and number.isdigit() else 0


def _number(about: Mapping[str, Any], name: str) -> int:
    number = about.get(name)
    return number if isinstance(number, int) else 0


def _made(at: str) -> str:
    about: dict[str, Any] = {"format": FORMAT, "created": at, "min_reader": 1}
    return orjson.dumps(about).decode() + "\n"


def _sentence(why: str) -> str:
    return (
        f"The ledger is readable only, because {why}; nothing was cut: open the workbench and repair it in Health (5)."
    )
