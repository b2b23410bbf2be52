"""The palette: what is called exactly as typed comes first, and nothing that gives leave is met by chance."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from store.bank import Bank
from tests.tui.conftest import MakeBank, Opened, settle
from tui.palette import EXACT, INSIDE, WORD, WORDS, fits


async def offered(pilot: Pilot[int], typed: str) -> list[str]:
    """What the palette offers for this, from above."""
    await pilot.press("ctrl+p")
    await pilot.press(*["space" if letter == " " else letter for letter in typed])
    await pilot.app.workers.wait_for_complete()
    await settle(pilot)
    found = pilot.app.screen.query_one(OptionList)
    return [str(found.get_option_at_index(at).prompt) for at in range(found.option_count)]


def called(*subjects: str) -> list[tuple[str, dict[str, str]]]:
    """Facts with these subjects."""
    return [
        ("FACT", {"subject": subject, "statement": f"said of it, number {at}"}) for at, subject in enumerate(subjects)
    ]


async def test_a_memory_that_is_called_as_typed_comes_before_words_that_begin_so_and_before_letters_apart(
    make_bank: MakeBank, opened: Opened
) -> None:
    bank = make_bank(called("a stone", "onerous", "the one", "one", "phones"))
    async with opened(bank, size=(100, 40)) as pilot:
        found = await offered(pilot, "one")
        names = [one.partition(":")[0] for one in found if one.startswith("FACT")]
        assert names == ["FACT one", "FACT onerous", "FACT the one"]  # inside a word nothing is looked for
        assert found[0].startswith("FACT one:")
        assert not any("Agents write" in one or "Scripts may" in one for one in found)


async def test_enter_on_an_exact_name_goes_to_the_memory(make_bank: MakeBank, opened: Opened) -> None:
    """However many younger memories hold the word: here 30, more than are offered."""
    bank = make_bank(called("one", *(f"one more {at}" for at in range(30))))
    async with opened(bank) as pilot:
        await offered(pilot, "one")
        await pilot.press("enter")
        await settle(pilot)
        assert pilot.app.screen.current_memory().subject == "one"  # type: ignore[attr-defined]


async def test_a_memory_is_found_by_the_name_of_its_file_and_by_the_persons_query(bank: Bank, opened: Opened) -> None:
    memory = next(one for one in bank.view().live if one.subject == "tea order")
    async with opened(bank) as pilot:
        for typed in (memory.name.removesuffix(".md"), "kenji type:fact"):
            (found,) = [one for one in await offered(pilot, typed) if one.startswith(("FACT", "PREF", "COMMIT"))]
            assert found.startswith("FACT tea order: Kenji orders")
            await pilot.press("escape")


@pytest.mark.parametrize("typed", ["ae", "awo", "smd", "scrd", "on"])
async def test_what_gives_agents_leave_to_write_never_stands_first_by_its_letters(
    bank: Bank, opened: Opened, typed: str
) -> None:
    """`on` stands in it as a word, and yet a theme or a key comes first."""
    async with opened(bank, size=(100, 40)) as pilot:
        found = await offered(pilot, typed)
        assert not found[:1] or not found[0].startswith(("Agents write", "Scripts may"))
        if typed != "on":
            assert not any(one.startswith(("Agents write", "Scripts may")) for one in found)


async def test_a_command_is_found_by_the_word_in_the_line_of_keys(bank: Bank, opened: Opened) -> None:
    """`undo` is what the line of keys calls it, though the palette says it in other words."""
    async with opened(bank) as pilot:
        assert (await offered(pilot, "undo"))[0].startswith("take back the last change")


@pytest.mark.parametrize(
    "query, text, right",
    [
        ("one", "One", EXACT),
        (" tea  order ", "tea order", EXACT),
        ("one", "one more", WORD + 0.1),
        ("one", "the one", WORD),
        ("one", "phone one", WORD),
        ("one", "phone", INSIDE),
        ("order tea", "tea order", WORDS),
        ("one", "on the edge", 0.0),
        ("", "one", 0.0),
        ("東京", "東京の駅", WORD + 0.1),
    ],
)
def test_how_well_a_text_fits(query: str, text: str, right: float) -> None:
    assert fits(query, (text,)) == right
