"""Where the ledger and the caches of a bank lie (`decisions.md` §3.2)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.bank import Bank
from tests.store.world import add, again, make


def test_the_ledger_lies_in_the_bank_and_its_folder_is_ignored_by_git(tmp_path: Path) -> None:
    bank = make(tmp_path)
    assert places.ledger_folder(bank.path, tmp_path / "state") == bank.path / ".memdesk"
    add(bank)
    assert (bank.ledger / ".gitignore").read_text() == "*\n"
    assert (bank.ledger / "vault.json").read_text().startswith('{"format":1,')
    assert (bank.ledger / "CURRENT").read_text() == "1\n"


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Work", "Mobile Documents", "Nextcloud"])
def test_the_ledger_of_a_synchronised_bank_lies_in_the_users_state_folder(tmp_path: Path, name: str) -> None:
    root = tmp_path / name / "bank"
    (root / "facts").mkdir(parents=True)
    assert places.ledger_folder(root, tmp_path / "state").parent == tmp_path / "state" / "banks"


def test_the_ledger_of_a_bank_on_a_network_file_system_lies_in_the_users_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_file_system", lambda path: "nfs4")
    assert places.ledger_folder(tmp_path, tmp_path / "state").is_relative_to(tmp_path / "state")


def test_a_ledger_stays_where_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = make(tmp_path)
    add(bank)
    monkeypatch.setattr(places, "_suits", lambda root: False)
    assert again(tmp_path).ledger == bank.path / ".memdesk"
    other = Bank.create(tmp_path / "other", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    add(other)
    monkeypatch.setattr(places, "_suits", lambda root: True)
    found = Bank.open(tmp_path / "other", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    assert found.ledger == other.ledger
    assert len(found.history()) == 1


def test_two_ways_to_one_bank_are_one_bank(tmp_path: Path) -> None:
    bank = make(tmp_path)
    (tmp_path / "link").symlink_to(bank.path)
    assert places.bank_key(tmp_path / "link") == places.bank_key(bank.path)
    assert places.bank_key(bank.path) != places.bank_key(tmp_path)
    assert (
        places.cache_file(bank.path, tmp_path / "c")
        == tmp_path / "c" / "banks" / places.bank_key(bank.path) / "entries"
    )


def test_the_users_folders_are_those_of_the_system(own_folders: Path) -> None:
    assert places.state_home().is_relative_to(own_folders)
    assert places.cache_home().is_relative_to(own_folders)


def test_the_file_system_of_a_folder_is_that_of_its_nearest_mount(tmp_path: Path) -> None:
    assert places._file_system(Path("/proc/self")) in {"proc", ""}


def test_a_bank_of_somebody_elses_opens_although_its_ledger_is_closed_to_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its `.memdesk` may not be looked into; ours lies in our own state folder."""
    bank = make(tmp_path)
    add(bank)
    stat = os.stat

    def closed(path: Any, **rest: Any) -> os.stat_result:
        if str(path).startswith(str(bank.path / ".memdesk")):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **rest)

    monkeypatch.setattr(places, "_suits", lambda root: False)
    monkeypatch.setattr(os, "stat", closed)
    assert places.ledger_folder(bank.path, tmp_path / "state").is_relative_to(tmp_path / "state")
