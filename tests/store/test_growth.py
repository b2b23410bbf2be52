"""The cost of a change does not grow with the bank: counted in calls and bytes, not in time (`storage.md` §9.8)."""

from __future__ import annotations

from pathlib import Path

from store.changes import PutMemory, PutRow
from tests.store.world import Counting, again, approve, make, put


def costs(base: Path, size: int, rows: int) -> list[dict[str, int]]:
    """Calls by kind, and bytes, of an approval, an edit, a record and an undo in a bank of that size."""
    bank = make(base)
    for n in range(size):
        path = bank.path / f"facts/{2000 + n // 1000}/01/{2000 + n // 1000}-01-01-{n % 1000 + 1:04d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntype: FACT\nsubject: s{n}\nstatement: statement {n}\n---\nstatement {n}\n")
    disk = Counting()
    bank = again(base, disk=disk)
    bank.record([PutRow("gaps", f"g{n}", {"state": "open", "quote": f"words {n}"}) for n in range(rows)])
    approve(bank, "before")
    found = []
    id = next(iter(bank.view().memories))
    for work in (
        lambda: approve(bank, "measured"),
        lambda: put(bank, PutMemory(id, {"tags": ("measured",)})),
        lambda: bank.record([PutRow("usage", id, {"access_count": 1})]),
        lambda: bank.undo(origin="screen"),
    ):
        disk.calls, disk.bytes = {}, 0
        work()
        found.append({**disk.calls, "bytes": disk.bytes})
    return found


def test_calls_and_bytes_of_a_change_at_twenty_thousand_documents_are_those_at_two_hundred(tmp_path: Path) -> None:
    small, large = costs(tmp_path / "small", 200, 200), costs(tmp_path / "large", 5_000, 20_000)
    for before, after in zip(small, large, strict=True):
        assert after.keys() == before.keys()
        for name, count in before.items():
            assert after[name] <= 1.1 * count, (name, count, after[name])
    assert small[0]["sync"] == 2
    assert sum(count for name, count in small[0].items() if name != "bytes") <= 40
