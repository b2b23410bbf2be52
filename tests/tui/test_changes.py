"""Changes from the workbench: undone, refused, waiting for the bank, asked about; and nothing typed is lost."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from store.bank import Bank
from store.changes import Changeset
from store.errors import StorageFailure
from tests.tui.conftest import MakeBank, Opened
from tests.tui.screen import bank_screen, press, screen_text
from tui.widgets.form import Form


async def test_with_nothing_to_take_back_undo_says_so(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank([])) as pilot:
        assert "nothing to undo" in (await press(pilot, "u")).casefold()


async def test_a_refused_change_is_said_and_nothing_looks_as_if_it_had_happened(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Changeset) -> None:
        raise StorageFailure("There is no space left on the disk; nothing was changed.")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", full)
        text = await press(pilot, "x")
        assert "There is no space left on the disk; nothing was changed." in text
        assert "5 memories" in text and "writing" not in text


def held(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Another program holds the bank: changes wait until it is set free."""
    free, real = threading.Event(), bank.commit

    def commit(changeset: Changeset) -> Any:
        assert free.wait(30)
        return real(changeset)

    monkeypatch.setattr(bank, "commit", commit)
    return free


async def test_while_another_program_holds_the_bank_the_screen_goes_on_and_the_change_follows(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(bank) as pilot:
        free = held(bank, monkeypatch)
        await pilot.press("x")
        await pilot.pause()
        text = screen_text(pilot.app)
        assert "tea: green tea" in text and "writing" in text
        await pilot.press("j", "j")
        assert bank_screen(pilot).rows.cursor == 3
        await pilot.press("k", "k", "k", "x")
        free.set()
        text = await press(pilot)
        assert "Moved tea to the trash." in text
        assert len(bank.view().trashed) == 1


async def test_an_edit_that_waits_for_the_bank_is_marked_and_said(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saving is answered at once: the row says "writing", soon the line says why, and a second act is refused."""
    async with opened(bank) as pilot:
        free = held(bank, monkeypatch)
        monkeypatch.setattr("tui.app.PATIENCE", 0.02)
        await pilot.press("e", "a", "ctrl+s")
        for _ in range(500):
            await pilot.pause()
            text = screen_text(pilot.app)
            if "Not written yet" in text:
                break
        assert "Not written yet: the bank is slow" in text and "writing" in text
        await pilot.press("x")
        await pilot.pause()
        assert "It is still being written" in screen_text(pilot.app)
        free.set()
        assert "Saved statement of tea." in await press(pilot)


async def test_a_fault_in_one_change_does_not_end_the_writing_of_the_next(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bank.commit

    def broken(changeset: Changeset) -> Any:
        monkeypatch.setattr(bank, "commit", real)
        raise KeyError("unforeseen")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", broken)
        text = await press(pilot, "x")
        assert "Something unexpected went wrong (KeyError)" in text and "writing" not in text
        assert "Moved" in await press(pilot, "x")


async def test_a_bank_that_is_busy_is_tried_again(bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    from store.errors import Busy

    real, tries = bank.commit, []

    def busy(changeset: Changeset) -> Any:
        tries.append(1)
        if len(tries) < 3:
            raise Busy("Another program is writing.")
        return real(changeset)

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", busy)
        monkeypatch.setattr("tui.writer.RETRY_AFTER", 0.0)
        assert "Moved tea to the trash." in await press(pilot, "x")
        assert len(tries) == 3


async def test_a_secret_is_asked_about_once_and_kept_only_on_a_yes(bank: Bank, opened: Opened) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    async with opened(bank) as pilot:
        await press(pilot, "n")
        text = await press(pilot, *"token", "tab", *secret, "ctrl+s")
        assert "Keep it all the same?" in text and secret not in text.split("Keep it")[0].splitlines()[-1]
        assert "What you typed is kept: n opens it again." in await press(pilot, "n")
        assert len(bank.view().live) == 5
        await press(pilot, "n", "ctrl+s")
        assert "Remembered token." in await press(pilot, "y")
        assert len(bank.view().live) == 6


@pytest.mark.parametrize("key, typed", [("e", "statement"), ("n", "subject")])
async def test_what_was_typed_into_a_form_comes_back_when_it_cannot_be_saved(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch, key: str, typed: str
) -> None:
    """The disk is full while a form is saved: the same key opens it as it was, and saved once more it is written."""
    real = bank.commit

    def full(changeset: Changeset) -> Any:
        raise StorageFailure("There is no space left on the disk; nothing was changed.")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", full)
        rest = ("tab", *"brewed", "tab", "f") if key == "n" else ()
        text = await press(pilot, key, *"gunpowder", *rest, "ctrl+s")
        said = " ".join(text.split())
        assert f"nothing was changed. What you typed is kept: {key} opens it again." in said
        assert "What you typed last could not be saved." in await press(pilot, "q")
        await press(pilot, "n")
        monkeypatch.setattr(bank, "commit", real)
        await press(pilot, key)
        form = pilot.app.screen
        assert isinstance(form, Form) and form.values[typed].startswith("gunpowder") and form.unsaved
        await press(pilot, "ctrl+s")
        assert any(getattr(memory, typed).startswith("gunpowder") for memory in bank.view().live)
        await press(pilot, key)
        assert isinstance(pilot.app.screen, Form) and not pilot.app.screen.unsaved


async def test_read_only_looks_but_does_not_touch(bank: Bank, opened: Opened) -> None:
    changes = len(bank.history())
    async with opened(bank, read_only=True) as pilot:
        assert "read only" in screen_text(pilot.app).splitlines()[0]
        for key in ("x", "p", "e", "n", "E", "u", "U"):
            assert "opened with --read-only" in await press(pilot, key)
    assert len(bank.history()) == changes
