"""The text events of a session are made on demand and are those that they were when all were made at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.coverage import content_hash, coverage_hash, in_range, plan, request_hash, windows
from pipeline.extract.entries import MODEL, PERSON, Entries, Entry, Voice, entries, said_by
from pipeline.extract.evidence import project_evidence, quotes
from pipeline.extract.options import Options
from pipeline.extract.search import search
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session, Turn

SMALL = Options(max_evidence_json_chars=400, max_evidence_records=3)
WORDS = st.sampled_from(["", "Kafka", "use pnpm here", "tea\nbefore noon", "我们用 Redis"])
TURN = st.builds(
    Turn,
    seq=st.integers(0, 12),
    ref=st.just("r"),
    author=st.sampled_from(Author),
    text=WORDS,
    at=st.none() | st.integers(-1, 10**13),
    turn=st.none() | st.integers(0, 3),
    question=st.sampled_from(["", "which?"]),
    abandoned=st.booleans(),
    inherited=st.booleans(),
)
TURNS = st.lists(TURN, max_size=14)


def voice(turn: Turn) -> Voice:
    if turn.abandoned or turn.inherited:
        return "other", "other"
    if turn.author in EVIDENCE_AUTHORS:
        return PERSON
    if turn.author is Author.MODEL:
        return MODEL
    if turn.author is Author.TOOL:
        return "other", "tool"
    return ("user", "plugin") if turn.author in {Author.INJECTED, Author.SUMMARY} else ("other", "other")


def at_once(turns: Sequence[Turn]) -> list[Entry]:
    """All entries, made the plain way."""
    found: list[Entry] = []
    for seq, group in groupby(sorted(turns, key=lambda turn: turn.seq), key=lambda turn: turn.seq):
        voices: dict[Voice, list[Turn]] = {}
        for turn in group:
            voices.setdefault(voice(turn), []).append(turn)
        for (role, author), own in voices.items():
            text = "\n".join(turn.text for turn in own if turn.text) if role != "other" else ""
            question = next((turn.question for turn in own if turn.question), "") if author == "user" else ""
            found.append(Entry(seq, role, author, text or None, own[0].turn, own[0].at or 0, question))
    return found


def session(turns: Sequence[Turn]) -> Session:
    return Session("claude-code", "s", "s.jsonl", turns)


@given(TURNS, st.integers(-2, 14), st.integers(-2, 14))
def test_property_entries_are_those_made_at_once(turns: list[Turn], after: int, through: int) -> None:
    found, plain = entries(session(turns)), at_once(turns)
    assert isinstance(found, Entries)
    assert list(found) == plain and found == plain
    assert [found[place] for place in range(-len(plain), len(plain))] == plain * 2
    assert list(found[2:9]) == plain[2:9] and list(found[2:9][1:3]) == plain[3:5]
    assert list(in_range(found, after, through)) == list(in_range(plain, after, through))
    assert list(found[1:].between(after, through) if isinstance(found[1:], Entries) else ()) == [
        entry for entry in plain[1:] if after < entry.seq <= through
    ]


@given(TURNS, st.integers(0, 5))
def test_property_voices_are_found_with_their_places(turns: list[Turn], start: int) -> None:
    found, plain = entries(session(turns)), at_once(turns)
    for voices in ({PERSON}, {PERSON, MODEL}, set()):
        assert list(said_by(found[start:], voices)) == list(said_by(plain[start:], voices))


@given(TURNS, st.integers(-2, 14), st.integers(-2, 14))
def test_property_windows_hashes_and_searches_are_the_same(turns: list[Turn], after: int, through: int) -> None:
    found, plain = entries(session(turns)), at_once(turns)
    assert [list(one) for one in windows(found, SMALL)] == [list(one) for one in windows(plain, SMALL)]
    for hashed in (coverage_hash, content_hash, request_hash):
        assert hashed(found, after, through) == hashed(plain, after, through)
    assert project_evidence(found) == project_evidence(plain)
    assert search(found, through, ["pnpm", "redis"]) == search(plain, through, ["pnpm", "redis"])
    planned, wanted = plan(found, 400, 3), plan(plain, 400, 3)
    assert (planned and planned.records) == (wanted and wanted.records)


@given(TURNS, st.integers(1, 4))
def test_property_the_first_windows_are_the_same_when_no_more_are_wanted(turns: list[Turn], most: int) -> None:
    found = entries(session(turns))
    every = [list(one) for one in windows(found, SMALL)]
    first = [list(one) for one in windows(found, SMALL, most)]
    assert first == every[:most]


@given(TURNS)
def test_property_windows_hold_every_entry_once_and_are_never_empty(turns: list[Turn]) -> None:
    found = entries(session(turns))
    cut = windows(found, SMALL)
    assert [entry for window in cut for entry in window] == list(found)
    assert all(len(window) for window in cut)


def test_no_text_is_unpacked_for_what_the_person_did_not_say() -> None:
    turns = [Turn(seq, f"r{seq}", Author.TYPED if seq % 50 == 0 else Author.TOOL, "x" * 50) for seq in range(1, 501)]
    one = session(turns)
    looked: list[int] = []
    look = one.log._spool.look
    one.log._spool.look = lambda address: looked.append(address) or look(address)  # type: ignore[method-assign]
    assert len(project_evidence(entries(one))) == 10
    assert len(looked) == 10
    assert [quote.ref for quote in quotes(one, 50, "xxxx")] == ["r50"]
    assert len(looked) == 11
