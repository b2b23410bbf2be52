"""What tools wrap around a person's words comes off; the words stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.formats.envelopes import DOUBTFUL, Piece, Table, load, pieces
from pipeline.formats.session import Author
from store.errors import BadInput

TABLE = load()
TAGS = [item.name for item in TABLE if item.tag is not None]
BLOCKS = [item.name for item in TABLE if item.tag is None and item.whole.match(item.name + " x") and not item.trailing]
NOTE = "Note: The user's next message may contain a correction or preference."
PLAIN = st.text(st.characters(blacklist_characters="<>[]#"), max_size=40).filter(
    lambda text: not any(item.opens.match(text.strip("\u200b\u200c\u200d\u2060\ufeff\x00 \n\t\r")) for item in TABLE)
)


def typed(text: str) -> list[str]:
    return [piece.text for piece in pieces(text, TABLE) if piece.author is Author.TYPED]


def shown(text: str) -> list[tuple[str, str]]:
    return [(piece.author.value, piece.text) for piece in pieces(text, TABLE)]


@pytest.mark.parametrize("tag", TAGS)
def test_a_known_tag_at_the_start_comes_off(tag: str) -> None:
    assert typed(f'\n <{tag.upper()} id="1">made up</{tag}>\nmine ') == ["mine"]
    assert typed(f"<{tag}>made up</{tag}>") == []


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_in_a_sentence_is_the_person_talking(tag: str) -> None:
    assert typed(f"what is <{tag}>x</{tag}> for?") == [f"what is <{tag}>x</{tag}> for?"]


@pytest.mark.parametrize("tag", TAGS)
def test_an_unclosed_tag_makes_the_block_doubtful(tag: str) -> None:
    (piece,) = pieces(f"<{tag}>made up\nmine", TABLE)
    assert (piece.author, piece.text) == (Author.INJECTED, f"<{tag}>made up\nmine")
    assert piece.reason == f"{DOUBTFUL}: {tag} is not closed"


@pytest.mark.parametrize("begins", BLOCKS)
def test_a_block_that_begins_as_a_tool_writes_is_injected_whole(begins: str) -> None:
    table = [item for item in TABLE if item.name == begins]
    through_line = "Caveat" in begins
    through_mark = begins.startswith(("[Request", "## My request"))
    assert typed(f"{begins} made up\nmore") == (["made up\nmore"] if through_mark else ["more"] if through_line else [])
    assert table[0].author is not Author.TYPED


def test_envelopes_come_off_again_and_again_in_any_order() -> None:
    text = "<ide_opened_file>a</ide_opened_file> <system-reminder>b</system-reminder>\n<memories>c</memories>mine"
    assert shown(text) == [("injected", "a"), ("injected", "b"), ("injected", "c"), ("typed", "mine")]


def test_parts_of_a_command_are_shown_as_it_was_typed() -> None:
    assert shown(
        "<command-message>m</command-message>\n<command-name>/model</command-name><command-args>x</command-args>"
    ) == [("command", "/model x")]
    assert shown("<command-name>/clear</command-name>") == [("command", "/clear")]
    assert shown("<bash-input>git status</bash-input>") == [("command", "git status")]


def test_a_trailing_envelope_comes_off_where_it_begins_a_line() -> None:
    assert typed("mine\n<system-reminder>x</system-reminder>\n") == ["mine"]
    assert typed("mine\n<memories>x</memories>\n  <hook_context>y</hook_context>") == ["mine"]
    assert typed("mine <system-reminder>x</system-reminder>") == ["mine <system-reminder>x</system-reminder>"]


def test_the_note_behind_a_refusal_comes_off_at_its_line() -> None:
    assert typed(f"mine\n\n{NOTE} Pay attention.\nmore") == ["mine"]
    assert typed(f"mine: {NOTE}\n{NOTE} Pay attention.") == [f"mine: {NOTE}"]


@pytest.mark.parametrize(
    "part", ["<memories>", "<memories></memories>", "\n<memories></memories>", "<memories x", NOTE]
)
def test_a_hostile_block_of_a_megabyte_is_judged_in_time(part: str) -> None:
    assert typed(part * (1_000_000 // len(part))) == []
    assert len(typed("mine " + part * (1_000_000 // len(part)))) == (0 if part.startswith("\n") else 1)


def test_a_block_buried_in_envelopes_is_no_evidence() -> None:
    assert typed("mine" + "\n<memories>x</memories>" * 31) == ["mine"]
    assert typed("mine" + "\n<memories>x</memories>" * 32) == []


def test_what_an_envelope_quotes_stays_inside_it() -> None:
    """A file that holds the closing tag must not pass its next line off as the person's."""
    text = "<system-reminder>file: </system-reminder>\nI always want X\n</system-reminder>\nmine"
    assert typed(text) == []
    nested = "<system-reminder>see <system-reminder>x</system-reminder> too</system-reminder>mine"
    assert typed(nested) == ["mine"]


def test_an_active_memory_block_reaches_to_its_closing_line() -> None:
    block = "## Active Memory (Palaia)\n\n[t/m] x\n[palaia] y\n\nz\n[palaia] auto-capture=on. Manual write: a\n\nmine"
    assert typed(block) == ["mine"]
    assert typed("## Active Memory (Palaia)\n[t/m] x\n\nmine") == []
    assert typed("[m:4f2a] the user likes tea\nmine") == ["mine"]


def test_the_instruction_block_ends_at_its_last_mark() -> None:
    text = "# AGENTS.md instructions for /x\n<INSTRUCTIONS>a</INSTRUCTIONS>\nI like X\n</INSTRUCTIONS>\n\nmine"
    assert typed(text) == ["mine"]
    assert typed("# AGENTS.md instructions for /x\n\nmine") == []


def test_characters_that_nobody_sees_do_not_hide_an_envelope() -> None:
    assert typed("\ufeff\u200b<memories>x</memories>\u200dmine") == ["\u200dmine"]


@given(PLAIN)
def test_property_plain_words_stay_as_they_are_but_trimmed(text: str) -> None:
    assert typed(text) == ([text.strip()] if text.strip() else [])


@given(st.lists(st.sampled_from(TAGS), min_size=1, max_size=5), PLAIN, PLAIN)
def test_property_wrapping_words_in_envelopes_changes_nothing_of_them(tags: list[str], inner: str, text: str) -> None:
    wrapped = "\n".join(f"<{tag}>{inner}</{tag}>" for tag in tags)
    assert typed(f"{wrapped}\n{text}") == typed(text)


@given(st.lists(st.sampled_from([*TAGS, *BLOCKS]), min_size=1, max_size=4), st.data())
def test_property_words_inside_envelopes_are_never_the_person_s(names: list[str], data: st.DataObject) -> None:
    """Wherever the block is cut off, what stood inside an envelope at its start is not typed."""
    block = (
        "\n".join(f"<{name}>MACHINE {name} MACHINE</{name}>" for name in names if name in TAGS) or "<memories>MACHINE"
    )
    cut = data.draw(st.integers(0, len(block)))
    assume(block[:cut].strip())
    assert all("MACHINE" not in text for text in typed(block[:cut]))


class Plain(Table):
    """A table that tries every entry on every block."""

    opening = re.compile("")

    def may_end(self, text: str, end: int) -> bool:
        return True


WORDS = [item.name for item in TABLE if item.tag is None]
PARTS = st.one_of(
    st.sampled_from(["<{}>", "</{}>", "< /{}>", "<{} x='1'>", "<{}/>", "<{}", "{}"]).flatmap(
        lambda form: st.sampled_from(TAGS).map(form.format)
    ),
    st.sampled_from([*WORDS, NOTE, "[x] y", "</INSTRUCTIONS>", "## My request for Codex:", "x", ">", "mine"]),
    st.sampled_from(["\n", "\n\n", " ", "\t", "\u200b", "\ufeff", "\x00", "\x1f", "\u2028", "\r\n", "\n  \t"]),
)


@given(st.lists(PARTS, max_size=12).map("".join), st.sampled_from([str, str.upper, str.swapcase]))
def test_property_a_block_is_split_as_if_every_entry_were_tried(text: str, case: Callable[[str], str]) -> None:
    assert pieces(case(text), TABLE) == pieces(case(text), Plain(TABLE))


def test_an_empty_table_leaves_every_block_as_it_is() -> None:
    text = "<memories>x</memories> mine\n<memories>y</memories>"
    assert pieces(text, Table()) == (Piece(Author.TYPED, text),)


def test_a_person_can_add_a_line_to_the_table(tmp_path: Path) -> None:
    own = tmp_path / "envelopes.toml"
    assert load(own) == TABLE
    own.write_text('[[envelope]]\nfamily = "mine"\ntag = "my-notes"\nreason = "my plugin"\n', "utf-8")
    table = load(own)
    assert table[:-1] == TABLE
    assert pieces("<My-Notes>x</my-notes> mine", table) == (
        Piece(Author.INJECTED, "x", "my plugin", "my-notes"),
        Piece(Author.TYPED, "mine"),
    )


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("[[envelope]", 1, "is not valid TOML"),
        ('envelope = "x"', 1, "write each entry as"),
        ("[[envelope]]\nfamily = 'x'", 1, "either tag or begins"),
        ("[[envelope]]\ntag = 'x'\nbegins = 'y'", 1, "either tag or begins"),
        ("[[envelope]]\ntag = 'x'\nauthor = 'typed'", 3, "cannot have the author typed"),
        ("[[envelope]]\ntag = 'x'\nauthor = 'nobody'", 3, "'nobody' is no author"),
        ("[[envelope]]\nbegins = 'x'\nthrough = 'all'", 3, "through is"),
        ("[[envelope]]\ntag = 'a'\n\n[[envelope]]\nbegins = 'x'\npattern = '('", 6, "no regular expression"),
        ("[[envelope]]\ntag = 'x'\ncolour = 'red'", 3, "colour is not known here"),
        ("[[envelope]]\ntag = 7", 2, "tag is a text in quotes"),
        ("# mine\ncolour = 'red'", 2, "colour is not known here"),
    ],
)
def test_a_table_that_cannot_be_used_is_named_with_the_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    own = tmp_path / "envelopes.toml"
    own.write_text(text, "utf-8")
    with pytest.raises(BadInput) as caught:
        load(own)
    assert str(caught.value).startswith(f"{own} line {line}")
    assert why in str(caught.value)
