"""A running Memdesk sees what others do without being asked, and is not woken by itself (`storage.md` §6)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from store import watch as watching
from store.bank import Bank
from store.changes import MoveMemory, PutMemory
from store.watch import matters, watch
from tests.store.world import add, again, approve, make, put, text

PATIENCE = 30.0


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    bank = make(tmp_path)
    add(bank)
    return bank


@pytest.mark.parametrize("poll", [False, True], ids=["by events", "by looking again"])
def test_an_edit_by_another_program_arrives_as_an_event(
    bank: Bank, poll: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "SHORTEST", 0.02)
    id, arrived = bank.view().live[0].id, threading.Event()
    bank.subscribe(lambda event: arrived.set() if event.kind == "outside" else None)
    stop = watch(bank, poll=poll)
    try:
        for number in range(300):
            (bank.path / id).write_text(text(bank, id).replace("green", f"black {number} green"))
            if arrived.wait(PATIENCE / 300):
                break
        assert arrived.is_set()
    finally:
        stop()
    bank.refresh()
    assert "black" in bank.view().memories[id].statement


def test_a_look_that_fails_is_told_and_the_next_one_may_succeed(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    from store.errors import StorageFailure

    monkeypatch.setattr(watching, "SHORTEST", 0.01)
    told, looked, count = [], threading.Event(), [0]

    def refresh() -> tuple[()]:
        count[0] += 1
        if count[0] == 1:
            raise StorageFailure("The disk is away.")
        looked.set()
        return ()

    monkeypatch.setattr(bank, "refresh", refresh)
    stop = watch(bank, poll=True, failed=told.append)
    assert looked.wait(PATIENCE)
    stop()
    assert told == ["The disk is away."]


class Told:
    """What was told, and a way to wait for a part of it."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._news = threading.Condition()

    def __call__(self, sentence: str) -> None:
        with self._news:
            self.sentences.append(sentence)
            self._news.notify_all()

    def wait(self, end: str) -> bool:
        with self._news:
            return self._news.wait_for(lambda: any(one.endswith(end) for one in self.sentences), PATIENCE)


@pytest.mark.parametrize("moved", ["bank", "."], ids=["the bank", "a folder above it"])
@pytest.mark.parametrize("poll", [False, True], ids=["by events", "by looking again"])
def test_a_bank_whose_folder_is_moved_away_is_told_once_and_so_is_its_return(
    tmp_path: Path, poll: bool, moved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing needs to be changed or looked at for it, and afterwards others' edits arrive as before."""
    monkeypatch.setattr(watching, "SHORTEST", 0.02)
    monkeypatch.setattr(watching, "STAT_MS", 20)
    base = tmp_path / "base"
    bank = make(base)
    id, told, arrived = add(bank), Told(), threading.Event()
    bank.subscribe(lambda event: arrived.set() if event.kind == "outside" else None)
    stop = watch(bank, poll=poll, failed=told)
    try:
        folder, away = base / moved, tmp_path / "away"
        for _ in range(3):
            folder.rename(away)
            assert told.wait(f"The folder {bank.path} is gone; put it back, or open the bank where it is now.")
            away.rename(folder)
            assert told.wait("is there again.")
            assert len(told.sentences) == 2
            told.sentences.clear()
        for number in range(300):
            (bank.path / id).write_text(text(bank, id).replace("green", f"black {number} green"))
            if arrived.wait(PATIENCE / 300):
                break
        assert arrived.is_set()
    finally:
        stop()


def test_our_own_writes_and_by_products_do_not_wake_us(tmp_path: Path, bank: Bank) -> None:
    id = bank.view().live[0].id
    put(bank, PutMemory(id, {"subject": "Tea"}))
    other = add(bank, subject="coffee")
    put(bank, MoveMemory(other, "trashed"))
    place = bank.view().trashed[0].path
    ours = [id, other, place, "index.json", ".git/HEAD", f"facts/.{Path(id).name}.0123abcd.tmp", ".memdesk/lock"]
    ours += [path.relative_to(bank.path).as_posix() for path in bank.ledger.rglob("*") if path.is_file()]
    assert not matters(bank, [str(bank.path / path) for path in ours])


def test_foreign_writes_and_other_memdesks_do(tmp_path: Path, bank: Bank) -> None:
    id = bank.view().live[0].id
    (bank.path / id).write_text(text(bank, id) + "more\n")
    assert matters(bank, [str(bank.path / id)])
    bank.refresh()
    assert not matters(bank, [str(bank.path / id)])
    assert matters(bank, [str(bank.path / "facts")])
    (bank.path / "grants.json").write_text("{}")
    assert matters(bank, [str(bank.path / "grants.json")])
    approve(again(tmp_path), "tea")
    assert matters(bank, [str(next(bank.ledger.glob("journal-*")))])
