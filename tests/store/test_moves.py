"""Leaving and coming back: trash, archive, restore, and names that are never given again (`spec/bank.md` §4, 14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import MoveMemory, PutMemory
from store.errors import StorageFailure
from tests.store.world import add, again, make, no_leftovers, put, text


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-12T09:00:00+02:00")
    return make(tmp_path)


def test_forgetting_moves_the_file_with_identical_bytes_and_restoring_brings_it_back(bank: Bank) -> None:
    id = add(bank)
    before = (bank.path / id).read_bytes()
    put(bank, MoveMemory(id, "trashed"), reason="forget tea")
    memory = bank.view().trashed[0]
    assert memory.path == f".trash/2026-10-12T07-00-00-000Z/{id}"
    assert (memory.id, memory.trashed_at) == (id, "2026-10-12T07:00:00.000Z")
    assert (bank.path / memory.path).read_bytes() == before
    assert not (bank.path / id).exists()
    put(bank, MoveMemory(id, "live"), reason="restore tea")
    assert (bank.path / id).read_bytes() == before
    assert bank.view().trashed == ()


def test_restoring_never_overwrites(bank: Bank) -> None:
    id = add(bank)
    put(bank, MoveMemory(id, "trashed"))
    (bank.path / id).write_text("---\ntype: FACT\nsubject: theirs\nstatement: theirs\n---\ntheirs\n")
    put(bank, MoveMemory(id, "live"))
    assert "theirs" in (bank.path / id).read_text()
    assert "green" in (bank.path / id.replace(".md", ".2.md")).read_text()
    assert len({memory.path for memory in bank.view().live}) == len(bank.view().live)


def test_two_memories_forgotten_at_once_do_not_meet_in_the_trash(bank: Bank) -> None:
    ids = [add(bank), add(bank, subject="coffee")]
    put(bank, *(MoveMemory(id, "trashed") for id in ids))
    assert len({memory.path for memory in bank.view().trashed}) == 2
    put(bank, *(MoveMemory(id, "live") for id in ids))
    assert sorted(memory.id for memory in bank.view().live) == sorted(ids)


def test_a_distill_is_archived_flat_and_comes_back_to_where_it_was(tmp_path: Path, bank: Bank) -> None:
    """`spec/bank.md` §2.5, with ids as in `decisions.md` §2.1."""
    id = "facts/distills/report.md"
    (bank.path / "facts" / "distills").mkdir()
    (bank.path / id).write_text("---\ntype: FACT\nsubject: s\nstatement: t\n---\nt\n")
    bank.refresh()
    put(bank, MoveMemory(id, "archived"))
    assert bank.view().archived[0].path == ".archive/facts/report.md"
    bank = again(tmp_path)
    assert bank.view().archived[0].id == id
    put(bank, MoveMemory(id, "live"))
    assert bank.view().live[0].path == id


def test_a_number_is_never_given_again_after_its_memory_left(tmp_path: Path, bank: Bank) -> None:
    """bank-D06."""
    ids = [add(bank, subject=f"s{n}") for n in range(3)]
    put(bank, MoveMemory(ids[2], "trashed"))
    assert add(bank).endswith("-0004.md")
    bank.undo(origin="screen")
    assert add(bank).endswith("-0005.md")
    bank.close()
    assert add(again(tmp_path)).endswith("-0006.md")


def test_a_number_is_remembered_through_compaction(tmp_path: Path, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    add(bank)
    bank.undo(origin="screen")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.close()
    assert add(again(tmp_path)).endswith("-0002.md")


def test_a_changed_type_moves_the_file_and_the_memory_stays_the_same(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    put(bank, PutMemory(id, {"type": "PREF", "owner": "aria"}))
    memory = bank.view().memories[id]
    assert memory.path == "private/aria/prefs/2026/10/2026-10-12-0001.md"
    assert (memory.type, memory.scope, memory.owner) == ("PREF", "private", "aria")
    assert "scope: private\n" in text(bank, id)
    assert bank.view().resolve(memory.path).id == id
    assert again(tmp_path).view().memories[id].path == memory.path
    bank.undo(origin="screen")
    assert bank.view().memories[id].path == id
    bank.redo(origin="screen")
    assert bank.view().memories[id].path == memory.path


def test_a_memory_with_the_longest_name_that_a_folder_takes_is_edited_forgotten_and_restored(bank: Bank) -> None:
    """The copies that we prepare beside it have names of their own."""
    id = f"facts/{'é' * 125}xx.md"
    (bank.path / id).write_text("---\ntype: FACT\nsubject: s\nstatement: t\n---\nt\n")
    bank.refresh()
    put(bank, PutMemory(id, {"statement": "u"}))
    put(bank, MoveMemory(id, "trashed"))
    put(bank, MoveMemory(id, "live"))
    assert "statement: u" in text(bank, id)
    no_leftovers(bank)


def test_a_link_is_not_forgotten_since_undo_could_not_make_it_again(bank: Bank) -> None:
    id = add(bank)
    (bank.path / "facts" / "link.md").symlink_to(bank.path / id)
    bank.refresh()
    with pytest.raises(StorageFailure, match="symbolic link"):
        put(bank, MoveMemory("facts/link.md", "trashed"))
    assert (bank.path / "facts" / "link.md").is_symlink()
    assert bank.view().trashed == ()
