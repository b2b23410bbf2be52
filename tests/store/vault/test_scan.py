"""Looking at a bank for the first time: what is read in which order, and one bad file harms nobody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.vault.disk import Disk
from store.vault.scan import scan
from tests.store.vault.looking import HALF, SAMPLE, STAMP, entry, look, put


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
