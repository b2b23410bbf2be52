"""Links inside a bank: what a link leads to is one memory, wherever else it can be reached from."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.vault.disk import Disk
from store.vault.walk import walk

DISK = Disk()


def put(bank: Path, *paths: str) -> None:
    for path in paths:
        (bank / path).parent.mkdir(parents=True, exist_ok=True)
        (bank / path).write_text("---\ntype: FACT\n---\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("facts/2025", "2026"),
        ("facts/zz", "2026"),
        ("facts/2026/11/again", "../11"),
        ("facts/2026/all", "../../private"),
        ("private/bo", "ana"),
        ("private/ana/commits", "prefs"),
        (".archive/facts", "../facts"),
        (".trash/old", "../facts/2026"),
    ],
)
def test_a_link_to_a_folder_of_the_bank_does_not_list_its_memories_twice(
    tmp_path: Path, link: str, target: str
) -> None:
    """Whichever of the two names comes first."""
    paths = ["facts/2026/11/a.md", "private/ana/prefs/b.md"]
    put(tmp_path, *paths)
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(target)
    found = walk(DISK, tmp_path)
    assert list(found.files) == paths
    assert found.problems == []


def test_a_folder_beside_the_layout_is_listed_once_through_the_first_of_its_links(tmp_path: Path) -> None:
    put(tmp_path, "facts/a.md", "both/b.md", "both/deep/c.md")
    (tmp_path / "facts" / "one").symlink_to("../both")
    (tmp_path / "facts" / "two").symlink_to("../both")
    (tmp_path / "both" / "loop").symlink_to(".")
    (tmp_path / "both" / "deep" / "back").symlink_to("../../facts")
    assert list(walk(DISK, tmp_path).files) == ["facts/a.md", "facts/one/b.md", "facts/one/deep/c.md"]


def test_a_bank_that_is_itself_reached_through_a_link_knows_its_folders(tmp_path: Path) -> None:
    put(tmp_path, "real/facts/2026/a.md")
    (tmp_path / "real" / "facts" / "2025").symlink_to("2026")
    (tmp_path / "bank").symlink_to("real")
    assert list(walk(DISK, tmp_path / "bank").files) == ["facts/2026/a.md"]


def test_the_facts_may_lie_in_another_folder_of_the_bank(tmp_path: Path) -> None:
    put(tmp_path, "data/a.md", "data/2026/b.md")
    (tmp_path / "facts").symlink_to("data")
    (tmp_path / "data" / "again").symlink_to("2026")
    assert list(walk(DISK, tmp_path).files) == ["facts/2026/b.md", "facts/a.md"]
