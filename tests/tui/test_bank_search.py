"""The search of the Bank as a person uses it: what is offered, what is marked, what waits, what the list says."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pipeline.recall.rebuild import rebuild
from store.bank import Bank
from store.index.search import searching
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.screen import bank_screen, press, screen_text
from tui.bank_search import BankSearch, IndexRenewed


def _marks(pilot: Any, place: int = 0) -> list[str]:
    """What is marked in a row of the list."""
    return [text for text, style in bank_screen(pilot).rows.source.row(place, 100) if style == "match"]


# --- what is offered


async def test_an_operator_and_its_value_are_offered_and_taken_with_a_key(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "/", *"ty")
        assert "> type:" in text.splitlines()[2]
        assert text.splitlines()[-1].startswith(" tab take")
        lines = (await press(pilot, "tab")).splitlines()
        assert lines[1].startswith(" / type:")
        offered = [line.partition("▌")[2].removeprefix(">").split()[:2] for line in lines[2:6]]
        assert offered == [["FACT", "2"], ["BOUND", "1"], ["COMMIT", "1"], ["PREF", "1"]]
        lines = (await press(pilot, "p", "right")).splitlines()
        assert lines[1].startswith(" / type:PREF ") and "1 of 5" in lines[1]
        assert "▌" not in "".join(lines)


async def test_up_and_down_choose_and_enter_takes_what_was_chosen(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"type:", "down", "down")
        text = await press(pilot, "up", "enter")
        assert " / type:BOUND " in text and "1 of 5" in text
        assert bank_screen(pilot).query_box.box.has_focus
        await press(pilot, "enter")
        assert bank_screen(pilot).rows.has_focus


async def test_escape_closes_what_is_offered_and_then_leaves_the_box(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "> FACT" in await press(pilot, "/", *"type:")
        text = await press(pilot, "escape")
        assert "> FACT  " not in text and " / type:" in text
        assert bank_screen(pilot).query_box.box.has_focus
        await press(pilot, "escape")
        assert bank_screen(pilot).rows.has_focus


async def test_where_nothing_is_offered_the_keys_do_what_they_do_elsewhere(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", "right", "up", "down")
        assert bank_screen(pilot).rows.has_focus
        await press(pilot, "/", "tab")
        assert not bank_screen(pilot).query_box.box.has_focus
        await press(pilot, "/", *"tea", "left", "right", "down")
        assert bank_screen(pilot).rows.has_focus
        await press(pilot, "/", *" id", "down")
        assert bank_screen(pilot).rows.has_focus


async def test_moving_the_cursor_away_and_leaving_the_box_close_what_is_offered(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "> FACT" in await press(pilot, "/", *"type:")
        assert "> FACT  " not in await press(pilot, "home")
        await press(pilot, "end", "backspace", "backspace")
        assert "> type:" in screen_text(pilot.app)
        bank_screen(pilot).rows.focus()
        assert "> type:" not in await press(pilot)


async def test_a_value_is_taken_in_the_middle_of_a_query(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"type:X tea", *["left"] * 4, "backspace")
        assert "> FACT" in screen_text(pilot.app)
        assert " / type:FACT tea " in await press(pilot, "tab")


async def test_many_values_are_counted_and_shown_as_they_are_written(make_bank: MakeBank, opened: Opened) -> None:
    tags = [*(f"tag{at:02}" for at in range(12)), "[red]a b"]
    bank = make_bank([("FACT", {"subject": tag, "statement": "said", "tags": (tag,)}) for tag in tags])
    async with opened(bank) as pilot:
        text = await press(pilot, "/", *"tag:")
        assert "1 of 13" in text and "> tag00" not in text.splitlines()[2].partition("▌")[0]
        text = await press(pilot, "up")
        assert "13 of 13" in text and "> tag11" in text
        text = await press(pilot, "backspace", ":", "r", "backspace", "[")
        await press(pilot, "backspace", *'"[r')
        assert ' / tag:"[red]a b" ' in await press(pilot, "tab")
        assert "1 of 13" in screen_text(pilot.app)


async def test_a_click_takes_what_is_offered(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"type:")
        await pilot.click(bank_screen(pilot).query_box.offers, offset=(4, 1))
        await settle(pilot)
        assert " / type:BOUND " in screen_text(pilot.app)


async def test_a_person_sets_the_key_that_takes_and_the_help_names_it(bank: Bank, opened: Opened) -> None:
    async with opened(bank, keymap={"text.take": "ctrl+y"}) as pilot:
        text = await press(pilot, "/", *"ty")
        assert text.splitlines()[-1].startswith(" ^y take")
        assert " / type:" in await press(pilot, "ctrl+y")
        assert "take what is offered under the box" in await press(pilot, "f1")


# --- what the list says


async def test_the_best_is_seen_while_typing_and_a_chosen_memory_is_kept(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"ken")
        assert bank_screen(pilot).current_memory().subject == "tea order"  # type: ignore[union-attr]
        await press(pilot, *["backspace"] * 3, *"tea", "enter", "G")
        last = bank_screen(pilot).current_memory()
        await press(pilot, "/", *" order")
        assert bank_screen(pilot).current_memory() == last
        await press(pilot, *["backspace"] * 9, *"twelve")
        best = bank_screen(pilot).current_memory()
        assert best.subject == "retro"  # type: ignore[union-attr]
        await press(pilot, "escape", "escape")
        assert bank_screen(pilot).current_memory() == best


async def test_other_forms_and_corrected_words_are_marked_in_rows_and_detail(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"ordering ")
        assert _marks(pilot) == ["order", "orders"]
        text = await press(pilot, *["backspace"] * 9, *"kenjo ")
        assert text.splitlines()[1].endswith("results for kenji   1 of 5")
        assert _marks(pilot) == ["Kenji"]
        detail = bank_screen(pilot).detail.content
        assert any("underline" in str(span.style) for span in detail.spans)


async def test_what_waits_in_review_is_counted_and_never_shown_as_a_memory(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        text = await press(pilot, "/", *"is:pending")
        assert "7 proposals wait in Review." in text and "2   goes there" in text
        assert text.splitlines()[1].endswith("7 in Review")
        await press(pilot, "enter", "x", "e", "p")
        assert "There is no memory here." in screen_text(pilot.app)
        assert "[2 Review 7]" in await press(pilot, "2")


async def test_what_waits_is_counted_beside_memories_of_other_places(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        text = await press(pilot, "/", *"is:pending,archived")
        assert text.splitlines()[1].endswith("7 in Review   1 memory   newest first")
        assert ">- FACT" in text


async def test_that_nothing_waits_is_said(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "Nothing waits in Review." in await press(pilot, "/", *"is:pending")


async def test_while_the_index_is_made_the_newest_are_searched_and_it_is_said(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(searching, "AT_ONCE", 3)
    monkeypatch.setattr("pipeline.recall.rebuilding.start_rebuild", lambda roots, *, vectors: made.append(vectors))
    monkeypatch.setattr("tui.bank_search.BankSearch._await", lambda *_: None)
    async with opened(bank) as pilot:
        text = await press(pilot, "/", *"te")
        assert "The newest 3 memories are searched while the index is made." in text
        assert text.splitlines()[1].endswith("3 memories   by relevance")
        assert made == [False]
        assert rebuild([bank.path], lambda *_words, **_numbers: None)
        pilot.app.post_message(IndexRenewed())
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "The index is made: all memories are searched." in text
        assert "4 of 5" in text.splitlines()[1]


def test_a_rebuild_that_somebody_kills_is_begun_again_but_not_for_ever(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, ended = [], threading.Event()

    class Killed:
        progress: ClassVar = {"stage": "words"}
        problem = ""

        def wait(self, _timeout: float) -> bool:
            return True

        def done(self) -> bool:
            return True

    def start(roots: list[Path], *, vectors: bool) -> Killed:
        started.append(vectors)
        return Killed()

    monkeypatch.setattr(searching, "AT_ONCE", 3)
    monkeypatch.setattr("pipeline.recall.rebuilding.start_rebuild", start)
    search = BankSearch(lambda _: ended.set(), sealed=lambda: False)
    for _ in range(3):
        ended.clear()
        search.of(bank.view())
        assert ended.wait(10)
    search.of(bank.view())
    assert len(started) == 3


async def test_where_the_detail_hides_the_rows_a_search_shows_them_again(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(40, 10)) as pilot:
        assert "retro" not in await press(pilot, "enter")
        text = await press(pilot, "/", *"boxes")
        assert "1 of 5" in text and "retro" in text


async def test_in_a_small_window_what_was_meant_leaves_room_for_the_count(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        box = bank_screen(pilot).query_box
        box.show(["results for timetable", "3 of 58", "+ 1 by meaning", "by relevance"])
        await settle(pilot)
        assert screen_text(pilot.app).splitlines()[1].rstrip().endswith("results for timetable   3 of 58")
        box.show(["3 of 58", "+ 1 by meaning", "by relevance"])
        await settle(pilot)
        assert screen_text(pilot.app).splitlines()[1].rstrip().endswith("3 of 58 + 1 by meaning   by relevance")
