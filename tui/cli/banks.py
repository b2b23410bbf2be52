"""The banks that a command works on: opened once, joined for reading, one of them for writing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from store import clock, settings
from store.access import may_read, path_owner, safe_id
from store.bank import Bank
from store.changes import Changeset, Committed, Origin, PutRow
from store.config import Config, load_config
from store.errors import BadInput, Changed, MemdeskError, NotABank, NotPermitted, UnknownMemory, unknown_memory
from store.joined import joined, split_id
from store.layered import Layered
from store.lock import TIMEOUT
from store.memory import Memory, Problem
from store.roots import default_root, project_root, read_yotta_config
from store.score import boosts
from store.usage import Signal, UsageSettings, may_count, record_use, totals
from store.vault.folder import is_bank
from store.view import View
from tui.cli.options import Options
from tui.cli.say import complain
from tui.literal import count

USER, PROJECT = "user", "project"
WAIT = TIMEOUT
"""Seconds that a command waits for another program before it gives up."""
PATIENCE = 1.0
"""Seconds that counting a use waits for another program: the answer matters more."""


@dataclass(frozen=True, slots=True)
class Banks:
    """What one command has before it: its options, the person's settings and the open banks by name."""

    options: Options
    config: Config
    open: dict[str, Bank]
    origin: Origin

    @property
    def bank(self) -> Bank:
        """The bank in the foreground: the user's, or the project's with `--project` or when it is the only one."""
        return self.open[PROJECT if self.options.project else USER] if self.joined else next(iter(self.open.values()))

    @property
    def target(self) -> Bank:
        """The bank that new things go to: the user's unless `--project` (`decisions.md` §3.1). Raises `NotABank`."""
        if USER not in self.open and not self.options.project:
            user = default_root(self.options.bank).path
            raise NotABank(f"There is no bank of yours at {user}; add --project, or make one with `memdesk init`.")
        return self.bank

    @property
    def joined(self) -> bool:
        """Whether a project's bank and the user's are read together; ids then say from which they are."""
        return len(self.open) > 1

    def undo_of(self, bank: Bank) -> str:
        """The command that takes back the newest change of a bank."""
        return "memdesk undo --project" if self.open.get(PROJECT) is bank else "memdesk undo"

    @property
    def today(self) -> str:
        """Today as an ISO date."""
        return clock.today().isoformat()

    @property
    def half_lives(self) -> dict[str, float]:
        """Half-lives in days by type, as the bank's settings and the yotta engine's file say."""
        return settings.half_lives(self.bank.view(), read_yotta_config())

    @property
    def usage(self) -> UsageSettings:
        """How uses are counted."""
        return settings.usage_settings(self.bank.view(), read_yotta_config())

    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be read, of every open bank, as far as the identity may know of them."""
        agent, view = self.options.agent, self.view()
        if agent is None:
            return view.problems
        readable = {"", agent, *view.grants.get(agent, ())}
        return tuple(problem for problem in view.problems if path_owner(split_id(problem.path)[1]) in readable)

    def record_use(self, ids: Sequence[str], signal: Signal, query: str = "", *, boost: bool = False) -> None:
        """Count a use of memories of the joined view in the bank of each (`spec/bank.md` §12).

        `boost` also raises their scores (`spec/memora.md` §4.1). What was read stands even when it cannot be counted:
        then one sentence says so.
        """
        by_bank: dict[str, list[str]] = {}
        for found in ids:
            name, plain = split_id(found) if self.joined else (next(iter(self.open)), found)
            by_bank.setdefault(name, []).append(plain)
        for name, plain_ids in by_bank.items():
            bank, agent = self.open[name], self.options.agent
            if bank.read_only:
                continue
            try:
                self._count(bank, plain_ids, signal, query)
                if boost:
                    self._boost(bank, plain_ids)
            except MemdeskError as error:
                complain(f"This use was not counted: {error}")
            _tell_skipped(bank.view(), plain_ids, agent)

    def _boost(self, bank: Bank, ids: Sequence[str]) -> None:
        _record(bank, lambda view: boosts(view, ids, clock.now(), agent=self.options.agent))

    def _count(self, bank: Bank, ids: Sequence[str], signal: Signal, query: str) -> None:
        agent, settings = self.options.agent, self.usage
        _record(
            bank,
            lambda view: record_use(view, ids, signal, clock.today(), query=query, agent=agent, settings=settings),
        )

    def view(self) -> View:
        """What can be read: one bank's view, or the project's and the user's joined (`decisions.md` §3.1)."""
        if not self.joined:
            return self.bank.view()
        return joined(self.open[PROJECT].view(), self.open[USER].view())

    def memory(self, reference: str) -> tuple[Bank, Memory]:
        """The bank and the memory that a reference names.

        Raises `UnknownMemory`, `AmbiguousMemory`; for an agent `NotPermitted`, the same for a memory that is not
        there and for one that it may not see (`decisions.md` §8.9).
        """
        found = self._resolved(reference)
        if not self.joined:
            return self.bank, found
        name, plain = split_id(found.id)
        return self.open[name], self.open[name].view().memories[plain]

    def _resolved(self, reference: str) -> Memory:
        view, agent = self.view(), self.options.agent
        if agent is None:
            return self._in(view, reference)
        reader = view.reader(agent)
        readable = {id: memory for id, memory in view.memories.items() if may_read(memory, reader)}
        try:
            return self._in(View(Layered(readable), view.tables), reference)
        except UnknownMemory as error:
            raise NotPermitted(str(error)) from None

    def _in(self, view: View, reference: str) -> Memory:
        """The memory of a view; behind a bank's name everything may stand that names it in that bank alone."""
        root, rest = split_id(reference)
        if root not in self.open or reference in view.memories or reference in view.rows("aliases"):
            return view.resolve(reference)
        own = {id: memory for id, memory in view.memories.items() if not self.joined or split_id(id)[0] == root}
        try:
            return View(Layered(own), {} if self.joined else view.tables).resolve(rest)
        except UnknownMemory:
            raise unknown_memory(reference) from None

    def named(self, bank: Bank, memory: Memory) -> Memory:
        """The memory with its total counters, and with the id by which this call's view knows it."""
        counted = totals(bank.view(), memory, self.usage)
        return replace(counted, id=f"{self.name_of(bank)}:{memory.id}") if self.joined else counted

    def name_of(self, bank: Bank) -> str:
        """Which of the open banks it is: `project` or `user`."""
        return next(name for name, known in self.open.items() if known is bank)

    def commit(self, bank: Bank, changeset: Changeset) -> Committed:
        """Commit and print what a person should know about it."""
        done = bank.commit(changeset)
        for note in done.notes:
            complain(note)
        return done


def _record(bank: Bank, rows: Callable[[View], list[PutRow]]) -> None:
    """Record from the rows as they are; another program that counted meanwhile is counted upon, not over."""
    for last in (False, False, True):
        found = rows(bank.view())
        try:
            if found:
                bank.record(found)
        except Changed:
            if last:
                raise
        else:
            return


def _tell_skipped(view: View, ids: Sequence[str], agent: str | None) -> None:
    """Say how many memories of other owners were shown without being counted (`spec/bank.md` §12.4)."""
    shown = [view.memories[id] for id in ids if id in view.memories]
    skipped = sum(not may_count(memory, agent) and not memory.immutable for memory in shown)
    if skipped:
        complain(f"{count(skipped, 'use')} of other owners' memories not counted.")


def origin_of() -> Origin:
    """Whether a person at a terminal or a script is calling (`decisions.md` §1.3)."""
    return "terminal" if sys.stdin.isatty() else "script"


@contextmanager
def open_banks(options: Options, *, patience: float | None = None) -> Iterator[Banks]:
    """Open the banks that the options and the working directory name; they are closed afterwards.

    `patience` is how many seconds a write waits for another program (`WAIT`). What keeps a bank from being written
    is told once, afterwards. Raises `NotABank` with what to do when there is none.
    """
    if options.agent is not None and not safe_id(options.agent):
        raise BadInput("The name after --as cannot be an agent's; use up to 128 characters without slashes.")
    config = load_config()
    for problem in config.problems:
        complain(problem.message)
    read_only = options.read_only or bool(config.get("read_only"))
    places = _places(options)
    patience = WAIT if patience is None else patience
    banks = {name: Bank.open(path, read_only=read_only, lock_timeout=patience) for name, path in places.items()}
    try:
        yield Banks(options, config, banks, origin_of())
        for bank in banks.values():
            if bank.encrypted or (bank.read_only and not read_only):
                complain(bank.read_only)
    finally:
        for bank in banks.values():
            _close(bank)


def _close(bank: Bank) -> None:
    """Bring indexes up to date; what was done stands even when that fails, and the next call does it."""
    try:
        bank.close()
    except MemdeskError as error:
        complain(f"Tidying up was left for later: {error}")


def _places(options: Options) -> dict[str, Path]:
    user = default_root(options.bank).path
    project = project_root()
    if options.project and options.bank:
        raise BadInput("--bank and --project name two banks; give one of them.")
    if options.project and not is_bank(project):
        raise NotABank(f"There is no bank at {project}; make one with `memdesk init {project.name}`.")
    if user == project or options.bank:
        return {USER: user}
    both = {PROJECT: project, USER: user}
    return {name: path for name, path in both.items() if is_bank(path)} or {USER: user}
