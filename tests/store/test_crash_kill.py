"""A program killed at any moment loses nothing it acknowledged and leaves nothing half done (`storage.md` §9.1–2)."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import MoveMemory, PutMemory, PutRow
from tests.store.world import (
    KILLED,
    Fast,
    Killing,
    again,
    approval,
    approvals,
    approve,
    approved,
    fact,
    in_child,
    make,
    no_leftovers,
    put,
)

MOST = 500


def prepared(base: Path) -> Path:
    """A bank with two approvals, closed."""
    bank = make(base, disk=Fast())
    approve(bank, "first")
    approve(bank, "second")
    bank.close()
    return base


def copy(base: Path, to: Path) -> Path:
    if to.exists():
        shutil.rmtree(to)
    return Path(shutil.copytree(base, to))


def kill_everywhere(
    base: Path, tmp_path: Path, work: Callable[[object], None], check: Callable[[Path, bool], None]
) -> int:
    """Run `work` on a fresh copy of the bank, killed at each system call in turn; the number of points."""
    points = 0
    for half in (False, True):
        for at in range(1, MOST):
            there = copy(base, tmp_path / "try")
            disk = Killing(at, half=half)
            code = in_child(lambda: work(again(there, disk=disk)))  # noqa: B023
            assert code in {0, KILLED}
            if code == 0:
                break
            points += 1
            check(there, half)
    return points


def one_approval(bank: object) -> None:
    bank.commit(approval("third"))  # type: ignore[attr-defined]


def whole_or_nothing(base: Path, half: bool) -> None:
    bank = again(base, disk=Fast())
    assert bank.read_only == ""
    names = approved(bank)
    assert names in ({"first", "second"}, {"first", "second", "third"})
    approve(bank, "later")
    assert approved(bank) == names | {"later"}
    no_leftovers(bank)


def test_an_approval_killed_at_any_system_call_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    base = prepared(tmp_path / "base")
    points = kill_everywhere(base, tmp_path, one_approval, whole_or_nothing)
    assert points >= 30


def test_an_edit_killed_at_any_system_call_leaves_the_old_or_the_new_text(tmp_path: Path) -> None:
    base = prepared(tmp_path / "base")
    id = next(iter(again(base, disk=Fast()).view().memories))

    def edit(bank: object) -> None:
        put(bank, PutMemory(id, {"subject": "renamed"}), PutRow("gaps", "first", {"note": "renamed"}))  # type: ignore[arg-type]

    def check(there: Path, half: bool) -> None:
        bank = again(there, disk=Fast())
        memory = bank.view().memories[id]
        note = bank.view().rows("gaps")["first"].get("note")
        assert (memory.subject, note) in {("first", None), ("renamed", "renamed")}
        assert f"subject: {memory.subject}\n" in (bank.path / memory.path).read_text()
        no_leftovers(bank)

    assert kill_everywhere(base, tmp_path, edit, check) >= 20


def test_a_move_killed_at_any_system_call_leaves_one_file_in_one_place(tmp_path: Path) -> None:
    base = prepared(tmp_path / "base")
    ids = sorted(again(base, disk=Fast()).view().memories)

    def forget(bank: object) -> None:
        put(bank, *(MoveMemory(id, "trashed") for id in ids))  # type: ignore[arg-type]

    def check(there: Path, half: bool) -> None:
        bank = again(there, disk=Fast())
        states = {bank.view().memories[id].state for id in ids}
        assert states in ({"live"}, {"trashed"})
        assert sorted(bank.view().memories) == ids
        assert len(list(bank.path.rglob("*-000?.md"))) == 2
        no_leftovers(bank)

    assert kill_everywhere(base, tmp_path, forget, check) >= 30


def test_an_undo_killed_at_any_system_call_is_whole_and_can_be_done_again(tmp_path: Path) -> None:
    base = prepared(tmp_path / "base")

    def undo(bank: object) -> None:
        bank.undo(origin="screen")  # type: ignore[attr-defined]

    def check(there: Path, half: bool) -> None:
        bank = again(there, disk=Fast())
        undone = bank.history()[0].undoes is not None
        assert len(bank.view().live) == len(bank.view().rows("gaps")) == (1 if undone else 2)
        if undone:
            bank.redo(origin="screen")
        assert approved(bank) == {"first", "second"}
        no_leftovers(bank)

    assert kill_everywhere(base, tmp_path, undo, check) >= 25


def test_a_compaction_killed_at_any_system_call_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = prepared(tmp_path / "base")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)

    def compact(bank: object) -> None:
        one_approval(bank)
        bank.flush()  # type: ignore[attr-defined]

    def check(there: Path, half: bool) -> None:
        bank = again(there, disk=Fast())
        names = approved(bank)
        assert names in ({"first", "second"}, {"first", "second", "third"})
        bank.flush()
        assert approved(bank) == names
        for change in bank.history():
            for effect in change.files:
                assert bank.bytes_at(effect.sha_after or "") is not None
        no_leftovers(bank)

    assert kill_everywhere(base, tmp_path, compact, check) >= 60


def test_the_first_commit_of_a_bank_killed_at_any_system_call_leaves_a_bank_that_works(tmp_path: Path) -> None:
    base = tmp_path / "base"
    make(base, disk=Fast())

    def check(there: Path, half: bool) -> None:
        bank = again(there, disk=Fast())
        assert approved(bank) <= {"third"}
        approve(bank, "later")
        assert "later" in approved(bank)
        no_leftovers(bank)

    assert kill_everywhere(base, tmp_path, one_approval, check) >= 40


def acknowledge(base: Path, pipe: int, seed: int) -> None:
    """Approve, edit, forget and undo at random, reporting each commit once it is acknowledged."""
    bank, dice = again(base, disk=Fast()), random.Random(seed)
    for number in range(10_000):
        name = f"{seed}-{number}"
        approve(bank, name)
        os.write(pipe, f"{name}\n".encode())
        if dice.random() < 0.2:
            bank.undo(origin="script")
            bank.redo(origin="script")
        if dice.random() < 0.2:
            put(bank, fact("noise", f"noise {name}"))
        if dice.random() < 0.1:
            bank.flush()


def kept_promises(base: Path, promised: set[str]) -> Bank:
    """Every acknowledged approval stands, or was taken back by a whole undo that the kill left without its redo."""
    bank = again(base, disk=Fast())
    undone = {change.reason[len("approve ") :] for change in approvals(bank) if change.undone_by is not None}
    assert promised <= approved(bank) | undone
    assert len(undone) <= 20
    return bank


def test_two_hundred_kills_lose_no_acknowledged_approval(tmp_path: Path) -> None:
    make(tmp_path, disk=Fast())
    dice, promised = random.Random(7), set[str]()
    for round in range(200):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            acknowledge(tmp_path, writer, round)
            os._exit(1)
        os.close(writer)
        wanted, got = dice.randint(1, 3), b""
        while got.count(b"\n") < wanted:
            got += os.read(reader, 4096)
        for _ in range(dice.randint(0, 20_000)):
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while chunk := os.read(reader, 4096):
            got += chunk
        os.close(reader)
        promised |= set(got.decode().split())
        if round % 20 == 19:
            kept_promises(tmp_path, promised).close()
    bank = kept_promises(tmp_path, promised)
    assert bank.conflicts() == ()
    no_leftovers(bank)
