"""The help and the palette: keys that are looked up and run, memories, themes and switches."""

from __future__ import annotations

from typing import Any

import pytest

from store.bank import Bank
from store.settings import bank_value
from tests.tui.conftest import MakeBank, Opened
from tests.tui.screen import bank_screen, press, screen_text
from tui.theme import DARK, LIGHT


async def test_help_filters_as_one_types_and_enter_runs_the_line(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "?")
        assert "Keys on Bank" in text
        text = await press(pilot, *"show the trash")
        assert "show the trash, or the bank again" in text and "list.sort" not in text
        text = await press(pilot, "enter")
        assert "trash   0 memories" in text


async def test_help_without_a_hit_says_that_nothing_matches(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "?", *"xyzzy")
        assert "Nothing matches; backspace takes a letter back." in text
        text = await press(pilot, *["backspace"] * 5)
        assert "Nothing matches" not in text and "to the trash, no question" in text


async def test_help_says_why_a_key_cannot_act(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank([])) as pilot:
        text = await press(pilot, "?", *"trash no question")
        assert "There is no memory here." in text


async def test_the_palette_runs_commands_and_jumps_to_any_memory(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"green", "enter")
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"lisbon")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert "FACT tea order: Kenji orders" in screen_text(pilot.app)
        await pilot.press("enter")
        text = await press(pilot)
        assert ">  FACT   tea order" in text
        assert bank_screen(pilot).current_memory().subject == "tea order"  # type: ignore[union-attr]


async def _choose(pilot: Any, words: str) -> str:
    """Open the palette, type, take the first offer."""
    await pilot.press("ctrl+p")
    await pilot.pause()
    await pilot.press(*words)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause(0.1)
    await pilot.press("enter")
    return await press(pilot)


async def test_the_palette_changes_the_theme(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert pilot.app.theme == DARK
        assert "Theme light, for now" in await _choose(pilot, "light")
        assert pilot.app.theme == LIGHT


@pytest.mark.parametrize("words, key", [("agents", "agents_write"), ("scripts", "scripted_decisions")])
async def test_the_palette_switches_what_only_a_person_may_switch(
    bank: Bank, opened: Opened, words: str, key: str
) -> None:
    async with opened(bank) as pilot:
        assert "y switch it on" in await _choose(pilot, words)
        await press(pilot, "n")
        assert not bank_value(bank.view(), key)
        await _choose(pilot, words)
        assert ": on." in await press(pilot, "y")
        assert bank_value(bank.view(), key) is True
        assert ": off." in await _choose(pilot, words)
        assert bank_value(bank.view(), key) is False
        await press(pilot, "u")
        assert bank_value(bank.view(), key) is True


async def test_hostile_text_in_the_palette_is_text(make_bank: MakeBank, opened: Opened) -> None:
    bank = make_bank([("FACT", {"subject": "odd", "statement": "[@click=app.quit]x[/] [/] zebra"})])
    async with opened(bank) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"zebra")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert "[@click=app.quit]x[/] [/] zebra" in screen_text(pilot.app)
