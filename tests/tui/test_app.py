"""The workbench around the screens: undo, refusals, size, paste, leaving, help, palette, settings."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events

from store.bank import Bank
from store.changes import Changeset
from store.errors import StorageFailure
from store.settings import bank_value
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.log import log_file
from tui.options import Options
from tui.screens.bank import BankScreen
from tui.screens.too_small import TooSmall
from tui.theme import ANSI, DARK, LIGHT
from tui.widgets.form import Form
from tui.widgets.rows import Rows
from tui.widgets.status import Status


async def _press(pilot: Any, *keys: str) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    return screen_text(pilot.app)


async def _paste(pilot: Any, text: str) -> str:
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)
    return screen_text(pilot.app)


def _bank_screen(pilot: Any) -> BankScreen:
    screen = pilot.app.framed
    assert isinstance(screen, BankScreen)
    return screen


# --- changes


async def test_with_nothing_to_take_back_undo_says_so(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank([])) as pilot:
        assert "nothing to undo" in (await _press(pilot, "u")).casefold()


async def test_a_refused_change_is_said_and_nothing_looks_as_if_it_had_happened(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Changeset) -> None:
        raise StorageFailure("There is no space left on the disk; nothing was changed.")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", full)
        text = await _press(pilot, "x")
        assert "There is no space left on the disk; nothing was changed." in text
        assert "5 memories" in text and "writing" not in text


async def test_while_another_program_holds_the_bank_the_screen_goes_on_and_the_change_follows(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, real = threading.Event(), bank.commit

    def held(changeset: Changeset) -> Any:
        assert free.wait(30)
        return real(changeset)

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", held)
        await pilot.press("x")
        await pilot.pause()
        text = screen_text(pilot.app)
        assert "tea: green tea" in text and "writing" in text
        await pilot.press("j", "j")
        assert _bank_screen(pilot).rows.cursor == 3
        await pilot.press("k", "k", "k", "x")
        free.set()
        text = await _press(pilot)
        assert "Moved tea to the trash." in text
        assert len(bank.view().trashed) == 1


async def test_an_edit_that_waits_for_the_bank_is_marked_and_said(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saving is answered at once: the row says "writing", soon the line says why, and a second act is refused."""
    free, real = threading.Event(), bank.commit

    def held(changeset: Changeset) -> Any:
        assert free.wait(30)
        return real(changeset)

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", held)
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
        assert "Saved statement of tea." in await _press(pilot)


async def test_a_fault_in_one_change_does_not_end_the_writing_of_the_next(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = bank.commit

    def broken(changeset: Changeset) -> Any:
        monkeypatch.setattr(bank, "commit", real)
        raise KeyError("unforeseen")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", broken)
        text = await _press(pilot, "x")
        assert "Something unexpected went wrong (KeyError)" in text and "writing" not in text
        assert "Moved" in await _press(pilot, "x")


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
        assert "Moved tea to the trash." in await _press(pilot, "x")
        assert len(tries) == 3


async def test_a_secret_is_asked_about_once_and_kept_only_on_a_yes(bank: Bank, opened: Opened) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    async with opened(bank) as pilot:
        await _press(pilot, "n")
        text = await _press(pilot, *"token", "tab", *secret, "ctrl+s")
        assert "Keep it all the same?" in text and secret not in text.split("Keep it")[0].splitlines()[-1]
        assert "What you typed is kept: n opens it again." in await _press(pilot, "n")
        assert len(bank.view().live) == 5
        await _press(pilot, "n", "ctrl+s")
        assert "Remembered token." in await _press(pilot, "y")
        assert len(bank.view().live) == 6


# --- nothing typed is lost


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
        text = await _press(pilot, key, *"gunpowder", *rest, "ctrl+s")
        said = " ".join(text.split())
        assert f"nothing was changed. What you typed is kept: {key} opens it again." in said
        assert "What you typed last could not be saved." in await _press(pilot, "q")
        await _press(pilot, "n")
        monkeypatch.setattr(bank, "commit", real)
        await _press(pilot, key)
        form = pilot.app.screen
        assert isinstance(form, Form) and form.values[typed].startswith("gunpowder") and form.unsaved
        await _press(pilot, "ctrl+s")
        assert any(getattr(memory, typed).startswith("gunpowder") for memory in bank.view().live)
        await _press(pilot, key)
        assert isinstance(pilot.app.screen, Form) and not pilot.app.screen.unsaved


# --- what is said


async def test_a_long_sentence_is_read_to_its_end(bank: Bank, opened: Opened) -> None:
    """What to do stands at the end of a sentence, so it goes on in a second and a third row, and no further."""
    words = [f"word{number}" for number in range(28)]
    async with opened(bank, size=(80, 24)) as pilot:
        screen = _bank_screen(pilot)
        screen.say(" ".join(words), "app.undo")
        first, second, third, _ = (await _press(pilot)).splitlines()[-4:]
        assert first.endswith("   u undo")
        assert " ".join([first.removesuffix("u undo"), second, third]).split() == words
        await pilot.resize_terminal(140, 40)
        assert "word0" in (await _press(pilot)).splitlines()[-3]
        screen.say("x" * 1000)
        assert (await _press(pilot)).splitlines()[-2].endswith("..")
        assert len(screen.query_one(Status).render().plain.splitlines()) == 3
        screen.say("Short.")
        assert (await _press(pilot)).splitlines()[-2] == " Short."
        await pilot.resize_terminal(40, 10)
        screen.say(" ".join(words))
        assert (await _press(pilot)).splitlines()[-2].endswith("..")


# --- read only


async def test_read_only_looks_but_does_not_touch(bank: Bank, opened: Opened) -> None:
    changes = len(bank.history())
    async with opened(bank, read_only=True) as pilot:
        assert "read only" in screen_text(pilot.app).splitlines()[0]
        for key in ("x", "p", "e", "n", "E", "u", "U"):
            assert "opened with --read-only" in await _press(pilot, key)
    assert len(bank.history()) == changes


# --- size


async def test_a_window_that_is_too_small_says_so_and_takes_only_the_keys_that_leave(
    bank: Bank, opened: Opened
) -> None:
    async with opened(bank, size=(39, 9)) as pilot:
        assert screen_text(pilot.app).strip() == "40×10 at least, this is 39×9"
        await _press(pilot, "x", "n", "ctrl+p", "/", "u")
        assert isinstance(pilot.app.screen, TooSmall)
        assert len(bank.view().live) == 5
        await pilot.press("q")
        await settle_exit(pilot)
        assert pilot.app.return_value == 0


@pytest.mark.parametrize("theme", [DARK, LIGHT, ANSI])
async def test_a_window_that_becomes_too_small_shows_its_sentence_alone(bank: Bank, opened: Opened, theme: str) -> None:
    """In the terminal's own colours, too: nothing of what lies under it is seen."""
    async with opened(bank) as pilot:
        pilot.app.theme = theme
        await _press(pilot, "?")
        await pilot.resize_terminal(30, 8)
        assert (await _press(pilot)).strip() == "40×10 at least, this is 30×8"
        await pilot.resize_terminal(80, 24)
        assert "Keys on Bank" in await _press(pilot)


async def settle_exit(pilot: Any) -> None:
    for _ in range(100):
        await pilot.pause()
        if pilot.app.return_value is not None:
            return


async def test_cursor_focus_and_text_survive_a_window_that_was_too_small(make_bank: MakeBank, opened: Opened) -> None:
    many = [("FACT", {"subject": f"s{number:02}", "statement": "one of many"}) for number in range(60)]
    async with opened(make_bank(many), size=(140, 40)) as pilot:
        await _press(pilot, *["j"] * 45)
        here = _bank_screen(pilot).rows.current
        for size in ((39, 9), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert _bank_screen(pilot).rows.current == here
        assert _bank_screen(pilot).rows.has_focus
        assert "> " in screen_text(pilot.app) and len(screen_text(pilot.app).splitlines()) == 24
        await _press(pilot, "/", *"one")
        await pilot.resize_terminal(30, 8)
        await settle(pilot)
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert _bank_screen(pilot).query_box.box.has_focus
        assert _bank_screen(pilot).query_box.text == "one"
        assert _bank_screen(pilot).rows.current == here


# --- text and paste


async def test_pasted_text_never_acts(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await _paste(pilot, "xxpq")
        assert "The pasted text stands in the search box" in text
        assert len(bank.view().live) == 5 and pilot.app.is_running
        assert _bank_screen(pilot).query_box.text == "xxpq"


async def test_a_paste_of_several_lines_into_a_box_is_joined_and_said(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await _press(pilot, "/")
        pilot.app.focused.post_message(events.Paste("green\ntea\x1b[2J"))
        await settle(pilot)
        assert _bank_screen(pilot).query_box.text == "green tea␛[2J"
        assert "2 pasted lines were joined into one." in screen_text(pilot.app)


async def test_letters_typed_into_a_box_do_nothing_else(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await _press(pilot, "/", *"qxu?12", "space")
        assert _bank_screen(pilot).query_box.text == "qxu?12 "
        assert len(bank.view().live) == 5


# --- leaving


async def test_q_leaves_and_so_does_ctrl_c_twice(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "Press ^c again to leave." in await _press(pilot, "ctrl+c")
        await _press(pilot, "j")
        assert "Press ^c again to leave." in await _press(pilot, "ctrl+c")
        await pilot.press("ctrl+c")
        await settle_exit(pilot)
        assert pilot.app.return_value == 0


async def test_leaving_from_a_form_that_is_not_saved_asks(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await _press(pilot, "e", "z")
        text = await _press(pilot, "ctrl+q")
        assert "This form has changes that are not saved. Leave all the" in text and "y leave     n stay" in text
        await _press(pilot, "n")
        assert pilot.app.is_running and "Edit 2026-11-30-0001" in screen_text(pilot.app)


async def test_a_change_refused_at_the_last_moment_keeps_the_workbench_open(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = threading.Event()

    def full(_: Changeset) -> None:
        assert free.wait(30)
        raise StorageFailure("There is no space left on the disk; nothing was changed.")

    async with opened(bank) as pilot:
        monkeypatch.setattr(bank, "commit", full)
        await pilot.press("x", "q")
        await pilot.pause()
        free.set()
        text = await _press(pilot)
        assert "There is no space left on the disk" in text
        assert pilot.app.is_running and pilot.app.return_value is None


async def test_coming_back_opens_where_the_person_was(bank: Bank, opened: Opened) -> None:
    async with opened(bank, remember=True) as pilot:
        assert "an identity is a label, not a lock" in screen_text(pilot.app)
        await _press(pilot, "/", *"lisbon", "enter")
        await pilot.press("q")
        await settle_exit(pilot)
    async with opened(bank, remember=True) as pilot:
        text = screen_text(pilot.app)
        assert "1 of 5" in text and "Kenji" in text
        assert "an identity is a label" not in text


# --- help and commands


async def test_help_filters_as_one_types_and_enter_runs_the_line(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await _press(pilot, "?")
        assert "Keys on Bank" in text
        text = await _press(pilot, *"show the trash")
        assert "show the trash, or the bank again" in text and "list.sort" not in text
        text = await _press(pilot, "enter")
        assert "trash   0 memories" in text


async def test_help_without_a_hit_says_that_nothing_matches(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await _press(pilot, "?", *"xyzzy")
        assert "Nothing matches; backspace takes a letter back." in text
        text = await _press(pilot, *["backspace"] * 5)
        assert "Nothing matches" not in text and "to the trash, no question" in text


async def test_help_says_why_a_key_cannot_act(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank([])) as pilot:
        text = await _press(pilot, "?", *"trash no question")
        assert "There is no memory here." in text


async def test_the_palette_runs_commands_and_jumps_to_any_memory(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await _press(pilot, "/", *"green", "enter")
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"lisbon")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert "FACT tea order: Kenji orders" in screen_text(pilot.app)
        await pilot.press("enter")
        text = await _press(pilot)
        assert ">  FACT   tea order" in text
        assert _bank_screen(pilot).current_memory().subject == "tea order"  # type: ignore[union-attr]


async def _choose(pilot: Any, words: str) -> str:
    """Open the palette, type, take the first offer."""
    await pilot.press("ctrl+p")
    await pilot.pause()
    await pilot.press(*words)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause(0.1)
    await pilot.press("enter")
    return await _press(pilot)


async def test_the_palette_changes_the_theme(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert pilot.app.theme == DARK
        assert "Theme light, for now" in await _choose(pilot, "light")
        assert pilot.app.theme == LIGHT


@pytest.mark.parametrize("words, key", [("agents", "agents_write"), ("scripts", "scripted_decisions")])
async def test_the_palette_switches_what_only_a_person_may_switch(
    bank: Bank, opened: Opened, words: str, key: str
) -> None:
    async with opened(bank) as pilot:
        assert "y switch it on" in await _choose(pilot, words)
        await _press(pilot, "n")
        assert not bank_value(bank.view(), key)
        await _choose(pilot, words)
        assert ": on." in await _press(pilot, "y")
        assert bank_value(bank.view(), key) is True
        assert ": off." in await _choose(pilot, words)
        assert bank_value(bank.view(), key) is False
        await _press(pilot, "u")
        assert bank_value(bank.view(), key) is True


async def test_hostile_text_in_the_palette_is_text(make_bank: MakeBank, opened: Opened) -> None:
    bank = make_bank([("FACT", {"subject": "odd", "statement": "[@click=app.quit]x[/] [/] zebra"})])
    async with opened(bank) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"zebra")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert "[@click=app.quit]x[/] [/] zebra" in screen_text(pilot.app)


async def test_the_key_line_can_be_clicked(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        line = screen_text(pilot.app).splitlines()[23]
        await pilot.click(offset=(line.index("x trash"), 23))
        await settle(pilot)
        assert "Moved tea to the trash." in screen_text(pilot.app)
        await pilot.click(offset=(screen_text(pilot.app).splitlines()[22].index("u undo"), 22))
        await settle(pilot)
        assert len(bank.view().live) == 5


# --- settings


async def test_a_persons_own_key_works_is_shown_and_a_bad_one_is_explained(bank: Bank, opened: Opened) -> None:
    async with opened(bank, keymap={"item.trash": "Z", "item.edit": "n"}) as pilot:
        text = screen_text(pilot.app)
        assert "Z trash" in text and "x trash" not in text
        assert "item.edit = 'n' is not used: n would mean both item.new and item.edit." in text
        await _press(pilot, "x")
        assert len(bank.view().live) == 5
        await _press(pilot, "Z")
        assert len(bank.view().live) == 4


async def test_without_colour_nothing_is_coloured_and_the_cursor_row_stands_out(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(bank) as pilot:
        await _press(pilot, "p")
        screen = pilot.app.screen
        for strip in screen._compositor.render_strips():
            for line_filter in pilot.app._filters:
                strip = strip.apply_filter(line_filter, screen.background_colors[1])
            colours = {colour for part in strip if part.style for colour in (part.style.color, part.style.bgcolor)}
            assert {colour.name for colour in colours if colour is not None} <= {"default"}
        row = _bank_screen(pilot).query_one(Rows).render_line(0)
        assert all(part.style is not None and part.style.reverse for part in row)


async def test_news_from_elsewhere_is_said(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        path = bank.path / bank.view().live[1].path
        path.write_text(path.read_text().replace("Kenji", "Jo"))
        bank.refresh()
        await settle(pilot)
        assert "Jo orders for the Lisbon office" in screen_text(pilot.app)


async def test_opening_reads_on_a_thread_and_a_folder_that_is_no_bank_is_explained(
    bank: Bank, tmp_path: Any, opened: Opened
) -> None:
    app = Workbench(opener=lambda: Bank.open(tmp_path / "nowhere"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert str(tmp_path)[:20] in screen_text(app).replace("\n", "")
        assert "open a folder" in screen_text(app)


def test_every_input_is_ours() -> None:
    """No field may be the plain one: it takes escape codes as they come."""

    for path in Path("tui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "line.py":
            assert " Input(" not in text and " TextArea(" not in text, path
        assert "markup.escape" not in text and "from_markup" not in text, path


async def test_an_unforeseen_fault_is_said_without_the_text_of_memories(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> None:
        text = " ".join(["green", "tea"])
        raise RuntimeError(text)

    app = Workbench(bank, options=Options(watch=False, remember=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr("tui.screens.bank.arrange", broken)
        text = await _press(pilot, "s")
        assert "Something unexpected went wrong (RuntimeError)" in text and app.is_running
        app.desk.close(5.0)
    assert "test_app.py" in log_file().read_text() and " ".join(["green", "tea"]) not in log_file().read_text()


async def test_a_crash_prints_one_sentence_and_no_variables(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Workbench(bank, options=Options(watch=False, remember=False))
    monkeypatch.setattr("tui.widgets.rows.Rows.render_line", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
    assert app.faults >= 1
    assert all(len(list(shown.segments)) == 1 for shown in app._exit_renderables)
    app.desk.close(5.0)
