"""Keys that arrive faster than the screen is drawn (a slow line, a busy machine): each goes where a person meant it."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tui.widgets.form import Form

NAMED = {"/": "slash", "?": "question_mark", "\x10": "ctrl+p"}


async def at_once(pilot: Any, keys: str) -> None:
    """All these keys in the same instant."""
    for key in keys:
        name = NAMED.get(key, key)
        pilot.app.post_message(events.Key(name, None if "+" in name else key))
    await settle(pilot)


@pytest.mark.parametrize("keys", ["/xxpx", "?xx", "\x10xx"])
async def test_what_is_typed_right_after_a_box_was_opened_is_text(opened: Opened, bank: Bank, keys: str) -> None:
    """A search for "xylophone", typed in one go, trashes nothing, and no letter is lost."""
    before = bank.view().revision
    async with opened(bank) as pilot:
        await at_once(pilot, keys)
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.value == keys[1:]
        assert bank.view().revision == before


async def test_a_search_typed_in_one_go_decides_nothing_in_review(opened: Opened, demo: Bank) -> None:
    """A search for "area" approves and rejects nothing, the first time and after the box was left."""
    before = demo.view().revision
    async with opened(demo, size=(140, 40)) as pilot:
        await at_once(pilot, "2")
        for _ in range(2):
            await at_once(pilot, "/area")
            assert isinstance(pilot.app.focused, Input)
            assert pilot.app.focused.value == "area"
            await pilot.press("escape", "escape")
            await settle(pilot)
        assert demo.view().revision == before


@pytest.mark.parametrize("key, field", [("e", "statement"), ("n", "subject")])
async def test_what_is_typed_right_after_a_form_was_opened_goes_into_it(
    opened: Opened, bank: Bank, key: str, field: str
) -> None:
    """`x` in the same instant as `e` is a letter in the form, not the trash."""
    before = bank.view().revision
    async with opened(bank) as pilot:
        await at_once(pilot, key + "xxx")
        form = pilot.app.screen
        assert isinstance(form, Form)
        assert "xxx" in form.values[field]
        assert bank.view().revision == before


@pytest.mark.parametrize("keys", ["err", "Raa", "Aar"])
async def test_a_question_about_a_proposal_stands_before_the_next_key_decides(
    opened: Opened, demo: Bank, keys: str
) -> None:
    """Letters typed with the key that asks decide nothing in the queue under the question."""
    before = demo.view().revision
    async with opened(demo, size=(140, 40)) as pilot:
        await at_once(pilot, "2")
        await at_once(pilot, keys)
        assert pilot.app.screen.is_modal
        assert demo.view().revision == before


async def test_a_decision_typed_with_the_key_that_opens_review_is_made_there(opened: Opened, demo: Bank) -> None:
    """`2` and `r` in one go reject the first proposal, and nothing in the bank is touched."""
    memories = list(demo.view().live)
    async with opened(demo, size=(140, 40)) as pilot:
        await at_once(pilot, "2")
        await at_once(pilot, "1")
        await at_once(pilot, "2r")
        assert "[2 Review 6]" in screen_text(pilot.app)
        assert list(demo.view().live) == memories
