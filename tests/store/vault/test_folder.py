"""What a folder looks like before it is opened."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from store.vault.folder import agents_folder, is_bank, looks_like
from tests.store.vault.faulty import FaultyDisk


@pytest.mark.parametrize("name", ["facts", "private", "keys"])
def test_one_folder_of_a_bank_makes_a_bank(tmp_path: Path, name: str) -> None:
    """`spec/bank.md` §1.6."""
    assert not is_bank(tmp_path)
    (tmp_path / name).mkdir()
    assert is_bank(tmp_path)


def test_an_index_makes_a_bank(tmp_path: Path) -> None:
    """`spec/bank.md` §1.6."""
    (tmp_path / "index.json").write_text("{}")
    assert is_bank(tmp_path)
    assert not is_bank(tmp_path / "absent")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "is empty; make a bank in it"),
        (["MEMORY.md"], "Claude auto-memory"),
        (["MEMORY.md", "USER.md"], "an agent's memory folder"),
        (["MEMORY.md", "memory_summary.md"], "Codex's memory folder"),
        ([".git/"], "git repository without a bank"),
        ([".git/", ".yottamemory/"], "holds a bank in .yottamemory"),
        ([".obsidian/"], "folder of notes"),
        (["a.txt"], "holds one thing but no bank"),
        (["a.txt", "b.txt"], "holds 2 things but no bank"),
    ],
)
def test_a_folder_that_is_no_bank_is_described(tmp_path: Path, names: list[str], words: str) -> None:
    """One sentence: what it looks like and what can be done."""
    for name in names:
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).write_text("x")
    found = looks_like(tmp_path)
    assert words in found
    assert str(tmp_path) in found
    assert found.endswith((".", "instead."))


def test_a_missing_path_a_file_and_a_closed_folder_are_told_apart(tmp_path: Path) -> None:
    """Each has its own way out."""
    (tmp_path / "x").write_text("x")
    assert "is not there" in looks_like(tmp_path / "absent")
    assert "is a file, not a folder" in looks_like(tmp_path / "x")
    assert "permission denied" in looks_like(tmp_path, FaultyDisk(at=0, error=errno.EACCES))
    assert is_bank(tmp_path, FaultyDisk(at=0, error=errno.EACCES)) is False


def test_a_folder_that_may_not_be_looked_into_is_told(tmp_path: Path) -> None:
    """Neither there nor away: the parent is closed to us."""
    words = looks_like(tmp_path / "a" / "bank", FaultyDisk(at=0, error=errno.EACCES))
    assert "permission denied" in words
    assert words.count("\n") == 0


def test_a_folder_of_an_agent_is_known_and_any_other_is_not(tmp_path: Path) -> None:
    assert agents_folder(tmp_path) == agents_folder(tmp_path / "absent") == ""
    (tmp_path / "memory_summary.md").touch()
    assert agents_folder(tmp_path) == looks_like(tmp_path)
