"""File operations on a good disk and on bad ones: an operation happens, or leaves things as they were."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from store.errors import StorageFailure
from store.vault import exchange
from store.vault.disk import Disk, Exists, Missing, NoSpace, Refused, SyncFailed
from store.vault.faults import failure
from tests.store.vault.faulty import FaultyDisk, Killed

DISK = Disk()


def test_a_new_file_holds_its_bytes_and_is_never_written_over(tmp_path: Path) -> None:
    """`O_EXCL`: who comes second is told (`spec/bank.md` §25.6)."""
    path = tmp_path / "a.md"
    DISK.write_new(path, b"one", mode=0o600)
    assert DISK.read(path) == b"one"
    assert DISK.mode(path) == 0o600
    with pytest.raises(Exists, match="exists already"):
        DISK.write_new(path, b"two")
    assert DISK.read(path) == b"one"


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (errno.ENOSPC, NoSpace, "no space left"),
        (errno.EDQUOT, NoSpace, "no space left"),
        (errno.EROFS, Refused, "read-only"),
        (errno.EACCES, Refused, "permission denied"),
        (errno.EIO, StorageFailure, "input/output error"),
    ],
)
def test_faults_are_told_in_one_sentence(tmp_path: Path, number: int, kind: type[Exception], words: str) -> None:
    """What is wrong and what to do, with exit code 5."""
    with pytest.raises(kind, match=words) as failure:
        FaultyDisk(at=0, error=number).write_new(tmp_path / "a.md", b"x")
    assert str(failure.value).endswith("try again.")
    assert isinstance(failure.value, StorageFailure)
    assert failure.value.exit_code == 5


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_failed_new_file_leaves_nothing(tmp_path: Path, at: int, half: bool) -> None:
    """At whichever call it fails, also after half of the bytes."""
    with pytest.raises(StorageFailure):
        FaultyDisk(at=at, error=errno.ENOSPC, half=half).write_new(tmp_path / "a.md", b"0123456789")
    assert list(tmp_path.iterdir()) == []


def test_a_kill_leaves_what_was_written_and_no_cleaning_up(tmp_path: Path) -> None:
    """The process is gone; only the next open can tidy."""
    with pytest.raises(Killed):
        FaultyDisk(at=1, error=None, half=True).write_new(tmp_path / "a.md", b"0123456789")
    assert (tmp_path / "a.md").read_bytes() == b"01234"


def test_appending_adds_and_tells_the_length(tmp_path: Path) -> None:
    """The file is made when missing."""
    path = tmp_path / "journal"
    assert DISK.append(path, b"one\n") == 4
    assert DISK.append(path, b"two\n") == 8
    assert DISK.read(path) == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_failed_append_is_cut_back(tmp_path: Path) -> None:
    """Half of a line does not stay (`storage.md` §5.4)."""
    path = tmp_path / "journal"
    path.write_bytes(b"one\n")
    with pytest.raises(NoSpace):
        FaultyDisk(at=0, error=errno.ENOSPC, calls=frozenset({"write"}), half=True).append(path, b"0123456789")
    assert path.read_bytes() == b"one\n"


def test_an_append_that_cannot_be_cut_back_or_synced_says_that_nothing_is_known(tmp_path: Path) -> None:
    """Both are the failure after which the caller must look again."""
    path = tmp_path / "journal"
    path.write_bytes(b"one\n")
    worse = FaultyDisk(at=0, error=errno.EIO, calls=frozenset({"write", "truncate"}), half=True, forever=True)
    with pytest.raises(SyncFailed, match="in part"):
        worse.append(path, b"0123456789")
    with pytest.raises(SyncFailed):
        FaultyDisk(at=0, error=errno.ENOSPC, calls=frozenset({"sync"})).append(path, b"x")


def test_short_writes_are_continued(tmp_path: Path) -> None:
    """A system may take less than it is given."""

    class Slow(Disk):
        def write(self, handle: int, data: memoryview) -> int:
            return super().write(handle, data[:3])

    Slow().write_new(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_truncate_replace_and_unlink(tmp_path: Path) -> None:
    """The plain operations do what they are called."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"0123456789")
    DISK.truncate(one, 4)
    two.write_bytes(b"old")
    DISK.replace(one, two)
    assert two.read_bytes() == b"0123"
    DISK.chmod(two, 0o640)
    assert DISK.mode(two) == 0o640
    assert DISK.unlink(two) is True
    assert DISK.unlink(two) is False


def test_moving_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the system's own call and without one."""
    one, two = tmp_path / "one", tmp_path / "two"
    for supported in (True, False):
        one.write_bytes(b"1")
        two.write_bytes(b"2")
        if not supported:
            monkeypatch.setattr(exchange, "_rename_flags", lambda: None)
        with pytest.raises(Exists):
            DISK.move_new(one, two)
        assert (one.read_bytes(), two.read_bytes()) == (b"1", b"2")
        two.unlink()
        DISK.move_new(one, two)
        assert (one.exists(), two.read_bytes()) == (False, b"1")
        with pytest.raises(Missing):
            DISK.move_new(one, tmp_path / "three")


def test_an_exchange_hands_out_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that another program's last words can be looked at (`storage.md` §6); without one it is a replace."""
    ours, file = tmp_path / "ours", tmp_path / "file"
    ours.write_bytes(b"ours")
    file.write_bytes(b"theirs")
    swapped = DISK.exchange(ours, file)
    assert swapped is (sys.platform in {"linux", "darwin"})
    assert file.read_bytes() == b"ours"
    assert not swapped or ours.read_bytes() == b"theirs"
    monkeypatch.setattr(exchange, "_rename_flags", lambda: None)
    ours.write_bytes(b"again")
    assert DISK.exchange(ours, file) is False
    assert (ours.exists(), file.read_bytes()) == (False, b"again")


def test_an_exchange_with_nothing_says_so(tmp_path: Path) -> None:
    """The caller compares first, so this is another program's doing."""
    (tmp_path / "ours").write_bytes(b"x")
    if exchange._rename_flags() is not None:
        with pytest.raises(Missing):
            DISK.exchange(tmp_path / "ours", tmp_path / "absent")
    assert (tmp_path / "ours").read_bytes() == b"x"


def test_folders_are_made_with_their_parents(tmp_path: Path) -> None:
    """Making one twice is no fault, one where a file lies is."""
    deep = tmp_path / "a" / "b" / "c"
    DISK.mkdir(deep, 0o700)
    DISK.mkdir(deep)
    assert DISK.mode(deep) == 0o700
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StorageFailure):
        DISK.mkdir(tmp_path / "file")


def test_each_new_folder_is_synced_into_its_parent(tmp_path: Path) -> None:
    """A power cut does not lose the name."""
    disk = FaultyDisk()
    disk.mkdir(tmp_path / "a" / "b")
    expected = ["mkdir", "open", "sync"] if sys.platform != "win32" else ["mkdir"]
    assert disk.seen == expected * 2


def test_a_listing_is_in_byte_order_and_tells_links_apart(tmp_path: Path) -> None:
    """Regular files have a signature; pipes and dangling links have none."""
    for name in ("b", "a", "Z", "é"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    found = {entry.name: entry for entry in DISK.scandir(tmp_path)}
    assert list(found) == ["Z", "a", "b", "dangling", "dir", "link", "pipe", "é"]
    assert found["dir"].is_folder
    assert found["link"].is_link
    assert found["link"].signature == found["a"].signature == DISK.signature(tmp_path / "a")
    assert found["pipe"].signature is found["dangling"].signature is None
    assert DISK.scandir(tmp_path / "absent") == []


def test_what_is_missing_has_no_signature_and_cannot_be_read(tmp_path: Path) -> None:
    """Looking is no fault, reading is."""
    assert DISK.signature(tmp_path / "x") is None
    assert DISK.mode(tmp_path / "x") is None
    with pytest.raises(Missing, match="is not there"):
        DISK.read(tmp_path / "x")


def test_a_place_where_nothing_can_be_made_is_told_so_and_not_to_wait() -> None:
    """A folder below `/proc` is refused as if its parent were missing, although it is there."""
    found = failure(FileNotFoundError(errno.ENOENT, "No such file or directory"), "made", "/proc/foo")
    assert (type(found), str(found)) == (Missing, "Nothing can be made at /proc/foo; choose another folder.")
