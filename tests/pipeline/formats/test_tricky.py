"""The awkward inputs, one problem each."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.formats.lines import NOT_JSON, NULS, TORN
from pipeline.formats.read import read
from pipeline.formats.session import Damage, Session
from tests.pipeline.formats.writing import DATA, NOW, texts, words


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", NOW)


def one(path: Path | str) -> Session:
    (session,) = read(DATA / "tricky" / path)
    return session


def test_01_a_torn_last_line_waits_until_it_has_grown(tmp_path: Path) -> None:
    session = one("01-torn-tail.jsonl")
    assert texts(session) == ["Keep the log for 14 days."]
    assert session.damage == (Damage(3, 424, TORN),)
    assert session.read_to == 424
    grown = tmp_path / "01-torn-tail.jsonl"
    grown.write_bytes((DATA / "tricky" / "01-torn-tail.jsonl").read_bytes() + b't noon."}}\n')
    (again,) = read(grown)
    assert words(again) == [("u1", "Keep the log for 14 days."), ("u3", "And rotate it at noon.")]
    assert (again.damage, again.read_to) == ((), grown.stat().st_size)


def test_02_nul_bytes_are_dropped_and_told_once_each() -> None:
    session = one("02-nul-blocks.jsonl")
    assert texts(session) == ["Bolts are M6.", "Nuts are stainless."]
    assert session.damage == (Damage(2, 1101, NULS), Damage(4, 4309, NULS))
    assert "\x00" not in "".join(turn.text for turn in session.turns)


def test_03_half_an_emoji_becomes_the_replacement_character() -> None:
    session = one("03-lone-surrogate.jsonl")
    assert [turn.text for turn in session.turns] == ["list \ufffd\u2026", "Use the 🚢 icon, not the \ufffd one."]
    assert "".join(turn.text for turn in session.turns).encode()
    assert session.damage == ()


def test_04_only_the_newline_byte_ends_a_line() -> None:
    session = one("04-line-separators.jsonl")
    first = "First paragraph.\u2028Second line stays in the same message.\u2029Third.\x85Fourth.\x0cFifth."
    assert words(session) == [("u1", first), ("u2", "Plain message.")]


def test_05_a_byte_order_mark_and_crlf_are_no_damage() -> None:
    session = one("05-bom-crlf/session.jsonl")
    assert texts(session) == ["Paint it RAL 5010.", "Two coats."]
    assert [turn.seq for turn in session.turns] == [1, 3]
    assert session.damage == ()


def test_06_a_repeated_record_counts_once_and_a_changed_one_is_kept_and_told() -> None:
    session = one("06-duplicate-ids.jsonl")
    assert words(session) == [("u1", "The gate code changes monthly."), ("u1", "The gate code changes weekly.")]
    assert [(item.line, item.offset) for item in session.damage] == [(5, 881)]
    assert [turn.text for turn in session.turns if turn.author == "model"] == ["The gate code, noted."]


def test_07_order_is_the_file_and_doubtful_times_are_marked() -> None:
    session = one("07-clock-skew.jsonl")
    assert [text.split(",")[0].rstrip(".") for text in texts(session)] == [
        *("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth"),
    ]
    assert [(turn.at, turn.doubtful_time) for turn in session.turns] == [
        (1777629600000, False),
        (1777629598500, False),
        (1777629605000, False),
        (1777629607000, True),
        (1777629610000, False),
        (0, True),
        (1924992000000, True),
        (None, True),
    ]
    assert (session.started, session.ended) == (1777629598500, 1777629610000)


def test_08_a_long_tool_output_is_kept_as_a_prefix() -> None:
    session = one("08-long-line.jsonl")
    assert texts(session) == ["The long output above is noise; the sensor id is S-118."]
    assert len(session.turns[0].text) == 2000


def test_09_the_person_s_characters_are_kept_as_they_are() -> None:
    found = texts(one("09-unicode-text.jsonl"))
    assert found[0] == "Caf\u00e9 Zo\u00eb opens at 8 (cafe\u0301 written with a combining accent too)."
    assert "pass\u200dage" in found[1]
    assert "\u202egpj.exe\u202c" in found[2]
    assert found[4] == "\x1b[31mred\x1b[0m bell\x07 and tab\tkept"


def test_11_recalled_memories_are_not_fed_back() -> None:
    session = one("11-injected-recall.jsonl")
    assert words(session) == [
        ("u1", "Book the 7:40 ferry, never the 9:10."),
        ("u2", "The boat is rented, not owned."),
        ("u4", "Explain what <memory-context> means in your prompts."),
    ]


def test_12_text_with_secrets_is_read_like_any_other() -> None:
    """Secrets are held back where text enters the bank; a reader hides nothing."""
    assert [ref for ref, _ in words(one("12-secrets.jsonl"))] == ["u1", "u2", "u3", "u4", "u5"]


def test_13_records_glued_into_one_line_are_all_found() -> None:
    session = one("13-glued-records.jsonl")
    assert words(session) == [
        ("u1", "Fence posts every 2 m."),
        ("u2", "Gate on the south side."),
        ("u4", "Use larch, not pine."),
    ]
    assert session.damage == (Damage(2, 420, NOT_JSON),)
