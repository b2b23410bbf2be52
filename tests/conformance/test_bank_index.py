"""Bank cases: the parts of index that need no bank (`spec/bank.md` §8)."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from store.index.yotta import read_entries, read_order, write_index
from tests.conformance.memories import TODAY, make

DAY = date.fromisoformat(TODAY)


def entry_file(year: int, name: str = "") -> dict[str, object]:
    return {"version": 4, "year": year, "entries": [{"file": name or f"facts/{year}.md", "created": f"{year}-01-01"}]}


def test_yb_031_more_than_5000_memories_are_split_by_year(tmp_path: Path) -> None:
    """index.json has shards, count 5001, no entries key; each shard has version 4, numeric year and its entries."""
    memories = [make("x", created="2024-05-01") for _ in range(2000)] + [make("x") for _ in range(3001)]
    write_index(tmp_path, memories, DAY)
    manifest = json.loads((tmp_path / "index.json").read_bytes())
    assert list(manifest.items()) == [
        ("version", 4),
        ("updated", TODAY),
        ("shards", ["index-2024.json", "index-2026.json"]),
        ("count", 5001),
    ]
    for year, count in ((2024, 2000), (2026, 3001)):
        shard = json.loads((tmp_path / f"index-{year}.json").read_bytes())
        assert (list(shard), shard["version"], shard["year"]) == (["version", "year", "entries"], 4, year)
        assert len(shard["entries"]) == count


def test_yb_032_only_the_asked_years_are_read(tmp_path: Path) -> None:
    """One entry (2025); only index.json and index-2025.json are read."""
    shards = [f"index-{year}.json" for year in (2024, 2025, 2026)]
    (tmp_path / "index.json").write_text(json.dumps({"version": 4, "shards": shards, "count": 3}))
    (tmp_path / "index-2024.json").mkdir()
    (tmp_path / "index-2025.json").write_text(json.dumps(entry_file(2025)))
    (tmp_path / "index-2026.json").mkdir()
    assert [entry["file"] for entry in read_entries(tmp_path, [2025]) or []] == ["facts/2025.md"]


def test_yb_033_a_shard_outside_the_bank_is_never_read(tmp_path: Path) -> None:
    """Only index-2026.json is read."""
    root = tmp_path / "bank"
    root.mkdir()
    (root / "index.json").write_text(json.dumps({"version": 4, "shards": ["index-2026.json", "../evil.json"]}))
    (root / "index-2026.json").write_text(json.dumps(entry_file(2026)))
    (tmp_path / "evil.json").write_text(json.dumps(entry_file(2026, "facts/evil.md")))
    assert read_order(root) == ["facts/2026.md"]
