"""The review desk: what waits, in which order, and what each decision of a person commits."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline import review
from pipeline.extract.identity import gap_id
from pipeline.extract.profile.rows import profile_id
from pipeline.rehearsal import Rehearsal
from pipeline.review import nearby
from store.changes import DropRow, PutMemory, PutRow
from store.errors import AlreadyDecided, AmbiguousMemory, BadInput, SecretFound
from tests.pipeline.review_desk import CI, DAY, NOW, desk, gap, item, live, memory, one_of, profile, quote, row

pytestmark = pytest.mark.usefixtures("stopped_clock")


def test_ready_facts_come_first_then_conflicts_then_what_expires_then_the_newest() -> None:
    bank = desk(
        memory(1, "name: Ada", type="PREF"),
        gaps={
            **gap("Old open fact waits.", at=NOW - 85 * DAY),
            **gap("Newer open fact waits.", at=NOW - DAY),
            **gap("Newest open fact waits.", at=NOW),
            **gap("Ready fact waits.", "s-1", "s-2", at=NOW - 2 * DAY, state="ready"),
            **gap("Covered fact is gone.", state="covered", covered=True),
        },
        profile={
            **profile("identity", "name", "Ada", state="confirmed", memory="facts/2026/11/2026-11-30-0001.md"),
            **profile("identity", "name", "Ming", lastSeen=NOW + 1),
            **profile("expertise", "expertise", "Rust", confidence=0.75, lastSeen=NOW - 5),
        },
    )
    found = review.queue(bank.view(), NOW)
    assert [one.state for one in found] == ["ready", "ready", "conflict", "expiring", "open", "open"]
    assert [one.statement for one in found] == [
        "expertise: Rust",
        "Ready fact waits.",
        "name: Ming",
        "Old open fact waits.",
        "Newest open fact waits.",
        "Newer open fact waits.",
    ]
    assert [one.folded for one in found] == [False, False, False, True, True, True]
    assert review.counts(bank.view(), NOW) == review.Counts(ready=3, conflicts=1, seen_once=3, postponed=0)


def test_confidence_is_shown_only_where_an_extractor_gave_one() -> None:
    bank = desk(gaps=gap(CI), profile=profile("expertise", "expertise", "Rust", confidence=0.75))
    assert {one.kind: one.confidence for one in review.queue(bank.view(), NOW)} == {"fact": None, "profile": 0.75}


def test_a_waiting_fact_shows_its_words_its_sessions_and_when_it_expires() -> None:
    found = item(desk(gaps=gap(CI, at=NOW - DAY)), gap_id(CI))
    assert (found.have, found.need, found.by) == (1, 2, "m")
    assert found.expires == NOW + 89 * DAY
    assert [(one.text, one.ref, one.format) for one in found.quotes] == [(CI, "line 4", "claude-code")]
    assert found.fields["type"] == "FACT" and found.fields["evidence"] == "claude-code/s-1#line 4"


def test_approving_a_fact_stores_it_and_retires_its_row_in_one_change() -> None:
    bank = desk(gaps=gap(CI, project="api"))
    waiting = item(bank, gap_id(CI))
    bank.commit(review.approve(bank.view(), waiting))
    stored = bank.view().live[0]
    assert (stored.statement, stored.type, stored.source, stored.project) == (CI, "FACT", "memory_extract", "api")
    after = row(bank, "gaps", waiting.key)
    assert (after["state"], after["covered"], after["coveredBy"], after["approvedBy"]) == (
        "covered",
        True,
        "human",
        "human",
    )
    assert after["memory"] == stored.id and after["coveredAt"] == NOW
    assert review.queue(bank.view(), NOW) == ()


def test_approving_an_open_fact_overrides_the_floor_and_is_no_sighting() -> None:
    bank = desk(gaps=gap(CI, "s-1"))
    before = item(bank, gap_id(CI))
    bank.commit(review.approve(bank.view(), before))
    assert [one["sessionId"] for one in row(bank, "gaps", before.key)["sightings"]] == ["s-1"]


def test_editing_before_approving_keeps_the_old_wording_as_an_alias() -> None:
    bank = desk(gaps=gap(CI))
    waiting = item(bank, gap_id(CI))
    text = "CI runs on Buildkite since March."
    bank.commit(review.approve(bank.view(), waiting, edits={"statement": text, "subject": "CI", "tags": ("ci",)}))
    stored = bank.view().live[0]
    assert (stored.statement, stored.subject, stored.tags) == (text, "CI", ("ci",))
    after = row(bank, "gaps", waiting.key)
    assert (after["edited"], after["content"], after["id"]) == (True, text, gap_id(CI))
    assert after["state"] == "covered"


def test_a_fact_that_the_bank_says_already_is_not_stored_twice() -> None:
    bank = desk(memory(1, CI), gaps=gap(CI))
    waiting = item(bank, gap_id(CI))
    bank.commit(review.approve(bank.view(), waiting))
    assert live(bank) == [CI]
    after = row(bank, "gaps", waiting.key)
    assert (after["coveredBy"], after["memory"]) == ("bank", "facts/2026/11/2026-11-30-0001.md")


def test_a_secret_in_an_edit_is_asked_about_once_and_in_a_proposal_refused() -> None:
    token = "gh" + "p_" + "s" * 24
    bank = desk(gaps={**gap(CI), **gap(f"The token is {token}")})
    view = bank.view()
    with pytest.raises(SecretFound):
        review.approve(view, item(bank, gap_id(CI)), edits={"statement": f"CI token is {token}"})
    own = review.approve(view, item(bank, gap_id(CI)), edits={"statement": f"CI token is {token}"}, allow_secrets=True)
    assert own.allow_secrets and not own.proposed
    proposed = next(one for one in review.queue(view, NOW) if token in one.statement)
    with pytest.raises(SecretFound):
        review.approve(view, proposed, allow_secrets=True)
    unchanged = review.approve(view, item(bank, gap_id(CI)), edits={"statement": CI}, allow_secrets=True)
    assert unchanged.proposed and not unchanged.allow_secrets


def test_changing_the_type_moves_the_owner_and_the_scope_with_it() -> None:
    bank = desk(gaps=gap(CI), profile=profile("preference", "tool", "Emacs"))
    to_pref = review.approve(bank.view(), item(bank, gap_id(CI)), edits={"type": "PREF"}).changes[0]
    assert isinstance(to_pref, PutMemory)
    assert to_pref.fields["owner"] == "aria" and "scope" not in to_pref.fields
    name = profile_id("preference", "tool", "tool: Emacs")
    to_fact = review.approve(bank.view(), item(bank, name), edits={"type": "FACT"}).changes[0]
    assert isinstance(to_fact, PutMemory)
    assert "owner" not in to_fact.fields and "scope" not in to_fact.fields


def test_an_empty_statement_is_refused() -> None:
    bank = desk(gaps=gap(CI))
    with pytest.raises(BadInput, match="no text left"):
        review.approve(bank.view(), item(bank, gap_id(CI)), edits={"statement": " \n "})


def test_a_second_decision_on_the_same_row_is_refused() -> None:
    bank = desk(gaps=gap(CI))
    waiting = item(bank, gap_id(CI))
    first = review.approve(bank.view(), waiting)
    second = review.reject(bank.view(), waiting)
    bank.commit(first)
    with pytest.raises(AlreadyDecided):
        bank.commit(second)
    with pytest.raises(AlreadyDecided):
        review.postpone(bank.view(), waiting)


def test_rejecting_is_remembered_and_can_be_taken_back() -> None:
    bank = desk(gaps=gap(CI, aliases=["gap_other"]))
    bank.commit(review.reject(bank.view(), item(bank, gap_id(CI)), "wrong"))
    stones = bank.view().rows("tombstones")
    assert set(stones) == {f"|{gap_id(CI)}", "|gap_other"}
    assert stones["|gap_other"]["why"] == "wrong"
    assert review.queue(bank.view(), NOW) == ()
    gone = review.rejected(bank.view(), NOW)
    assert [one.state for one in gone] == ["rejected"]
    with pytest.raises(BadInput, match="restore it first"):
        review.approve(bank.view(), gone[0])
    bank.commit(review.restore(bank.view(), gone[0]))
    assert [one.state for one in review.queue(bank.view(), NOW)] == ["open"]
    assert dict(bank.view().rows("tombstones")) == {}
    assert len(row(bank, "gaps", f"|{gap_id(CI)}")["sightings"]) == 1


@pytest.mark.parametrize("table", ["gaps", "profile", "proposals"])
def test_postponing_hides_a_row_until_it_is_asked_for(table: str) -> None:
    bank = one_of(table)
    waiting = review.queue(bank.view(), NOW)[0]
    bank.commit(review.postpone(bank.view(), waiting))
    assert review.queue(bank.view(), NOW) == ()
    assert review.counts(bank.view(), NOW).postponed == 1
    later = review.queue(bank.view(), NOW, postponed=True)
    assert [one.state for one in later] == ["postponed"]
    bank.commit(review.restore(bank.view(), later[0]))
    assert [one.id for one in review.queue(bank.view(), NOW)] == [waiting.id]


def confirmed_name() -> Rehearsal:
    return desk(
        memory(1, "name: Ada", type="PREF", owner="aria"),
        profile={
            **profile("identity", "name", "Ada", state="confirmed", memory="facts/2026/11/2026-11-30-0001.md"),
            **profile("identity", "name", "Ming"),
        },
    )


def test_approving_another_name_replaces_the_old_one_and_says_so_beforehand() -> None:
    bank = confirmed_name()
    name = profile_id("identity", "name", "name: Ming")
    waiting = item(bank, name)
    assert waiting.conflict == "facts/2026/11/2026-11-30-0001.md" and waiting.reason == "would replace name: Ada"
    bank.commit(review.approve(bank.view(), waiting))
    assert live(bank) == ["name: Ming"]
    old = row(bank, "profile", profile_id("identity", "name", "name: Ada"))
    assert (old["state"], old["supersededBy"]) == ("superseded", name)
    new = row(bank, "profile", name)
    assert (new["state"], new["approvedBy"]) == ("confirmed", "human")
    assert bank.view().memories[new["memory"]].label == "profile"


def test_rejecting_another_name_leaves_the_confirmed_one_alone() -> None:
    bank = confirmed_name()
    name = profile_id("identity", "name", "name: Ming")
    bank.commit(review.reject(bank.view(), item(bank, name)))
    assert live(bank) == ["name: Ada"]
    assert row(bank, "profile", name)["state"] == "rejected"


def test_going_back_to_an_earlier_name_restores_its_memory() -> None:
    bank = confirmed_name()
    ada, ming = (profile_id("identity", "name", f"name: {one}") for one in ("Ada", "Ming"))
    bank.commit(review.approve(bank.view(), item(bank, ming)))
    bank.record([PutRow("profile", ada, {"state": "pending"})])
    bank.commit(review.approve(bank.view(), item(bank, ada)))
    assert live(bank) == ["name: Ada"]
    assert bank.view().live[0].id == "facts/2026/11/2026-11-30-0001.md"
    assert row(bank, "profile", ming)["state"] == "superseded"
    assert [one.statement for one in bank.view().trashed] == ["name: Ming"]


def test_two_languages_can_both_be_kept_but_not_two_names() -> None:
    bank = confirmed_name()
    with pytest.raises(BadInput, match="one value per field"):
        review.approve(bank.view(), item(bank, profile_id("identity", "name", "name: Ming")), keep_both=True)
    bank = desk(
        memory(1, "expertise: Rust", type="PREF"),
        profile={
            **profile("expertise", "expertise", "Rust", state="confirmed", memory="facts/2026/11/2026-11-30-0001.md"),
            **profile("expertise", "expertise", "Go"),
        },
    )
    waiting = item(bank, profile_id("expertise", "expertise", "expertise: Go"))
    assert waiting.state == "conflict"
    bank.commit(review.approve(bank.view(), waiting, keep_both=True))
    assert live(bank) == ["expertise: Rust", "expertise: Go"]
    bank.record(_row_of(profile("expertise", "expertise", "Zig")))
    assert item(bank, profile_id("expertise", "expertise", "expertise: Zig")).conflict is None


def _row_of(rows: dict[str, dict[str, Any]]) -> list[PutRow]:
    return [PutRow("profile", key, {k: v for k, v in fields.items() if k != "_rev"}) for key, fields in rows.items()]


def test_of_two_pending_names_the_second_approved_replaces_the_first() -> None:
    bank = desk(profile={**profile("identity", "name", "Ada"), **profile("identity", "name", "Ming")})
    ada, ming = (profile_id("identity", "name", f"name: {one}") for one in ("Ada", "Ming"))
    bank.commit(review.approve(bank.view(), item(bank, ada)))
    assert item(bank, ming).state == "conflict"
    bank.commit(review.approve(bank.view(), item(bank, ming)))
    assert live(bank) == ["name: Ming"]


def test_a_bare_i_am_lets_the_person_choose_between_name_and_profession() -> None:
    bank = desk(profile=profile("identity", "姓名", "设计师", confidence=0.6, choices=["姓名", "职业"], slot="name"))
    name = profile_id("identity", "姓名", "姓名: 设计师")
    waiting = item(bank, name)
    assert waiting.choices == ("姓名", "职业")
    with pytest.raises(BadInput, match="choose one"):
        review.approve(bank.view(), waiting, edits={"field": "住址"})
    bank.commit(review.approve(bank.view(), waiting, edits={"field": "职业"}))
    assert live(bank) == ["职业: 设计师"]
    after = row(bank, "profile", name)
    assert (after["field"], after["value"], after["slot"], "choices" in after) == ("职业", "职业: 设计师", "job", False)


def test_forgetting_what_was_learnt_sets_a_tombstone_and_restoring_lifts_it() -> None:
    bank = desk(gaps=gap(CI, project="api"))
    bank.commit(review.approve(bank.view(), item(bank, gap_id(CI))))
    name = bank.view().live[0].id
    bank.commit(review.forget(bank.view(), [name], "outdated"))
    assert live(bank) == [] and set(bank.view().rows("tombstones")) == {f"api|{gap_id(CI)}"}
    bank.commit(review.restore_memory(bank.view(), [name]))
    assert live(bank) == [CI] and dict(bank.view().rows("tombstones")) == {}


def test_forgetting_a_memory_written_by_hand_sets_none_and_neither_does_an_agent() -> None:
    bank = desk(memory(1, "by hand"), memory(2, "learnt", source="memory_extract"))
    by_hand, learnt = (f"facts/2026/11/2026-11-30-000{number}.md" for number in (1, 2))
    assert len(review.forget(bank.view(), [by_hand]).changes) == 1
    assert len(review.forget(bank.view(), [learnt], agent="aria").changes) == 1
    assert len(review.forget(bank.view(), [learnt]).changes) == 2


def test_saving_a_forgotten_text_by_hand_lifts_its_tombstone() -> None:
    bank = desk(tombstones={f"|{gap_id(CI)}": {"at": 1, "why": "forgotten"}})
    changes = review.remember(bank.view(), {"type": "FACT", "subject": "CI", "statement": CI}).changes
    assert changes[1:] == (DropRow("tombstones", f"|{gap_id(CI)}"),)


def test_a_row_is_found_by_its_id_or_by_a_beginning_that_only_it_has() -> None:
    bank = desk(gaps={**gap(CI, project="a"), **gap(CI, project="b"), **gap("Something else.")})
    with pytest.raises(AmbiguousMemory) as error:
        item(bank, gap_id(CI))
    assert error.value.candidates == (f"a|{gap_id(CI)}", f"b|{gap_id(CI)}")
    assert item(bank, f"a|{gap_id(CI)}").key == f"a|{gap_id(CI)}"
    assert item(bank, gap_id("Something else.")[:12]).statement == "Something else."
    with pytest.raises(BadInput, match="Nothing that waits"):
        item(bank, "")


def test_what_resembles_a_fact_is_shown_with_it() -> None:
    bank = desk(
        memory(1, "Builds of the project run on Buildkite"),
        memory(2, "Coffee is at ten"),
        gaps={**gap("Use pnpm for builds."), **gap("The build needs pnpm.", at=NOW - 5)},
    )
    found = item(bank, gap_id("Use pnpm for builds."))
    near = review.resemblances(bank.view(), found)
    assert [(one.table, one.text, one.similarity) for one in near] == [("gaps", "The build needs pnpm.", 0.5)]
    alike = nearby.near_memories(bank.view(), "Project builds run on Buildkite")
    assert [one.id for one in alike] == ["facts/2026/11/2026-11-30-0001.md"]


def test_damaged_rows_are_left_out_of_the_queue() -> None:
    bank = desk(
        gaps={"|gap_x": {"content": ""}, "odd": {}},
        profile={"p": {"category": "identity"}},
        proposals={"q": {"changes": [{"op": "explode"}]}, "r": {"changes": "no"}},
    )
    assert review.queue(bank.view(), NOW) == ()


def test_quotes_keep_their_place_and_question() -> None:
    words = {**quote("Postgres"), "start": 3, "end": 11, "question": "Which database?"}
    sightings = [{"sessionId": "s-1", "at": NOW, "quotes": [words, {"ref": "broken"}]}]
    found = item(desk(gaps=gap("The database is Postgres.", sightings=sightings)), gap_id("The database is Postgres."))
    assert [(one.start, one.end, one.question) for one in found.quotes] == [(3, 11, "Which database?")]
