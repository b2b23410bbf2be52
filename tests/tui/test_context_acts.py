"""What is done from the Context screen: a memory is changed and the pack follows; and looking changes nothing."""

from __future__ import annotations

import pytest

from store.bank import Bank
from tests.tui.conftest import Home, MakeBank, Opened
from tests.tui.context_world import (
    MEMORIES,
    counted,
    files,
    focused,
    id_of,
    press,
    row_of,
    screen,
    visit,
)

pytestmark = pytest.mark.usefixtures("quick_rounds", "quick_rest")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


async def test_a_memory_is_edited_protected_and_forgotten_from_here_and_undo_brings_it_back(
    bank: Bank, opened: Opened
) -> None:
    async with opened(bank, size=(100, 30)) as pilot:
        await visit(pilot, agree="")
        screen(pilot).rows.go_to(id_of(bank, "scarf"))
        text = await press(pilot, "p")
        assert "Protected scarf." in text
        assert "It is protected; press p first." in await press(pilot, "x")
        await press(pilot, "p")
        text = await press(pilot, "x")
        assert "Moved scarf to the trash." in text and counted(text)[1] == 10
        with pytest.raises(StopIteration):
            row_of(text, "scarf")
        text = await press(pilot, "u")
        assert row_of(text, "scarf").startswith(">+ included") and counted(text)[1] == 11
        text = await press(pilot, "e", *" blue", "ctrl+s")
        assert "bluescarf" in text.replace(" ", "") or "blue" in row_of(text, "scarf")


async def test_the_pack_follows_an_edit_at_once_and_the_cursor_stays_on_its_memory(
    bank: Bank, opened: Opened, home: Home
) -> None:
    """The newest memory stands first: an edit moves it there, and the hook is asked about the new words."""
    folder = home()
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        lake = id_of(bank, "lake house")
        screen(pilot).rows.go_to(lake)
        text = await press(pilot, "e", *"now ", "ctrl+s")
        assert screen(pilot).rows.current == lake == screen(pilot).preview.pack.included[0]  # type: ignore[union-attr]
        assert row_of(text, "now").startswith(">+ included   3      1")
        assert "- [FACT] lake house: now booked until the 16th" in text
        assert "First in section 3 (the newest)" in text
        assert (folder / "provider-audit.jsonl").read_text(encoding="utf-8").count("\n") == 2
        text = await press(pilot, "p")
        assert screen(pilot).rows.current == lake and "immutable" in text
        await press(pilot, "p")
        party = id_of(bank, "party")
        screen(pilot).rows.go_to(party)
        assert "- evicted" in row_of(await press(pilot, "p"), "party") and screen(pilot).rows.current == party
        below = screen(pilot).rows.source.id(screen(pilot).rows.cursor + 1)
        await press(pilot, "p")
        await press(pilot, "x")
        assert screen(pilot).rows.current == below and counted(await press(pilot))[0]["evicted"] == 1


async def test_enter_reads_why_and_again_opens_the_memory_in_the_bank(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "j")
        subject = screen(pilot).current_memory().subject  # type: ignore[union-attr]
        text = await press(pilot, "enter")
        assert "TRIED" in text and "SCORES" in text
        text = await press(pilot, "enter")
        assert "[1 Bank]" in text and f">  FACT   {subject}:" in text


INPUTS: list[list[str]] = [
    ["-", "-", "+", "=", "escape", "H", "H", "H", "d", "d", "T", "T", "P", "escape"],
    [*"tttttt", "escape", "enter", "escape", "o", "escape", "G", "g", "J", "K", "Y", "y"],
]
OTHERS: list[list[str]] = [
    ["w", *"x", "ctrl+s", "escape", "escape", "a", "escape", "escape", "D", "escape", "L", "escape"],
    ["A", *"bo", "enter", "n", "escape", "b", "enter", *"now", "enter", "b", "enter", "escape"],
]


@pytest.mark.parametrize("hooked", [True, False])
@pytest.mark.parametrize("pressed", [INPUTS, OTHERS])
async def test_a_preview_writes_nothing_in_the_bank_whatever_is_pressed(
    bank: Bank, opened: Opened, home: Home, hooked: bool, pressed: list[list[str]]
) -> None:
    """Not a byte of the files, and none of the ledger."""
    if hooked:
        home()
    bank.close()  # what it has to tidy after the commits above is no preview's doing
    before, changes = files(bank.path), bank.history()
    async with opened(bank) as pilot:
        await focused(pilot)
        for keys in pressed:
            await press(pilot, *keys)
        assert files(bank.path) == before
    assert files(bank.path) == before
    assert bank.history() == changes
