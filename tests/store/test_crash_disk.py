"""A disk that is full, read-only or failing: one sentence, nothing lost, and everything goes on afterwards (§9.5)."""

from __future__ import annotations

import errno
import resource
import shutil
from pathlib import Path

import pytest

from store.errors import MemdeskError, ReadOnly, StorageFailure
from tests.store.world import (
    Failing,
    again,
    approval,
    approve,
    approved,
    fact,
    in_child,
    make,
    no_leftovers,
    put,
    temporaries,
)

CODES = (errno.ENOSPC, errno.EIO, errno.EACCES)


def prepared(base: Path) -> Path:
    bank = make(base)
    approve(bank, "first")
    bank.close()
    return base


@pytest.mark.parametrize("code", CODES, ids=[errno.errorcode[code] for code in CODES])
@pytest.mark.parametrize("ever", [False, True], ids=["once", "from then on"])
def test_an_approval_that_meets_a_bad_disk_at_any_call_is_whole_or_refused(
    tmp_path: Path, code: int, ever: bool
) -> None:
    base = prepared(tmp_path / "base")
    for at in range(1, 200):
        there = Path(shutil.copytree(base, tmp_path / "try"))
        disk = Failing(0, code, ever=ever)
        bank = again(there, disk=disk)
        disk.at = disk.count + at
        try:
            committed = bank.commit(approval("second"))
        except StorageFailure as error:
            committed = None
            assert str(error).endswith(".")
            if not ever and not bank.read_only:
                assert temporaries(bank) == []
        reached = disk.count >= disk.at
        disk.at, disk.ever = 0, False
        assert "first" in set(bank.view().rows("gaps"))
        if committed is not None:
            assert "second" in set(bank.view().rows("gaps"))
            assert any(memory.subject == "second" for memory in bank.view().live)
        bank.refresh()
        approve(bank, "third")
        names = approved(bank)
        assert names >= ({"first", "second", "third"} if committed is not None else {"first", "third"})
        assert approved(again(there)) == names
        no_leftovers(bank)
        shutil.rmtree(there)
        if not reached:
            assert at > 7
            return
    pytest.fail("the approval never ran to its end")


def test_a_committed_text_that_cannot_be_written_is_shown_from_the_journal_until_it_can(tmp_path: Path) -> None:
    """`storage.md` §7: redo not possible (disk full, read-only): open anyway, readable only, with the reason."""
    base = prepared(tmp_path)
    disk = Failing(0)
    bank = again(base, disk=disk)

    def only_renames(call: str, path: object) -> None:
        if call in {"rename", "exchange"} and ".md" in str(path):
            raise OSError(errno.EACCES, "Permission denied", str(path))

    disk.step = only_renames  # type: ignore[method-assign]
    committed = bank.commit(approval("second"))
    assert committed.number > 0
    assert "could not be written" in bank.read_only
    assert not (bank.path / committed.files[0].id).exists()
    assert bank.view().memories[committed.files[0].id].statement == "what second says"
    assert bank.source(committed.files[0].id).endswith(b"what second says\n")
    with pytest.raises(ReadOnly, match="could not be written"):
        approve(bank, "third")
    later = again(base, disk=disk)
    assert "could not be written" in later.read_only
    assert later.view().memories[committed.files[0].id].statement == "what second says"
    assert later.status().waiting == 1
    healed = again(base)
    assert healed.read_only == ""
    assert approved(healed) == {"first", "second"}
    disk.step = lambda call, path: None  # type: ignore[method-assign]
    approve(bank, "third")
    assert bank.read_only == ""
    assert approved(bank) == {"first", "second", "third"}


def test_a_read_only_folder_opens_and_says_so_when_something_is_to_be_written(tmp_path: Path) -> None:
    prepared(tmp_path)
    bank = again(tmp_path, disk=Failing(1, errno.EROFS, ever=True))
    assert len(bank.view().live) == 1
    with pytest.raises(MemdeskError, match="read-only"):
        approve(bank, "second")
    bank.close()


def test_a_file_size_limit_of_the_system_refuses_the_commit_and_keeps_the_bank_whole(tmp_path: Path) -> None:
    base = prepared(tmp_path)
    size = next((base / "bank" / ".memdesk").glob("journal-*")).stat().st_size

    def work() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 300, size + 300))
        bank = again(base)
        for number in range(20):
            with pytest.raises(StorageFailure, match="no space"):
                approve(bank, f"n{number}")
        assert approved(bank) == {"first"}

    assert in_child(work) == 0
    bank = again(base)
    assert approved(bank) == {"first"}
    approve(bank, "second")
    assert approved(bank) == {"first", "second"}
    no_leftovers(bank)


def test_a_projection_that_cannot_be_written_does_not_lose_the_change(tmp_path: Path) -> None:
    from store.changes import PutRow

    make(tmp_path)
    disk = Failing(0)
    bank = again(tmp_path, disk=disk)
    put(bank, PutRow("settings", "yotta_index", {"value": True}))
    approve(bank, "first")

    def no_index(call: str, path: object) -> None:
        if "index" in str(path):
            raise OSError(errno.ENOSPC, "No space left", str(path))

    disk.step = no_index  # type: ignore[method-assign]
    with pytest.raises(StorageFailure, match="no space"):
        bank.flush()
    disk.step = lambda call, path: None  # type: ignore[method-assign]
    bank.flush()
    assert b"what first says" in (bank.path / "index.json").read_bytes()


def test_a_refused_change_of_several_files_leaves_no_prepared_copy(tmp_path: Path) -> None:
    prepared(tmp_path)
    for at in (4, 5, 6):
        disk = Failing(0)
        bank = again(tmp_path, disk=disk)
        disk.at = disk.count + at
        with pytest.raises(StorageFailure, match="no space"):
            put(bank, fact("one"), fact("two"), fact("three"))
        assert temporaries(bank) == []
        assert [memory.subject for memory in bank.view().live] == ["first"]


def test_a_journal_that_the_disk_did_not_confirm_is_written_anew_before_anything_else(tmp_path: Path) -> None:
    """`storage.md` §5.4: never retry a failed sync on the same file; reopen and look what became of the change."""
    prepared(tmp_path)
    disk = Failing(0)
    bank = again(tmp_path, disk=disk)

    def no_sync(call: str, path: object) -> None:
        if call == "sync" and Path(str(path)).name.startswith("journal-"):
            raise OSError(errno.EIO, "Input/output error", str(path))

    disk.step = no_sync  # type: ignore[method-assign]
    with pytest.raises(StorageFailure):
        bank.commit(approval("second"))
    assert "did not confirm" in bank.read_only
    journal = next(bank.ledger.glob("journal-*"))
    before = journal.stat().st_ino
    disk.step = lambda call, path: None  # type: ignore[method-assign]
    approve(bank, "third")
    assert bank.read_only == ""
    assert journal.stat().st_ino != before
    assert approved(bank) == approved(again(tmp_path)) == {"first", "second", "third"}
    no_leftovers(bank)
