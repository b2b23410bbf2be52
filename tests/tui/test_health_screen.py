"""Health as a person uses it: how the bank stands, what was changed, taking it back, the trash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.changes import Changeset, MoveMemory, PutMemory
from store.errors import Conflict
from tests.tui.conftest import Opened, settle
from tests.tui.screen import press, screen_text
from tui.app import Workbench
from tui.screens.health import HealthScreen

TEA = "private/ana/prefs/2026/11/2026-11-30-0001.md"


async def _health(pilot: Any) -> str:
    assert isinstance(pilot.app, Workbench)
    pilot.app.open_screen("health")
    await settle(pilot)
    assert isinstance(pilot.app.framed, HealthScreen)
    return screen_text(pilot.app)


async def test_everything_is_said_to_be_well_and_every_change_is_listed(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await _health(pilot)
    lines = text.splitlines()
    assert lines[2].startswith(">+ memories    1 BOUND, 1 COMMIT, 2 FACT, 1 PREF; 0 archived, 0 in the trash")
    assert "+ files       all of them can be read" in text
    assert "+ ledger      sound; " in text
    assert "+ conflicts   none" in text
    assert "── changes  newest first" in text
    assert "remember retro" in text


async def test_changes_of_memories_with_one_file_name_are_told_apart(bank: Bank, opened: Opened) -> None:
    """Numbers begin anew in each folder: a FACT and a PREF, and those of two owners, have the same file name."""
    others = [("FACT", {}), ("PREF", {"owner": "bo"})]
    made = [{"type": kind, "subject": "x", "statement": f"of {kind}", **rest} for kind, rest in others]
    ids = [bank.commit(Changeset([PutMemory(None, fields)], "add")).files[0].id for fields in made]
    names = {memory.id: memory.name for memory in bank.view().live}
    assert names[ids[1]] == names[TEA] == "2026-11-30-0001.md"
    async with opened(bank) as pilot:
        for id in (TEA, ids[1]):
            pilot.app.jump(id)  # type: ignore[attr-defined]
            await settle(pilot)
            await press(pilot, "p")
        await _health(pilot)
        text = await press(pilot, "H")
    assert "protect PREF 2026-11-30-0001 of ana " in text and "protect PREF 2026-11-30-0001 of bo " in text


async def test_a_change_shows_its_lines_and_z_takes_back_just_that_one(bank: Bank, opened: Opened) -> None:
    edit = bank.commit(Changeset([PutMemory(TEA, {"statement": "white tea"})], "edit tea", "screen"))
    bank.commit(Changeset([PutMemory(TEA, {"tags": ("drinks",)})], "tag tea", "screen"))
    async with opened(bank, size=(140, 40)) as pilot:
        await _health(pilot)
        text = await press(pilot, "H", "j")
        assert f"change {edit.number}" in text
        assert "- statement: green tea before noon" in text
        assert "+ statement: white tea" in text
        text = await press(pilot, "z")
        assert f"undone by {bank.history(limit=1)[0].number}" in text
    memory = bank.view().memories[TEA]
    assert memory.statement == "green tea before noon, coffee makes her jumpy"
    assert memory.tags == ("drinks",)


async def test_a_change_that_was_taken_back_is_not_taken_back_twice(bank: Bank, opened: Opened) -> None:
    bank.commit(Changeset([PutMemory(TEA, {"statement": "white tea"})], "edit tea", "screen"))
    bank.undo(origin="screen")
    async with opened(bank) as pilot:
        await _health(pilot)
        before = len(bank.history())
        text = await press(pilot, "H", "j", "z")
    assert "is undone already" in text
    assert len(bank.history()) == before


async def test_the_trash_is_listed_and_r_puts_back(bank: Bank, opened: Opened) -> None:
    bank.commit(Changeset([MoveMemory(TEA, "trashed")], "forget tea", "screen"))
    async with opened(bank, size=(140, 40)) as pilot:
        await _health(pilot)
        text = await press(pilot, "T")
        assert "was at  " + TEA in text
        assert "PREF   tea: green tea before noon" in text
        text = await press(pilot, "r")
        assert "Put tea back." in text
        assert "u undo" in text
        assert bank.view().memories[TEA].state == "live"
        await press(pilot, "u")
    assert bank.view().memories[TEA].state == "trashed"


async def test_a_file_that_cannot_be_read_is_named(bank: Bank, opened: Opened) -> None:
    (Path(bank.path) / "facts" / "2026-11-29-0009.md").write_bytes(b"\0\0\0")
    async with opened(bank, size=(140, 40)) as pilot:
        await _health(pilot)
        await press(pilot, "c")
        text = await press(pilot, "j")
    assert "! files       1 file with a problem" in text
    assert "facts/2026-11-29-0009.md" in text


async def test_a_damaged_ledger_is_said_so_and_enter_goes_on_from_its_last_good_state(
    bank: Bank, opened: Opened, tmp_path: Path
) -> None:
    folder = bank.status().folder
    bank.close()
    journal = next(folder.glob("journal-*.jsonl"))
    lines = journal.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b"tea", b"pea", 1)
    journal.write_bytes(b"\n".join(lines))
    damaged = Bank.open(bank.path, state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    async with opened(damaged, size=(140, 40)) as pilot:
        text = await _health(pilot)
        assert "x ledger      " in text
        assert "enter repair it" in text
        text = await press(pilot, "j", "j", "enter")
        assert "Repaired; the damaged files are kept in quarantine." in text
        assert "+ ledger      sound; " in text
    assert damaged.status().quarantined > 0


async def test_hostile_text_in_a_reason_is_shown_literally(bank: Bank, opened: Opened) -> None:
    bank.commit(Changeset([PutMemory(TEA, {"tags": ("x",)})], "[red]no[/] \x1b]52;c;aGk=\x07", "screen"))
    async with opened(bank) as pilot:
        await _health(pilot)
        text = await press(pilot, "H")
    assert "[red]no[/] ␛]52;c;aGk=␇" in text


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (140, 40)])
async def test_it_fits_every_window(bank: Bank, opened: Opened, size: tuple[int, int]) -> None:
    async with opened(bank, size=size) as pilot:
        text = await _health(pilot)
        assert len(text.splitlines()) == size[1]
        text = await press(pilot, "enter", "escape", "G", "g")
    assert "memories" in text


async def test_a_bank_opened_for_reading_says_why_nothing_can_be_changed(bank: Bank, opened: Opened) -> None:
    async with opened(bank, read_only=True) as pilot:
        text = await _health(pilot)
        assert "! writing     The workbench was opened with --read-only" in text
        text = await press(pilot, "H", "z")
    assert "--read-only" in text
    assert bank.history()[0].undoes is None


async def test_a_text_that_was_kept_aside_can_be_read_used_and_dropped(bank: Bank, opened: Opened) -> None:
    base = bank.view().memories[TEA].sha
    path = Path(bank.path) / TEA
    theirs = path.read_text(encoding="utf-8").replace("green tea before noon, coffee makes her jumpy", "no tea at all")
    path.write_text(theirs, encoding="utf-8")
    bank.refresh()
    with pytest.raises(Conflict):
        bank.commit(Changeset([PutMemory(TEA, {"statement": "white tea"}, base=base)], "edit tea", "screen"))
    assert len(bank.conflicts()) == 1
    async with opened(bank, size=(140, 40)) as pilot:
        text = await _health(pilot)
        assert "! conflicts   1 text kept aside where two edits met" in text
        text = await press(pilot, *"jjj", "enter")
        assert "! our text" in text
        assert "- statement: no tea at all" in text
        assert "+ statement: white tea" in text
        text = await press(pilot, "p")
        assert "Used the kept text of PREF 2026-11-30-0001 of ana." in text
        assert bank.view().memories[TEA].statement == "white tea"
        assert "+ conflicts   none: what was kept aside is in its memory" in text
        assert "our text" not in text and "kept aside where two edits met" not in text
        text = await press(pilot, "u")
        assert bank.view().memories[TEA].statement == "no tea at all"
        assert "! our text" in text and "! conflicts   1 text kept aside" in text
        await press(pilot, *"gjjj", "enter", "x", "n")
        assert len(bank.conflicts()) == 1
        text = await press(pilot, "x", "y")
        assert "Dropped the kept text." in text
    assert bank.conflicts() == ()


async def test_a_kept_text_that_was_used_stays_away_whatever_is_written_after_it(bank: Bank, opened: Opened) -> None:
    """In 80 columns: enter on the conflicts goes to the text, p uses it, and a later edit brings no conflict back."""
    base = bank.view().memories[TEA].sha
    bank.commit(Changeset([PutMemory(TEA, {"statement": "no tea at all"})], "edit tea", "screen"))
    with pytest.raises(Conflict):
        bank.commit(Changeset([PutMemory(TEA, {"statement": "white tea"}, base=base)], "edit tea", "screen"))
    async with opened(bank) as pilot:
        await _health(pilot)
        text = await press(pilot, *"jjj", "enter")
        assert ">! our text" in text
        text = await press(pilot, "p")
        assert "+ conflicts   none: what" in text and "u undo" in text
        assert bank.view().memories[TEA].statement == "white tea"
        bank.commit(Changeset([PutMemory(TEA, {"statement": "oolong"})], "edit tea", "screen"))
        text = await press(pilot, "c")
        assert "+ conflicts   none: what" in text


async def test_a_folder_that_is_gone_is_said_to_be_gone_and_nothing_looks_well(
    demo: Bank, opened: Opened, tmp_path: Path
) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        assert "2 Review 7" in await _health(pilot)
        Path(demo.path).rename(tmp_path / "elsewhere")
        text = await press(pilot, "c")
        assert "x files       the folder is gone: put it back, then press c" in text
        assert "x writing     nothing can be changed while it is gone" in text and "+ " not in text
        assert "If it was moved, leave with q" in await press(pilot, *"gj")
        assert "! memories    as they were read last: " in text
        assert "all of them can be read" not in text and "Checked" not in text
        assert "folder gone" in text.splitlines()[0] and "2 Review   3 Context" in text.splitlines()[0]
        (tmp_path / "elsewhere").rename(demo.path)
        text = await press(pilot, "c")
        assert "+ files       all of them can be read" in text and "Checked: every file" in text
        assert "2 Review 7" in text.splitlines()[0] and "memories" in text.splitlines()[0]


async def test_taking_back_an_undo_is_said_to_make_its_change_again(bank: Bank, opened: Opened) -> None:
    bank.commit(Changeset([PutMemory(TEA, {"statement": "white tea"})], "edit tea", "screen"))
    bank.undo(origin="screen")
    async with opened(bank) as pilot:
        await _health(pilot)
        text = await press(pilot, "H", "z")
    assert "Did again: edit tea." in text and "u undo" in text
    assert bank.view().memories[TEA].statement == "white tea"
