"""A chat on the Context screen: chosen in the what-if, told against today's pack, explained segment by segment."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

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


SAID = [{"role": "user", "content": "we sail at noon"}, {"role": "assistant", "content": "noted: noon"}]


async def chat_with(pilot: Any, file: Path | str) -> str:
    """The what-if with a focus, the layout of a chat and the file of a conversation."""
    await press(pilot, "w", *"birthday", "tab", "tab", "tab", "m", "tab")
    pilot.app.screen.query_one("#field-conversation").value = str(file)
    return await press(pilot, "ctrl+s")


async def test_only_a_chat_is_asked_for_its_conversation(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await visit(pilot, agree="")
        form = await press(pilot, "w")
        assert "layout" in form and "messages" not in form
        form = await press(pilot, "tab", "tab", "tab", "m")
        assert re.search("messages +a file with those so far; empty: none", form)
        assert "messages" not in await press(pilot, "y")


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_conversation_is_read_and_stands_in_the_chat_until_it_is_taken_out(
    bank: Bank, opened: Opened, tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "said.json"
    file.write_text(json.dumps(SAID), encoding="utf-8")
    async with opened(bank, size=size) as pilot:
        await visit(pilot, agree="")
        await chat_with(pilot, file)
        await quiet(pilot)
        pack = screen(pilot).preview.pack  # type: ignore[union-attr]
        said = [(one.role, one.content) for one in pack.messages if one.role in {"user", "assistant"}]
        assert said[:2] == [("user", "we sail at noon"), ("assistant", "noted: noon")]
        assert "we sail at noon" in pack.text
        if size[0] > 100:
            assert "layout memora, 2 messages" in screen_text(pilot.app)
        file.unlink()  # it was read; only naming it again needs it again
        await press(pilot, "escape", "+")
        assert screen(pilot).now.said == pack.request.chat.conversation
        await press(pilot, "w", "tab", "tab", "tab", "tab", "ctrl+k")
        pilot.app.screen.query_one("#field-conversation").value = ""  # type: ignore[attr-defined]
        await press(pilot, "ctrl+s")
        await quiet(pilot)
        assert screen(pilot).now.said == ()
        assert "we sail at noon" not in screen(pilot).preview.pack.text  # type: ignore[union-attr]


async def test_a_conversation_that_cannot_be_read_is_said_in_the_form_and_nothing_is_lost_there(
    bank: Bank, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("broken.json").write_text("[", encoding="utf-8")
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        assert "There is no file 'gone.json'; name the messages so far." in await chat_with(pilot, "gone.json")
        for name, sentence in (("pipe", "'pipe' is a pipe"), ("broken.json", "is no JSON list of messages")):
            pilot.app.screen.query_one("#field-conversation").value = name  # type: ignore[attr-defined]
            text = await press(pilot, "ctrl+s")
            assert sentence in text and "birthday" in text and "What if" in text
        await press(pilot, "escape")
        assert screen(pilot).now.layout == "yotta"
