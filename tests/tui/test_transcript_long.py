"""A conversation of any length is opened at once: some turns of it are wrapped, others when the cursor comes there."""

from __future__ import annotations

import itertools

import pytest
from textual.pilot import Pilot

from pipeline.formats.session import Author, Session, Turn
from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tui.screens import transcript_rows
from tui.screens.transcript import Transcript
from tui.screens.transcript_rows import SIDE, SIDE_TEXT, TURN, TranscriptRows, window, wrap
from tui.widgets.rows import Rows

TURNS = 12_000


def long_session(turns: int = TURNS) -> Session:
    said = (
        Turn(seq, f"r{seq}", Author.TYPED if seq % 2 else Author.MODEL, f"word {seq}") for seq in range(1, turns + 1)
    )
    return Session("claude-code", "long", "long.jsonl", tuple(said))


def test_a_short_conversation_is_wrapped_as_a_whole() -> None:
    session = long_session(50)
    rows = wrap(session, {}, 80, 20)
    assert (rows.turns, rows.of) == (range(50), 50)
    assert len(rows) == 150
    assert [rows.beyond(at) for at in (0, 70, 149)] == [None, None, None]


def test_of_a_long_one_the_turns_around_the_place_are_wrapped() -> None:
    session = long_session()
    rows = wrap(session, {6_000: [(0, 4)]}, 80, 6_000)
    assert (rows.turns, rows.of) == (range(6_000 - SIDE, 6_000 + SIDE), TURNS)
    assert (rows.find("6000.0"), rows.find("4999.0"), rows.find("7000.0")) == (3 * SIDE, None, None)
    assert rows.words_of(6_000) == 3 * SIDE + 1
    assert (rows.id(0), rows.id(4)) == ("5000.0", "5001.1")
    assert (rows.beyond(0), rows.beyond(17), rows.beyond(len(rows) - 1)) == (5_000, None, 6_999)


def test_long_turns_fill_the_window_sooner() -> None:
    turns = [Turn(seq, "r", Author.TOOL, "x" * 50_000) for seq in range(1, 301)]
    side = -(-SIDE_TEXT // TURN)
    assert window(turns, 150) == range(150 - side, 150 + side)
    assert window(turns, 299) == range(299 - side, 300)
    assert window([], 0) == range(0)


def cursor_turn(pilot: Pilot[int]) -> int:
    rows = pilot.app.screen.query_one(Rows)
    assert isinstance(rows.source, TranscriptRows)
    return rows.source.lines[rows.cursor].turn


async def test_the_cursor_goes_from_the_first_turn_to_the_last_and_to_words_far_away(
    bank: Bank, opened: Opened
) -> None:
    session = long_session()
    async with opened(bank, size=(100, 30)) as pilot:
        await pilot.app.push_screen(Transcript("long", lambda cancelled: (session, {40: [(0, 4)], 9_000: [(0, 4)]})))
        await settle(pilot)
        assert "turn 41 of 12,000   2 turns with quoted words" in screen_text(pilot.app)
        for keys, turn in ((["n"], 9_000), (["N"], 40), (["G"], 11_999), (["g"], 0)):
            await pilot.press(*keys)
            await settle(pilot)
            assert cursor_turn(pilot) == turn
            assert f"turn {turn + 1:,} of 12,000" in screen_text(pilot.app)


async def test_going_on_at_the_end_of_what_is_wrapped_brings_more(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_rows, "SIDE", 20)
    session = long_session(200)
    async with opened(bank, size=(100, 30)) as pilot:
        await pilot.app.push_screen(Transcript("long", lambda cancelled: (session, {})))
        await settle(pilot)
        rows = pilot.app.screen.query_one(Rows)
        seen = []
        for _ in range(40):
            await pilot.press("pagedown")
            await settle(pilot)
            seen.append(cursor_turn(pilot))
        assert seen == sorted(seen) and seen[-1] == 199
        assert max(after - before for before, after in itertools.pairwise(seen)) <= 10
        assert len(rows.source) <= 3 * 40
