"""A bank to try things on, disks that fail, and what must be true of any bank afterwards."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store.bank import Bank
from store.changes import Changeset, Committed, NewId, PutMemory, PutRow
from store.objects import sha_of
from store.publish import is_temporary
from store.vault.disk import Disk

KILLED = 77


def folders(base: Path) -> dict[str, Path]:
    return {"state_dir": base / "state", "cache_dir": base / "cache"}


def make(base: Path, **rest: Any) -> Bank:
    return Bank.create(base / "bank", **folders(base), **rest)


def again(base: Path, **rest: Any) -> Bank:
    return Bank.open(base / "bank", **folders(base), **rest)


def fact(subject: str = "tea", statement: str = "green, 80 C", **fields: Any) -> PutMemory:
    return PutMemory(None, {"type": "FACT", "subject": subject, "statement": statement, **fields}, key="new")


def pref(owner: str = "aria", subject: str = "tea", statement: str = "likes it green", **fields: Any) -> PutMemory:
    named = {"type": "PREF", "owner": owner, "subject": subject, "statement": statement, **fields}
    return PutMemory(None, named, key="new")


def put(bank: Bank, *changes: Any, reason: str = "a change", **rest: Any) -> Committed:
    return bank.commit(Changeset(changes, reason, **rest))


def add(bank: Bank, **fields: Any) -> str:
    """A new FACT; its id."""
    return put(bank, fact(**fields)).files[0].id


def approve(bank: Bank, name: str) -> Committed:
    """The four effects of an approval: memory, proposal, receipt and the history row."""
    return bank.commit(approval(name))


def approval(name: str) -> Changeset:
    return Changeset(
        (
            fact(name, f"what {name} says"),
            PutRow("gaps", name, {"state": "approved", "memory": NewId("new")}),
            PutRow("receipts", name, {"by": "you"}),
        ),
        f"approve {name}",
        "screen",
    )


def text(bank: Bank, id: str) -> str:
    return (bank.path / bank.view().memories[id].path).read_text(encoding="utf-8")


def files(root: Path) -> dict[str, bytes]:
    """Every file of a bank's own tree, without the ledger."""
    found = (path for path in root.rglob("*") if path.is_file() and ".memdesk" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def approvals(bank: Bank) -> list[Committed]:
    """The approvals in the history, whether they stand or not."""
    return [change for change in bank.history() if change.reason.startswith("approve ")]


def approved(bank: Bank) -> set[str]:
    """The names that are approved, after checking that each approval is whole in files, ledger and history."""
    view = bank.view()
    memories = {memory.subject: memory for memory in view.memories.values() if memory.statement.startswith("what ")}
    gaps = {key: row["memory"] for key, row in view.rows("gaps").items()}
    told = {change.reason[len("approve ") :] for change in approvals(bank) if change.undone_by is None}
    assert memories.keys() == gaps.keys() == view.rows("receipts").keys() == told
    for name, memory in memories.items():
        assert gaps[name] == memory.id
        assert sha_of((bank.path / memory.path).read_bytes()) == memory.sha
    return set(told)


def no_leftovers(bank: Bank) -> None:
    """Nothing of an unfinished write lies about once the bank is at rest."""
    add(bank, subject="at rest")
    bank.close()
    assert temporaries(bank) == []


def temporaries(bank: Bank) -> list[Path]:
    """Prepared copies that lie about in the bank."""
    return [path for path in bank.path.rglob("*") if is_temporary(path.name)]


class Fast(Disk):
    """A disk that does not wait for the platters: for tests where nothing but a program can end."""

    def _sync(self, handle: int, path: Any, *, data_only: bool = False) -> None:
        self.step("sync", path)


class Counting(Disk):
    """Counts calls by kind, and the bytes that go in and out."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.bytes = 0

    def step(self, call: str, path: Any) -> None:
        self.calls[call] = self.calls.get(call, 0) + 1

    def write(self, handle: int, data: memoryview) -> int:
        self.bytes += len(data)
        return super().write(handle, data)

    def read(self, path: Any) -> bytes:
        data = super().read(path)
        self.bytes += len(data)
        return data

    @property
    def total(self) -> int:
        return sum(self.calls.values())


class Failing(Disk):
    """Raises an `OSError` at step `at` and, with `ever`, at every later one of the kinds that write."""

    WRITES = frozenset({"open", "write", "sync", "truncate", "rename", "exchange", "unlink", "mkdir", "chmod"})

    def __init__(self, at: int, code: int = errno.ENOSPC, *, ever: bool = False) -> None:
        self.at, self.code, self.ever, self.count = at, code, ever, 0

    def step(self, call: str, path: Any) -> None:
        if call not in self.WRITES:
            return
        self.count += 1
        if self.count == self.at or (self.ever and self.count > self.at):
            raise OSError(self.code, os.strerror(self.code), str(path))


class Killing(Fast):
    """Ends the process at system call `at`; with `half`, in the middle of the write `at`."""

    def __init__(self, at: int, *, half: bool = False) -> None:
        self.at, self.half, self.steps, self.writes = at, half, 0, 0

    def step(self, call: str, path: Any) -> None:
        self.steps += 1
        if not self.half and self.steps == self.at:
            os._exit(KILLED)

    def write(self, handle: int, data: memoryview) -> int:
        self.writes += 1
        if self.half and self.writes == self.at:
            os.write(handle, data[: len(data) // 2])
            os._exit(KILLED)
        return super().write(handle, data)


def in_child(work: Callable[[], None]) -> int:
    """Run something in a process of its own that may end at any moment; its exit code."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
