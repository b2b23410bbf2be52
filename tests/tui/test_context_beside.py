"""Two agents side by side: what only one of them is told is marked, and it is said why the other is not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from store.bank import Bank
from tests.tui.conftest import Home, MakeBank, Opened, settle
from tests.tui.context_world import MEMORIES, files, id_of, press, screen, visit
from tests.tui.screen import screen_text
from tui.screens.context_beside import BesideScreen
from tui.screens.context_beside_rows import BesideRows
from tui.widgets.form import Form

pytestmark = pytest.mark.usefixtures("quick_rounds")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank: tea is private to ana, cake to bo."""
    return make_bank(MEMORIES)


async def side_by_side(pilot: Any) -> str:
    """Visit the screen as ana and put bo's pack beside hers."""
    await visit(pilot, agree="")
    return await press(pilot, "A", *"bo", "enter")


def panel(pilot: Any) -> BesideScreen:
    """The screen with both packs."""
    found = pilot.app.screen
    assert isinstance(found, BesideScreen)
    return found


def source(pilot: Any) -> BesideRows:
    found = panel(pilot).rows.source
    assert isinstance(found, BesideRows)
    return found


async def test_a_wide_window_shows_two_panes_with_a_bar_each(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        text = await side_by_side(pilot)
        lines = text.splitlines()
        assert "side by side   both get 7   < only ana 3   > only bo 1" in lines[0]
        assert re.search(r"< ana +[\d,]+ characters.*> bo +[\d,]+ characters", lines[1])
        assert len(re.findall(r"\[f+[fpscb.]*\]", lines[2])) == 2
        tea = next(line for line in lines if "- [PREF] tea: green tea" in line)
        cake = next(line for line in lines if "- [PREF] cake: no marzipan" in line)
        assert re.search(r"green tea before noon +< *[▁-█]?$", tea)
        assert cake.index("- [PREF]") > 68 and "> - [PREF]" in cake
        both = next(line for line in lines if "lake house" in line)
        assert both.count("- [FACT] lake house: booked until the 16th") == 2


async def test_a_narrow_window_shows_one_column_with_signs(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(80, 24)) as pilot:
        text = await side_by_side(pilot)
        lines = text.splitlines()
        assert lines[1].startswith(" < ana") and lines[3].startswith(" > bo")
        assert all(len(line) <= 80 for line in lines) and len(lines) == 24
        shown = ["".join(piece for piece, _ in source(pilot).row(at, 79)) for at in range(len(source(pilot)))]
        assert [line[:3] for line in shown if "green tea before noon" in line and "[PREF]" in line] == ["<  "]
        assert [line[:3] for line in shown if "cake: no marzipan" in line] == [">  "]
        assert [line[:3] for line in shown if "agent_id" in line] == ["<~ ", ">~ "]


async def test_the_foot_says_what_became_of_the_memory_with_both(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        await side_by_side(pilot)
        panel(pilot).rows.cursor = source(pilot).first_of(id_of(bank, "tea")) or 0
        text = await press(pilot)
        assert re.search(r"< ana: included, 3 \d, newest, 35 characters\.", text)
        assert "> bo: may not read it; it is private to others." in text
        text = await press(pilot, "enter")
        assert "ana: - [PREF] tea: green tea before noon" in text
        await press(pilot, "escape", "g")
        assert "A line of the pack that shows no memory." in screen_text(pilot.app)


async def test_only_what_differs_is_shown_and_each_difference_is_one_key_away(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await side_by_side(pilot)
        first = panel(pilot).rows.cursor
        assert source(pilot).shown[first].pair.entry == id_of(bank, "tea")
        await press(pilot, "n")
        assert panel(pilot).rows.cursor > first and source(pilot).shown[panel(pilot).rows.cursor].sign != " "
        await press(pilot, "N")
        assert panel(pilot).rows.cursor == first
        everything = len(source(pilot))
        text = await press(pilot, "t")
        assert len(source(pilot)) < everything and "lake house" not in text
        assert source(pilot).shown[panel(pilot).rows.cursor].pair.entry == id_of(bank, "tea")
        await press(pilot, "t")
        assert len(source(pilot)) == everything


async def test_another_width_keeps_the_row_and_o_leads_to_the_memory_in_the_list(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        await side_by_side(pilot)
        panel(pilot).rows.cursor = source(pilot).first_of(id_of(bank, "tea")) or 0
        await pilot.resize_terminal(80, 24)
        await press(pilot)
        assert not source(pilot).panes
        assert source(pilot).shown[panel(pilot).rows.cursor].pair.entry == id_of(bank, "tea")
        await press(pilot, "o")
        assert screen(pilot).rows.current == id_of(bank, "tea")


async def test_the_provider_is_asked_for_the_other_agent_too(bank: Bank, opened: Opened, home: Home) -> None:
    folder = home()
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        text = await press(pilot, "A", *"bo", "enter")
        assert text.splitlines()[1].count("hook took out 2") == 2
        assert (folder / "provider-audit.jsonl").read_text(encoding="utf-8").count("\n") == 2
        await press(pilot, "escape", "H")
        text = await press(pilot, "A", *"bo", "enter")
        assert text.splitlines()[1].count("hook not asked") == 2
        assert (folder / "provider-audit.jsonl").read_text(encoding="utf-8").count("\n") == 2


async def test_a_provider_that_nobody_allowed_is_not_started_for_the_other_agent(
    bank: Bank, opened: Opened, home: Home
) -> None:
    folder = home()
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        text = await press(pilot, "A", *"bo", "enter")
        assert "hook not asked" in text and not (folder / "provider-audit.jsonl").exists()


async def test_looking_at_two_packs_changes_nothing(bank: Bank, opened: Opened) -> None:
    bank.close()
    before = files(bank.path)
    async with opened(bank) as pilot:
        await side_by_side(pilot)
        await press(pilot, "j", "enter", "escape", "t", "n", "t", "o")
        await press(pilot, "A", *"nova", "enter", "escape")
        assert files(bank.path) == before
    assert files(bank.path) == before


PAGES = """
    import json, sys
    asked = json.load(sys.stdin)
    if asked["capability"] == "context.paging":
        data = {"drop": [one["file"] for one in asked["payload"]["candidates"] if one["subject"] == "present"]}
    else:
        data = {"evict": [one["file"] for one in asked["payload"]["candidates"] if one["subject"] == "scarf"]}
    json.dump({"ok": True, "data": data}, sys.stdout)
"""


async def test_paging_is_asked_for_the_other_agent_too(bank: Bank, opened: Opened, home: Home) -> None:
    home(PAGES, capabilities=("memory.hook", "context.paging"))
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        await press(pilot, "=", *"1300", "enter")
        text = await press(pilot, "A", *"bo", "enter")
        assert text.splitlines()[1].count("hook took out 1, paging 1") == 2
        found = panel(pilot).found
        assert found is not None and found.left.paged == found.right.paged != frozenset()
        assert len(re.findall(r"\[[a-z.!]+\] +[\d,]+ / 1,300 chars", text.splitlines()[2])) == 2


async def test_without_a_hook_what_paging_took_out_is_told_all_the_same(bank: Bank, opened: Opened, home: Home) -> None:
    home(PAGES, capabilities=("context.paging",))
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "=", *"1300", "enter", "H", "y")
        text = await press(pilot, "A", *"bo", "enter")
        assert text.splitlines()[1].count("no hook, paging 1") == 2


@pytest.mark.parametrize(("size", "bars"), [((80, 24), (2, 4)), ((140, 40), (2,))])
async def test_the_bars_name_their_unit_in_every_layout(
    bank: Bank, opened: Opened, size: tuple[int, int], bars: tuple[int, ...]
) -> None:
    async with opened(bank, size=size) as pilot:
        lines = (await side_by_side(pilot)).splitlines()
        assert all("chars, no budget" in lines[at] for at in bars)
        await press(pilot, "escape")
        screen(pilot).try_out(replace(screen(pilot).now, layout="memora"), "A chat")
        await press(pilot)
        lines = (await press(pilot, "A", *"bo", "enter")).splitlines()
        assert all("/ 120,000 tokens" in lines[at] for at in bars)


HANGS_FOR_BO = """
    import json, sys, time
    if json.load(sys.stdin)["payload"]["agent"] == "bo":
        time.sleep(60)
    print('{"ok": true, "data": {}}')
"""


async def test_the_pair_stands_before_it_is_made_and_covers_nothing_that_is_opened_meanwhile(
    bank: Bank, opened: Opened, home: Home
) -> None:
    home(HANGS_FOR_BO)
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        await pilot.press("A", *"bo", "enter")
        assert "side by side   making the pack of bo ..." in screen_text(pilot.app)
        assert "< ana" in screen_text(pilot.app)
        await pilot.press("n", "t", "o", "enter", "escape", "w")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Form)
