"""What a person saves by hand ends what waited or was refused with the same text (`spec/extraction.md` §24.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, put_gap
from pipeline.extract.ledger.matching import Write, decide, load
from pipeline.extract.options import Options
from pipeline.extraction import extract
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from store.bank import Bank
from store.changes import PutRow
from store.errors import AlreadyDecided, SecretFound
from tests.pipeline.review_desk import CI, NOW, desk, gap, item, live, memory, profile
from tests.pipeline.test_extraction_runs import NAME, session

pytestmark = pytest.mark.usefixtures("stopped_clock")

BUILD = "Builds run on Buildkite."


def saved(bank: Any, statement: str, project: str = "", **more: Any) -> None:
    fields = {"type": "FACT", "subject": "ci", "statement": statement, **more}
    bank.commit(review.remember(bank.view(), {**fields, **({"project": project} if project else {})}))


def verdict(bank: Rehearsal, statement: str, project: str = "") -> str:
    """What would become of the statement if a session said it now."""
    ledger = load(bank.view(), project, NOW, Options())
    return decide(ledger, Write(1, statement, statement), gap_id(statement), Sighting("s-9", NOW), None).verdict


def test_saving_a_rejected_fact_by_hand_lifts_the_tombstones_of_all_its_wordings() -> None:
    bank = desk(gaps={**gap(CI, project="api"), **gap(BUILD, project="api")})
    bank.commit(review.merge(bank.view(), item(bank, gap_id(BUILD)), item(bank, gap_id(CI))))
    bank.commit(review.reject(bank.view(), item(bank, gap_id(CI)), "no"))
    assert (verdict(bank, CI, "api"), verdict(bank, BUILD, "api")) == ("suppressed", "suppressed")
    saved(bank, BUILD, "api")
    assert not bank.view().rows("tombstones") and review.rejected(bank.view(), NOW) == ()
    row = bank.view().rows("gaps")[gap_key("api", gap_id(CI))]
    assert (row["state"], row["coveredBy"], row["memory"]) == ("covered", "human", bank.view().live[0].id)
    assert "rejectedAt" not in row


def test_saving_for_one_project_leaves_the_rejection_of_another_alone() -> None:
    bank = desk(gaps={**gap(CI, project="api"), **gap(CI, project="web")})
    for waiting in review.queue(bank.view(), NOW):
        bank.commit(review.reject(bank.view(), waiting, "no"))
    saved(bank, CI, "api")
    assert list(bank.view().rows("tombstones")) == [gap_key("web", gap_id(CI))]
    saved(bank, CI)
    assert not bank.view().rows("tombstones")


def test_saving_what_waits_decides_it() -> None:
    bank = desk(gaps=gap(CI))
    saved(bank, f"  {CI} ")
    assert review.queue(bank.view(), NOW) == () and len(bank.view().live) == 1


def test_an_agent_that_saves_decides_nothing() -> None:
    bank = desk(gaps=gap(CI))
    fields = {"type": "FACT", "subject": "ci", "statement": CI}
    bank.commit(review.remember(bank.view(), fields, agent="aria"))
    assert [one.statement for one in review.queue(bank.view(), NOW)] == [CI]


def test_saving_a_rejected_profile_value_lifts_its_tombstone() -> None:
    bank = desk(profile=profile("expertise", "expertise", "Rust"), tombstones={"x": {"at": 1, "why": "forgotten"}})
    key = next(iter(bank.view().rows("profile")))
    bank.commit(review.reject(bank.view(), item(bank, key), "no"))
    bank.record([PutRow("tombstones", key, {"at": NOW, "why": "forgotten"})])
    saved(bank, "expertise: Rust", type="PREF", owner="aria")
    assert list(bank.view().rows("tombstones")) == ["x"]


def test_saving_by_hand_is_taken_back_as_one_change_on_the_real_bank(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    bank.record([put_gap(Gap(gap_id(CI), "", CI, sightings=(Sighting("s-1", NOW),), updated_at=NOW))])
    bank.commit(review.reject(bank.view(), review.queue(bank.view(), NOW)[0], "no"))
    saved(bank, CI)
    assert not bank.view().rows("tombstones")
    bank.undo(origin="screen")
    assert bank.view().live == () and len(bank.view().rows("tombstones")) == 1
    assert [one.state for one in review.rejected(bank.view(), NOW)] == ["rejected"]
    bank.close()


def test_a_fact_that_reached_the_bank_meanwhile_is_not_stored_twice_when_it_is_approved() -> None:
    bank = desk(gaps=gap(CI))
    waiting = item(bank, gap_id(CI))
    bank.commit(review.approve(bank.view(), waiting))
    with pytest.raises(AlreadyDecided):
        review.approve(bank.view(), waiting)
    other = desk(memory(1, CI), gaps=gap(CI))
    other.commit(review.approve(other.view(), item(other, gap_id(CI))))
    assert live(other) == [CI]
    row = other.view().rows("gaps")[gap_key("", gap_id(CI))]
    assert (row["coveredBy"], row["memory"]) == ("bank", memory(1, CI).id)


def test_a_proposal_that_holds_a_secret_by_now_is_refused_at_approval() -> None:
    bank = desk(gaps=gap("The deploy " + "password: hunter" + "2hunter2"))
    waiting = review.queue(bank.view(), NOW)[0]
    with pytest.raises(SecretFound):
        review.approve(bank.view(), waiting)
    with pytest.raises(SecretFound):
        review.approve(bank.view(), waiting, allow_secrets=True)


def test_a_pending_profile_value_survives_a_restart_and_leaves_the_confirmed_one_alone(tmp_path: Path) -> None:
    def opened() -> Bank:
        return Bank.open(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")

    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    extract([session("one", NAME)], bank, OfflineDoor())
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0], edits={"owner": "ada"}))
    extract([session("two", "My name is Ming.")], bank, OfflineDoor())
    bank.close()
    bank = opened()
    (conflict,) = review.queue(bank.view(), NOW)
    assert (conflict.state, conflict.statement, conflict.conflict) == (
        "conflict",
        "name: Ming",
        bank.view().live[0].id,
    )
    assert [one.statement for one in bank.view().live] == ["name: Ada"]
    states = {row["value"]: row["state"] for row in bank.view().rows("profile").values()}
    assert states == {"name: Ada": "confirmed", "name: Ming": "pending"}
    bank.commit(review.reject(bank.view(), conflict, "no"))
    bank.close()
    bank = opened()
    assert [one.statement for one in bank.view().live] == ["name: Ada"] and review.queue(bank.view(), NOW) == ()
    bank.close()
