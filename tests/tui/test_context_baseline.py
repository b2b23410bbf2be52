"""Kept packs on the Context screen: one is saved under a name, and later it is told what changed since, and why."""

from __future__ import annotations

import re
from typing import Any

import pytest

from store.bank import Bank
from store.baselines import baselines
from tests.tui.conftest import MakeBank, Opened
from tests.tui.context_world import MEMORIES, files, id_of, press, row_of, screen, visit
from tui.screens.context_text import TextRows

pytestmark = pytest.mark.usefixtures("quick_rounds")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


async def kept(pilot: Any, name: str = "before") -> str:
    """Visit the screen and keep the pack."""
    await visit(pilot, agree="")
    return await press(pilot, "b", "enter", *name, "enter")


def id_of_trashed(bank: Bank, subject: str) -> str:
    """The id of a memory that is live no more."""
    return next(memory.id for memory in bank.view().memories.values() if memory.subject == subject)


def lines_of(pilot: Any) -> list[tuple[str, str, str]]:
    """Sign, text and note of the changed lines that show memories."""
    source = screen(pilot).text.source
    assert isinstance(source, TextRows)
    changed = [at for at in range(len(source)) if source.entry(at) and source.sign(at) != " "]
    return [(source.sign(at), source.text(at), source.note(at)) for at in changed]


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_pack_is_kept_under_a_name_and_tells_later_what_changed_since(
    bank: Bank, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(bank, size=size) as pilot:
        text = await kept(pilot)
        assert "Kept the pack as before; the bank is as it was." in text
        assert [(one.name, one.agent) for one in baselines(bank.path)] == [("before", "ana")]
        screen(pilot).rows.go_to(id_of(bank, "scarf"))
        await press(pilot, "x")
        screen(pilot).rows.go_to(id_of(bank, "tea"))
        await press(pilot, "e", *"hot ", "ctrl+s")
        panel = await press(pilot, "b")
        assert "Kept packs" in panel and "+ keep the pack as it is now" in panel and "today 12:00" in panel
        text = await press(pilot, "enter")
        assert re.search(r"since before   today 12:00   1 left, 1 reworded, \d+ characters fewer", text)
        assert "Since before: 0 came in, 1 left, 1 reworded, 0 moved; " in text
        told = lines_of(pilot)
        number = bank.history(id=id_of_trashed(bank, "scarf"))[0].number
        assert ("-", "- [FACT] scarf: she returned it in 2021", f"it is in the trash, change {number}") in told
        assert ("-", "- [PREF] tea: green tea before noon", "") in told
        assert any(sign == "+" and "hot" in line and "changed since" in note for sign, line, note in told)
        source = screen(pilot).text.source
        assert isinstance(source, TextRows)
        lines = [source.text(at)[:14] for at in range(len(source))]
        screen(pilot).text.cursor = lines.index("- [FACT] scarf")
        text = await press(pilot, "enter")
        assert f"Left: it is in the trash (change {number}: trash FACT" in text
        await press(pilot, "escape")
        text = await press(pilot, "escape")
        assert "since before" not in text and row_of(text, "tea")
        screen(pilot).rows.go_to(id_of(bank, "tea"))
        assert "Since before it says" not in await press(pilot, "enter")


async def test_the_comparison_follows_what_is_changed_meanwhile(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        await kept(pilot)
        assert "since before   today 12:00   nothing changed" in await press(pilot, "b", "enter")
        screen(pilot).rows.go_to(id_of(bank, "scarf"))
        text = await press(pilot, "x")
        assert re.search(r"since before   today 12:00   1 left, \d+ characters fewer", text)
        assert "nothing changed" in await press(pilot, "u")
        screen(pilot).rows.go_to(id_of(bank, "planning"))
        assert "   1 reworded, 1 character more" in await press(pilot, "e", "x", "ctrl+s")
        assert "nothing changed" in await press(pilot, "u")
        text = await press(pilot, "w", "tab", "tab", "backspace", "backspace", "1", "ctrl+s", "b", "enter")
        assert "Limit 10 then, 1 now." in text
        notes = {text.split("] ")[1].split(":")[0]: note for _, text, note in lines_of(pilot) if note}
        assert set(notes) >= {"lake house", "planning", "present"} and "birthday" not in notes
        assert all("another limit" in note for note in notes.values())


async def test_a_name_is_checked_asked_about_before_it_is_replaced_and_can_be_deleted(
    bank: Bank, opened: Opened
) -> None:
    async with opened(bank) as pilot:
        await kept(pilot)
        text = await press(pilot, "b", "k", "enter", "enter")
        assert "A baseline needs a name" in text
        text = await press(pilot, *"before", "enter")
        assert "There is a kept pack before already." in text
        text = await press(pilot, "y")
        assert "Kept the pack as before, in place of the earlier one; the bank is as it was." in text
        text = await press(pilot, "b", "x")
        assert "Delete the kept pack before?" in text
        text = await press(pilot, "y")
        assert "Deleted before." in text and "as ana," not in text
        assert baselines(bank.path) == ()
        assert "No baseline" not in await press(pilot, "escape")


async def test_keeping_and_comparing_leave_the_bank_byte_for_byte(bank: Bank, opened: Opened) -> None:
    bank.close()
    before = files(bank.path)
    async with opened(bank) as pilot:
        await kept(pilot)
        await press(pilot, "b", "enter", "j", "j", "enter", "escape", "escape", "b", "x", "n", "x", "y", "escape")
        assert files(bank.path) == before
    assert files(bank.path) == before


async def test_without_a_pack_nothing_can_be_kept(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await visit(pilot, agent="", agree="")
        assert "Whose pack?" in text
        for key in ("b", "A"):
            assert "Choose the agent first." in await press(pilot, key)
