"""Looking at a bank: only what changed is read, one bad file harms nobody, nothing half written is believed."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import StorageFailure
from store.vault.cache import from_cache, to_cache
from store.vault.disk import Disk, Name
from store.vault.scan import Scan, Seen, scan, settled
from tests.store.vault.faulty import FaultyDisk

SAMPLE = Path(__file__).parents[2] / "data" / "yotta-vault" / "vault"
OLD = 1_700_000_000_000_000_000
"""A modification time long ago, ns."""
STAMP = "2026-10-08T06-12-44-310Z"
HALF = b"---\ntype: FACT\nstatement: hal"


class Counting(FaultyDisk):
    """Counts the files that are read."""

    def read(self, path: Name) -> bytes:
        self.reads = [*getattr(self, "reads", []), Path(path).name]
        return super().read(path)


def entry(statement: str, owner: str = "aria") -> bytes:
    return f"---\ntype: FACT\nstatement: {statement}\nowner: {owner}\n---\n{statement}\n".encode()


def put(root: Path, path: str, data: bytes | None = None, age: int = OLD) -> str:
    """Write a file whose modification time is `age`."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(entry(path) if data is None else data)
    os.utime(target, ns=(age, age))
    return path


def look(root: Path, previous: Mapping[str, Seen] | None = None, now: int = OLD + 10**12, **rest: object) -> Scan:
    return scan(Counting(now=now), root, previous, **rest)  # type: ignore[arg-type]


def test_the_worked_vault_is_read_whole() -> None:
    """Eight live entries in path order and one archived; profile, readme and registries are none (§24)."""
    found = scan(Disk(), SAMPLE)
    live = sorted((m for m in found.memories.values() if m.state == "live"), key=lambda m: m.ordinal)
    assert [memory.id for memory in live] == [
        "facts/2026-08-30-0001.md",
        "facts/2026/09/2026-09-03-0002.md",
        "facts/2026/10/2026-10-11-0003.md",
        "private/aria/bounds/2026/09/2026-09-05-0001.md",
        "private/aria/commits/2026/10/2026-10-10-0001.md",
        "private/aria/prefs/2026-09-01-0001.md",
        "private/aria/prefs/2026/09/2026-09-05-0002.md",
        "private/lan/prefs/2026/10/2026-10-02-0001.md",
    ]
    assert [m.path for m in found.memories.values() if m.state == "archived"] == [
        ".archive/facts/2025/01/2025-01-14-0001.md"
    ]
    assert (found.problems, found.twins, found.encrypted) == ((), (), 0)


def test_the_walk_goes_facts_first_then_each_owner_by_type(tmp_path: Path) -> None:
    """`spec/bank.md` §2.3; archive and trash come last, other folders not at all."""
    for path in (
        "private/lan/prefs/c.md",
        "private/aria/commits/b.md",
        "private/aria/prefs/2026/10/a.md",
        "private/aria/profile.md",
        "private/aria/distills/d.md",
        "facts/distills/z.md",
        "facts/a.txt",
        "settings/persona.md",
        ".archive/facts/x.md",
        ".archive/prefs/y.md",
        f".trash/{STAMP}/private/lan/prefs/w.md",
        ".trash/note.md",
    ):
        put(tmp_path, path)
    assert list(look(tmp_path).files) == [
        "facts/distills/z.md",
        "private/aria/prefs/2026/10/a.md",
        "private/aria/commits/b.md",
        "private/lan/prefs/c.md",
        ".archive/facts/x.md",
        ".archive/prefs/y.md",
        f".trash/{STAMP}/private/lan/prefs/w.md",
    ]


def test_state_and_id_follow_from_the_place(tmp_path: Path) -> None:
    """An id is where a memory was made; the trash knows when it was forgotten."""
    path = put(tmp_path, f".trash/{STAMP}/private/lan/prefs/w.md")
    memory = look(tmp_path).memories["private/lan/prefs/w.md"]
    assert (memory.path, memory.state, memory.trashed_at) == (path, "trashed", "2026-10-08T06:12:44.310Z")
    assert (memory.owner, memory.scope) == ("lan", "private")


def test_ids_stay_unique_when_a_name_was_given_twice(tmp_path: Path) -> None:
    """Live wins over archive over the newest trash; the others are named by where they lie."""
    older = put(tmp_path, f".trash/{STAMP}/facts/x.md")
    newer = put(tmp_path, ".trash/2026-10-09T06-12-44-310Z/facts/x.md")
    archived = put(tmp_path, ".archive/facts/x.md")
    assert {m.id: m.path for m in look(tmp_path).memories.values()} == {
        "facts/x.md": archived,
        newer: newer,
        older: older,
    }
    (tmp_path / archived).unlink()
    assert {m.id: m.path for m in look(tmp_path).memories.values()} == {"facts/x.md": newer, older: older}
    live = put(tmp_path, "facts/x.md")
    assert look(tmp_path).memories["facts/x.md"].path == live


def test_a_renamed_file_keeps_the_id_that_the_ledger_knows(tmp_path: Path) -> None:
    """`ids` names it."""
    put(tmp_path, "facts/new.md")
    assert look(tmp_path, ids={"facts/new.md": "facts/old.md"}).memories["facts/old.md"].path == "facts/new.md"


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


def test_bad_files_are_problems_and_the_rest_is_there(tmp_path: Path) -> None:
    """No file can keep a bank from opening."""
    put(tmp_path, "facts/binary.md", b"\0" * 20)
    put(tmp_path, "facts/empty.md", b"")
    put(tmp_path, "facts/good.md")
    put(tmp_path, "facts/half.md", HALF)
    put(tmp_path, "facts/huge.md", b"---\nx: " + b"y" * 70_000 + b"\n---\n")
    put(tmp_path, "private/lan/prefs/2026-01-01-0001.md.enc", b"\x01\x02")
    os.mkfifo(tmp_path / "facts" / "pipe.md")
    found = look(tmp_path)
    assert {problem.path: problem.message for problem in found.problems} == {
        "facts/binary.md": "The file is not text (it holds zero bytes); restore it from a backup, or move it away.",
        "facts/empty.md": "The file is empty; restore it from the history or move it away.",
        "facts/half.md": "The front matter is never closed; add a line --- after it.",
        "facts/huge.md": "The front matter is longer than 64 KiB; move the long text below the closing ---.",
        "private/lan/prefs/2026-01-01-0001.md.enc": "The file is encrypted and cannot be read here.",
    }
    assert set(found.memories) == {"facts/good.md", "facts/half.md"}
    assert found.encrypted == 1
    assert look(tmp_path, found.files).problems == found.problems


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


def test_links_out_of_the_bank_are_not_followed(tmp_path: Path) -> None:
    """Neither files nor folders; links inside are, and circles end."""
    put(tmp_path, "outside/secret.md", entry("secret"))
    bank = tmp_path / "bank"
    put(bank, "facts/a.md")
    (bank / "facts" / "leak.md").symlink_to(tmp_path / "outside" / "secret.md")
    (bank / "facts" / "out").symlink_to(tmp_path / "outside")
    (bank / "facts" / "dangling.md").symlink_to("nowhere.md")
    (bank / "facts" / "inside.md").symlink_to("a.md")
    (bank / "facts" / "loop").symlink_to(".")
    found = look(bank)
    assert "secret" not in {memory.statement for memory in found.memories.values()}
    assert "facts/inside.md" in found.memories
    assert set(found.memories) == {"facts/a.md", "facts/inside.md"}
    told = {problem.path for problem in found.problems}
    assert {"facts/leak.md", "facts/out"} <= told


@pytest.mark.parametrize(
    "link", ["facts", "private", "private/aria", "private/aria/prefs", ".archive", ".trash", f".trash/{STAMP}"]
)
def test_no_folder_of_the_layout_may_be_a_link_out_of_the_bank(tmp_path: Path, link: str) -> None:
    """The link is told, and nothing behind it is read."""
    for path in ("x.md", "aria/prefs/x.md", "prefs/x.md", "facts/x.md", "private/aria/prefs/x.md", "s/facts/x.md"):
        put(tmp_path, f"outside/{path}")
    bank = tmp_path / "bank"
    (bank / link).parent.mkdir(parents=True)
    (bank / link).symlink_to(tmp_path / "outside")
    found = look(bank)
    assert dict(found.files) == {}
    assert [problem.path for problem in found.problems] == [link]


def test_names_that_are_no_text_are_told_and_left_alone(tmp_path: Path) -> None:
    """They could not be named in a journal."""
    put(tmp_path, "facts/a.md")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/facts/caf\xe9.md")).write_bytes(entry("x"))
    except OSError:
        return
    found = look(tmp_path)
    assert set(found.memories) == {"facts/a.md"}
    assert [problem.path for problem in found.problems] == ["facts"]


def test_the_shallower_copy_of_a_duplicate_is_no_second_memory(tmp_path: Path) -> None:
    """Equal but for line ends (`spec/bank.md` §2.6); no problem is raised."""
    flat, deep = "facts/2026-09-25-0004.md", "facts/2026/09/2026-09-25-0004.md"
    put(tmp_path, flat, entry("same").replace(b"\n", b"\r\n"))
    put(tmp_path, deep, entry("same"))
    found = look(tmp_path)
    assert set(found.memories) == {deep}
    assert [(twins.state, twins.kept) for twins in found.twins] == [("duplicate", (deep,))]
    assert found.problems == ()


def test_original_order_is_the_index_then_paths(tmp_path: Path) -> None:
    """`decisions.md` §3.6; names of the index that are not there do not count."""
    for name in "dcba":
        put(tmp_path, f"facts/{name}.md")
    found = look(tmp_path, order=["facts/c.md", "facts/gone.md", "facts/a.md", "facts/c.md"])
    live = sorted(found.memories.values(), key=lambda memory: memory.ordinal)
    assert [memory.id[6] for memory in live] == ["c", "a", "b", "d"]
    assert [memory.ordinal for memory in live] == [0, 1, 2, 3]


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
