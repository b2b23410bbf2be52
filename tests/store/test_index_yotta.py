"""`index.json` beside the yotta engine: what is written, what is believed, and who holds the lock."""

from __future__ import annotations

import json
import os
import shutil
import socket
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import Busy, StorageFailure
from store.index.lock import LOCK_NAME, index_lock
from store.index.yotta import has_index, index_entry, index_files, read_entries, read_order, write_index
from store.memory import Memory
from store.vault.disk import Disk
from tests.conformance.memories import TODAY, make, worked_vault

DAY = date.fromisoformat(TODAY)


def test_the_worked_vaults_entry_is_written_as_published(tmp_path: Path) -> None:
    """The element of `entries` printed in `spec/bank.md` §24, keys in their order."""
    write_index(tmp_path, worked_vault().live, DAY)
    document = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))
    assert list(document) == ["version", "updated", "entries"]
    assert (document["version"], document["updated"], len(document["entries"])) == (4, TODAY, 8)
    (entry,) = [entry for entry in document["entries"] if entry["subject"] == "备份"]
    published = {
        "file": "facts/2026/09/2026-09-03-0002.md",
        "type": "FACT",
        "scope": "public",
        "owner": "lan",
        "subject": "备份",
        "statement": "每周演练",
        "tags": [],
        "confidence": 1,
        "created": "2026-09-03",
        "updated": "2026-10-06",
        "access_count": 3,
        "last_accessed": "2026-10-11",
        "immutable": False,
        "source": "对话",
        "weight": 1.2,
        "feedback_net": 1,
        "hit_days": "s2026-10-11:1|u2026-10-06:1|s2026-09-18:2",
        "hit_queries": "q70e372ab:2|q9fcfba97:1",
        "tokens": {"备份": 3, "每周": 1, "周演": 1, "演练": 1}
        | dict.fromkeys(["py:beifen", "py:fenmei", "py:meizhou", "py:zhouyan", "py:yanlian"], 0.4)
        | dict.fromkeys(["pyi:bf", "pyi:fm", "pyi:mz", "pyi:zy", "pyi:yl"], 0.4),
    }
    assert json.dumps(entry) == json.dumps(published)


def test_whole_numbers_are_written_without_a_fraction_and_lines_are_indented_by_two() -> None:
    text = index_files([make("port", "8081", weight=1.0, confidence=0.95, tags=("net",))], DAY)["index.json"].decode()
    assert '\n      "weight": 1,\n' in text
    assert '\n      "confidence": 0.95,\n' in text
    assert '\n      "tags": [\n        "net"\n      ],\n' in text


def test_a_private_file_never_becomes_public_through_the_index() -> None:
    entry = index_entry(make("tea", type="PREF", owner="lan", id="x"))
    leaked = Memory("x", "private/lan/prefs/2026-10-12-0001.md", "", scope="public", owner="")
    assert (index_entry(leaked)["scope"], index_entry(leaked)["owner"]) == ("private", "lan")
    assert (entry["scope"], entry["owner"]) == ("private", "lan")


def test_private_memories_stay_out_of_the_index_of_an_encrypted_bank(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    write_index(tmp_path, worked_vault().live, DAY)
    assert all(path.startswith("facts/") for path in read_order(tmp_path) or ["none"])


def test_text_that_no_utf8_can_hold_does_not_stop_the_index() -> None:
    (name,) = index_files([make("a\ud800b", "text")], DAY)
    assert json.loads(index_files([make("a\ud800b", "text")], DAY)[name])["entries"][0]["subject"] == "a?b"


def test_writing_the_same_index_again_touches_no_file(tmp_path: Path) -> None:
    memories = [make("port", "8081")]
    write_index(tmp_path, memories, DAY)
    before = (tmp_path / "index.json").stat()
    write_index(tmp_path, memories, DAY)
    after = (tmp_path / "index.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_falling_below_the_limit_joins_the_shards_again(tmp_path: Path) -> None:
    memories = [make("x", created=f"{2020 + number % 3}-05-01") for number in range(5001)]
    write_index(tmp_path, memories, DAY)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "index-2020.json",
        "index-2021.json",
        "index-2022.json",
        "index.json",
    ]
    assert sorted(read_order(tmp_path) or []) == sorted(memory.path for memory in memories)
    write_index(tmp_path, memories[:5000], DAY)
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]
    assert read_order(tmp_path) == [memory.path for memory in memories[:5000]]


def test_memories_without_a_date_go_into_this_years_shard() -> None:
    memories = [make("x", created="") for _ in range(5001)]
    assert list(index_files(memories, DAY)) == ["index-2026.json", "index.json"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "4",
        '{"version":3,"entries":[{"file":"facts/a.md"}]}',
        '{"version":"4","entries":[]}',
        '{"entries":[]}',
        "\ud800",
    ],
)
def test_a_damaged_or_old_index_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    assert has_index(tmp_path)
    assert (read_entries(tmp_path), read_order(tmp_path)) == (None, None)


def test_no_index_counts_as_none(tmp_path: Path) -> None:
    assert (has_index(tmp_path), read_order(tmp_path)) == (False, None)


def test_a_missing_shard_and_odd_entries_are_passed_over(tmp_path: Path) -> None:
    manifest = {"version": 4, "shards": ["index-2024.json", "index-2025.json", 7]}
    (tmp_path / "index.json").write_text(json.dumps(manifest))
    entries = [{"file": "facts/a.md"}, "odd", {"file": 3}, {"file": "facts/a.md"}, {"file": "facts/b.md"}]
    (tmp_path / "index-2025.json").write_text(json.dumps({"version": 4, "year": 2025, "entries": entries}))
    assert read_order(tmp_path) == ["facts/a.md", "facts/b.md"]


def test_a_held_lock_is_respected_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(Busy, match="Another program is writing the index"), index_lock(tmp_path, wait=0):
        raise AssertionError("the lock was given twice")
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]


def aged(lock: Path, seconds: int, owner: dict[str, Any] | None) -> None:
    lock.mkdir()
    if owner is not None:
        (lock / "owner.json").write_text(json.dumps(owner))
    then = lock.stat().st_mtime - seconds
    os.utime(lock, (then, then))


@pytest.mark.parametrize("owner", [None, {"pid": 2**22 + 17, "host": socket.gethostname()}, {"odd": 1}])
def test_a_lock_that_nobody_holds_is_taken_after_ten_seconds(tmp_path: Path, owner: dict[str, Any] | None) -> None:
    aged(tmp_path / LOCK_NAME, 11, owner)
    with index_lock(tmp_path):
        assert json.loads((tmp_path / LOCK_NAME / "owner.json").read_bytes())["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_an_old_lock_of_a_running_program_is_not_taken(tmp_path: Path) -> None:
    aged(tmp_path / LOCK_NAME, 60, {"pid": os.getpid(), "host": socket.gethostname()})
    with pytest.raises(Busy), index_lock(tmp_path, wait=0):
        raise AssertionError("the lock was given twice")


class FullDisk(Disk):
    """A disk that is full from the first byte."""

    def write(self, handle: int, data: memoryview) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_old_index_and_no_lock(tmp_path: Path) -> None:
    write_index(tmp_path, [make("port", "8081")], DAY)
    before = (tmp_path / "index.json").read_bytes()
    with pytest.raises(StorageFailure, match="no space left"):
        write_index(tmp_path, [make("port", "9000")], DAY, disk=FullDisk())
    assert [path.name for path in tmp_path.iterdir()] == ["index.json"]
    assert (tmp_path / "index.json").read_bytes() == before


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailure, match="cannot be locked"):
        write_index(tmp_path / "gone", [make("port")], DAY)


TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT, st.lists(TEXT, max_size=2)), max_size=6))
def test_property_what_is_written_is_read_back(tmp_path: Path, texts: list[tuple[str, str, list[str]]]) -> None:
    root = tmp_path / "bank"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    memories = [make(subject, statement, tags=tuple(tags)) for subject, statement, tags in texts]
    write_index(root, memories, DAY)
    assert read_entries(root) == [index_entry(memory) for memory in memories]
