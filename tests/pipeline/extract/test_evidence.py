"""Evidence, windows and quotes: what is shown fits, and a quote leads back to the exact words."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.extract.admission import Admitted, Refused, admit
from pipeline.extract.answer import Citation, Incident
from pipeline.extract.canonical import canonical, neutralise, normalise, statement
from pipeline.extract.coverage import content_hash, coverage_hash, fit, plan, windows
from pipeline.extract.evidence import Entry, Record, compact_json, json_size, locate, project_evidence, quotes
from pipeline.extract.identity import gap_id, retry_id, segment_id
from pipeline.extract.options import Options
from pipeline.extract.search import render_context, search
from pipeline.formats.session import Author, Session, Turn

MESSY = st.text(st.sampled_from("ab e\u0301é \n\t\u200b\u00a0🚀<>`~我们，。\u3000\u200d👩\ud800\x00\x85"), max_size=60)
SPLIT = Options(max_evidence_json_chars=900, max_evidence_records=4)


def _user(seq: int, text: str, turn: int | None = None) -> Entry:
    return Entry(seq, "user", "user", text, turn, seq * 60_000)


def test_a_quote_leads_to_the_exact_slice_of_its_block() -> None:
    session = Session(
        "claude-code",
        "s-1",
        "/x",
        (
            Turn(3, "u-1", Author.TYPED, "We deploy\n  to Fly.io", at=5),
            Turn(3, "u-1", Author.INJECTED, "We deploy to Heroku"),
            Turn(3, "u-1", Author.TYPED, "never to Heroku"),
        ),
    )
    (found,) = quotes(session, 3, "deploy to Fly.io")
    assert (found.text, found.start, found.end, found.ref, found.at) == ("deploy\n  to Fly.io", 3, 21, "u-1", 5)
    assert [one.text for one in quotes(session, 3, "Fly.io never to")] == ["Fly.io", "never to"]
    assert quotes(session, 3, "to Heroku, ever") == ()


def test_zero_width_characters_count_as_nothing_in_a_quote() -> None:
    text = "use pn\u200bpm here"
    assert locate(text, "pnpm") == (4, 9)
    record = Record("event:1", text, 1)
    assert isinstance(admit(Incident("f", (Citation("event:1", "use pnpm"),)), [record]), Admitted)


def test_a_quote_of_a_masked_secret_is_refused() -> None:
    token = "gh" + "p_" + "s" * 24
    records = project_evidence([_user(1, f"deploy with {token} to eu-west-1")])
    found = admit(Incident("Deploys.", (Citation("event:1", "deploy with [REDACTED] to"),)), records)
    assert isinstance(found, Refused) and found.reason == "masked_quote"


def test_the_stored_statement_keeps_the_persons_characters() -> None:
    records = [Record("event:1", "Requires Python >= 3.11, run `make`", 1)]
    found = admit(Incident("Requires Python >= 3.11, run `make`", (Citation("event:1", "Python >="),)), records)
    assert isinstance(found, Admitted)
    assert found.statement == "Requires Python >= 3.11, run `make`"
    assert found.content == "Requires Python ›= 3.11, run 'make'"


def test_joiners_stay_inside_words_and_emoji() -> None:
    assert neutralise("می\u200cخواهم 👩\u200d💻 a\u200d b") == "می\u200cخواهم 👩\u200d💻 a b"


def test_a_changed_letter_changes_the_content_hash_only() -> None:
    before, after = [_user(1, "use npm")], [_user(1, "use bun")]
    assert coverage_hash(before, -1, 1) == coverage_hash(after, -1, 1)
    assert content_hash(before, -1, 1) != content_hash(after, -1, 1)


def test_identities_of_windows_and_retries_differ() -> None:
    assert segment_id("memory_a", 0, 5).startswith("memory_segment_") and len(segment_id("memory_a", 0, 5)) == 79
    assert segment_id("memory_a", 0, 5) != segment_id("memory_a", 0, 6)
    assert retry_id("a", "b", "c").startswith("memory_retry_") and retry_id("a", "b", "c") != retry_id("a", "c", "c")


def test_a_turn_that_overflows_moves_as_a_whole() -> None:
    turns = [(1, 1), (2, 1), (3, 2), (4, 2), (5, 2)]
    cut = windows([_user(seq, "a short remark", turn) for seq, turn in turns], SPLIT)
    assert [[one.seq for one in window] for window in cut] == [[1, 2], [3, 4, 5]]


def test_blocks_of_one_message_stay_in_one_window() -> None:
    found = [
        *(_user(seq, "a short remark") for seq in range(1, 5)),
        Entry(5, "user", "plugin", "note"),
        _user(5, "ok then"),
    ]
    assert [[one.seq for one in window] for window in windows(found, SPLIT)] == [[1, 2, 3, 4], [5, 5]]


def test_small_models_get_small_windows() -> None:
    found = [_user(seq, "a short remark") for seq in range(1, 12)]
    cut = windows(found, Options(window_messages=5))
    assert [len(window) for window in cut] == [5, 5, 1]


def test_a_single_oversized_message_is_shortened_not_split() -> None:
    cut = windows([_user(1, "z" * 3_000)], SPLIT)
    planned = plan(cut[0], 900, 4)
    assert len(cut) == 1 and planned is not None and json_size(planned.records) == 900


def test_nothing_to_cover_gives_no_window() -> None:
    assert windows((), Options()) == ()
    assert plan(()) is None


def test_the_found_context_is_masked() -> None:
    token = "gh" + "p_" + "s" * 24
    assert render_context([_user(1, f"it is {token}")]) == "[user event:1] it is [REDACTED]"


def test_a_search_reaches_no_further_back_than_asked() -> None:
    found = [_user(1, "redis"), _user(5, "redis"), _user(9, "redis")]
    assert [one.seq for one in search(found, 5, ["redis"], after=1)] == [5]


def test_lone_surrogates_are_escaped_and_hashed_as_replacement() -> None:
    assert compact_json("\ud83d") == '"\\ud83d"'
    assert gap_id("a \ud800 b") == gap_id("a \ufffd b")


@given(MESSY)
def test_property_neutralising_twice_is_once(text: str) -> None:
    for mode in ("strip", "substitute"):
        once = neutralise(text, mode)
        assert neutralise(once, mode) == once
        assert not set(once) & set("<>`\x00\x85\n")


@given(MESSY)
def test_property_spacing_never_changes_an_identity(text: str) -> None:
    assert gap_id(text) == gap_id(unicodedata.normalize("NFD", text.replace(" ", " \n ")))
    assert len(statement(text)) <= 2_000 and len(canonical(text)) <= 2_000


@given(MESSY, st.integers(0, 60), st.integers(1, 20))
def test_property_a_slice_of_a_message_is_located_in_it(text: str, start: int, length: int) -> None:
    begin = start % max(1, len(text))
    quote = normalise(text[begin : begin + length])
    assume(len(quote.replace("\u200b", "").replace("\u200d", "").strip()) > 0)
    assume(quote in normalise(text))
    place = locate(text, quote)
    assert place is not None
    found = normalise(text[slice(*place)])
    drop = str.maketrans("", "", "\u200b\u200d")
    assert normalise(quote.translate(drop)) in normalise(found.translate(drop))


RECORDS = st.lists(st.text(st.sampled_from('ab"<\\🚀 '), min_size=1, max_size=300), min_size=1, max_size=12)


@given(RECORDS, st.integers(1, 3_000))
def test_property_what_fits_is_within_the_budget_and_as_long_as_possible(texts: list[str], budget: int) -> None:
    records = project_evidence([_user(seq, text) for seq, text in enumerate(texts)])
    fitted = fit(records, budget)
    if fitted is None:
        assert json_size([replace(record, text=record.text[:64]) for record in records]) > budget
        return
    assert json_size(fitted) <= budget and len(fitted) == len(records)
    cap = max((len(record.text) for record in fitted), default=0)
    if fitted != records:
        assert json_size([replace(record, text=record.text[: cap + 1]) for record in records]) > budget


@given(st.lists(st.tuples(st.text("ab <", max_size=200), st.integers(0, 3), st.booleans()), max_size=40))
def test_property_windows_keep_every_event_in_order(rows: list[tuple[str, int, bool]]) -> None:
    found = [
        _user(seq, text, turn or None) if typed else Entry(seq, "assistant", "model", text, turn or None)
        for seq, (text, turn, typed) in enumerate(rows)
    ]
    cut = windows(found, SPLIT)
    assert [one for window in cut for one in window] == found
    for window in cut:
        records = project_evidence(window)
        assert len(records) <= 4
        assert json_size(records) <= 900 or len(records) == 1
