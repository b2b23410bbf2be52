"""The turns of a session are kept small and come back as they were."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import spool
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session, Turn
from pipeline.formats.turns import ABANDONED, INHERITED, TurnLog, Turns
from store.errors import StorageFailure

TEXT = st.text(st.characters(codec=None), max_size=40)
TURN = st.builds(
    Turn,
    seq=st.integers(0, 1 << 60),
    ref=TEXT,
    author=st.sampled_from(Author),
    text=TEXT,
    at=st.none() | st.integers(-(1 << 53), 1 << 53),
    doubtful_time=st.booleans(),
    reason=TEXT,
    turn=st.none() | st.integers(-(10**30), 10**30),
    question=TEXT,
    abandoned=st.booleans(),
    inherited=st.booleans(),
)


@pytest.fixture(params=[8 << 20, 0], ids=["in memory", "in the file"])
def held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much stays in memory; small blocks, so that there are many."""
    monkeypatch.setattr(spool, "HELD", request.param)
    monkeypatch.setattr(spool, "BLOCK", 300)
    return int(request.param)


def many(number: int) -> list[Turn]:
    authors = list(Author)
    return [Turn(seq // 2, f"r{seq}", authors[seq % 9], f"text {seq} é缓" * (seq % 5), seq) for seq in range(number)]


@given(st.lists(TURN, max_size=12))
def test_property_turns_come_back_as_they_were_given(turns: list[Turn]) -> None:
    kept = Turns.of(turns)
    assert list(kept) == turns
    assert kept == turns and turns == list(kept) and kept == tuple(turns)
    assert [kept[place] for place in range(-len(turns), len(turns))] == turns * 2
    assert kept[1:7:2] == tuple(turns[1:7:2])
    assert kept.last_seq == max((turn.seq for turn in turns), default=0)
    assert kept.ascending == (turns == sorted(turns, key=lambda turn: turn.seq))


@given(st.lists(TURN, max_size=12), st.sets(st.sampled_from(Author)), st.integers(0, 12))
def test_property_turns_are_found_by_author_and_by_seq(turns: list[Turn], authors: set[Author], place: int) -> None:
    kept = Turns.of(turns)
    assert list(kept.by(authors)) == [(at, turn) for at, turn in enumerate(turns) if turn.author in authors]
    seq = turns[place].seq if place < len(turns) else 7
    assert kept.of_seq(seq) == tuple(turn for turn in turns if turn.seq == seq)
    live = [turn.author for turn in turns if not turn.abandoned and not turn.inherited]
    assert kept.census() == Counter(live)


def test_turns_in_many_blocks_are_read_in_any_order_and_from_several_threads(held: int) -> None:
    turns = many(2_000)
    kept = Turns.of(turns)
    assert [kept[place] for place in range(1_999, -1, -7)] == turns[1_999::-7]
    found: dict[int, bool] = {}

    def look(start: int) -> None:
        found[start] = [kept[place] for place in range(start, 2_000, 3)] == turns[start::3]

    threads = [threading.Thread(target=look, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: True, 1: True, 2: True}


def test_a_turn_can_be_looked_at_rewritten_and_marked_while_more_are_added(held: int) -> None:
    log, turns = TurnLog(), many(200)
    for turn in turns:
        log.append(turn)
        if turn.seq % 10 == 0:
            assert log[len(log) - 1] == turn
    log.rewrite(3, "another text, much longer than the one before")
    log.mark(5, ABANDONED)
    log.mark(6, INHERITED)
    kept = log.sealed()
    assert kept[3].text == "another text, much longer than the one before"
    assert (kept[3].ref, kept[3].author, kept[3].seq) == ("r3", turns[3].author, 1)
    assert (kept[5].abandoned, kept[6].inherited, kept[4]) == (True, True, turns[4])
    assert list(kept[7:]) == turns[7:]


def test_marking_copies_leaves_the_turns_as_they_were() -> None:
    turns = many(10)
    kept = Turns.of(turns)
    marked = kept.with_inherited([2, 3])
    assert [turn.inherited for turn in marked] == [False, False, True, True, *[False] * 6]
    assert kept == turns


def test_a_session_keeps_any_sequence_of_turns_in_this_form() -> None:
    turns = tuple(many(5))
    one, other = Session("claude-code", "s", "s.jsonl", turns), Session("claude-code", "s", "s.jsonl", list(turns))
    assert one == other
    assert isinstance(one.turns, Turns) and one.log is one.turns
    assert one.last_seq == 2
    assert one.turns != (*turns[1:], turns[0])
    assert [place for place, _ in one.log.by(EVIDENCE_AUTHORS)] == [0, 1]


def test_no_room_for_the_temporary_file_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(**named: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(spool, "BLOCK", 100)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(StorageFailure, match=r"does not fit into .* \(No space left on device\); make room"):
        Turns.of(many(50))


def test_nothing_is_left_in_the_folder_for_temporary_files(
    held: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    kept = Turns.of(many(100))
    assert kept[99].seq == 49
    del kept
    assert list(tmp_path.iterdir()) == []
