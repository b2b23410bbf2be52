"""Text from outside is shown, never obeyed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.text import altered, content, count, cut, editable, fit, line, literal, one_line, preview

ANY = st.text(st.characters(codec=None, exclude_categories=[]), max_size=200)
HOSTILE = ["\x1b[2J", "\x1b]52;c;aGk=\x07", "\x9b31m", "\u202eabc", "\u2066x", "\ufeff", "\U000e0041", "\x7f", "\ud800"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_terminal_would_obey_or_hide_becomes_a_visible_sign(text: str) -> None:
    shown = literal(text)
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in shown)
    assert len(shown) == len(text)


@given(ANY)
def test_property_no_text_keeps_a_character_that_acts_on_the_terminal(text: str) -> None:
    shown = literal(text)
    left = {unicodedata.category(char) for char in shown if char not in "\n\u200c\u200d"} & {"Cc", "Cs"}
    assert not left
    assert "\x1b" not in shown and "\x9b" not in shown and "\u202e" not in shown


@given(ANY)
def test_property_literal_text_is_encodable_and_stays_as_it_is_the_second_time(text: str) -> None:
    shown = literal(text)
    shown.encode("utf-8")
    assert literal(shown) == shown


@given(ANY, st.integers(0, 60))
def test_property_a_row_fits_its_cells_exactly(text: str, cells: int) -> None:
    row = one_line(text)
    assert "\n" not in row and "\r" not in row and "\t" not in row
    assert cell_len(cut(row, cells)) <= cells
    assert cell_len(fit(row, cells)) == cells


@given(ANY)
def test_property_content_says_the_text_and_never_reads_markup(text: str) -> None:
    assert content(text).plain == literal(text)
    assert not content(text).spans


def test_markup_is_text() -> None:
    text = "[@click=app.quit]x[/] [/] [red]y"
    assert line((text, "bold"), text).plain == text + text


def test_joiners_and_scripts_stay() -> None:
    for text in ("👩‍👩‍👧", "नमस्ते", "❤️", "東京", "می‌خواهم"):
        assert literal(text) == text


def test_tabs_become_spaces_for_reading_and_stay_for_editing() -> None:
    assert literal("a\tb") == "a   b"
    assert editable("a\tb\r\nc") == "a\tb\nc"
    assert not altered("plain\ttext\n")
    assert altered("an \x1b escape")


def test_a_line_of_a_quarter_million_characters_costs_what_a_row_costs() -> None:
    text = "x" * 262_144
    assert one_line(text) == "x" * 2000
    assert cut(text, 10) == "x" * 8 + ".."
    assert cell_len(cut("\u0301" * 262_144, 10)) == 0


def test_a_long_text_is_cut_at_a_line_end_and_says_how_much_is_left() -> None:
    text = "a" * 90 + "\n" + "b" * 60
    assert preview(text, 100) == ("a" * 90, 61)
    assert preview("short", 100) == ("short", 0)


def test_counts_are_words() -> None:
    assert count(1, "memory", "memories") == "1 memory"
    assert count(5214, "memory", "memories") == "5,214 memories"
    assert count(2, "path") == "2 paths"
