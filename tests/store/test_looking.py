"""Banks that are only read, listeners, projections, order and history (`decisions.md` §3, 4.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.changes import Changeset, MoveMemory, PutMemory, PutRow
from store.errors import (
    Changed,
    ReadOnly,
    UnknownMemory,
)
from tests.store.world import add, again, approve, fact, folders, make, pref, put


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-12T09:00:00+02:00")
    return make(tmp_path)


def test_an_encrypted_bank_shows_its_public_memories_and_refuses_to_be_written(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    (bank.path / "keys").mkdir()
    (bank.path / "private/aria/prefs").mkdir(parents=True)
    (bank.path / "private/aria/prefs/2026-01-01-0001.md.enc").write_bytes(b"\x00\x01")
    bank = again(tmp_path)
    assert bank.encrypted
    assert [memory.id for memory in bank.view().live] == [id]
    assert bank.view().problems == ()
    for work in (
        lambda: put(bank, fact()),
        lambda: bank.record([PutRow("gaps", "g", {})]),
        lambda: bank.undo(origin="screen"),
    ):
        with pytest.raises(ReadOnly, match="encrypted") as caught:
            work()
        assert caught.value.exit_code == 3
    bank.refresh()
    bank.close()


def test_a_bank_opened_for_reading_writes_nothing(tmp_path: Path, bank: Bank) -> None:
    add(bank)
    before = sorted(tmp_path.rglob("*"))
    reader = again(tmp_path, read_only=True)
    with pytest.raises(ReadOnly, match="for reading only"):
        put(reader, fact())
    reader.refresh()
    reader.close()
    assert sorted(tmp_path.rglob("*")) == before


def test_listeners_are_told_after_the_view_has_moved_on(bank: Bank) -> None:
    seen: list[Any] = []
    stop = bank.subscribe(
        lambda event: seen.append((event.kind, event.ids, event.tables, event.number, len(bank.view().live)))
    )
    committed = approve(bank, "tea")
    bank.record([PutRow("usage", "x", {"n": 1})])
    assert seen == [
        ("committed", committed.ids, ("gaps", "receipts"), 1, 1),
        ("recorded", (), ("usage",), 2, 1),
    ]
    stop()
    add(bank)
    assert len(seen) == 2


def test_the_index_and_the_trash_audit_are_written_at_a_flush_in_banks_that_ask_for_them(bank: Bank) -> None:
    id = add(bank)
    put(bank, MoveMemory(id, "trashed"))
    bank.flush()
    assert not (bank.path / "index.json").exists()
    assert [path.name for path in (bank.path / ".trash").iterdir()] == ["2026-10-12T07-00-00-000Z"]
    put(bank, PutRow("settings", "yotta_index", {"value": True}))
    other = put(bank, pref("aria")).ids[0]
    put(bank, MoveMemory(other, "trashed"))
    bank.flush()
    assert '"entries": []' in (bank.path / "index.json").read_text()
    (audit,) = (bank.path / ".trash").glob("audit-2026-10-12.jsonl")
    assert audit.read_text() == (
        '{"ts":"2026-10-12T07:00:00.000Z","action":"forget","file":"' + other + '",'
        '"trash":".trash/2026-10-12T07-00-00-000Z/' + other + '","owner":"aria","selfAgent":""}\n'
    )


def test_the_original_order_is_that_of_the_index_then_of_the_paths_and_new_ones_come_last(
    tmp_path: Path, bank: Bank
) -> None:
    ids = [add(bank, subject=f"s{n}") for n in range(3)]
    entries = ",".join(f'{{"file": "{id}"}}' for id in reversed(ids))
    (bank.path / "index.json").write_text(f'{{"version": 4, "entries": [{entries}]}}')
    bank = again(tmp_path)
    assert [memory.id for memory in bank.view().live] == ids[::-1]
    new = add(bank)
    put(bank, PutMemory(ids[0], {"subject": "edited"}), MoveMemory(ids[1], "archived"))
    assert [memory.id for memory in bank.view().live] == [ids[2], ids[0], new]
    put(bank, MoveMemory(ids[1], "live"))
    assert [memory.id for memory in bank.view().live] == [ids[2], ids[1], ids[0], new]


def test_files_keep_the_permissions_that_they_had(bank: Bank) -> None:
    id = add(bank)
    (bank.path / id).chmod(0o640)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    assert (bank.path / id).stat().st_mode & 0o777 == 0o640
    assert bank.ledger.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in bank.ledger.rglob("*") if path.is_file()} == {0}


def test_the_ledger_of_a_bank_in_a_synchronised_folder_lies_in_the_users_own_folder(tmp_path: Path) -> None:
    root = tmp_path / "Dropbox" / "bank"
    bank = Bank.create(root, **folders(tmp_path))
    add(bank)
    assert bank.ledger.is_relative_to(tmp_path / "state")
    assert not (root / ".memdesk").exists()
    assert len(Bank.open(root, **folders(tmp_path)).history()) == 1


def test_the_bytes_of_every_version_can_be_had_for_the_history(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    first = bank.source(id)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    effects = [change.files[0] for change in again(tmp_path).history()]
    assert [again(tmp_path).bytes_at(effect.sha_after or "") for effect in effects] == [bank.source(id), first]
    assert bank.bytes_at("0" * 64) is None
    with pytest.raises(UnknownMemory):
        bank.source("facts/none.md")


def test_an_edit_of_a_memory_moved_meanwhile_by_us_still_finds_it(bank: Bank) -> None:
    id = add(bank)
    base = bank.view().memories[id].sha
    put(bank, MoveMemory(id, "archived"))
    put(bank, PutMemory(id, {"subject": "Tea"}, base=base))
    assert bank.view().archived[0].subject == "Tea"
    with pytest.raises(Changed):
        put(bank, MoveMemory(id, "trashed", base=base))


def test_history_can_be_asked_for_one_memory_and_cut(bank: Bank) -> None:
    one, other = add(bank), add(bank)
    for n in range(3):
        put(bank, PutMemory(one, {"subject": f"s{n}"}), reason=f"edit {n}")
    assert [change.reason for change in bank.history(limit=2)] == ["edit 2", "edit 1"]
    assert len(bank.history(id=one)) == 4
    assert len(bank.history(id=other)) == 1


def test_a_changeset_composes_edits_and_moves_of_one_memory(bank: Bank) -> None:
    id = add(bank)
    committed = put(bank, PutMemory(id, {"subject": "a"}), PutMemory(id, {"source": "b"}), MoveMemory(id, "archived"))
    assert len(committed.files) == 1
    memory = bank.view().archived[0]
    assert (memory.subject, memory.source) == ("a", "b")
    bank.undo(origin="screen")
    assert bank.view().live[0].subject == "tea"


def test_the_whole_changeset_is_one_frame(bank: Bank) -> None:
    bank.commit(Changeset((fact("a"), fact("b"), pref("aria")), "three"))
    assert bank.status().last_frame == 1
    assert len({memory.path for memory in bank.view().live}) == 3
