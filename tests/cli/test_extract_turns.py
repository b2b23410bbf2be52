"""`extract --turns 12-40`: which turns there are is said in a sentence, and one way of writing them is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.extract.rerun import Span
from pipeline.extraction import WHOLE, extract
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from store.view import View
from tests.cli.desk import Desk
from tests.pipeline.formats.writing import dump, user
from tests.pipeline.test_transcripts import session, typed
from tui.spans import SHAPE, parsed, reaching, readable

REMEMBER = "Remember that the staging host is called kestrel-3."


def transcript(path: Path, turns: int, name: str = "s1") -> str:
    path.write_bytes(dump([{**user(REMEMBER, f"u{number}"), "sessionId": name} for number in range(turns)]))
    return str(path)


def test_turns_that_are_not_there_are_answered_with_how_many_there_are(desk: Desk, tmp_path: Path) -> None:
    answer = desk("extract", transcript(tmp_path / "a.jsonl", 3), "--offline", "--turns", "50-60")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("Turn 50 of claude-code/s1 was asked for, but there are 3 turns: give some of 1-3.\n")
    assert desk("review", "--count").out == "0\n"


def test_turns_count_from_one(desk: Desk, tmp_path: Path) -> None:
    answer = desk("extract", transcript(tmp_path / "a.jsonl", 3), "--offline", "--turns", "0-0")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "--turns cannot be '0-0'; turns count from 1: 12-40.\n"


def test_turns_in_the_wrong_order_are_refused_in_one_sentence(desk: Desk, tmp_path: Path) -> None:
    answer = desk("extract", transcript(tmp_path / "a.jsonl", 3), "--offline", "--turns", "5-2")
    assert answer.code == 2
    assert answer.err == "--turns cannot be '5-2'; the first turn comes before the last: 12-40.\n"


def test_the_last_turn_may_lie_behind_the_end(desk: Desk, tmp_path: Path) -> None:
    path = transcript(tmp_path / "a.jsonl", 3)
    found = desk.json("extract", path, "--offline", "--turns", "3-90").json
    assert [one["windows"] for one in found["sessions"]] == [[[3, 3]]]


def test_sessions_that_end_before_the_turns_are_left_out_with_a_word(desk: Desk, tmp_path: Path) -> None:
    files = [transcript(tmp_path / f"{name}.jsonl", turns, name) for name, turns in (("a", 2), ("b", 4), ("c", 3))]
    answer = desk("extract", *files, "--offline", "--turns", "4-9")
    assert answer.code == 0
    assert "2 sessions end before turn 4 and are left out; the longest of them has 3 turns.\n" in answer.err
    assert "claude-code/b" in answer.out and "claude-code/a" not in answer.out


def test_help_messages_and_examples_write_turns_one_way(desk: Desk) -> None:
    assert f"--turns {SHAPE} " in desk("extract", "--help").out
    assert f"`--turns {SHAPE}`" in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert readable(SHAPE) == "" and parsed(SHAPE) == Span(11, 40)


@pytest.mark.parametrize("written", ["12-40", " 12 - 40 ", "12 40", "12 to 40", "12\u201340"])
def test_turns_are_understood_however_they_are_typed(written: str) -> None:
    assert readable(written) == "" and parsed(written) == Span(11, 40)


@pytest.mark.parametrize(
    ("written", "turns", "said"),
    [
        ("twelve", None, "Give two turns, the first and the last: 12-40."),
        ("0-4", None, "Turns count from 1: 12-40."),
        ("9-4", None, "The first turn comes before the last: 12-40."),
        ("8-9", 7, "There are 7 turns: give some of 1-7."),
        ("2-3", 1, "There is one turn: 1-1."),
        ("1-3", 0, "There are none."),
        ("7-9", 7, ""),
    ],
)
def test_what_is_wrong_with_turns_is_one_sentence(written: str, turns: int | None, said: str) -> None:
    assert readable(written, turns) == said


def test_a_whole_session_and_one_without_turns_are_never_too_short() -> None:
    found = [session(), session(typed(1, "a"))]
    assert reaching(found, ()) == (found, "") and reaching(found, (WHOLE,)) == (found, "")


def test_a_run_that_knows_the_session_better_says_where_it_ends() -> None:
    held = session(typed(1, "a"), typed(4, "b"))
    report = extract([held], Rehearsal(View.of(())), OfflineDoor(), spans=(Span(49, 60),))
    assert report.sessions[0].problem == (
        "The last turn of this session is 4, and turn 50 was asked for; choose turns that are there."
    )
