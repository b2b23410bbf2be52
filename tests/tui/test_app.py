"""The workbench around the screens: what is said, size, paste, leaving, settings, faults."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events

from store.bank import Bank
from store.changes import Changeset
from store.errors import StorageFailure
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.screen import bank_screen, press, screen_text
from tui.app import Workbench
from tui.log import log_file
from tui.options import Options
from tui.screens.too_small import TooSmall
from tui.theme import ANSI, DARK, LIGHT
from tui.widgets.rows import Rows
from tui.widgets.status import Status


async def _paste(pilot: Any, text: str) -> str:
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)
    return screen_text(pilot.app)


async def test_a_long_sentence_is_read_to_its_end(bank: Bank, opened: Opened) -> None:
    """What to do stands at the end of a sentence, so it goes on in a second and a third row, and no further."""
    words = [f"word{number}" for number in range(28)]
    async with opened(bank, size=(80, 24)) as pilot:
        screen = bank_screen(pilot)
        screen.say(" ".join(words), "app.undo")
        first, second, third, _ = (await press(pilot)).splitlines()[-4:]
        assert first.endswith("   u undo")
        assert " ".join([first.removesuffix("u undo"), second, third]).split() == words
        await pilot.resize_terminal(140, 40)
        assert "word0" in (await press(pilot)).splitlines()[-3]
        screen.say("x" * 1000)
        assert (await press(pilot)).splitlines()[-2].endswith("..")
        assert len(screen.query_one(Status).render().plain.splitlines()) == 3
        screen.say("Short.")
        assert (await press(pilot)).splitlines()[-2] == " Short."
        await pilot.resize_terminal(40, 10)
        screen.say(" ".join(words))
        assert (await press(pilot)).splitlines()[-2].endswith("..")


async def test_a_window_that_is_too_small_says_so_and_takes_only_the_keys_that_leave(
    bank: Bank, opened: Opened
) -> None:
    async with opened(bank, size=(39, 9)) as pilot:
        assert screen_text(pilot.app).strip() == "40×10 at least, this is 39×9"
        await press(pilot, "x", "n", "ctrl+p", "/", "u")
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
        await press(pilot, "?")
        await pilot.resize_terminal(30, 8)
        assert (await press(pilot)).strip() == "40×10 at least, this is 30×8"
        await pilot.resize_terminal(80, 24)
        assert "Keys on Bank" in await press(pilot)


async def settle_exit(pilot: Any) -> None:
    for _ in range(100):
        await pilot.pause()
        if pilot.app.return_value is not None:
            return


async def test_cursor_focus_and_text_survive_a_window_that_was_too_small(make_bank: MakeBank, opened: Opened) -> None:
    many = [("FACT", {"subject": f"s{number:02}", "statement": "one of many"}) for number in range(60)]
    async with opened(make_bank(many), size=(140, 40)) as pilot:
        await press(pilot, *["j"] * 45)
        here = bank_screen(pilot).rows.current
        for size in ((39, 9), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert bank_screen(pilot).rows.current == here
        assert bank_screen(pilot).rows.has_focus
        assert "> " in screen_text(pilot.app) and len(screen_text(pilot.app).splitlines()) == 24
        await press(pilot, "/", *"one")
        await pilot.resize_terminal(30, 8)
        await settle(pilot)
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert bank_screen(pilot).query_box.box.has_focus
        assert bank_screen(pilot).query_box.text == "one"
        assert bank_screen(pilot).rows.current == here


async def test_pasted_text_never_acts(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await _paste(pilot, "xxpq")
        assert "The pasted text stands in the search box" in text
        assert len(bank.view().live) == 5 and pilot.app.is_running
        assert bank_screen(pilot).query_box.text == "xxpq"


async def test_a_paste_of_several_lines_into_a_box_is_joined_and_said(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/")
        pilot.app.focused.post_message(events.Paste("green\ntea\x1b[2J"))
        await settle(pilot)
        assert bank_screen(pilot).query_box.text == "green tea␛[2J"
        assert "2 pasted lines were joined into one." in screen_text(pilot.app)


async def test_letters_typed_into_a_box_do_nothing_else(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "/", *"qxu?12", "space")
        assert bank_screen(pilot).query_box.text == "qxu?12 "
        assert len(bank.view().live) == 5


async def test_q_leaves_and_so_does_ctrl_c_twice(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        assert "Press ^c again to leave." in await press(pilot, "ctrl+c")
        await press(pilot, "j")
        assert "Press ^c again to leave." in await press(pilot, "ctrl+c")
        await pilot.press("ctrl+c")
        await settle_exit(pilot)
        assert pilot.app.return_value == 0


async def test_leaving_from_a_form_that_is_not_saved_asks(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await press(pilot, "e", "z")
        text = await press(pilot, "ctrl+q")
        assert "This form has changes that are not saved. Leave all the" in text and "y leave     n stay" in text
        await press(pilot, "n")
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
        text = await press(pilot)
        assert "There is no space left on the disk" in text
        assert pilot.app.is_running and pilot.app.return_value is None


async def test_coming_back_opens_where_the_person_was(bank: Bank, opened: Opened) -> None:
    async with opened(bank, remember=True) as pilot:
        assert "an identity is a label, not a lock" in screen_text(pilot.app)
        await press(pilot, "/", *"lisbon", "enter")
        await pilot.press("q")
        await settle_exit(pilot)
    async with opened(bank, remember=True) as pilot:
        text = screen_text(pilot.app)
        assert "1 of 5" in text and "Kenji" in text
        assert "an identity is a label" not in text


async def test_the_key_line_can_be_clicked(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        line = screen_text(pilot.app).splitlines()[23]
        await pilot.click(offset=(line.index("x trash"), 23))
        await settle(pilot)
        assert "Moved tea to the trash." in screen_text(pilot.app)
        await pilot.click(offset=(screen_text(pilot.app).splitlines()[22].index("u undo"), 22))
        await settle(pilot)
        assert len(bank.view().live) == 5


async def test_a_persons_own_key_works_is_shown_and_a_bad_one_is_explained(bank: Bank, opened: Opened) -> None:
    async with opened(bank, keymap={"item.trash": "Z", "item.edit": "n"}) as pilot:
        text = screen_text(pilot.app)
        assert "Z trash" in text and "x trash" not in text
        assert "item.edit = 'n' is not used: n would mean both item.new and item.edit." in text
        await press(pilot, "x")
        assert len(bank.view().live) == 5
        await press(pilot, "Z")
        assert len(bank.view().live) == 4


async def test_without_colour_nothing_is_coloured_and_the_cursor_row_stands_out(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(bank) as pilot:
        await press(pilot, "p")
        screen = pilot.app.screen
        for strip in screen._compositor.render_strips():
            for line_filter in pilot.app._filters:
                strip = strip.apply_filter(line_filter, screen.background_colors[1])
            colours = {colour for part in strip if part.style for colour in (part.style.color, part.style.bgcolor)}
            assert {colour.name for colour in colours if colour is not None} <= {"default"}
        row = bank_screen(pilot).query_one(Rows).render_line(0)
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
        monkeypatch.setattr("tui.screens.bank_look.arrange", broken)
        text = await press(pilot, "s")
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
