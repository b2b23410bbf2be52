"""The smaller parts: form, choice, difference, quote, budget bar, clipboard, editor, welcome."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from store.bank import Bank
from store.errors import BadInput
from tests.tui.conftest import settle
from tests.tui.screen import screen_text
from tui import clipboard, editor
from tui.app import Workbench
from tui.options import Options
from tui.screens.bank_edit import check, edit_change, fields_of, new_change
from tui.theme import DEFAULTS
from tui.widgets.budget import BudgetBar, Part
from tui.widgets.choice import Choice
from tui.widgets.diff import diff, row_diff
from tui.widgets.form import Field, changed
from tui.widgets.query import Query
from tui.widgets.quote import bare, quote

WORDS = st.text("ab »«[]/\x1b\n", max_size=40)


class Stage(App[None]):
    """One widget alone."""

    def __init__(self, widget: Any) -> None:
        super().__init__()
        self._widget = widget

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DEFAULTS

    def compose(self) -> ComposeResult:
        yield self._widget


# --- search box


async def test_what_stands_in_an_empty_search_box_is_never_cut_by_what_was_found() -> None:
    box = Query("words of a session, project, source or state, -not", shorter="words, a project, a state, -not")
    app = Stage(box)
    async with app.run_test(size=(80, 5)) as pilot:
        box.show(["3 sessions", "1 with something new"])
        await pilot.pause()
        assert screen_text(app).split("\n")[0] == (
            " / words, a project, a state, -not            3 sessions   1 with something new"
        )
        await pilot.resize_terminal(120, 5)
        await pilot.pause()
        assert screen_text(app).startswith(" / words of a session, project, source or state, -not  ")


# --- difference


def test_a_difference_shows_what_goes_and_what_comes() -> None:
    assert (
        diff("same\nold words here\n", "same\nnew words here\n").plain == "  same\n- old words here\n+ new words here"
    )


def test_the_changed_words_are_underlined() -> None:
    shown = diff("drinks coffee", "drinks tea")
    marked = [shown.plain[span.start : span.end] for span in shown.spans if "underline" in str(span.style)]
    assert marked == ["coffee", "tea"]


def test_long_stretches_that_are_alike_are_counted() -> None:
    lines = "\n".join(f"line {number}" for number in range(20))
    assert "(16 lines alike)" in diff(lines, lines + "\nmore").plain


@given(WORDS, WORDS)
def test_property_a_difference_never_loses_a_line(before: str, after: str) -> None:
    shown = diff(before, after).plain.splitlines()
    assert not any("\x1b" in line for line in shown)
    assert all(line[:2] in {"  ", "- ", "+ "} for line in shown)
    if before == after:
        assert not any(line.startswith(("- ", "+ ")) for line in shown)


def test_rows_side_by_side() -> None:
    assert row_diff(["a"], ["b"]).plain == "- a\n+ b"


# --- quote


def test_a_quote_holds_the_match_between_its_signs() -> None:
    text = "And for the break I'd rather have green tea before noon, coffee makes me jumpy"
    start = text.index("rather")
    shown = quote(text, start, start + len("rather have green tea"), around=12).plain
    assert shown == "... break I'd » rather have green tea « before ..."


@given(st.text(max_size=300), st.integers(-5, 310), st.integers(-5, 310))
def test_property_a_quote_shows_the_words_whatever_the_offsets(text: str, start: int, end: int) -> None:
    shown = quote(text, min(start, end), max(start, end)).plain
    assert "» " in shown and " «" in shown and "\n" not in shown.strip()


def test_a_quote_without_its_turn_is_still_marked() -> None:
    assert bare("green\ntea").plain == "» green tea «"


# --- budget


async def test_the_bar_says_in_letters_what_fills_the_budget() -> None:
    bar = BudgetBar()
    async with Stage(bar).run_test(size=(80, 4)) as pilot:
        bar.show([Part("f", "fixed", 1000), Part("p", "profile", 1000), Part("s", "summaries", 0)], 4000)
        await pilot.pause()
        first, second = screen_text(pilot.app).splitlines()[:2]
    assert first.endswith("]   2,000 / 4,000")
    letters = first[2 : first.index("]")]
    assert set(letters) == {"f", "p", "."}
    assert abs(letters.count("f") - letters.count("p")) <= 1 and abs(letters.count(".") - len(letters) // 2) <= 1
    assert second == " f fixed 1,000  p profile 1,000  . free 2,000"


async def test_what_exceeds_the_budget_does_not_leave_the_bar() -> None:
    bar = BudgetBar()
    async with Stage(bar).run_test(size=(60, 4)) as pilot:
        bar.show([Part("f", "fixed", 9000), Part("t", "task", 1)], 10, after=["after it 5"])
        await pilot.pause()
        first, second = screen_text(pilot.app).splitlines()[:2]
    assert len(first) <= 60
    assert "9,001 / 10" in first and second.endswith("after it 5")


# --- form


def test_only_what_was_altered_is_changed() -> None:
    fields = [Field("a", "a", "one\ntwo", "text"), Field("b", "b", "x  y"), Field("c", "c", "F", "choice", ("F", "P"))]
    shown = {field.name: field.shown for field in fields}
    assert changed(fields, shown) == {}
    assert changed(fields, {**shown, "c": "P"}) == {"c": "P"}


def test_a_form_says_what_is_missing() -> None:
    values = {"subject": "", "statement": "", "type": "FACT", "owner": "", "tags": "", "label": ""}
    assert "needs a statement" in check(values)
    assert "needs a subject" in check({**values, "statement": "x"}, new=True)
    assert check({**values, "statement": "x"}) == ""
    assert "belongs to someone" in check({**values, "statement": "x", "type": "PREF"})
    assert "cannot be an owner" in check({**values, "statement": "x", "type": "PREF", "owner": "../x"})


def test_tags_are_kept_as_a_list_and_a_looked_at_form_is_no_change(bank: Bank) -> None:
    memory = bank.view().live[0]
    fields = fields_of(memory, bank.view())
    values = {field.name: field.shown for field in fields}
    assert edit_change(memory, fields, values) is None
    change = edit_change(memory, fields, {**values, "tags": "a, b ,"})
    assert change is not None and change.fields == {"tags": ("a", "b")} and change.base == memory.sha
    assert new_change(values).fields["statement"] == memory.statement


async def test_a_choice_takes_arrows_letters_and_clicks() -> None:
    choice = Choice(("FACT", "PREF", "BOUND"), "FACT")
    async with Stage(choice).run_test(size=(40, 3)) as pilot:
        choice.focus()
        await pilot.press("right", "right", "right", "right")
        assert choice.value == "PREF"
        await pilot.press("b")
        assert choice.value == "BOUND"
        await pilot.click(Choice, offset=(2, 0))
        assert choice.value == "FACT"
        await pilot.press("left")
        assert screen_text(pilot.app).startswith(" FACT  PREF [BOUND]")


# --- clipboard


def test_over_ssh_the_other_machines_clipboard_is_not_ours() -> None:
    assert not clipboard.with_tool("text", {"SSH_CONNECTION": "1"})


def test_with_a_tool_the_answer_is_sure() -> None:
    taken: list[str] = []
    said = clipboard.copy(App(), "text", "1 path", lambda text, _: bool(taken.append(text)) or True)
    assert (said, taken) == ("Copied 1 path.", ["text"])


def test_without_a_tool_the_answer_says_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyperclip

    def none(_: str) -> None:
        raise pyperclip.PyperclipException("no tool")

    monkeypatch.setattr(pyperclip, "copy", none)
    app: App[None] = App()
    said = clipboard.copy(app, "text", "1 path", lambda text, _: clipboard.with_tool(text, {}))
    assert said.startswith("Sent 1 path to the terminal's clipboard; it gives no answer")
    assert app.clipboard == "text"


# --- editor


def test_the_editor_is_the_persons() -> None:
    assert editor.command({"EDITOR": "code --wait"}) == ["code", "--wait"]
    assert editor.command({"VISUAL": "nvim", "EDITOR": "ed"}) == ["nvim"]
    assert editor.command({}) == ["vi"]


def test_an_editor_that_takes_the_file_away_is_not_said_to_have_saved() -> None:
    def remove(words: list[str]) -> int:
        Path(words[-1]).unlink()
        return 0

    with pytest.raises(BadInput, match="The editor left no file; nothing was changed"):
        editor.edited(b"text", "a.md", remove)


@pytest.mark.parametrize(
    ("saved", "code", "sentence"),
    [
        (b"\xff\xfe", 0, "What the editor saved is no UTF-8 text; nothing was changed. What you saved is kept in "),
        (b"half a thought", 9, "ended with code 9; nothing was changed. What you saved is kept in "),
    ],
)
def test_what_an_editor_saved_and_no_memory_can_take_is_kept_and_said_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bytes, code: int, sentence: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(words: list[str]) -> int:
        Path(words[-1]).write_bytes(saved)
        return code

    with pytest.raises(BadInput) as caught:
        editor.edited(b"text", "a.md", run)
    assert sentence in str(caught.value)
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == saved and str(caught.value).endswith(f" {kept}.") and kept.suffix == ".md"


def test_an_editor_that_ends_badly_without_saving_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(BadInput, match=r"ended with code 1; nothing was changed\.$"):
        editor.edited(b"text", "a.md", lambda words: 1)
    assert list(tmp_path.iterdir()) == []


def test_the_command_of_an_editor_is_read_as_a_shell_reads_it() -> None:
    with pytest.raises(BadInput, match="is no command"):
        editor.command({"EDITOR": "'"})


# --- welcome


async def test_without_a_bank_nothing_is_made_unasked(tmp_path: Path) -> None:
    place = tmp_path / "home" / "bank"
    app = Workbench(options=Options(place=place, watch=False, remember=False))
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        text = screen_text(app)
        assert "make a bank here" in text and "open a folder" in text and "demo" not in text
        await pilot.press("1", "x", "u", "ctrl+p", "?", "slash")
        await pilot.press("m")
        await settle(pilot)
        assert "Make a bank at" in screen_text(app)
        await pilot.press("n")
        await settle(pilot)
        assert not place.exists()


async def test_a_bank_is_made_where_the_person_says_and_opened(tmp_path: Path) -> None:
    place = tmp_path / "bank"
    app = Workbench(options=Options(place=place, watch=False, remember=False))
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("m")
        await settle(pilot)
        await pilot.press("y")
        for _ in range(200):
            await settle(pilot)
            if app.has_bank:
                break
        await settle(pilot)
        assert "No memory here yet" in screen_text(app)
        app.desk.close(5.0)
    assert place.is_dir()


async def test_a_folder_can_be_opened_and_one_that_is_none_is_refused(bank: Bank, tmp_path: Path) -> None:
    app = Workbench(options=Options(place=tmp_path / "none", watch=False, remember=False))
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("o")
        await settle(pilot)
        await pilot.press(*"/no/such", "enter")
        await settle(pilot)
        assert "There is no folder /no/such." in screen_text(app)
        box = app.screen.query_one("Line")
        box.value = str(bank.path)  # type: ignore[attr-defined]
        await pilot.press("enter")
        for _ in range(200):
            await settle(pilot)
            if app.has_bank:
                break
        await settle(pilot)
        assert "tea: green tea before noon" in screen_text(app)
        app.desk.close(5.0)


async def test_a_demo_that_is_offered_is_opened(bank: Bank) -> None:
    app = Workbench(options=Options(demo=lambda: bank, watch=False, remember=False))
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert "look at the demo" in screen_text(app)
        await pilot.press("j", "j", "enter")
        for _ in range(200):
            await settle(pilot)
            if app.has_bank:
                break
        assert "[1 Bank]" in screen_text(app)
        app.desk.close(5.0)


def test_a_frame_rate_is_set_before_textual_is_read() -> None:
    assert "textual.constants" in sys.modules
    from textual import constants

    assert constants.MAX_FPS == 120
