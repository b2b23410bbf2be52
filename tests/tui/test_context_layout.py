"""A chat on the Context screen: chosen in the what-if, told against today's pack, explained segment by segment."""

from __future__ import annotations

import re

import pytest

from store.bank import Bank
from tests.tui.conftest import MakeBank, Opened
from tests.tui.context_world import MEMORIES, counted, files, press, quiet, row_of, screen, visit
from tests.tui.screen import screen_text
from tui.screens.context_rows import FIXED

pytestmark = pytest.mark.usefixtures("quick_rounds")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


CHAT = ("w", *"birthday", "tab", "tab", "tab", "m", "ctrl+s")
"""The what-if with a focus and the layout of a chat."""


async def test_another_layout_is_tried_and_told_against_today_line_by_line(bank: Bank, opened: Opened) -> None:
    bank.close()  # what it has to tidy after its commits is no preview's doing
    before = files(bank.path)
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        text = await press(pilot, *CHAT)
        assert "what if" in text and "budget 120,000   layout memora" in text
        assert "against today" in text and "another layout" in text
        assert re.search(r"/ 120,000 tokens", text) and "tokens" in text
        assert screen(pilot).now.layout == "memora" and screen(pilot).today.layout == "yotta"
        assert "no match" in text and sum(counted(text)[0].values()) == counted(text)[1]
        await press(pilot, "escape")
        text = await press(pilot, "escape")
        assert "layout memora" not in text and "chars, no budget" in text
        assert files(bank.path) == before


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_first_row_of_a_chat_tells_its_segments_and_why_each_is_there(
    bank: Bank, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(bank, size=size) as pilot:
        await visit(pilot, agree="")
        await press(pilot, *CHAT, "escape")
        assert "persona, rules, conversation" in row_of(await quiet(pilot), "persona")
        screen(pilot).rows.go_to(FIXED)
        await press(pilot, "enter")
        told = screen_text(pilot.app)
        assert "SEGMENTS" in told and "closing and tools" in told and "the words of the user" in told


async def test_a_budget_in_a_chat_is_asked_for_in_tokens(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(100, 30)) as pilot:
        await visit(pilot, agree="")
        await press(pilot, *CHAT, "escape")
        assert "How many tokens, in all?" in await press(pilot, "=")
