"""What becomes of a fact in the gap ledger, held by properties over any history of sightings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.canonical import canonical
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, join_quotes, put_gap, read_gap
from pipeline.extract.ledger.known import known
from pipeline.extract.ledger.matching import Write, decide, identify, load
from pipeline.extract.ledger.serialised import from_rows, to_rows
from pipeline.extract.options import Options
from pipeline.extract.words import jaccard
from pipeline.rehearsal import Rehearsal
from pipeline.review.alike import SIMILAR
from pipeline.review.nearby import SHOWN, near_memories
from store.changes import Changeset, DropRow, MoveMemory, NewId, PutMemory, PutRow
from store.view import View
from tests.pipeline.review_desk import memory

NOW, AGE = 10_000, 1_000
CONTENT = "The project CI runs on Buildkite."
SESSIONS = st.sampled_from(["s-1", "s-2", "s-3", "s-4"])
SIGHTINGS = st.lists(st.builds(Sighting, SESSIONS, st.integers(NOW - 3 * AGE, NOW)), max_size=6).map(tuple)
STATES = st.sampled_from(["open", "ready", "covered", "archived"])
GAPS = st.builds(Gap, st.just(gap_id(CONTENT)), st.just("p"), st.just(CONTENT), STATES, SIGHTINGS, rev=st.just(1))
FLOORS = st.integers(1, 4)


def options(floor: int, review_mode: Any = "floor") -> Options:
    return replace(Options(), min_gap_evidence=floor, gap_ledger_max_age_ms=AGE, review_mode=review_mode)


def ledger_of(gap: Gap, chosen: Options, **tables: Any) -> Any:
    row = {**put_gap(gap).fields, "_rev": 1}
    return load(View.of((), {"gaps": {gap.key: row}, **tables}), "p", NOW, chosen)


def decided(gap: Gap, chosen: Options, seen: Sighting, known_as: str | None = None, explicit: bool = False) -> Any:
    write = Write(1, CONTENT, CONTENT, explicit=explicit)
    return decide(ledger_of(gap, chosen), write, gap.id, seen, known_as)


@given(GAPS, FLOORS, SESSIONS)
def test_property_a_fact_is_stored_exactly_when_enough_distinct_fresh_sessions_said_it(
    gap: Gap, floor: int, session: str
) -> None:
    fresh = {one.session for one in gap.sightings if NOW - one.at <= AGE} | {session}
    decision = decided(gap, options(floor), Sighting(session, NOW))
    assert (decision.verdict == "store") == (gap.state == "covered" or len(fresh) >= floor)
    assert decision.have == len(fresh)


@given(GAPS, FLOORS, SESSIONS, st.booleans())
def test_property_with_review_of_everything_nothing_is_ever_stored_without_a_person(
    gap: Gap, floor: int, session: str, explicit: bool
) -> None:
    decision = decided(gap, options(floor, "all"), Sighting(session, NOW), explicit=explicit)
    assert decision.verdict in ("ready", "deferred")
    if explicit:
        assert decision.verdict == "ready" and decision.gap.explicit


@given(GAPS, FLOORS, SESSIONS, st.integers(1, 50))
def test_property_a_session_never_counts_twice_however_often_it_says_it(
    gap: Gap, floor: int, session: str, times: int
) -> None:
    chosen = options(floor, "all")
    first = decided(gap, chosen, Sighting(session, NOW)).gap
    again = first
    for _ in range(times % 4 + 1):
        again = decided(replace(again, rev=1), chosen, Sighting(session, NOW)).gap
    count = sum(one.session == session for one in first.sightings)
    assert sum(one.session == session for one in again.sightings) == count
    assert again.sessions(NOW, AGE) == first.sessions(NOW, AGE)


@given(GAPS, FLOORS, SESSIONS)
def test_property_a_repeat_keeps_the_time_of_the_first_sighting(gap: Gap, floor: int, session: str) -> None:
    after = decided(gap, options(floor), Sighting(session, NOW)).gap
    before = [one.at for one in gap.sightings if one.session == session and NOW - one.at <= AGE]
    kept = [one.at for one in after.sightings if one.session == session and NOW - one.at <= AGE]
    if before:
        assert kept == before
    elif not any(one.session == session for one in gap.sightings) or after.state == "open":
        assert kept == [NOW]


@given(GAPS, FLOORS, SESSIONS)
def test_property_stale_sightings_leave_open_rows_and_stay_in_retired_ones(gap: Gap, floor: int, session: str) -> None:
    decision = decided(gap, options(floor), Sighting(session, NOW))
    if decision.verdict == "store":
        assert set(gap.sightings) <= set(decision.gap.sightings)
    elif decision.gap.state == "open":
        assert all(NOW - one.at <= AGE for one in decision.gap.sightings)


@given(GAPS, FLOORS, SESSIONS, st.sampled_from(["floor", "all"]))
def test_property_what_was_rejected_or_forgotten_gathers_nothing(gap: Gap, floor: int, session: str, mode: Any) -> None:
    chosen = options(floor, mode)
    write, seen = Write(1, CONTENT, CONTENT, explicit=True), Sighting(session, NOW)
    rejected = decide(ledger_of(replace(gap, state="rejected"), chosen), write, gap.id, seen, None)
    for place in (gap_key("p", gap.id), gap_key("", gap.id)):
        forgotten = decide(ledger_of(gap, chosen, tombstones={place: {"at": 1}}), write, gap.id, seen, None)
        assert forgotten.verdict == "suppressed" and forgotten.gap.sightings == gap.sightings
    elsewhere = decide(ledger_of(gap, chosen, tombstones={gap_key("q", gap.id): {}}), write, gap.id, seen, None)
    assert rejected.verdict == "suppressed" and elsewhere.verdict != "suppressed"


@given(GAPS, FLOORS, SESSIONS, st.sampled_from(["floor", "all"]))
def test_property_what_the_bank_says_already_retires_at_once(gap: Gap, floor: int, session: str, mode: Any) -> None:
    decision = decided(gap, options(floor, mode), Sighting(session, NOW), known_as="facts/a.md")
    assert decision.verdict == "duplicate"
    assert (decision.gap.state, decision.gap.memory, decision.gap.covered_at) == ("covered", "facts/a.md", NOW)


@given(GAPS)
def test_property_a_gap_is_read_back_as_it_was_written(gap: Gap) -> None:
    bank = Rehearsal()
    bank.record([put_gap(replace(gap, rev=0))])
    assert read_gap(gap.key, bank.view().rows("gaps")[gap.key]) == gap


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["id", "project", "content", "state", "covered", "sightings", "updatedAt", "aliases", "memory", "postponed", "_rev"]
)


@given(st.text(max_size=8), st.dictionaries(NAMES, JSON))
def test_fuzz_no_damage_of_a_row_stops_the_ledger(key: str, row: dict[str, Any]) -> None:
    view = View.of((), {"gaps": {f"p|{key}": row}})
    found = load(view, "p", NOW, options(2))
    assert all(isinstance(gap.content, str) and gap.content for gap in found.gaps)
    assert len(found.shown()) <= 16


def test_a_cited_row_counts_only_if_it_was_shown_is_used_once_and_shares_a_word() -> None:
    row = Gap("gap_seed", "p", "Builds go through Buildkite", sightings=(Sighting("s-9", NOW),), rev=1)
    found = ledger_of(row, options(2))
    write = Write(1, CONTENT, CONTENT, cited="gap_seed")
    used: set[str] = set()
    assert identify(found, write, frozenset({"gap_seed"}), used) == ("gap_seed", ())
    own, notes = identify(found, write, frozenset({"gap_seed"}), used)
    assert own == gap_id(CONTENT) and [(one.kind, one.reason) for one in notes] == [
        ("citation_ignored", "already_used_in_run")
    ]
    strange = Write(2, "Coffee is at ten.", "Coffee is at ten.", cited="gap_seed")
    own, notes = identify(found, strange, frozenset({"gap_seed"}), set())
    assert own == gap_id("Coffee is at ten.") and [one.kind for one in notes] == ["citation_suspect"]


VALUES = st.none() | st.booleans() | st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=2)
CHANGES = st.one_of(
    st.builds(
        PutMemory,
        st.none() | st.text(min_size=1, max_size=8),
        st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=3),
        st.none() | st.text(max_size=8),
        st.none() | st.text(max_size=8),
        st.text(max_size=4),
    ),
    st.builds(MoveMemory, st.text(max_size=8), st.sampled_from(["live", "archived", "trashed"]), st.none() | st.text()),
    st.builds(PutRow, st.text(), st.text(), st.dictionaries(st.text(), VALUES | st.builds(NewId, st.text(max_size=3)))),
    st.builds(DropRow, st.text(), st.text()),
)


@given(st.lists(CHANGES, max_size=4))
def test_property_a_proposal_is_read_back_as_the_changes_that_were_filed(changes: list[Any]) -> None:
    assert list(from_rows(to_rows(changes))) == changes


STATEMENTS = st.lists(
    st.sampled_from(["build", "builds", "project", "run", "on", "Buildkite", "pnpm", "the", "coffee", "构建", "项目"]),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(st.lists(STATEMENTS, max_size=8), STATEMENTS)
def test_property_the_index_of_alike_memories_finds_what_a_full_search_finds(texts: list[str], wanted: str) -> None:
    bank = Rehearsal(View.of([memory(number, text) for number, text in enumerate(texts[:4], 1)]))
    for text in texts[4:]:
        bank.commit(_put(text))
    view = bank.view()
    found = near_memories(view, wanted)
    alike = sorted((one for one in view.live if jaccard(wanted, one.statement) >= SIMILAR), key=lambda one: one.id)
    best = sorted(alike, key=lambda one: (-jaccard(wanted, one.statement), one.id))[:SHOWN]
    assert [one.id for one in found] == [one.id for one in best]


@given(st.lists(STATEMENTS, max_size=6), STATEMENTS, st.integers(0, 3))
def test_property_the_exact_index_finds_a_statement_whatever_its_spacing(
    texts: list[str], wanted: str, spaces: int
) -> None:
    bank = Rehearsal(View.of([memory(number, text) for number, text in enumerate(texts[:3], 1)]))
    for text in texts[3:]:
        bank.commit(_put(text))
    spaced = wanted.replace(" ", " " * (spaces + 1))
    same = [one.id for one in bank.view().live if canonical(one.statement) == canonical(wanted)]
    found = known(bank.view(), spaced, "")
    assert (found in same) if same else found is None


def _put(text: str) -> Any:
    return Changeset((PutMemory(None, {"type": "FACT", "subject": "s", "statement": text}),), "try")


def test_quotes_are_joined_by_place_and_wording() -> None:
    one = {"session": "s", "seq": 1, "ref": "a", "quote": "x"}
    assert join_quotes([one], [dict(one), {**one, "seq": 2}]) == (one, {**one, "seq": 2})
