"""What memories are called: one name, one memory."""

from __future__ import annotations

import pytest

from store.called import called


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("facts/2026/11/2026-11-30-0001.md", "FACT 2026-11-30-0001"),
        ("private/ana/prefs/2026/11/2026-11-30-0001.md", "PREF 2026-11-30-0001 of ana"),
        ("private/bo/prefs/2026/11/2026-11-30-0001.md", "PREF 2026-11-30-0001 of bo"),
        ("private/ana/bounds/2026/11/2026-11-30-0001.md", "BOUND 2026-11-30-0001 of ana"),
        ("private/ana/commits/2026/11/2026-11-30-12345.md", "COMMIT 2026-11-30-12345 of ana"),
    ],
)
def test_a_memory_is_called_by_type_file_name_and_owner(id: str, name: str) -> None:
    assert called(id) == name


@pytest.mark.parametrize(
    "id",
    [
        "facts/2026-11-30-0001.md",
        "facts/2026/12/2026-11-30-0001.md",
        "facts/notes/tea.md",
        "facts/2026/11/2026-11-30-0001.2.md",
        "private/ana/facts/2026/11/2026-11-30-0001.md",
        "prefs/2026/11/2026-11-30-0001.md",
        "private/ana/prefs/old/2026/11/2026-11-30-0001.md",
        "settings/rules/tea.md",
    ],
)
def test_a_file_in_an_unusual_place_is_called_by_its_path(id: str) -> None:
    assert called(id) == id
