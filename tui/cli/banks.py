"""The banks that a command works on: opened once, joined for reading, one of them for writing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from store import clock, settings
from store.bank import Bank
from store.changes import Changeset, Committed, Origin
from store.config import Config, load_config
from store.errors import BadInput, NotABank
from store.joined import joined, split_id
from store.memory import Memory, Problem
from store.roots import default_root, project_root, read_yotta_config
from store.usage import Signal, UsageSettings, record_use, totals
from store.view import View
from tui.cli.options import Options
from tui.cli.say import complain

USER, PROJECT = "user", "project"


@dataclass(frozen=True, slots=True)
class Banks:
    """What one command has before it: its options, the person's settings and the open banks by name."""

    options: Options
    config: Config
    open: dict[str, Bank]
    origin: Origin

    @property
    def bank(self) -> Bank:
        """The bank that new things go to: the user's, or the project's with `--project`."""
        return self.open[PROJECT if self.options.project else USER] if len(self.open) > 1 else self.only

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

    @property
    def read_only(self) -> bool:
        """Whether nothing can be recorded now."""
        return any(bank.read_only for bank in self.open.values())

    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be read, of every open bank."""
        return tuple(problem for bank in self.open.values() for problem in bank.view().problems)

    def total(self, bank: Bank, memory: Memory) -> Memory:
        """The memory with its total usage counters."""
        return totals(bank.view(), memory, self.usage)

    def record_use(self, ids: Sequence[str], signal: Signal, query: str = "") -> None:
        """Count a use of memories of the joined view in the bank of each (`spec/bank.md` §12)."""
        by_bank: dict[str, list[str]] = {}
        for found in ids:
            name, plain = split_id(found) if len(self.open) > 1 else (next(iter(self.open)), found)
            by_bank.setdefault(name, []).append(plain)
        for name, plain_ids in by_bank.items():
            bank, agent = self.open[name], self.options.agent
            rows = record_use(
                bank.view(), plain_ids, signal, clock.today(), query=query, agent=agent, settings=self.usage
            )
            if rows:
                bank.record(rows)

    @property
    def only(self) -> Bank:
        """The single open bank."""
        return next(iter(self.open.values()))

    def view(self) -> View:
        """What can be read: one bank's view, or the project's and the user's joined (`decisions.md` §3.1)."""
        if len(self.open) == 1:
            return self.only.view()
        return joined(self.open[PROJECT].view(), self.open[USER].view())

    def memory(self, reference: str) -> tuple[Bank, Memory]:
        """The bank and the memory that a reference names. Raises `UnknownMemory`, `AmbiguousMemory`."""
        found = self.view().resolve(reference)
        if len(self.open) == 1:
            return self.only, found
        name, plain = split_id(found.id)
        return self.open[name], self.open[name].view().memories[plain]

    def commit(self, bank: Bank, changeset: Changeset) -> Committed:
        """Commit and print what a person should know about it."""
        done = bank.commit(changeset)
        for note in done.notes:
            complain(note)
        return done


def origin_of() -> Origin:
    """Whether a person at a terminal or a script is calling (`decisions.md` §1.3)."""
    import sys

    return "terminal" if sys.stdin.isatty() else "script"


@contextmanager
def open_banks(options: Options) -> Iterator[Banks]:
    """Open the banks that the options and the working directory name; they are closed afterwards.

    Raises `NotABank` with what to do when there is none.
    """
    config = load_config()
    for problem in config.problems:
        complain(problem.message)
    read_only = options.read_only or bool(config.get("read_only"))
    banks = {name: Bank.open(path, read_only=read_only) for name, path in _places(options).items()}
    try:
        yield Banks(options, config, banks, origin_of())
    finally:
        for bank in banks.values():
            bank.close()


def _places(options: Options) -> dict[str, Path]:
    user = default_root(options.bank)
    project = project_root()
    if options.project and options.bank:
        raise BadInput("--bank and --project name two banks; give one of them.")
    if options.project and not project.is_dir():
        raise NotABank(f"There is no bank at {project}; make one with `memdesk init {project.name}`.")
    if user.path == project or options.bank:
        return {USER: user.path}
    both = {PROJECT: project, USER: user.path}
    found = {name: path for name, path in both.items() if path.is_dir()}
    if not found:
        raise NotABank(f"There is no bank at {user.path}; make one with `memdesk init`, or name one with --bank.")
    return found
