"""Meaning in the search of the Bank: it joins what words found when the person pauses, and nothing waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from pipeline.recall.encoding.chosen import Chosen
from pipeline.recall.encoding.encoders import EncoderProblem, Floats, Kind
from store.bank import Bank
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.screen import bank_screen, press, screen_text

MEMORIES = [
    ("FACT", {"subject": "mornings", "statement": "tea before noon", "created": "2026-11-01"}),
    ("FACT", {"subject": "kettle", "statement": "it is red", "created": "2026-10-01"}),
    ("FACT", {"subject": "boxes", "statement": "twelve in the cellar", "created": "2026-09-01"}),
    ("FACT", {"subject": "retro", "statement": "tea and boxes", "created": "2026-08-01"}),
]
DRINKS = ("tea", "kettle", "thirsty")


class Drinks:
    """An encoder that knows which texts are about drinking."""

    id, dim = "drinks@1", 8

    def __init__(self) -> None:
        self.asked: list[tuple[Kind, tuple[str, ...]]] = []
        self.fails = ""
        self.closed = 0
        self.before: Callable[[Sequence[str], Kind], object] = lambda _texts, _kind: None

    def encode(self, texts: Sequence[str], kind: Kind) -> Floats:
        self.asked.append((kind, tuple(texts)))
        self.before(texts, kind)
        if self.fails:
            raise EncoderProblem(self.fails)
        rows = []
        for at, text in enumerate(texts):
            row = np.full(self.dim, 0.05)
            row[0 if any(word in text for word in DRINKS) else 1 + at % 7] = 1
            rows.append(row / np.linalg.norm(row))
        return np.array(rows, np.float32)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person pauses after every letter."""
    monkeypatch.setattr("tui.screens.bank_look.PAUSE", 0.001)


@pytest.fixture
def drinks() -> Drinks:
    return Drinks()


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    return make_bank(MEMORIES)


def _subjects(pilot: Any) -> list[str]:
    rows = bank_screen(pilot).rows.source
    return [rows.memory(at).subject for at in range(len(rows))]


async def test_what_says_the_same_in_other_words_joins_what_words_found(
    bank: Bank, opened: Opened, drinks: Drinks
) -> None:
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        text = await press(pilot, "/", *"tea")
        assert "2 of 4 + 1 by meaning   by relevance" in text.splitlines()[1]
        assert set(_subjects(pilot)[:2]) == {"mornings", "retro"} and _subjects(pilot)[2:] == ["kettle"]
        await press(pilot, "enter", "G")
        assert "is near in meaning (+" in await press(pilot, "w")


async def test_what_no_word_finds_is_found_by_meaning(bank: Bank, opened: Opened, drinks: Drinks) -> None:
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        text = await press(pilot, "/", *"thirsty")
        assert "0 of 4 + 3 by meaning" in text.splitlines()[1]
        assert set(_subjects(pilot)) == {"mornings", "kettle", "retro"}


async def test_operators_hold_for_what_joins_and_another_order_is_by_words_alone(
    bank: Bank, opened: Opened, drinks: Drinks
) -> None:
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        text = await press(pilot, "/", *"tea after:2026-10-15")
        assert "1 of 4   by relevance" in text.splitlines()[1]
        text = await press(pilot, *["backspace"] * 16, *"sort:time")
        assert "2 of 4   newest first" in text.splitlines()[1]


async def test_the_cursor_stays_on_its_memory_when_meaning_joins(bank: Bank, opened: Opened, drinks: Drinks) -> None:
    gate = threading.Event()
    drinks.before = lambda _texts, kind: gate.wait(5) if kind == "query" else None
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        await pilot.press("/", *"tea", "enter", "j")
        here = bank_screen(pilot).current_memory()
        assert "by meaning" not in screen_text(pilot.app)
        gate.set()
        await settle(pilot)
        assert "by meaning" in screen_text(pilot.app)
        assert bank_screen(pilot).current_memory() == here


async def test_a_late_answer_to_other_words_is_dropped(bank: Bank, opened: Opened, drinks: Drinks) -> None:
    gate, waiting = threading.Event(), threading.Event()

    def before(texts: Sequence[str], kind: Kind) -> None:
        if kind == "query" and "tea" in texts:
            waiting.set()
            gate.wait(5)

    drinks.before = before
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        await pilot.press("/", *"tea")
        assert await asyncio.to_thread(waiting.wait, 5)
        await pilot.press(*["backspace"] * 3, *"boxes")
        gate.set()
        await settle(pilot)
        assert "2 of 4" in screen_text(pilot.app)
        assert "kettle" not in _subjects(pilot)


async def test_a_failing_encoder_is_one_line_once_and_words_go_on(bank: Bank, opened: Opened, drinks: Drinks) -> None:
    drinks.fails = "The server of the model cannot be reached; check that it runs."
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        text = await press(pilot, "/", *"te")
        assert "Found by words alone: The server of the model cannot be reached" in text
        bank_screen(pilot).say("")
        text = await press(pilot, "a")
        assert "2 of 4" in text and "Found by words alone" not in text
        assert len(drinks.asked) == 1


async def test_that_the_encoder_that_is_named_is_missing_is_said_once(bank: Bank, opened: Opened) -> None:
    async with opened(bank, encoder=lambda: Chosen(None, "Recall by meaning needs the extra semantic.")) as pilot:
        assert "Recall by meaning needs the extra semantic." in await press(pilot, "/", *"te")
        bank_screen(pilot).say("")
        assert "needs the extra" not in await press(pilot, "a")


async def test_before_the_first_search_nothing_is_chosen_and_switched_off_words_are_all(
    bank: Bank, opened: Opened
) -> None:
    chosen: list[int] = []

    def choose() -> Chosen:
        chosen.append(1)
        return Chosen(None)

    async with opened(bank, encoder=choose) as pilot:
        await press(pilot, "j", "k", "/", "escape")
        assert not chosen
        text = await press(pilot, "/", *"tea")
        assert "2 of 4   by relevance" in text.splitlines()[1]
        assert chosen


async def test_new_memories_get_their_meaning_and_leaving_lets_the_encoder_go(
    bank: Bank, opened: Opened, drinks: Drinks
) -> None:
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        await press(pilot, "/", *"thirsty", "enter", "n")
        await press(pilot, *"teapot", "tab", *"a gift", "ctrl+s")
        bank_screen(pilot).query_box.box.value = "thirsty"
        await settle(pilot)
        assert "teapot" in _subjects(pilot)
        assert [len(texts) for kind, texts in drinks.asked if kind == "entry"] == [4, 1]
        assert not drinks.closed
    assert drinks.closed == 1


async def test_many_memories_without_meaning_are_left_to_a_process_of_its_own(
    bank: Bank, opened: Opened, drinks: Drinks, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[bool] = []
    monkeypatch.setattr("pipeline.recall.encoding.catching_up.A_FEW", 3)
    monkeypatch.setattr("pipeline.recall.rebuilding.start_rebuild", lambda _, *, vectors: started.append(vectors))
    monkeypatch.setattr("tui.bank_search.BankSearch._await", lambda *_: None)
    async with opened(bank, encoder=lambda: Chosen(drinks)) as pilot:
        await press(pilot, "/", *"tea")
        assert started == [True]
        assert not drinks.asked


async def test_a_bank_with_keys_is_searched_by_words_alone(bank: Bank, opened: Opened, drinks: Drinks) -> None:
    (bank.path / "keys").mkdir()
    bank.close()
    again = Bank.open(bank.path, state_dir=bank.path.parent / "state", cache_dir=bank.path.parent / "cache")
    async with opened(again, encoder=lambda: Chosen(drinks)) as pilot:
        assert "2 of 4   by relevance" in (await press(pilot, "/", *"tea")).splitlines()[1]
        assert not drinks.asked
