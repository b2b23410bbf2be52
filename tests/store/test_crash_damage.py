"""Torn tails are cut, damage is never cut but kept aside, and the bank stays readable (`storage.md` §7, 9.3)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from store.bank import Bank
from store.changes import MoveMemory, PutMemory
from store.compact import compact
from store.errors import ReadOnly, StorageFailure
from tests.store.world import Fast, again, approve, approved, files, make, no_leftovers, put


def with_approvals(base: Path, *names: str) -> Path:
    """A bank whose program ended without closing it."""
    bank = make(base)
    for name in names:
        approve(bank, name)
    return base


def journal(base: Path) -> Path:
    return next((base / "bank" / ".memdesk").glob("journal-*.jsonl"))


def without_last_publish(base: Path) -> None:
    """Take away the file of the last approval: as if the program had ended before it was put into place."""
    max((base / "bank" / "facts").rglob("*.md")).unlink()


def test_every_truncation_of_the_last_frame_gives_all_or_nothing_and_a_bank_that_goes_on(tmp_path: Path) -> None:
    base = with_approvals(tmp_path / "base", "first", "second")
    without_last_publish(base)
    lines = journal(base).read_bytes().splitlines(keepends=True)
    for cut in (*range(0, len(lines[-1]), 37), len(lines[-1]) - 1, len(lines[-1])):
        there = Path(shutil.copytree(base, tmp_path / "try"))
        journal(there).write_bytes(lines[0] + lines[1][:cut])
        bank = again(there)
        names = approved(bank)
        assert names == ({"first", "second"} if cut == len(lines[-1]) else {"first"})
        approve(bank, "third")
        assert approved(again(there)) == names | {"third"}
        shutil.rmtree(there)


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"half a line", b"00000000 2 {}\n"])
def test_what_stands_behind_the_last_frame_is_cut_by_the_next_writer(tmp_path: Path, tail: bytes) -> None:
    base = with_approvals(tmp_path, "first")
    good = journal(base).read_bytes()
    journal(base).write_bytes(good + tail)
    bank = again(base)
    assert bank.read_only == ""
    approve(bank, "second")
    assert journal(base).read_bytes().startswith(good)
    assert tail not in journal(base).read_bytes()
    assert approved(again(base)) == {"first", "second"}


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 0x10
    path.write_bytes(bytes(data))


def test_a_journal_that_was_emptied_is_damage_and_no_new_ledger(tmp_path: Path) -> None:
    """In the first generation, where no snapshot knows of any frame, as in a later one."""
    for generation in (1, 2):
        base = with_approvals(tmp_path / str(generation), "first", "second")
        bank = again(base)
        approve(bank, "third")
        bank.flush()
        if generation == 2:
            compact(bank._state)
            approve(bank, "fourth")
        bank.close()
        (base / "bank" / ".memdesk" / f"journal-{generation:06d}.jsonl").write_bytes(b"")
        bank = again(base)
        assert f"the journal of generation {generation} was emptied" in bank.read_only
        assert len(bank.view().live) == 2 + generation
        with pytest.raises(ReadOnly, match="repair it in Health"):
            approve(bank, "fifth")
        bank.repair()
        approve(bank, "fifth")
        assert "fifth" in set(again(base).view().rows("gaps"))


def test_a_new_ledger_and_a_new_generation_are_no_damage(tmp_path: Path) -> None:
    """Their journals are empty until something is written, also after a program that ended in between."""
    base = with_approvals(tmp_path, "first")
    bank = again(base)
    approve(bank, "second")
    bank.flush()
    compact(bank._state)
    assert again(base).read_only == ""
    assert approved(again(base)) == {"first", "second"}
    assert orjson.loads((base / "bank" / ".memdesk" / "vault.json").read_bytes())["begun"] == 1


def test_a_journal_that_is_cut_under_an_open_bank_is_noticed(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first", "second")
    bank = again(base)
    lines = journal(base).read_bytes().splitlines(keepends=True)
    journal(base).write_bytes(lines[0])
    bank.refresh()
    assert "the end of its journal is gone" in bank.read_only
    with pytest.raises(ReadOnly):
        approve(bank, "third")


def test_damage_in_the_middle_is_kept_aside_and_the_bank_is_readable_only(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first", "second", "third")
    lines = journal(base).read_bytes().splitlines(keepends=True)
    flip(journal(base), len(lines[0]) + 60)
    damaged = journal(base).read_bytes()
    bank = again(base)
    assert "damaged behind frame 1" in bank.read_only
    assert set(bank.view().rows("gaps")) == {"first"}
    assert len(bank.view().live) == 3
    with pytest.raises(ReadOnly, match="damaged"):
        approve(bank, "fourth")
    assert journal(base).read_bytes() == damaged
    quarantine = base / "bank" / ".memdesk" / "quarantine"
    assert damaged in [path.read_bytes() for path in quarantine.iterdir()]
    assert again(base).status().quarantined == bank.status().quarantined == 2


def test_a_repair_goes_on_from_the_last_good_state(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first", "second", "third")
    lines = journal(base).read_bytes().splitlines(keepends=True)
    flip(journal(base), len(lines[0]) + 60)
    bank = again(base)
    bank.repair()
    assert bank.read_only == ""
    assert set(bank.view().rows("gaps")) == {"first"}
    approve(bank, "fourth")
    bank = again(base)
    assert set(bank.view().rows("gaps")) == {"first", "fourth"}
    assert sorted(m.subject for m in bank.view().live) == ["first", "fourth", "second", "third"]
    assert len({m.path for m in bank.view().live}) == 4


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda ledger: (ledger / "CURRENT").unlink(), "its CURRENT file is gone"),
        (lambda ledger: (ledger / "CURRENT").write_bytes(b""), "its CURRENT file is damaged"),
        (lambda ledger: (ledger / "CURRENT").write_text("9" * 5000), "its CURRENT file is damaged"),
        (lambda ledger: (ledger / "CURRENT").write_text("99\n"), "the snapshot of generation 99 is damaged"),
    ],
)
def test_a_ledger_without_its_current_file_is_not_begun_anew(
    tmp_path: Path, spoil: Callable[[Path], object], why: str
) -> None:
    """The journal is left as it is and shown; a repair goes on from all of it."""
    base = with_approvals(tmp_path, "first", "second")
    before = journal(base).read_bytes()
    spoil(base / "bank" / ".memdesk")
    bank = again(base)
    assert why in bank.read_only
    assert approved(bank) == {"first", "second"}
    with pytest.raises(ReadOnly, match="repair it in Health"):
        approve(bank, "third")
    assert journal(base).read_bytes() == before
    bank.repair()
    approve(bank, "third")
    assert approved(again(base)) == {"first", "second", "third"}
    assert len(again(base).history()) == 3


def test_a_ledger_whose_making_was_interrupted_is_made_by_the_next_change(tmp_path: Path) -> None:
    bank = make(tmp_path)
    bank.ledger.mkdir()
    for name in ("journal-000001.jsonl", "snapshot-000001.json"):
        (bank.ledger / name).write_bytes(b"")
    approve(again(tmp_path), "first")
    assert approved(again(tmp_path)) == {"first"}


@pytest.mark.parametrize("folder", [False, True])
def test_the_memories_are_shown_when_the_journal_is_gone_or_cannot_be_read(tmp_path: Path, folder: bool) -> None:
    base = with_approvals(tmp_path, "first", "second")
    gone = journal(base)
    gone.unlink()
    if folder:
        gone.mkdir()
    bank = again(base)
    assert "the journal of generation 1 cannot be read" in bank.read_only
    assert sorted(memory.subject for memory in bank.view().live) == ["first", "second"]


def test_the_memories_are_shown_when_the_ledger_folder_is_a_file(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first")
    shutil.rmtree(base / "bank" / ".memdesk")
    (base / "bank" / ".memdesk").write_text("what is this?")
    bank = again(base)
    assert "The memories are shown without their ledger" in bank.read_only
    assert [memory.subject for memory in bank.view().live] == ["first"]
    with pytest.raises(StorageFailure):
        approve(bank, "second")
    assert (base / "bank" / ".memdesk").read_text() == "what is this?"


def compacted(base: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    bank = again(base)
    approve(bank, "before")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.flush()
    monkeypatch.undo()
    return bank


def test_a_damaged_snapshot_falls_back_on_the_generation_before_with_nothing_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = with_approvals(tmp_path, "first")
    bank = compacted(base, monkeypatch)
    approve(bank, "after")
    flip(base / "bank" / ".memdesk" / "snapshot-000002.json", 60)
    bank = again(base)
    assert "snapshot of generation 2" in bank.read_only
    assert set(bank.view().rows("gaps")) == {"first", "before", "after"}
    bank.repair()
    assert approved(bank) == {"first", "before", "after"}
    approve(bank, "later")
    assert approved(again(base)) == {"first", "before", "after", "later"}


def test_a_gap_in_the_frame_numbers_is_damage(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first", "second", "third")
    lines = journal(base).read_bytes().splitlines(keepends=True)
    journal(base).write_bytes(lines[0] + lines[2])
    bank = again(base)
    assert "frame 2 is missing" in bank.read_only
    assert set(bank.view().rows("gaps")) == {"first"}


def test_a_ledger_of_a_newer_version_is_read_only_and_left_as_it_is(tmp_path: Path) -> None:
    base = with_approvals(tmp_path, "first")
    snapshot = base / "bank" / ".memdesk" / "snapshot-000001.json"
    from store import snapshot as codec

    snapshot.write_bytes(codec.encode(codec.Snapshot(0, format=2)))
    bank = again(base)
    assert "newer Memdesk" in bank.read_only
    assert len(bank.view().live) == 1
    with pytest.raises(ReadOnly):
        approve(bank, "second")
    bank.repair()
    assert "newer Memdesk" in bank.read_only


def test_a_damaged_cache_only_costs_time(tmp_path: Path) -> None:
    bank = make(tmp_path)
    for number in range(40):
        approve(bank, f"n{number}")
    bank.close()
    cache = next((tmp_path / "cache").rglob("entries"))
    flip(cache, len(cache.read_bytes()) // 2)
    assert len(again(tmp_path).view().live) == 40


def test_opening_and_looking_write_nothing(tmp_path: Path) -> None:
    bank = make(tmp_path)
    before = sorted(bank.path.rglob("*"))
    bank = again(tmp_path)
    bank.view()
    bank.history()
    bank.refresh()
    bank.close()
    assert sorted(bank.path.rglob("*")) == before
    assert not (tmp_path / "state").exists()


def unfinished(base: Path) -> tuple[Bank, str, Path]:
    """A bank whose last edit was committed but, as after a power loss, never got into its file."""
    bank = make(base)
    id = approve(bank, "tea").ids[0]
    path = bank.path / id
    old = path.read_bytes()
    put(bank, PutMemory(id, {"subject": "ours", "source": "we"}))
    path.write_bytes(old)
    return bank, id, path


def test_an_edit_that_never_reached_its_file_is_kept_when_somebody_else_wrote_the_file_since(tmp_path: Path) -> None:
    """`storage.md` §7: the target is neither a state of ours nor the base: theirs stays, ours is kept, a conflict."""
    _, id, path = unfinished(tmp_path)
    path.write_text(path.read_text().replace("what tea says", "what they say"))
    theirs = path.read_bytes()
    bank = again(tmp_path)
    assert path.read_bytes() == theirs
    (kept,) = bank.conflicts()
    assert (kept.id, kept.side) == (id, "ours")
    assert b"subject: ours\nstatement: what tea says\n" in bank.kept_text(kept.file)
    assert bank.view().memories[id].statement == "what they say"
    assert len(again(tmp_path).conflicts()) == 1
    put(bank, PutMemory(id, {"subject": "later"}))
    assert bank.history()[1].origin == "outside"
    no_leftovers(bank)


def test_an_edit_written_over_by_somebody_who_had_seen_it_is_no_conflict(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = approve(bank, "tea").ids[0]
    put(bank, PutMemory(id, {"source": "we"}))
    path = bank.path / id
    path.write_text(path.read_text() + "and they added this\n")
    bank = again(tmp_path)
    assert bank.conflicts() == ()
    assert bank.view().memories[id].body.endswith("and they added this")
    no_leftovers(bank)


def test_a_second_loss_of_the_same_edit_finds_it_in_the_journal_again(tmp_path: Path) -> None:
    _, id, path = unfinished(tmp_path)
    bank = again(tmp_path)
    assert "subject: ours\n" in path.read_text()
    assert bank.view().memories[id].subject == "ours"
    assert bank.conflicts() == ()
    no_leftovers(bank)


class PowerLoss(Fast):
    """Remembers every rename until its folder is synced: those that were not may or may not be on the disk."""

    def __init__(self) -> None:
        self.unsynced: list[tuple[Path, bytes | None, Path, bytes | None]] = []

    def note(self, source: Path, target: Path) -> None:
        old = target.read_bytes() if target.exists() else None
        self.unsynced.append((Path(target), old, Path(source), None))

    def exchange(self, first: Path | str, second: Path | str) -> bool:
        self.note(Path(first), Path(second))
        return super().exchange(first, second)

    def move_new(self, source: Path | str, target: Path | str) -> None:
        data = Path(source).read_bytes()
        super().move_new(source, target)
        self.unsynced.append((Path(target), None, Path(source), data))

    def sync_dir(self, path: Path | str) -> None:
        super().sync_dir(path)
        self.unsynced = [item for item in self.unsynced if item[0].parent != Path(path)]


def lose(unsynced: list[tuple[Path, bytes | None, Path, bytes | None]], chosen: set[int], temporaries: bool) -> None:
    """Undo the chosen renames, newest first; prepared copies are gone, or there again."""
    for number in sorted(chosen, reverse=True):
        target, old, source, moved = unsynced[number]
        if old is None:
            if target.exists():
                data = target.read_bytes()
                target.unlink()
                if temporaries:
                    source.write_bytes(moved if moved is not None else data)
                elif not source.name.endswith(".tmp") and moved is not None:
                    source.write_bytes(moved)
        elif target.exists():
            if temporaries:
                source.write_bytes(target.read_bytes())
            target.write_bytes(old)


def test_after_a_power_loss_every_acknowledged_change_is_there_again(tmp_path: Path) -> None:
    dice = random.Random(11)
    for round in range(30):
        base = tmp_path / str(round)
        make(base)
        disk = PowerLoss()
        bank = again(base, disk=disk)
        ids = [approve(bank, f"n{number}").files[0].id for number in range(dice.choice((1, 3, 5, 22)))]
        for _ in range(dice.randint(0, 4)):
            id = dice.choice(ids)
            if dice.random() < 0.6:
                put(bank, PutMemory(id, {"tags": (f"t{dice.randint(0, 99)}",)}))
            elif bank.view().memories[id].state == "live":
                put(bank, MoveMemory(id, "trashed"))
            else:
                put(bank, MoveMemory(id, "live"))
        wanted, seen = files(base / "bank"), approved(bank)
        wanted = {path: data for path, data in wanted.items() if path.endswith(".md")}
        chosen = {n for n in range(len(disk.unsynced)) if dice.random() < 0.5}
        lose(disk.unsynced, chosen, dice.random() < 0.5)
        bank = again(base)
        assert approved(bank) == seen
        assert bank.conflicts() == ()
        assert {path: data for path, data in files(base / "bank").items() if path.endswith(".md")} == wanted
        no_leftovers(bank)
