"""The stage on which engine cases play: a bank that applies op by op and may die, and a model that follows a script."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.extract.effects import Result, Snapshot
from pipeline.extract.engine import execute
from pipeline.extract.evidence import Entry
from pipeline.extract.gate import closed
from pipeline.extract.ledger.gaps import gap_key
from pipeline.extract.ledger.quoting import plain_row
from pipeline.extract.options import Options, options
from pipeline.extract.prompts.prompt import prompt
from pipeline.extract.stages import Canonicalize, Localize, Propose
from pipeline.extract.work import Cite, Work
from pipeline.rehearsal import Rehearsal
from pipeline.reply import ModelProblem, Reply
from pipeline.run import BankLike, run
from store.changes import Change, DropRow, PutMemory, PutRow
from store.errors import BadInput
from store.memory import Memory
from store.view import View
from tests.conformance.extraction_cases import entries

SESSION, PROJECT, NOW = "s-1", "proj-a", 10_000_000
NAMES = {
    "gaps": "Gap",
    "cursors": "Cursor",
    "receipts": "Receipt",
    "failures": "Failure",
    "tombstones": "Tombstone",
    "unresolved": "Unresolved",
}


class Died(Exception):
    """The process dies here."""


class _Counted(View):
    """A view that tells its desk when the pending facts are read."""

    def __init__(self, view: View, desk: Desk) -> None:
        super().__init__(view.memories, view.tables, revision=view.revision)
        self._desk = desk

    def rows(self, table: str) -> Any:
        self._desk.gap_reads += table == "gaps"
        return super().rows(table)


class Desk(Rehearsal):
    """Applies a changeset change by change, keeps the names of the writes, and dies after one when told to."""

    def __init__(self, view: View, refuses: Sequence[str] = ()) -> None:
        super().__init__(view)
        self.refuses = refuses
        self.writes: list[str] = []
        self.saves = 0
        self.crash: tuple[str, int] | None = None
        self._seen: Counter[str] = Counter()
        self.gap_reads = 0
        self.die_after: int | None = None

    def view(self) -> View:
        """The state as it is now; reading its pending facts is counted."""
        return _Counted(super().view(), self)

    def begin(self, crash: str | None) -> None:
        """Start a step; `crash` is the name of the write after which the process dies, with `#k` for the k-th."""
        name, _, number = (crash or "").partition("#")
        self.crash = (name, int(number or 1)) if name else None
        self._seen.clear()

    def _apply(self, changes: Sequence[Change]) -> None:
        self.check(changes)
        if any(isinstance(change, PutMemory) and change.fields["statement"] in self.refuses for change in changes):
            raise BadInput("The bank does not take it.")
        made: dict[str, str] = {}
        for index, change in enumerate(changes):
            self.step(change, made)
            self.log(name_of(change))
            if isinstance(change, PutMemory) and not isinstance((*changes, None)[index + 1], PutMemory):
                self.log("commitItems")

    def log(self, name: str) -> None:
        """Note a durable write, and die after it when that is what the step wants."""
        self.writes.append(name)
        self.saves += name == "saveItem"
        self._seen[name] += 1
        if self.crash == (name, self._seen[name]) or self.die_after == len(self.writes):
            raise Died(name)


def name_of(change: Change) -> str:
    """The name that the case files give to a write (§27)."""
    if isinstance(change, PutMemory):
        return "saveItem"
    assert isinstance(change, PutRow | DropRow)
    if change.fields.get("state") == "archived" if isinstance(change, PutRow) else False:
        return "archiveGap"
    return ("write" if isinstance(change, PutRow) else "delete") + NAMES[change.table]


@dataclass
class Script:
    """A model that answers in the order of the case and keeps what it was asked."""

    answers: list[Mapping[str, Any]]
    calls: list[str] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)

    def propose(self, question: Propose, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        return self._answer("proposal", question)

    def localize(self, question: Localize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        return self._answer("localized", question)

    def canonicalize(self, question: Canonicalize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        return self._answer("canonicalize", question)

    def _answer(self, stage: str, question: Any) -> Reply | ModelProblem:
        self.calls.append(stage)
        self.asked.append(question)
        answer = self.answers.pop(0)
        if "err" in answer:
            return ModelProblem(answer["err"], "The model failed.")
        value = answer["ok"]
        return Reply(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    @property
    def prompts(self) -> list[str]:
        """What a language model would have been sent."""
        return [prompt(question) for question in self.asked]


@dataclass
class Gatekeeper:
    """A gate that is closed from the start, or closes after a number of calls or reads."""

    given: Mapping[str, Any]
    door: Script
    reads: int = 0

    def __call__(self) -> str:
        self.reads += 1
        if "closedFromStart" in self.given:
            return str(self.given["closedFromStart"])
        calls, reads = self.given.get("closesAfterCalls"), self.given.get("closesAfterReads")
        done = (calls is not None and len(self.door.calls) >= calls) or (reads is not None and self.reads > reads)
        return str(self.given.get("reason", "unavailable")) if done else ""


def case_options(given: Mapping[str, Any]) -> Options:
    """Product defaults with the case's own config; review mode `floor` unless it says otherwise (§23)."""
    return options(given.get("config", {}), replace(Options(), review_mode="floor"))


def opened(given: Mapping[str, Any]) -> Desk:
    """The bank and the ledger that a case starts from."""
    project = given.get("project", PROJECT)
    bank = [memory(number, text, project) for number, text in enumerate(given.get("bank", []), 1)]
    sessions = given.get("cursors", {})
    gaps = {gap_key(row.get("project", project), row["id"]): {"_rev": 1, **row} for row in given.get("gaps", [])}
    tables: dict[str, Any] = {
        "cursors": {s: {"sessionId": s, "processedSeq": seq, "updatedAt": 0, "_rev": 1} for s, seq in sessions.items()},
        "receipts": {
            name: {"operationId": name, "sessionId": SESSION, "committedAt": 0, "_rev": 1, **row}
            for name, row in given.get("receipts", {}).items()
        },
        "failures": {s: {"failedAt": 0, "_rev": 1, **row} for s, row in given.get("failures", {}).items()},
        "gaps": gaps,
        "tombstones": {
            gap_key(project, name): {"at": 0, "why": "forgotten", "_rev": 1} for name in given.get("tombstones", [])
        },
    }
    return Desk(View.of(bank, tables), (*given.get("bankDrops", ()), *given.get("bankRefuses", ())))


def memory(number: int, text: str, project: str = PROJECT) -> Memory:
    """A fact that is in the bank already."""
    name = f"facts/2026/11/2026-11-30-{number:04}.md"
    return Memory(name, name, f"sha-{number}", subject=text[:30], statement=text, project=project, ordinal=number)


def session_run(
    desk: BankLike,
    door: Script,
    given: Mapping[str, Any],
    step: Mapping[str, Any],
    gate: Callable[[], str] | None = None,
    session_entries: Sequence[Entry] | None = None,
) -> Result:
    """One `execute` step of a case."""
    found = tuple(entries(given) if session_entries is None else session_entries)
    session = step.get("session", SESSION)
    snapshot = Snapshot(session, step["boundarySeq"], given.get("project", PROJECT), "scripted")
    chosen = case_options(given)
    now = step.get("now", given.get("now", NOW))
    work = Work(snapshot, found, chosen, now, citing(session, found))
    return run(execute(work), desk, door, gate=gate or (lambda: closed(chosen, snapshot)))


def citing(session: str, found: Sequence[Entry]) -> Cite:
    """The quotes of a session of which only the projected entries are known."""
    times = {entry.seq: entry.time for entry in reversed(found)}
    return lambda seq, quote: (plain_row(session, "", seq, quote, times.get(seq)),)


def reported(result: Result) -> dict[str, Any]:
    """A result with the keys of the case files."""
    shown: dict[str, Any] = {"status": result.status, "items": list(result.items), "pending": result.pending}
    if result.reason:
        shown["reason"] = result.reason
    if result.recovered:
        shown["recovered"] = reported(result.recovered)
    return shown
