"""`Bank`: one folder of memories with its ledger, and the only way to write to it (`architecture.md`, "store").

Two doors: `commit` for what is decided, with a history row that can be undone; `record` for bookkeeping.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from store import cached, catchup, clock, compact, guard, history, kept, projection, recovery, rescan, transaction, undo
from store.changes import Changeset, Committed, DropRow, Event, Origin, PutRow
from store.commit import new_plan, plan_changes
from store.errors import BadInput, Busy, MemdeskError, NotABank, ReadOnly, StorageFailure, folder_gone, unknown_memory
from store.journal import FOLDER_MODE, Journal
from store.kept import Kept
from store.lock import TIMEOUT, WriterLock
from store.places import cache_file, ledger_folder
from store.setting_file import is_setting
from store.state import State
from store.status import LedgerStatus, status_of
from store.transaction import YOU, Story
from store.vault.disk import Disk
from store.vault.folder import is_bank, looks_like
from store.view import View

ENCRYPTED = "This bank is encrypted: its public memories can be read here, and nothing can be written."
READ_ONLY = "The bank was opened for reading only; open it without --read-only and the setting read_only to write."
SHORT = 1.0
"""Seconds that opening waits for another writer before it shows a half-written commit from the journal."""


class Bank:
    """One open bank. Use `Bank.open` or `Bank.create`; it may be used from several threads."""

    def __init__(self, state: State, *, cache: Path | None, lock_timeout: float = TIMEOUT, locked: str = "") -> None:
        self._state = state
        self._cache = cache
        self._timeout = lock_timeout
        self._locked = locked
        self._listeners: list[Callable[[Event], None]] = []
        self._scanning = threading.Lock()
        self._view = state.view()
        self._uncached = 0
        self._wrote = self._cleaned = False
        self._projection = projection.Pending()

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        read_only: bool = False,
        state_dir: Path | None = None,
        cache_dir: Path | None = None,
        disk: Disk | None = None,
        lock_timeout: float = TIMEOUT,
    ) -> Self:
        """Open a bank's folder. Nothing is written, except to finish a commit that a crash left half done.

        `state_dir` and `cache_dir` stand in for the user's folders. `lock_timeout` is in seconds. Raises `NotABank`,
        which says what the folder looks like, and `StorageFailure` when it cannot be read.
        """
        root, disk = Path(path).absolute(), disk or Disk()
        if not is_bank(root, disk):
            raise NotABank(looks_like(root, disk))
        encrypted = (root / "keys").is_dir()
        locked = ENCRYPTED if encrypted else READ_ONLY if read_only else ""
        ledger = ledger_folder(root, state_dir)
        state = State(root, disk, Journal(ledger, disk), WriterLock(ledger))
        bank = cls(state, cache=cache_file(root, cache_dir), lock_timeout=lock_timeout, locked=locked)
        bank._first_look()
        return bank

    @classmethod
    def create(
        cls,
        path: Path | str,
        *,
        state_dir: Path | None = None,
        cache_dir: Path | None = None,
        disk: Disk | None = None,
        lock_timeout: float = TIMEOUT,
    ) -> Self:
        """Make a plain bank (`spec/bank.md` §1.7) and open it. Raises `BadInput` when there is one already."""
        root, disk = Path(path).absolute(), disk or Disk()
        if is_bank(root, disk):
            raise BadInput(f"{root} is a bank already; open it with `memdesk open {root}`.")
        projection.make_folders(disk, root)
        return cls.open(root, state_dir=state_dir, cache_dir=cache_dir, disk=disk, lock_timeout=lock_timeout)

    def _first_look(self) -> None:
        state = self._state
        try:
            if state.journal.exists():
                catchup.read_ledger(state)
        except StorageFailure as error:
            state.stuck = f"The memories are shown without their ledger: {error}"
        self._uncached = rescan.open_folder(state, self._cache)
        for path in state.live:
            catchup.show_path(state, path)
        if not self._locked:
            self._finish_others_work()
        state.revision += 1
        self._move_on()

    def _finish_others_work(self) -> None:
        """Put a crashed program's last commit into its files, or keep a damaged ledger aside, as far as we may."""
        state = self._state
        try:
            if state.journal.fault and not state.journal.newer:
                state.journal.quarantine(clock.stamp())
            elif not state.stuck and (state.waiting or state.lost):
                with state.lock.held(min(SHORT, self._timeout)):
                    catchup.ready(state)
        except Busy:
            return
        except (ReadOnly, StorageFailure) as error:
            state.stuck = state.stuck or str(error)

    @property
    def path(self) -> Path:
        """The bank's folder, absolute."""
        return self._state.root

    @property
    def ledger(self) -> Path:
        """The folder of the bank's ledger; it may not be there yet."""
        return self._state.ledger

    @property
    def encrypted(self) -> bool:
        """Whether the bank has keys: then only its public memories are shown."""
        return self._locked == ENCRYPTED

    @property
    def read_only(self) -> str:
        """Why nothing can be written now, in one sentence; "" when it can."""
        return self._locked or self._state.journal.fault or self._state.stuck

    @property
    def damaged(self) -> str:
        """What is damaged in the ledger, as a sentence, "" for nothing; `repair` goes on from its last good state."""
        return "" if self._state.journal.newer else self._state.journal.fault

    def view(self) -> View:
        """The bank as it was last known: cheap, never waits for anybody, and never changed afterwards."""
        return self._view

    def _move_on(self) -> None:
        """Give out what is known now; called where memories and rows agree."""
        if self._view.revision != self._state.revision:
            self._view = self._state.view(self._view)

    def commit(self, changeset: Changeset) -> Committed:
        """Do everything in a changeset, or nothing; one row of history (`storage.md` §5).

        A changeset that changes nothing gives number 0. Raises `BadInput`, `UnknownMemory`, `SecretFound`,
        `NotPermitted`, `ReadOnly`, `Busy`, `Changed`, `Conflict`, `AlreadyDecided`, `StorageFailure`.
        """
        by = changeset.agent or YOU
        with self._writing() as events:
            now = clock.now()
            plan = new_plan(self._state, now, clock.stamp(now))
            plan_changes(plan, changeset)
            story = Story(changeset.reason, changeset.origin, by)
            committed, told = transaction.execute(self._state, plan, story)
            events.extend(told)
            self._projection.note(committed, by)
        return committed

    def record(self, rows: Sequence[PutRow | DropRow]) -> int:
        """Write bookkeeping rows, all or none, without a history row; the frame's number.

        Raises `AlreadyDecided` when a row is no longer at the revision given, `SecretFound` for a proposal whose text
        holds a secret, and what `commit` raises for the disk and the lock.
        """
        bookkeeping = Changeset((), "record", proposed=True)
        guard.check_rows(bookkeeping, ((row.table, row.key) for row in rows))
        with self._writing() as events:
            for row in rows:
                if isinstance(row, PutRow) and row.table in guard.PROPOSED:
                    before = "\n".join(guard.texts(self._state.rows(row.table).get(row.key, {})))
                    guard.check_secrets(bookkeeping, before, "\n".join(guard.texts(row.fields)))
            number, told = transaction.record(self._state, list(rows), clock.stamp())
            events.extend(told)
        return number

    def undo(self, number: int | None = None, *, origin: Origin) -> Committed:
        """Take back a change: the newest that stands, or the one named; an undo is a change itself.

        Raises `BadInput` when there is nothing to undo, `Conflict` with both texts when one was changed since, and
        what `commit` raises.
        """
        with self._writing() as events:
            return self._return(*undo.back(self._changes, number, origin), events)

    def redo(self, *, origin: Origin) -> Committed:
        """Do again what was undone last. Raises `BadInput` when something new was committed since."""
        with self._writing() as events:
            return self._return(*undo.forward(self._changes, origin), events)

    def _return(self, wanted: Committed, story: Story, events: list[Event]) -> Committed:
        now = clock.now()
        plan = new_plan(self._state, now, clock.stamp(now))
        undo.plan_return(plan, wanted, story.origin)
        committed, told = transaction.execute(self._state, plan, story, always=True)
        events += told
        self._projection.note(committed, YOU)
        return committed

    def _changes(self) -> Iterator[Committed]:
        return history.newest_first(self._state.disk, self._state.ledger, self._state.rows(history.TABLE))

    def history(self, *, limit: int | None = None, id: str | None = None) -> list[Committed]:
        """Changes, newest first; `id` keeps those that touched one memory, `limit` how many at most."""
        found: list[Committed] = []
        for change in history.newest_first(self._state.disk, self._state.ledger, self._view.rows(history.TABLE)):
            if limit is not None and len(found) >= limit:
                break
            if id is None or any(effect.id == id for effect in change.files):
                found.append(change)
        return found

    def source(self, id: str) -> bytes:
        """The bytes of a memory's file now, for an editor, whose `base` is their SHA-256. Raises `UnknownMemory`."""
        memory = self._view.memories.get(id)
        data = self._state.current(memory.path) if memory is not None else None
        if data is None:
            raise unknown_memory(id)
        self._state.remember(data)
        return data

    def bytes_at(self, sha: str) -> bytes | None:
        """The bytes that had this SHA-256, as far as the history keeps them."""
        return self._state.bytes_of(sha)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Be told of every change after the view has moved on, in the thread that made it; call the result to stop."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def refresh(self) -> tuple[Event, ...]:
        """Notice what other programs did to the files and the ledger; tells and returns the events."""
        with self._scanning:
            state = self._state
            with state.lock.threads:
                previous = dict(state.files)
                state.touched.clear()
            found = rescan.look_again(state, previous)
            with state.lock.threads:
                events = catchup.catch_up(state)
                events += rescan.take(state, found, previous)
                self._uncached += len(events)
                self._move_on()
        events += self._tell_outside()
        self._emit(events)
        return tuple(events)

    def _tell_outside(self) -> list[Event]:
        """Write what others changed into the history, and finish what they left half done, if nobody is writing."""
        state = self._state
        pending = state.outside or state.renamed or state.waiting or state.lost
        if not pending or self.read_only != state.stuck or not state.journal.exists():
            return []
        try:
            with state.lock.held(0.0):
                events = catchup.ready(state)
                transaction.tell_outside(state, clock.stamp())
                self._move_on()
        except Busy:
            return []
        except MemdeskError as error:
            return [Event("notice", (), (), str(error))]
        self._wrote = True
        return events

    def flush(self) -> None:
        """Bring projections up to date (`index.json`, audit lines), clean up, compact when it is worth it.

        Does nothing while nothing was written. Raises `Busy`, `ReadOnly` and `StorageFailure`.
        """
        state = self._state
        if self._locked or not self._wrote:
            return
        events: list[Event] = []
        with state.lock.held(self._timeout):
            events += catchup.ready(state)
            self._projection.write(state)
            transaction.checkpoint(state, note=True)
            if not self._cleaned:
                recovery.clean(state, lambda displaced: events.append(transaction.set_aside(state, displaced)))
            if compact.is_due(state):
                compact.compact(state)
            self._wrote, self._cleaned = False, True
            self._move_on()
        self._emit(events)

    def close(self) -> None:
        """Flush, and leave the parsed memories to the next session. The bank may still be looked at afterwards.

        What cannot be written now is no error: nothing committed depends on it; listeners get a notice.
        """
        for work in (self.flush, self._leave_cache):
            try:
                work()
            except MemdeskError as error:
                self._emit([Event("notice", (), (), str(error))])

    def _leave_cache(self) -> None:
        changed, only = self._uncached, bool(self._locked)
        if self._cache is not None and cached.leave(self._state, self._cache, self.view(), changed, looked_only=only):
            self._uncached = 0

    def knows(self, path: Path) -> bool:
        """Whether a file lies there exactly as last read or written: an event about it tells nothing new."""
        state = self._state
        with state.lock.threads:
            name = path.relative_to(state.root).as_posix()
            if is_setting(name) and name in state.setting_files:
                return state.setting_files[name].sha == recovery.sha_on_disk(state.disk, path)
            seen = state.files.get(name)
            return state.disk.signature(path) == (seen.signature if seen else None) and not path.is_dir()

    def knows_ledger(self) -> bool:
        """Whether no other process has written to the ledger since the last look."""
        with self._state.lock.threads:
            return self._state.journal.is_current()

    def conflicts(self) -> tuple[Kept, ...]:
        """Texts kept aside because two edits met, oldest first."""
        return kept.listed(self._state.disk, self._state.ledger)

    def kept_text(self, file: str) -> bytes:
        """The bytes of one kept text. Raises `StorageFailure` when it is not there."""
        return kept.read(self._state.disk, self._state.ledger, file)

    def settle(self, file: str) -> bool:
        """Delete one kept text after a person has dealt with it."""
        with self._writing():
            return kept.drop(self._state.disk, self._state.ledger, file)

    def repair(self) -> None:
        """After damage: keep the damaged ledger in `quarantine/` and go on from its last good state.

        Does nothing where there is no damage, and to a ledger that a newer version wrote.
        """
        if self._locked or not self._state.journal.fault or self._state.journal.newer:
            return
        with self._state.lock.held(self._timeout):
            compact.repair(self._state, clock.stamp())
            self._move_on()
        self._emit(
            [Event("notice", (), (), "The ledger was repaired; the damaged files are in its quarantine folder.")]
        )

    def status(self) -> LedgerStatus:
        """The state of the ledger, for Health."""
        return status_of(self._state, self.read_only)

    @contextmanager
    def _writing(self) -> Iterator[list[Event]]:
        """The writer lock over an up-to-date ledger; the events are told after it is released."""
        state = self._state
        if self._locked:
            raise ReadOnly(self._locked)
        if not state.root.is_dir():
            raise folder_gone(state.root)
        events: list[Event] = []
        state.disk.mkdir(state.ledger, FOLDER_MODE)
        try:
            with state.lock.held(self._timeout):
                try:
                    if not state.journal.exists():
                        state.journal.create(clock.stamp())
                        catchup.read_ledger(state)
                    events += catchup.ready(state)
                    self._wrote = True
                    yield events
                finally:
                    self._move_on()
        finally:
            self._uncached += len(events)
            self._emit(events)

    def _emit(self, events: Sequence[Event]) -> None:
        for event in events:
            for listener in tuple(self._listeners):
                listener(event)


__all__ = ["Bank", "Kept", "LedgerStatus"]
