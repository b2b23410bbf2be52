"""Two wordings of one fact: suggested as a link, merged by a person, parted again, and told apart from other facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import review
from pipeline.extract.effects import Audit
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, put_gap, read_gap
from pipeline.extract.ledger.matching import Write, decide, load
from pipeline.extract.options import Options
from pipeline.extract.words import content_words
from pipeline.rehearsal import Rehearsal
from pipeline.review.linking import linked
from store.bank import Bank
from store.errors import AlreadyDecided, BadInput, SecretFound, UnknownMemory
from store.view import View
from tests.pipeline.review_desk import DAY, NOW, desk, gap, item, live, memory, profile, quote, row

pytestmark = pytest.mark.usefixtures("stopped_clock")

PNPM, BUILD = "Use pnpm for builds.", "The build needs pnpm."
COFFEE = "Coffee is at ten."


def two(first: str = "s-1", second: str = "s-2", **more: Any) -> Rehearsal:
    return desk(gaps={**gap(PNPM, first, at=NOW - 2 * DAY), **gap(BUILD, second, at=NOW - DAY, **more)})


def merged(bank: Rehearsal) -> Gap:
    bank.commit(review.merge(bank.view(), item(bank, gap_id(BUILD)), item(bank, gap_id(PNPM))))
    return held(bank, gap_id(PNPM))


def held(bank: Rehearsal, identity: str, project: str = "") -> Gap:
    key = gap_key(project, identity)
    found = read_gap(key, bank.view().rows("gaps")[key])
    assert found is not None
    return found


def test_merging_keeps_one_wording_unites_the_sessions_and_stores_nothing() -> None:
    bank = two()
    found = merged(bank)
    assert list(bank.view().rows("gaps")) == [gap_key("", gap_id(PNPM))] and live(bank) == []
    assert (found.content, found.aliases, found.state) == (PNPM, (gap_id(BUILD),), "ready")
    assert [(one.session, one.at) for one in found.sightings] == [("s-1", NOW - 2 * DAY), ("s-2", NOW - DAY)]
    assert [one.quotes[0]["quote"] for one in found.sightings] == [PNPM, BUILD]


def test_a_session_that_said_both_counts_once_with_the_earlier_time_and_all_its_words() -> None:
    found = merged(two("s-1", "s-1"))
    assert [(one.session, one.at) for one in found.sightings] == [("s-1", NOW - 2 * DAY)]
    assert [one["quote"] for one in found.sightings[0].quotes] == [PNPM, BUILD]
    assert found.state == "open"


def test_a_merged_fact_below_the_banks_own_floor_goes_on_waiting() -> None:
    bank = desk(gaps={**gap(PNPM, "s-1"), **gap(BUILD, "s-2")}, settings={"min_gap_evidence": {"value": 3, "_rev": 1}})
    assert merged(bank).state == "open"


def test_old_sightings_do_not_make_a_merged_fact_ready() -> None:
    bank = desk(gaps={**gap(PNPM, "s-1", at=NOW - 91 * DAY), **gap(BUILD, "s-2")})
    assert merged(bank).state == "open"


def test_what_a_later_session_says_in_the_other_wording_goes_to_the_survivor_under_its_wording() -> None:
    bank = two("s-1", "s-1")
    merged(bank)
    ledger = load(bank.view(), "", NOW, Options())
    decision = decide(ledger, Write(1, BUILD, BUILD), gap_id(BUILD), Sighting("s-3", NOW), None)
    assert (decision.gap.id, decision.gap.content, decision.verdict) == (gap_id(PNPM), PNPM, "ready")
    assert [(one.session, one.seen_as) for one in decision.gap.sightings] == [("s-1", ""), ("s-3", gap_id(BUILD))]


def test_splitting_gives_both_facts_back_as_they_were_with_what_came_since() -> None:
    bank = two()
    before = {key: read_gap(key, one) for key, one in bank.view().rows("gaps").items()}
    found = merged(bank)
    seen = Sighting("s-9", NOW, quotes=(quote("pnpm as always"),), seen_as=gap_id(BUILD))
    bank.record([put_gap(Gap(**{**_fields(found), "sightings": (*found.sightings, seen)}))])
    waiting = item(bank, gap_id(PNPM))
    assert review.parts(bank.view(), waiting) == (review.Part(gap_id(BUILD), BUILD, ("s-2",)),)
    bank.commit(review.split(bank.view(), waiting, gap_id(BUILD)))
    kept, parted = held(bank, gap_id(PNPM)), held(bank, gap_id(BUILD))
    old = before[gap_key("", gap_id(PNPM))]
    assert old is not None and kept.sightings == old.sightings
    assert (kept.aliases, kept.merged, kept.state, kept.content) == ((), (), "open", PNPM)
    assert [(one.session, one.seen_as) for one in parted.sightings] == [("s-2", ""), ("s-9", "")]
    assert (parted.state, parted.content, parted.aliases) == ("ready", BUILD, ())


def _fields(found: Gap) -> dict[str, Any]:
    return {name: getattr(found, name) for name in Gap.__slots__}


SESSIONS = st.sampled_from(["s-1", "s-2", "s-3"])
SEEN = st.lists(
    st.tuples(SESSIONS, st.integers(NOW - 100 * DAY, NOW), st.integers(1, 3)), max_size=3, unique_by=lambda one: one[0]
)
STATES = st.sampled_from(["open", "ready"])


def _row(content: str, seen: list[tuple[str, int, int]], state: Any) -> Gap:
    sightings = tuple(
        Sighting(name, at, "op", "m", tuple({**quote(content), "seq": seq} for seq in range(count)))
        for name, at, count in seen
    )
    return Gap(gap_id(content), "", content, state, sightings, updated_at=NOW)


@given(SEEN, SEEN, STATES, STATES)
def test_property_a_merge_that_is_split_again_leaves_what_was_there(
    first: list[tuple[str, int, int]], second: list[tuple[str, int, int]], one: Any, other: Any
) -> None:
    """Whatever sessions, times and quotes the two had, also in common. Only rows that would be ready anyway move on."""
    rows = [_row(PNPM, first, one), _row(BUILD, second, other)]
    bank = Rehearsal()
    bank.record([put_gap(found) for found in rows])
    both = merged(bank)
    names = {found.session for gap_row in rows for found in gap_row.sightings}
    assert {found.session for found in both.sightings} == names and len(both.sightings) == len(names)
    bank.commit(review.split(bank.view(), item(bank, gap_id(PNPM)), gap_id(BUILD)))
    for before in rows:
        after = held(bank, before.id)
        assert after.sightings == before.sightings and after.content == before.content
        assert (after.aliases, after.merged) == ((), ())
        enough = len(before.sessions(NOW)) >= 2
        assert after.state == ("ready" if before.state == "ready" or enough else "open")


def test_a_fact_that_swallowed_another_is_merged_and_parted_with_it() -> None:
    bank = desk(gaps={**gap(PNPM, "s-1"), **gap(BUILD, "s-2"), **gap("Builds use pnpm.", "s-3")})
    bank.commit(review.merge(bank.view(), item(bank, gap_id("Builds use pnpm.")), item(bank, gap_id(BUILD))))
    found = merged(bank)
    assert found.aliases == (gap_id(BUILD), gap_id("Builds use pnpm."))
    bank.commit(review.split(bank.view(), item(bank, gap_id(PNPM)), gap_id(BUILD)))
    again = held(bank, gap_id(BUILD))
    assert again.aliases == (gap_id("Builds use pnpm."),)
    assert {one.session for one in again.sightings} == {"s-2", "s-3"}
    bank.commit(review.split(bank.view(), item(bank, gap_id(BUILD)), gap_id("Builds use pnpm.")))
    assert {one.statement for one in review.queue(bank.view(), NOW)} == {PNPM, BUILD, "Builds use pnpm."}


def test_several_facts_are_merged_as_one_change_and_parted_one_by_one() -> None:
    bank = desk(gaps={**gap(PNPM, "s-1"), **gap(BUILD, "s-2"), **gap("Builds use pnpm.", "s-3")})
    others = [item(bank, gap_id(BUILD)), item(bank, gap_id("Builds use pnpm."))]
    done = review.merge(bank.view(), others, item(bank, gap_id(PNPM)))
    assert done.reason == "merge 2 facts into fact Use pnpm for builds"
    bank.commit(done)
    assert [(one.statement, one.have) for one in review.queue(bank.view(), NOW)] == [(PNPM, 3)]
    bank.commit(review.split(bank.view(), item(bank, gap_id(PNPM)), gap_id(BUILD)))
    left = held(bank, gap_id(PNPM))
    assert left.aliases == (gap_id("Builds use pnpm."),) and {one.session for one in left.sightings} == {"s-1", "s-3"}
    with pytest.raises(BadInput, match="nothing to merge"):
        review.merge(bank.view(), [], item(bank, gap_id(PNPM)))


def test_two_merges_into_the_same_fact_in_one_batch_leave_the_second_to_be_decided_on_its_own() -> None:
    bank = desk(gaps={**gap(PNPM, "s-1"), **gap(BUILD, "s-2"), **gap("Builds use pnpm.", "s-3")})
    into = item(bank, gap_id(PNPM))
    others = [item(bank, gap_id(BUILD)), item(bank, gap_id("Builds use pnpm."))]
    found = review.together(bank.view(), others, lambda view, one: review.merge(view, one, into), "merge")
    bank.commit(found.changeset)
    assert [one.statement for one in found.decided] == [BUILD] and len(found.left) == 1


def test_facts_of_two_projects_of_two_kinds_or_that_do_not_wait_are_not_merged() -> None:
    bank = desk(
        gaps={
            **gap(PNPM, project="a"),
            **gap(BUILD, project="b"),
            **gap(COFFEE, state="rejected"),
            **gap("Tea is at four."),
        },
        profile=profile("expertise", "expertise", "Rust"),
    )
    first, second = item(bank, gap_id(PNPM)), item(bank, gap_id(BUILD))
    with pytest.raises(BadInput, match="two projects"):
        review.merge(bank.view(), first, second)
    with pytest.raises(BadInput, match="with itself"):
        review.merge(bank.view(), first, first)
    with pytest.raises(BadInput, match="that wait"):
        review.merge(bank.view(), item(bank, gap_id("Tea is at four.")), item(bank, gap_id(COFFEE)))
    with pytest.raises(BadInput, match="found in transcripts"):
        review.merge(bank.view(), item(bank, next(iter(bank.view().rows("profile")))), first)
    with pytest.raises(BadInput, match="nothing to split"):
        review.split(bank.view(), first, gap_id(BUILD))


def test_a_merge_worked_out_on_an_old_row_is_refused() -> None:
    bank = two()
    first, second = item(bank, gap_id(BUILD)), item(bank, gap_id(PNPM))
    changes = review.merge(bank.view(), first, second)
    bank.commit(review.reject(bank.view(), first))
    with pytest.raises(AlreadyDecided):
        bank.commit(changes)
    with pytest.raises(AlreadyDecided):
        review.merge(bank.view(), first, second)


def test_merging_rejecting_and_taking_it_all_back_on_the_real_bank(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    bank.record([put_gap(_row(PNPM, [("s-1", NOW, 1)], "open")), put_gap(_row(BUILD, [("s-2", NOW, 1)], "open"))])
    before = _bare(bank)
    view = bank.view()
    done = bank.commit(review.merge(view, review.find(view, gap_id(BUILD), NOW), review.find(view, gap_id(PNPM), NOW)))
    assert done.reason == "merge fact build needs pnpm into fact Use pnpm for builds"
    bank.commit(review.reject(bank.view(), review.find(bank.view(), gap_id(PNPM), NOW), "no"))
    assert {key.rpartition("|")[2] for key in bank.view().rows("tombstones")} == {gap_id(PNPM), gap_id(BUILD)}
    bank.undo(origin="screen")
    bank.undo(origin="screen")
    assert _bare(bank) == before and not bank.view().rows("tombstones")
    bank.redo(origin="screen")
    assert [one.state for one in review.queue(bank.view(), NOW)] == ["ready"]
    bank.close()


def _bare(bank: Bank) -> dict[str, dict[str, Any]]:
    rows = bank.view().rows("gaps")
    return {key: {name: value for name, value in one.items() if name != "_rev"} for key, one in rows.items()}


def test_a_fact_that_a_memory_says_in_other_words_retires_without_a_copy() -> None:
    bank = desk(memory(1, "Builds are made with pnpm."), gaps=gap(PNPM))
    bank.commit(review.same_as(bank.view(), item(bank, gap_id(PNPM)), "facts/2026/11/2026-11-30-0001.md"))
    found = held(bank, gap_id(PNPM))
    assert (found.state, found.covered_by, found.memory) == ("covered", "human", "facts/2026/11/2026-11-30-0001.md")
    assert live(bank) == ["Builds are made with pnpm."] and review.queue(bank.view(), NOW) == ()
    other = desk(gaps=gap(PNPM))
    with pytest.raises(UnknownMemory):
        review.same_as(other.view(), item(other, gap_id(PNPM)), "facts/2026/11/2026-11-30-0001.md")


def test_an_edited_fact_goes_on_waiting_under_both_wordings() -> None:
    bank = desk(gaps=gap(PNPM))
    bank.commit(review.reword(bank.view(), item(bank, gap_id(PNPM)), "Builds use pnpm 9."))
    found = held(bank, gap_id(PNPM))
    assert (found.content, found.edited, found.state) == ("Builds use pnpm 9.", True, "open")
    assert found.aliases == (gap_id("Builds use pnpm 9."),)
    ledger = load(bank.view(), "", NOW, Options())
    for said in (PNPM, "Builds use pnpm 9."):
        decision = decide(ledger, Write(1, said, said), gap_id(said), Sighting("s-2", NOW), None)
        assert (decision.gap.id, decision.gap.content) == (gap_id(PNPM), "Builds use pnpm 9.")


def test_an_edit_with_a_secret_without_text_or_saying_what_another_fact_says_is_refused() -> None:
    bank = two()
    waiting = item(bank, gap_id(PNPM))
    with pytest.raises(SecretFound):
        review.reword(bank.view(), waiting, "the password: " + "hunter" + "2hunter2")
    with pytest.raises(BadInput, match="no text left"):
        review.reword(bank.view(), waiting, "  \u200b ")
    with pytest.raises(BadInput, match="merge the two"):
        review.reword(bank.view(), waiting, f"  {BUILD} ")
    assert row(bank, "gaps", waiting.key)["content"] == PNPM


def test_a_fact_put_off_until_a_day_comes_back_on_that_day() -> None:
    bank = desk(gaps=gap(PNPM, "s-1", "s-2", state="ready"))
    bank.commit(review.postpone(bank.view(), item(bank, gap_id(PNPM)), NOW + 2 * DAY))
    assert review.queue(bank.view(), NOW) == () and review.counts(bank.view(), NOW).postponed == 1
    assert [one.state for one in review.queue(bank.view(), NOW + 2 * DAY)] == ["ready"]
    with pytest.raises(BadInput, match="until a day"):
        review.postpone(bank.view(), review.find(bank.view(), gap_id(PNPM), NOW), NOW)


def test_a_fact_put_off_for_a_year_is_not_archived_meanwhile() -> None:
    bank = desk(gaps=gap(PNPM))
    bank.commit(review.postpone(bank.view(), item(bank, gap_id(PNPM)), NOW + 365 * DAY))
    assert load(bank.view(), "", NOW + 300 * DAY, Options()).expired() == ()


def test_an_open_fact_can_be_given_its_time_again_and_stays_where_it_is() -> None:
    bank = desk(gaps=gap(PNPM, at=NOW - 89 * DAY))
    waiting = item(bank, gap_id(PNPM))
    assert (waiting.state, waiting.expires) == ("expiring", NOW + DAY)
    bank.commit(review.extend(bank.view(), waiting))
    again = item(bank, gap_id(PNPM))
    assert (again.state, again.expires, again.have) == ("open", NOW + 90 * DAY, 1)
    assert load(bank.view(), "", NOW + 90 * DAY, Options()).expired() == ()
    assert len(load(bank.view(), "", NOW + 90 * DAY + 1, Options()).expired()) == 1


def test_a_fact_that_is_put_away_is_found_among_the_archived_and_comes_back_with_its_whole_time() -> None:
    bank = desk(gaps=gap(PNPM, at=NOW - 100 * DAY))
    bank.commit(review.archive(bank.view(), item(bank, gap_id(PNPM))))
    assert review.queue(bank.view(), NOW) == ()
    assert [(one.state, one.statement) for one in review.rejected(bank.view(), NOW)] == [("archived", PNPM)]
    bank.commit(review.restore(bank.view(), item(bank, gap_id(PNPM))))
    back = item(bank, gap_id(PNPM))
    assert (back.state, back.expires, len(back.sightings)) == ("open", NOW + 90 * DAY, 1)


def test_a_citation_that_shares_no_word_is_shown_as_a_link_and_not_merged() -> None:
    bank = two()
    ledger = load(bank.view(), "", NOW, Options())
    from pipeline.extract.ledger.matching import identify, suspected

    write = Write(1, COFFEE, COFFEE, cited=gap_id(PNPM))
    identity, notes = identify(ledger, write, frozenset({gap_id(PNPM)}), set())
    assert notes == (Audit("citation_suspect", gap_id(PNPM)),)
    decision = decide(ledger, write, identity, Sighting("s-9", NOW), None)
    bank.record([put_gap(suspected(decision.gap, notes[0].gap))])
    suspicion = [one for one in review.links(bank.view()) if one.why == "cited"]
    assert {suspicion[0].first, suspicion[0].second} == {gap_key("", gap_id(PNPM)), gap_key("", gap_id(COFFEE))}
    assert review.links_of(bank.view(), item(bank, gap_id(COFFEE))) == tuple(suspicion)
    assert len(bank.view().rows("gaps")) == 3


WORDS = ["build", "project", "run", "deploy", "pnpm", "npm", "coffee", "service", "port", "构建", "项目"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), max_size=14, unique=True)


@given(TEXTS, st.sampled_from([0.3, 0.4, 0.5, 1.0]))
def test_property_links_are_the_pairs_that_a_look_at_every_pair_finds(texts: list[str], threshold: float) -> None:
    gaps = [Gap(f"gap_{at}", "p" if at % 3 else "q", text) for at, text in enumerate(texts)]
    wanted = set()
    for at, one in enumerate(gaps):
        for other in gaps[at + 1 :]:
            first, second = content_words(one.content), content_words(other.content)
            if one.project == other.project and len(first & second) / len(first | second) >= threshold:
                wanted.add(frozenset((one.key, other.key)))
    assert {frozenset((link.first, link.second)) for link in linked(gaps, threshold)} == wanted


def test_thousands_of_facts_that_share_their_common_words_are_linked_without_comparing_all_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four thousand facts share "the project runs service": a comparison per pair would be eight million."""
    from pipeline.review import linking

    compared: list[int] = []

    class Counting(frozenset[str]):
        def __and__(self, other: Any) -> Any:
            compared.append(1)
            return frozenset.__and__(self, other)

    monkeypatch.setattr(linking, "content_words", lambda text: Counting(content_words(text)))
    gaps = [Gap(f"gap_{at}", "", f"project runs service named{at} porting{at} keyed{at}") for at in range(4000)]
    twins = [Gap("gap_twin", "", "project runs service named7 porting7 keyed7 today")]
    assert [(one.first, one.second) for one in linked([*gaps, *twins], 0.7)] == [("|gap_7", "|gap_twin")]
    assert 0 < len(compared) < 100


def test_the_suggestions_of_a_view_leave_out_what_does_not_wait() -> None:
    bank = two(state="rejected")
    assert review.links(bank.view()) == ()
    assert len(review.links(two().view())) == 1
    assert review.links_of(desk().view(), item(two(), gap_id(PNPM))) == ()
    assert View.of(()).rows("gaps") == {}
