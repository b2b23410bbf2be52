"""The main job on a real bank: extract, decide, look at the files, take everything back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extraction import extract
from pipeline.model import OfflineDoor
from pipeline.review import Waiting
from store.bank import Bank
from store.changes import PutMemory
from store.errors import AlreadyDecided, BadInput
from tests.pipeline.review_desk import NOW
from tests.pipeline.test_extraction_runs import DECIDED, NAME, REMEMBER, session


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-11-30T10:00:00+00:00")
    return Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")


def rows(bank: Bank) -> dict[str, dict[str, dict[str, Any]]]:
    """Every row but history, without revisions and without tables that are empty."""
    found = {
        name: {key: {k: v for k, v in row.items() if k != "_rev"} for key, row in table.items()}
        for name, table in bank.view().tables.items()
        if name != "history"
    }
    return {name: table for name, table in found.items() if table}


def files(bank: Bank) -> dict[str, str]:
    return {
        str(path.relative_to(bank.path)): path.read_text(encoding="utf-8")
        for path in bank.path.rglob("*.md")
        if ".memdesk" not in path.parts and path.name != "README.md"
    }


def waiting(bank: Bank, words: str) -> Waiting:
    return next(one for one in review.queue(bank.view(), NOW) if words in one.statement)


def test_extracting_writes_no_file_and_no_history(bank: Bank) -> None:
    report = extract([session("one", REMEMBER, DECIDED, NAME)], bank, OfflineDoor())
    assert len(report.proposals) == 3 and not report.failed
    assert files(bank) == {} and bank.history() == []


def test_a_private_fact_needs_an_owner_and_is_stored_under_it(bank: Bank) -> None:
    extract([session("one", NAME)], bank, OfflineDoor())
    found = waiting(bank, "Ada")
    assert "owner" not in found.fields and found.needs_owner
    with pytest.raises(BadInput, match="needs an owner"):
        bank.commit(review.approve(bank.view(), found))
    bank.commit(review.approve(bank.view(), found, edits={"owner": "ada"}))
    assert list(files(bank)) == ["private/ada/prefs/2026/11/2026-11-30-0001.md"]
    text = files(bank)["private/ada/prefs/2026/11/2026-11-30-0001.md"]
    assert "label: profile" in text and "evidence: claude-code/one#one-u0" in text


def test_deciding_everything_and_taking_it_all_back_leaves_what_was_there(bank: Bank) -> None:
    extract([session("one", REMEMBER, DECIDED, NAME), session("two", "Call me Ming.")], bank, OfflineDoor(), parallel=1)
    before = rows(bank)
    bank.commit(review.approve(bank.view(), waiting(bank, "Ada"), edits={"owner": "ada"}))
    replacing = waiting(bank, "Ming")
    assert replacing.state == "conflict" and replacing.conflict == bank.view().live[0].id
    bank.commit(review.approve(bank.view(), replacing, edits={"owner": "ada"}))
    bank.commit(review.approve(bank.view(), waiting(bank, "VPN"), edits={"statement": "Deploying needs VPN."}))
    bank.commit(review.reject(bank.view(), waiting(bank, "Postgres"), "not yet"))
    assert {one.statement for one in bank.view().live} == {"Deploying needs VPN.", "name: Ming"}
    assert [one.statement for one in bank.view().trashed] == ["name: Ada"]
    assert review.queue(bank.view(), NOW) == ()
    for _ in range(4):
        bank.undo(origin="screen")
    assert rows(bank) == before and files(bank) == {}
    assert len(review.queue(bank.view(), NOW)) == 4
    for _ in range(4):
        bank.redo(origin="screen")
    assert {one.statement for one in bank.view().live} == {"Deploying needs VPN.", "name: Ming"}
    assert review.queue(bank.view(), NOW) == ()


def test_going_back_to_the_old_name_brings_its_file_back(bank: Bank) -> None:
    extract([session("one", NAME), session("two", "Call me Ming.")], bank, OfflineDoor(), parallel=1)
    bank.commit(review.approve(bank.view(), waiting(bank, "Ada"), edits={"owner": "ada"}))
    bank.commit(review.approve(bank.view(), waiting(bank, "Ming"), edits={"owner": "ada"}))
    extract([session("three", NAME)], bank, OfflineDoor())
    bank.commit(review.approve(bank.view(), waiting(bank, "Ada"), edits={"owner": "ada"}))
    assert [(one.statement, one.name) for one in bank.view().live] == [("name: Ada", "2026-11-30-0001.md")]


def test_the_second_of_two_deciders_is_told_that_it_was_decided(bank: Bank) -> None:
    extract([session("one", REMEMBER)], bank, OfflineDoor())
    found = waiting(bank, "VPN")
    first, second = review.approve(bank.view(), found), review.reject(bank.view(), found)
    bank.commit(first)
    with pytest.raises(AlreadyDecided):
        bank.commit(second)


def test_an_agents_edit_is_filed_shown_and_committed_with_its_base(bank: Bank) -> None:
    bank.commit(review.remember(bank.view(), {"type": "FACT", "subject": "deploys", "statement": "Deploys on Friday."}))
    memory = bank.view().live[0]
    edit = PutMemory(memory.id, {"statement": "Deploys on Monday."}, base=memory.sha)
    bank.record(review.propose(bank.view(), [edit], "aria", "it moved", NOW).rows)
    found = waiting(bank, "Monday")
    assert (found.kind, found.by) == ("edit", "aria")
    done = bank.commit(review.approve(bank.view(), found))
    assert bank.view().live[0].statement == "Deploys on Monday." and done.by == "you"
    bank.undo(origin="screen")
    assert bank.view().live[0].statement == "Deploys on Friday."
    assert waiting(bank, "Monday").id == found.id


def test_forgetting_and_taking_that_back_keeps_the_tombstones_in_step(bank: Bank) -> None:
    extract([session("one", REMEMBER)], bank, OfflineDoor())
    bank.commit(review.approve(bank.view(), waiting(bank, "VPN")))
    bank.commit(review.forget(bank.view(), [bank.view().live[0].id]))
    assert len(bank.view().rows("tombstones")) == 1
    bank.undo(origin="screen")
    assert len(bank.view().rows("tombstones")) == 0 and len(bank.view().live) == 1
    bank.redo(origin="screen")
    bank.commit(review.restore_memory(bank.view(), [bank.view().trashed[0].id]))
    assert len(bank.view().rows("tombstones")) == 0 and len(bank.view().live) == 1
