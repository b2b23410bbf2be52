"""The newest memories are there before the bank is read."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.head import MOST, head_file, read_head, write_head
from store.layered import Layered
from store.places import cache_file
from store.vault.disk import Disk
from store.view import View

FIRST = date(2026, 1, 1)


def remembered(bank: Bank, *subjects: str) -> None:
    """Make a memory of each subject, a day later each time."""
    days = ((FIRST + timedelta(days=at)).isoformat() for at in range(len(subjects)))
    changes = [
        PutMemory(None, {"type": "FACT", "subject": subject, "statement": "so it is", "created": day, "tags": ("x",)})
        for subject, day in zip(subjects, days, strict=True)
    ]
    bank.commit(Changeset(changes, "remember"))


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """An empty bank."""
    return Bank.create(tmp_path / "bank", cache_dir=tmp_path / "cache")


def head_of(bank: Bank, tmp_path: Path) -> View | None:
    """What the last session left."""
    return read_head(head_file(cache_file(bank.path, tmp_path / "cache")), bank.path)


def test_the_next_session_can_show_the_newest_memories_at_once(bank: Bank, tmp_path: Path) -> None:
    """Newest change first, and how many more there are."""
    subjects = [f"thing {number}" for number in range(MOST + 7)]
    remembered(bank, *subjects)
    assert head_of(bank, tmp_path) is None
    bank.close()
    head = head_of(bank, tmp_path)
    assert head is not None
    assert (len(head.live), head.unread, head.root) == (MOST, 7, str(bank.path))
    assert {memory.subject for memory in head.live} == set(subjects[7:])
    known = bank.view().memories
    assert all(memory == known[memory.id] for memory in head.live)


def test_it_follows_every_session_that_changed_something(bank: Bank, tmp_path: Path) -> None:
    """One memory is enough, long before the whole cache is written anew."""
    remembered(bank, "tea")
    bank.close()
    again = Bank.open(bank.path, cache_dir=tmp_path / "cache")
    remembered(again, "coffee")
    again.close()
    head = head_of(bank, tmp_path)
    assert head is not None
    assert {memory.subject for memory in head.live} == {"tea", "coffee"}


def test_an_unchanged_head_is_not_written_again(bank: Bank, tmp_path: Path) -> None:
    """The file keeps its signature."""
    remembered(bank, "tea")
    path, disk = tmp_path / "head", Disk()
    write_head(disk, path, bank.view())
    before = disk.signature(path)
    write_head(disk, path, bank.view())
    assert disk.signature(path) == before


def test_a_head_that_cannot_be_used_is_made_anew_by_the_next_session(bank: Bank, tmp_path: Path) -> None:
    """Another version wrote it, or it is damaged: looking at the bank is enough."""
    remembered(bank, "tea")
    bank.close()
    head_file(cache_file(bank.path, tmp_path / "cache")).write_bytes(b"of another version")
    Bank.open(bank.path, cache_dir=tmp_path / "cache").close()
    head = head_of(bank, tmp_path)
    assert head is not None
    assert [memory.subject for memory in head.live] == ["tea"]


def test_the_head_of_another_bank_is_none(bank: Bank, tmp_path: Path) -> None:
    """A bank that was moved is not shown under its old name."""
    write_head(Disk(), tmp_path / "head", bank.view())
    assert read_head(tmp_path / "head", tmp_path / "elsewhere") is None
    assert read_head(tmp_path / "missing", bank.path) is None


def test_a_cache_folder_that_refuses_does_not_keep_a_bank_from_closing(tmp_path: Path) -> None:
    """The next session is slower, that is all."""
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    bank = Bank.create(tmp_path / "bank", cache_dir=tmp_path / "cache")
    remembered(bank, "tea")
    bank.close()
    assert [memory.subject for memory in Bank.open(bank.path).view().live] == ["tea"]


@given(st.data())
def test_fuzz_a_damaged_head_is_none(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any flipped byte or cut is noticed."""
    path = tmp_path_factory.mktemp("head") / "head"
    write_head(Disk(), path, View.of((), root="/bank"))
    whole = path.read_bytes()
    at, flip = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255))
    for damaged in (whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :], whole[:at]):
        path.write_bytes(damaged)
        assert read_head(path, Path("/bank")) is None


def test_the_folder_of_a_bank_may_have_a_name_that_is_not_text(tmp_path: Path) -> None:
    """A name of another encoding, as the system gives it to us."""
    root = tmp_path / "caf\udce9"
    write_head(Disk(), tmp_path / "head", View(Layered({}), {}, root=str(root)))
    head = read_head(tmp_path / "head", root)
    assert head is not None
    assert head.root == str(root)
    assert read_head(tmp_path / "head", tmp_path / "café") is None
