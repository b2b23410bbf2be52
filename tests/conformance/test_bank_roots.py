"""Bank cases: roots (`spec/bank.md` §1)."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from pipeline.recall.engines.yotta import recall
from store.roots import default_root, read_set
from store.view import View
from tests.conformance.memories import TODAY, make


def test_yb_001_the_user_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First <v1>, then <v2>, then ~/.yottamemory."""
    home = Path.home() / ".yottamemory"
    home.mkdir()
    config = home / "config.json"
    config.write_text(json.dumps({"memory_home": str(tmp_path / "v2")}))
    monkeypatch.setenv("YOTTA_MEMORY_HOME", str(tmp_path / "v1"))
    assert default_root().path == tmp_path / "v1"
    monkeypatch.delenv("YOTTA_MEMORY_HOME")
    assert default_root().path == tmp_path / "v2"
    config.write_text("{}")
    assert default_root().path == home


def test_yb_002_one_bank_named_twice_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The read set is de-duplicated by absolute path."""
    bank = tmp_path / ".yottamemory"
    bank.mkdir()
    monkeypatch.setenv("YOTTA_MEMORY_HOME", str(tmp_path / "." / ".yottamemory"))
    assert read_set(default_root().path, tmp_path) == (bank,)


def test_yb_003_equal_memories_of_two_banks_stand_project_first() -> None:
    """Two hits with equal final scores; the project one is listed first."""
    user, project = (
        make("port", "use 8081", id=f"{name}:facts/2026/10/2026-10-12-0001.md") for name in ("user", "project")
    )
    hits = recall(View.of([user, project]), "port", today=date.fromisoformat(TODAY)).hits
    assert [hit.memory.id.split(":")[0] for hit in hits] == ["project", "user"]
    assert hits[0].final == hits[1].final
