"""The Bank as a person uses it: look, search, change, take back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.recall.filtering.judging import passes
from pipeline.recall.filtering.query import parse
from store.bank import Bank
from store.changes import Changeset, PutMemory, PutRow
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.screen import bank_screen, press, screen_text
from tui.app import Workbench

HOSTILE = "[@click=app.quit]x[/] [/] [red]y \x1b]52;c;aGk=\x07 \u202eabc"


def _bench(pilot: Any) -> Workbench:
    assert isinstance(pilot.app, Workbench)
    return pilot.app


async def test_the_first_frame_shows_rows_and_the_memory_under_the_cursor(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        lines = screen_text(pilot.app).splitlines()
    assert len(lines) == 24
    assert lines[0].startswith(" Memdesk  [1 Bank]") and lines[0].endswith("? keys")
    assert lines[1].endswith("5 memories   newest first")
    assert lines[3] == ">  PREF   tea: green tea before noon, coffee makes her jumpy              today"
    assert lines[4].startswith("   FACT   tea order: Kenji orders for the Lisbon office") and lines[4].endswith("1 Nov")
    assert lines[7].startswith("   COMMIT retro: bring twelve boxes") and lines[7].endswith("20 Sep 2025")
    assert "2026-11-30-0001   PREF   private to ana" in lines[12]
    assert lines[13] == "  tea"
    assert lines[23].startswith(" enter open  e edit  x trash  n new")


async def test_a_wide_window_has_the_detail_at_the_side(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        lines = screen_text(pilot.app).splitlines()
    assert lines[3].startswith("   type   memory") and "│ 2026-11-30-0001   PREF   private to ana" in lines[3]
    assert lines[4].startswith(">  PREF   tea: green tea before noon")
    assert "5 memories" in lines[0]


async def test_below_eighty_cells_the_detail_closes_first_and_enter_opens_it(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(60, 20)) as pilot:
        assert "private to ana" not in screen_text(pilot.app)
        text = await press(pilot, "enter")
        assert "green tea before noon" in text and "PREF   tea:" not in text
        text = await press(pilot, "escape")
        assert ">  PREF   tea:" in text


async def test_in_forty_cells_dates_go_and_text_stays(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(40, 10)) as pilot:
        text = screen_text(pilot.app)
    assert ">  PREF   tea: green tea before noon" in text
    assert "today" not in text


async def test_typing_narrows_the_list_and_the_cursor_stays_on_its_memory(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "j")
        text = await press(pilot, "/", *"tea")
        assert "4 of 5" in text
        assert bank_screen(pilot).current_memory().subject == "tea order"  # type: ignore[union-attr]
        text = await press(pilot, *" type:pref")
        assert "1 of 5" in text and "Kenji" not in text
        await press(pilot, "enter", "escape")
        assert "5 memories" in screen_text(pilot.app)


async def test_an_empty_search_names_the_words_and_the_way_back(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "/", *"xyzzy")
        assert "Nothing matches 'xyzzy'." in text and "escape clears the search" in text
        text = await press(pilot, "escape", "escape")
        assert "5 memories" in text


async def test_a_word_that_means_nothing_is_said(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "is:nonsense means nothing" in await press(pilot, "/", *"is:nonsense")


async def test_trash_does_not_ask_says_what_it_did_and_undo_brings_cursor_and_memory_back(
    bank: Bank, opened: Opened
) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "j")
        text = await press(pilot, "x")
        assert "Moved tea order to the trash." in text and "u undo" in text
        assert len(bank.view().trashed) == 1
        await press(pilot, "G")
        text = await press(pilot, "u")
        assert "Took back: trash FACT 2026-11-01-0001." in text and "U redo" in text
        assert bank_screen(pilot).current_memory().subject == "tea order"  # type: ignore[union-attr]
        text = await press(pilot, "U")
        assert "Did again: trash FACT 2026-11-01-0001." in text
        assert len(bank.view().trashed) == 1


async def test_three_presses_in_a_row_take_three_memories(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "x", "x", "x")
        assert len(bank.view().trashed) == 3
        assert [change.reason.split()[0] for change in bank.history(limit=3)] == ["trash"] * 3


async def test_marked_memories_go_together_in_one_change(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "space", "space", "j", "space")
        assert "3 marked" in text
        text = await press(pilot, "x")
        assert "Moved 3 memories to the trash." in text and "marked" not in text
        assert len(bank.view().trashed) == 3
        await press(pilot, "u")
        assert len(bank.view().trashed) == 0


async def test_the_trash_shows_what_is_in_it_and_r_puts_back(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "j", "x")
        text = await press(pilot, "T")
        assert "trash   1 memory" in text and ">  FACT   tea order" in text
        assert "It is in the trash; r puts it back first." in await press(pilot, "x")
        text = await press(pilot, "r")
        assert "Put tea order back." in text and "The trash is empty." in text
        assert "5 memories" in await press(pilot, "escape")


async def test_a_protected_memory_is_neither_trashed_nor_edited(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "p")
        assert "Protected tea." in text and "># PREF   tea" in text
        assert "It is protected; press p first." in await press(pilot, "x")
        assert "It is protected; press p first." in await press(pilot, "e")
        text = await press(pilot, "p", "x")
        assert "Moved tea to the trash." in text


async def test_editing_in_place_changes_only_the_lines_that_were_meant(bank: Bank, opened: Opened) -> None:
    memory = bank.view().live[0]
    before = (bank.path / memory.path).read_text().splitlines()
    async with opened(bank) as pilot:
        text = await press(pilot, "e")
        assert f"Edit {memory.name.removesuffix('.md')}" in text
        await press(pilot, "end")
        await pilot.press(*"!", "ctrl+s")
        await settle(pilot)
        assert "Saved statement of tea." in screen_text(pilot.app)
    after = (bank.path / memory.path).read_text().splitlines()
    changed = {old.partition(":")[0] for old, new in zip(before, after, strict=True) if old != new}
    assert changed <= {"statement", "updated", "green tea before noon, coffee makes her jumpy"}
    assert bank.view().memories[memory.id].statement.endswith("jumpy!")


async def test_looking_at_the_form_changes_nothing(bank: Bank, opened: Opened) -> None:
    changes = len(bank.history())
    async with opened(bank) as pilot:
        assert "Nothing was changed." in await press(pilot, "e", "ctrl+s")
    assert len(bank.history()) == changes


async def test_leaving_a_changed_form_asks_and_y_leaves(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "e")
        text = await press(pilot, "z", "escape")
        assert "Leave without saving what you changed?" in text
        assert "Edit 2026-11-30-0001" in await press(pilot, "n")
        await press(pilot, "escape")
        await press(pilot, "y")
        assert "[1 Bank]" in screen_text(pilot.app)


async def test_a_new_memory_is_written_and_the_cursor_goes_to_it(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "n")
        text = await press(pilot, *"deploys", "tab", "ctrl+s")
        assert "A memory needs a statement" in text
        await pilot.press(*"frozen on Fridays", "ctrl+s")
        text = await press(pilot)
        assert "Remembered deploys." in text
        assert bank_screen(pilot).current_memory().statement == "frozen on Fridays"  # type: ignore[union-attr]
    assert bank.history(limit=1)[0].reason == "remember a FACT"
    assert bank.history(limit=1)[0].origin == "screen"


async def test_a_private_memory_needs_an_owner(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "n")
        text = await press(pilot, *"tea", "tab", *"black", "tab", "p", "ctrl+s")
        assert "A PREF belongs to someone: name its owner, or make it a FACT." in text
        await press(pilot, "tab", *"ana", "ctrl+s")
    assert [memory.owner for memory in bank.view().live if memory.statement == "black"] == ["ana"]


async def test_copying_says_only_what_is_known(bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "1")
    async with opened(bank) as pilot:
        text = await press(pilot, "y")
        assert "Sent 1 path to the terminal's clipboard; it gives no answer" in text
        assert pilot.app.clipboard == bank.view().live[0].path
        await press(pilot, "space", "space", "Y")
        copied = json.loads(pilot.app.clipboard)
        assert [memory["subject"] for memory in copied["memories"]] == ["tea", "tea order"]
        await press(pilot, "escape", "t")
        assert pilot.app.clipboard == "has a tea room"


async def test_text_from_outside_is_shown_and_never_acts(make_bank: MakeBank, opened: Opened) -> None:
    bank = make_bank()
    path = bank.path / "facts/2026/11/2026-11-29-0001.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntype: FACT\nsubject: odd [b]\nstatement: {HOSTILE}\ncreated: 2026-12-01\n---\n\n{HOSTILE}\n")
    bank.refresh()
    async with opened(bank, size=(140, 40)) as pilot:
        text = screen_text(pilot.app)
        assert "odd [b]: [@click=app.quit]x[/] [/] [red]y" in text
        assert "\x1b" not in text and "\u202e" not in text and "\x07" not in text
        await pilot.click(offset=(30, 4))
        await press(pilot, "enter", "escape", "o", "escape", "?", "escape", "e", "escape")
        assert pilot.app.is_running
        assert "odd [b]" in screen_text(pilot.app)


async def test_a_quarter_million_characters_in_one_line_are_cut_and_said(make_bank: MakeBank, opened: Opened) -> None:
    bank = make_bank([("FACT", {"subject": "long", "statement": "y" * 5000})])
    path = bank.path / bank.view().live[0].path
    path.write_text(path.read_text() + "x" * 262_144)
    bank.refresh()
    async with opened(bank, size=(140, 40)) as pilot:
        text = screen_text(pilot.app)
        assert ">  FACT   long: yyyy" in text
        assert all(len(line) <= 140 for line in text.splitlines())
        await press(pilot, "enter", "G")
        assert "more characters; E opens all of it" in screen_text(pilot.app)
        assert "This text is too long for a form." in await press(pilot, "escape", "e")


async def test_files_that_cannot_be_read_are_counted_and_named(make_bank: MakeBank, opened: Opened) -> None:
    bank = make_bank()
    (bank.path / "facts/2026/11/broken.md").write_bytes(b"\x00\xff\x00")
    bank.refresh()
    async with opened(bank) as pilot:
        assert "! 1 problem" in screen_text(pilot.app)
        text = await press(pilot, "!")
        assert "1 problem in this bank" in text and "facts/2026/11/broken.md" in text
        assert "[1 Bank]" in await press(pilot, "escape")


async def test_an_empty_bank_says_how_to_begin(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank([])) as pilot:
        text = screen_text(pilot.app)
        assert "No memory here yet" in text and "n   write one" in text
        for key in ("x", "e", "enter", "space", "y", "p", "w", "j", "T", "T", "G", "*"):
            await pilot.press(key)
        assert "There is no memory here." in await press(pilot, "x")


async def test_why_a_row_stands_there_is_told_when_asked(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        assert "WHY" not in screen_text(pilot.app)
        assert "WHY IT STANDS HERE" in await press(pilot, "w")
        await press(pilot, "/", *"tea", "enter")
        text = screen_text(pilot.app)
        assert "WHY IT RANKS HERE" in text and "has 'tea'" in text
        assert "WHY" not in await press(pilot, "w")


async def test_why_is_seen_at_once_however_small_the_window_is(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        lines = (await press(pilot, "w")).splitlines()
        assert lines[13] == "  WHY IT STANDS HERE" and "half-life" in "".join(lines[14:16])
        assert "  tea" in lines[17:20]
        assert "WHY" not in await press(pilot, "w")
        lines = (await press(pilot, "/", *"tea", "enter", "w")).splitlines()
        assert lines[13].startswith("  WHY IT RANKS HERE") and "has 'tea'" in lines[14]
    async with opened(bank, size=(60, 20)) as pilot:
        assert "WHY IT STANDS HERE" in await press(pilot, "w")
        assert ">  PREF   tea:" in await press(pilot, "escape")


async def test_why_counts_with_the_half_lives_of_the_bank(make_bank: MakeBank, opened: Opened) -> None:
    """The numbers are those of `memdesk show --explain`."""
    bank = make_bank([("FACT", {"subject": "tea", "statement": "green tea", "created": "2026-11-01"})])
    bank.commit(Changeset([PutRow("settings", "maintain_decay_halflife_FACT", {"value": 7})], "set"))
    async with opened(bank, size=(140, 40)) as pilot:
        assert "half-life 7 days" in await press(pilot, "w")
        assert "half-life 7 days" in await press(pilot, "/", *"tea", "enter")


async def test_the_whole_history_of_a_memory_can_be_seen(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "p")
        await press(pilot, "p")
        text = await press(pilot, "o")
        assert "HISTORY" in text
        assert "unprotect PREF 2026-11-30-0001 of ana" in text and "remember tea" in text


async def test_the_order_changes_with_s(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "s")
        assert "by type" in text
        types = [line.split()[0] for line in text.splitlines()[3:8] if line.strip()]
        assert "BOUND" in text.splitlines()[3]
        assert len(types) == 5


async def test_every_press_of_s_shows_another_order(bank: Bank, opened: Opened) -> None:
    """Without words nothing is ranked, so that by relevance would be by time once more."""
    async with opened(bank) as pilot:
        heads = [(await press(pilot, "s")).splitlines()[1].partition("memories")[2].strip() for _ in range(4)]
        assert heads == ["by type", "most used first", "as in the folder", "newest first"]
        await press(pilot, "/", *"tea", "enter")
        heads = [(await press(pilot, "s")).splitlines()[1].partition("of 5")[2].strip() for _ in range(5)]
        assert heads == ["newest first", "by type", "most used first", "as in the folder", "by relevance"]


async def test_what_another_program_adds_appears_and_the_cursor_stays(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "j", "j")
        here = bank_screen(pilot).current_memory()
        other = Bank.open(bank.path, state_dir=bank.path.parent / "state", cache_dir=bank.path.parent / "cache")
        other.commit(
            Changeset([PutMemory(None, {"type": "FACT", "subject": "new", "statement": "from outside"})], "add")
        )
        bank.refresh()
        await settle(pilot)
        assert "new: from outside" in screen_text(pilot.app)
        assert bank_screen(pilot).current_memory() == here


async def test_a_range_that_is_not_closed_is_what_the_next_key_acts_on(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "v", "j", "j")
        assert [line[0] for line in text.splitlines()[3:7]] == ["*", "*", "*", " "]
        text = await press(pilot, "x")
        assert "Moved 3 memories to the trash." in text
        assert len(bank.view().trashed) == 3


async def test_a_memory_of_another_type_is_called_by_the_file_in_which_it_lies_now(
    make_bank: MakeBank, opened: Opened
) -> None:
    """Title, file and form show one name; the one that it was made under is said, and both find it."""
    facts = [("FACT", {"subject": f"s{at}", "statement": f"said {at}", "created": "2026-09-29"}) for at in range(3)]
    bank = make_bank(facts)
    made = "facts/2026/09/2026-09-29-0003.md"
    bank.commit(Changeset([PutMemory(made, {"type": "PREF", "owner": "ana"})], "a matter of taste", "screen"))
    now = "private/ana/prefs/2026/09/2026-09-29-0001.md"
    assert bank.view().memories[made].path == now
    async with opened(bank, size=(220, 40)) as pilot:
        pilot.app.jump(made)  # type: ignore[attr-defined]
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "2026-09-29-0001   PREF   private to ana" in text
        assert f"file        {now}" in text
        assert f"was         {made}, as" in text
        await pilot.press("e")
        await settle(pilot)
        assert "Edit 2026-09-29-0001" in screen_text(pilot.app)
    assert bank.view().resolve("2026-09-29-0003").path == now
    assert bank.view().resolve(now).id == made
    assert {one.id for one in bank.view().live if passes(one, parse("id:2026-09-29-0003"))} == {made}
