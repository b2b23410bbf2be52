"""Rows are there before the bank is read, and nothing done meanwhile is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.errors import NotABank
from store.head import head_file, read_head
from store.places import cache_file
from store.view import View
from tests.tui.conftest import MakeBank, settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.coming import Coming, opens_as_left
from tui.options import Options
from tui.remember import Remembered


class Door:
    """An opener that waits until it is told to go on."""

    def __init__(self, bank: Bank, error: Exception | None = None) -> None:
        self.bank, self.error = bank, error
        self.gate = threading.Event()

    def __call__(self) -> Bank:
        assert self.gate.wait(20)
        if self.error is not None:
            raise self.error
        return self.bank


@pytest.fixture
def head(make_bank: MakeBank, tmp_path: Path) -> View:
    """What a session on the sample left."""
    bank = make_bank()
    bank.close()
    found = read_head(head_file(cache_file(bank.path, tmp_path / "cache")), bank.path)
    assert found is not None
    return found


@pytest.fixture
def door(head: View, tmp_path: Path) -> Iterator[Door]:
    """The bank of the head, with one memory that the head does not know."""
    bank = Bank.open(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    fields = {"type": "FACT", "subject": "newcomer", "statement": "made by another program", "created": "2026-11-29"}
    bank.commit(Changeset([PutMemory(None, fields)], "remember newcomer"))
    made = Door(bank)
    yield made
    made.gate.set()


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something, but not for ever."""
    async with asyncio.timeout(20):
        while not happened():
            await asyncio.sleep(0.01)


def workbench(head: View, door: Door) -> Workbench:
    return Workbench(opener=door, options=Options(watch=False, remember=False, head=head))


async def test_rows_are_shown_before_the_bank_is_read_and_then_the_whole_of_it(head: View, door: Door) -> None:
    """The head first, the bank when it is there, the cursor where it was."""
    app = workbench(head, door)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("down")
        before, current = screen_text(app), app.framed.rows.current
        assert "tea order: Kenji orders" in before
        assert "newcomer" not in before
        door.gate.set()
        await until(lambda: "newcomer" in screen_text(app))
        await settle(pilot)
        assert app.framed.rows.current == current
        assert app.desk.view is door.bank.view()


async def test_a_key_that_changes_something_waits_for_the_bank(head: View, door: Door) -> None:
    """`x` on a row of the head is written as soon as there is a bank to write to."""
    app = workbench(head, door)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        id = app.framed.rows.current
        await pilot.press("x")
        assert app.desk.busy == 1
        door.gate.set()
        await until(lambda: not app.desk.busy)
        await settle(pilot)
        assert door.bank.view().memories[id].state == "trashed"


async def test_other_screens_wait_until_the_bank_is_read(head: View, door: Door) -> None:
    """They would say wrong numbers."""
    app = workbench(head, door)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("3")
        await pilot.pause()
        assert app.current_mode == "bank"
        assert "The bank is still being read" in screen_text(app)


async def test_a_bank_that_cannot_be_read_after_all_says_so_where_another_can_be_opened(head: View, door: Door) -> None:
    """The rows of the head are gone, the welcome screen is there."""
    door.error = NotABank("This is no bank any more; open another folder.")
    app = workbench(head, door)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        door.gate.set()
        await until(lambda: "This is no bank any more" in screen_text(app))
        assert not app.has_bank
        app.take(door.bank)
        await settle(pilot)
        assert "newcomer" in screen_text(app)


@pytest.mark.parametrize("known", [True, False])
async def test_a_fault_of_our_own_while_a_bank_is_opened_is_said_and_the_offers_are_there(
    head: View, door: Door, known: bool
) -> None:
    """Not "Opening ..." for ever; with and without rows of an earlier session."""
    door.error = ZeroDivisionError()
    app = Workbench(opener=door, options=Options(watch=False, remember=False, head=head if known else None))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        door.gate.set()
        await until(lambda: "Something unexpected went wrong (ZeroDivisionError)" in screen_text(app))
        await pilot.pause()
        assert "o  open a folder" in screen_text(app) and "Opening" not in screen_text(app)


async def test_leaving_does_not_wait_for_a_bank_that_is_being_read(head: View, door: Door) -> None:
    """`q` ends the workbench at once."""
    app = workbench(head, door)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("q")
        await until(lambda: not app.is_running)
    assert app.return_code == 0
    assert not door.gate.is_set()


def test_only_a_workbench_left_at_its_newest_memories_opens_with_them() -> None:
    """Another screen, order or search needs the whole bank."""
    for key, value, fits in (
        ("screen", "bank", True),
        ("screen", "context", False),
        ("query", "tea", False),
        ("sort", "time", True),
        ("sort", "type", False),
    ):
        remembered = Remembered("", lasting=False)
        assert opens_as_left(remembered)
        remembered.set(key, value)
        assert opens_as_left(remembered) is fits


def test_what_needs_the_bank_gets_the_error_of_a_bank_that_cannot_be_read(head: View, door: Door) -> None:
    """Nobody waits for ever."""
    door.error = NotABank("This is no bank any more; open another folder.")
    coming, sentences = Coming(head, door), []
    done = threading.Event()

    def failed(sentence: str) -> None:
        sentences.append(sentence)
        done.set()

    coming.start(lambda bank: None, failed)
    door.gate.set()
    assert done.wait(20)
    with pytest.raises(NotABank):
        coming.source("facts/x.md")
    assert sentences == ["This is no bank any more; open another folder."]
    assert (coming.view(), coming.read_only, coming.history(id="x")) == (head, "", [])
