"""What is typed letter by letter arrives as it was typed: joiners are text, controls and overrides are not."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input, TextArea

from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.test_typed_ahead import at_once

FAMILY, WANTS = "👩\u200d👩\u200d👧", "می\u200cخواهم"


@pytest.mark.parametrize("keys", ["/", "n", "?", "\x10"])
@pytest.mark.parametrize("text", [FAMILY, WANTS, "♥\ufe0f", "東京\u3000駅", "5\u00a0€"])
async def test_a_text_that_is_typed_keeps_the_joiners_and_spaces_of_its_script(
    opened: Opened, bank: Bank, keys: str, text: str
) -> None:
    """A search, a form, the help, the palette: a family of three stays one emoji, a Persian word one word."""
    async with opened(bank) as pilot:
        await at_once(pilot, keys + text)
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.value == text


@pytest.mark.parametrize("text", [FAMILY, WANTS])
async def test_the_statement_of_a_memory_is_saved_with_the_joiners_that_were_typed(
    opened: Opened, bank: Bank, text: str
) -> None:
    """A field of several lines as well, on the way into the file."""
    async with opened(bank) as pilot:
        await pilot.press("e")
        area = pilot.app.focused
        assert isinstance(area, TextArea)
        area.select_all()
        await at_once(pilot, text)
        assert area.text == text
        await pilot.press("ctrl+s")
        await settle(pilot)
    assert text in {memory.statement for memory in bank.view().live}


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200e", "\x1b", "\x07", "\x9b", "\u2028"])
async def test_a_control_or_a_direction_override_does_not_get_into_a_field(
    opened: Opened, bank: Bank, sign: str
) -> None:
    """Nothing that a terminal would obey is typed into the search."""
    async with opened(bank) as pilot:
        await at_once(pilot, "/a")
        pilot.app.post_message(events.Key("unknown", sign))
        await at_once(pilot, "b")
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.value == "ab"
