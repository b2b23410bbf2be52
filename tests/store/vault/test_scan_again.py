"""Looking at a bank again: only what changed is read, nothing half written is believed, nothing is lost by a gap."""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import StorageFailure
from store.vault.cache import from_cache, to_cache
from store.vault.disk import Disk
from store.vault.scan import scan, settled
from tests.store.vault.faulty import FaultyDisk
from tests.store.vault.looking import HALF, OLD, SAMPLE, STAMP, Counting, entry, look, put


def test_a_second_look_reads_nothing(tmp_path: Path) -> None:
    """Inode, time and size say that nothing changed."""
    put(tmp_path, "facts/a.md")
    first = look(tmp_path)
    assert first.changed == {"facts/a.md"}
    disk = Counting(now=OLD + 10**12)
    second = scan(disk, tmp_path, first.files)
    assert second.changed == frozenset()
    assert second.files["facts/a.md"] is first.files["facts/a.md"]
    assert "read" not in disk.seen


def test_only_the_changed_file_is_read(tmp_path: Path) -> None:
    """The other one keeps its very object."""
    put(tmp_path, "facts/a.md")
    put(tmp_path, "facts/b.md")
    first = look(tmp_path)
    put(tmp_path, "facts/b.md", entry("other words"), age=OLD + 10**9)
    disk = Counting(now=OLD + 10**12)
    second = scan(disk, tmp_path, first.files)
    assert disk.reads == ["b.md"]
    assert second.changed == {"facts/b.md"}
    assert second.memories["facts/b.md"].statement == "other words"
    assert second.memories["facts/a.md"] is first.memories["facts/a.md"]


def test_a_young_file_is_compared_by_its_bytes(tmp_path: Path) -> None:
    """Within two seconds the same signature may hide another text (`storage.md` §6)."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path, now=OLD + 10**9)
    put(tmp_path, "facts/a.md", entry("two"))
    second = look(tmp_path, first.files, now=OLD + 10**9)
    assert second.memories["facts/a.md"].statement == "two"
    third = look(tmp_path, second.files)
    assert third.changed == frozenset()
    assert third.files["facts/a.md"].trusted


def test_a_file_that_cannot_be_read_keeps_its_last_version(tmp_path: Path) -> None:
    """And is tried again at the next look."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", entry("two"), age=OLD + 10**9)
    broken = scan(
        FaultyDisk(at=0, error=errno.EACCES, calls=frozenset({"read"}), now=OLD + 10**12), tmp_path, first.files
    )
    assert broken.memories["facts/a.md"].statement == "one"
    assert "permission denied" in broken.problems[0].message
    assert look(tmp_path, broken.files).memories["facts/a.md"].statement == "two"
    assert look(tmp_path, broken.files).problems == ()


@pytest.mark.parametrize("data", [b"", HALF, b"---\n", b"---"])
def test_a_half_written_file_keeps_its_last_version(tmp_path: Path, data: bytes) -> None:
    """Never shown, never taken for a deletion; the next look sees the rest (`storage.md` §6)."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", data, age=OLD + 10**12)
    second = look(tmp_path, first.files)
    assert second.memories["facts/a.md"].statement == "one"
    assert (second.unsettled, second.changed) == (("facts/a.md",), frozenset())
    put(tmp_path, "facts/a.md", entry("two"), age=OLD + 10**12)
    third = look(tmp_path, second.files, now=OLD + 2 * 10**12)
    assert third.memories["facts/a.md"].statement == "two"
    assert (third.problems, third.unsettled) == ((), ())


def test_a_file_that_was_cut_and_put_back_has_no_problem_left(tmp_path: Path) -> None:
    """The old bytes are the old memory."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", b"", age=OLD + 10**9)
    second = look(tmp_path, first.files)
    assert [problem.path for problem in second.problems] == ["facts/a.md"]
    assert second.unsettled == ()
    put(tmp_path, "facts/a.md", entry("one"), age=OLD + 2 * 10**9)
    assert look(tmp_path, second.files).problems == ()


def test_a_file_of_this_very_moment_is_looked_at_again(tmp_path: Path) -> None:
    """Within 50 ms a whole-looking file may still be growing."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", entry("two"), age=OLD + 10**12)
    second = look(tmp_path, first.files, now=OLD + 10**12 + 10**7)
    assert (second.unsettled, second.memories["facts/a.md"].statement) == (("facts/a.md",), "one")
    assert look(tmp_path, second.files, now=OLD + 10**12 + 10**8).memories["facts/a.md"].statement == "two"


def test_settling_waits_for_the_writer(tmp_path: Path) -> None:
    """Three tries, 50 ms apart, and `changed` of all of them."""
    put(tmp_path, "facts/a.md", entry("one"))
    put(tmp_path, "facts/b.md", entry("b"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", HALF, age=OLD + 10**12)
    put(tmp_path, "facts/b.md", entry("new b"), age=OLD + 10**9)
    waits: list[float] = []

    def finish(seconds: float) -> None:
        waits.append(seconds)
        put(tmp_path, "facts/a.md", entry("two"), age=OLD)

    found = settled(Counting(now=OLD + 10**12), tmp_path, first.files, wait=finish)
    assert waits == [0.05]
    assert found.changed == {"facts/a.md", "facts/b.md"}
    assert found.memories["facts/a.md"].statement == "two"


def test_settling_gives_up_on_a_file_that_stays_half(tmp_path: Path) -> None:
    """Two waits, then its last version stands and the problem is told."""
    put(tmp_path, "facts/a.md", entry("one"))
    first = look(tmp_path)
    put(tmp_path, "facts/a.md", HALF, age=OLD + 10**12)
    waits: list[float] = []
    found = settled(Counting(now=OLD + 10**12), tmp_path, first.files, wait=waits.append)
    assert len(waits) == 2
    assert found.memories["facts/a.md"].statement == "one"
    assert [problem.path for problem in found.problems] == ["facts/a.md"]


def test_a_file_is_gone_after_two_looks(tmp_path: Path) -> None:
    """Editors that save by renaming leave a gap (`storage.md` §6)."""
    put(tmp_path, "facts/a.md")
    first = look(tmp_path)
    (tmp_path / "facts/a.md").unlink()
    second = look(tmp_path, first.files)
    assert (set(second.memories), second.unsettled, second.gone) == ({"facts/a.md"}, ("facts/a.md",), frozenset())
    third = look(tmp_path, second.files)
    assert (dict(third.memories), third.gone, third.files) == ({}, {"facts/a.md"}, {})


def test_a_file_that_comes_back_was_never_away(tmp_path: Path) -> None:
    """Nothing is reported but its new words."""
    put(tmp_path, "facts/a.md")
    first = look(tmp_path)
    (tmp_path / "facts/a.md").unlink()
    second = look(tmp_path, first.files)
    put(tmp_path, "facts/a.md", entry("back"), age=OLD + 10**9)
    third = look(tmp_path, second.files)
    assert (third.gone, third.changed, third.unsettled) == (frozenset(), {"facts/a.md"}, ())
    assert third.files["facts/a.md"].missed == 0


def test_a_file_moved_by_another_program_is_gone_at_once(tmp_path: Path) -> None:
    """Its bytes turned up elsewhere: forgotten by the yotta engine, it keeps its id."""
    put(tmp_path, "facts/a.md")
    first = look(tmp_path)
    target = tmp_path / ".trash" / STAMP / "facts" / "a.md"
    target.parent.mkdir(parents=True)
    (tmp_path / "facts/a.md").rename(target)
    second = look(tmp_path, first.files)
    assert second.gone == {"facts/a.md"}
    assert [(m.id, m.state) for m in second.memories.values()] == [("facts/a.md", "trashed")]


def test_a_folder_that_cannot_be_listed_loses_nothing(tmp_path: Path) -> None:
    """What was known below it stays, and the folder is told."""
    put(tmp_path, "facts/a.md")
    put(tmp_path, "private/aria/prefs/b.md")
    first = look(tmp_path)
    disk = FaultyDisk(at=1, error=errno.EACCES, calls=frozenset({"scandir"}), now=OLD + 10**12)
    found = scan(disk, tmp_path, first.files)
    assert set(found.memories) == {"facts/a.md", "private/aria/prefs/b.md"}
    assert [problem.path for problem in found.problems] == ["facts"]
    assert found.gone == frozenset()


def test_a_root_that_is_away_is_an_error_and_not_an_empty_bank(tmp_path: Path) -> None:
    """A disk that is not connected deletes nothing."""
    put(tmp_path, "bank/facts/a.md")
    first = look(tmp_path / "bank")
    shutil.rmtree(tmp_path / "bank")
    with pytest.raises(StorageFailure, match="not there"):
        look(tmp_path / "bank", first.files)


def test_files_that_arrive_later_stand_behind_and_are_dealt_anew_when_asked(tmp_path: Path) -> None:
    """No memory in hand changes its place while one works."""
    for name in "bd":
        put(tmp_path, f"facts/{name}.md")
    first = look(tmp_path)
    for name in "ca":
        put(tmp_path, f"facts/{name}.md")
    ordinals = {path[6]: memory.ordinal for path, memory in look(tmp_path, first.files).memories.items()}
    assert ordinals == {"b": 0, "d": 1, "a": 2, "c": 3}
    ordinals = {path[6]: memory.ordinal for path, memory in look(tmp_path, first.files, order=()).memories.items()}
    assert ordinals == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_a_warm_open_from_the_cache_reads_no_file(tmp_path: Path) -> None:
    """And is the same scan."""
    shutil.copytree(SAMPLE, tmp_path / "bank")
    put(tmp_path, "bank/facts/bad.md", b"\0")
    first = look(tmp_path / "bank", now=OLD * 2)
    cached = from_cache(to_cache(first.files))
    assert cached == dict(first.files)
    disk = Counting(now=OLD * 2)
    again = scan(disk, tmp_path / "bank", cached, order=())
    assert again == replace(first, changed=frozenset())
    assert "read" not in disk.seen


@given(st.data())
def test_fuzz_a_damaged_cache_is_no_cache(data: st.DataObject) -> None:
    """Any flipped byte or cut is noticed."""
    block = to_cache(scan(Disk(), SAMPLE).files)
    at = data.draw(st.integers(0, len(block) - 1))
    flip = data.draw(st.integers(1, 255))
    assert from_cache(block[:at] + bytes([block[at] ^ flip]) + block[at + 1 :]) is None
    assert from_cache(block[:at]) is None


def test_a_cache_of_another_version_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another shape of memory is parsed anew."""
    block = to_cache(scan(Disk(), SAMPLE).files)
    monkeypatch.setattr("store.vault.cache.VERSION", "vault-cache 0")
    assert from_cache(block) is None
