"""The bank's folder is moved away or unmounted while the bank is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import Changeset, MoveMemory, PutMemory, PutRow
from store.errors import StorageFailure


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    bank = Bank.create(tmp_path / "bank", cache_dir=tmp_path / "cache", state_dir=tmp_path / "state")
    bank.commit(Changeset([PutMemory(None, {"type": "FACT", "subject": "tea", "statement": "green"})], "remember"))
    return bank


def test_nothing_is_made_where_a_bank_was(bank: Bank, tmp_path: Path) -> None:
    """A change is refused with where the folder was; back in its place everything goes on."""
    (memory,) = bank.view().live
    new = PutMemory(None, {"type": "FACT", "subject": "coffee", "statement": "black"})
    bank.path.rename(tmp_path / "away")
    for change in (new, MoveMemory(memory.id, "trashed", memory.sha)):
        with pytest.raises(StorageFailure, match="bank is gone; put it back, or open the bank where it is now"):
            bank.commit(Changeset([change], "change"))
    with pytest.raises(StorageFailure, match="is gone"):
        bank.record([PutRow("usage", "x", {"count": 1})])
    with pytest.raises(StorageFailure, match="is not there; check that its disk is connected"):
        bank.refresh()
    bank.close()
    assert not bank.path.exists()
    (tmp_path / "away").rename(bank.path)
    bank.commit(Changeset([new], "remember"))
    assert sorted(memory.subject for memory in bank.view().live) == ["coffee", "tea"]
