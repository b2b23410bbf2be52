"""What agents propose: filed once, shown with the change in it, decided by the person."""

from __future__ import annotations

import pytest

from pipeline import review
from pipeline.extract.identity import gap_id
from store.changes import MoveMemory, PutMemory, PutRow
from store.errors import NotPermitted, SecretFound
from tests.pipeline.review_desk import CI, NOW, desk, live, memory, one_of, remember, row

pytestmark = pytest.mark.usefixtures("stopped_clock")


def test_an_agents_memory_waits_and_is_stored_with_the_persons_edit() -> None:
    bank = one_of("proposals")
    waiting = review.queue(bank.view(), NOW)[0]
    assert (waiting.kind, waiting.by, waiting.reason, waiting.counted) == ("remember", "aria", "seen twice", True)
    bank.commit(review.approve(bank.view(), waiting, edits={"statement": "Deploys happen on Mondays."}))
    assert live(bank) == ["Deploys happen on Mondays."]
    after = row(bank, "proposals", waiting.key)
    assert (after["state"], after["memory"]) == ("approved", bank.view().live[0].id)


def test_an_agents_edit_shows_the_memory_with_the_change_in_it() -> None:
    bank = desk(memory(1, "Deploys happen on Fridays."))
    edit = PutMemory("facts/2026/11/2026-11-30-0001.md", {"statement": "Deploys happen on Mondays."}, base="sha-1")
    bank.record(review.propose(bank.view(), [edit], "aria", "it moved", NOW).rows)
    waiting = review.queue(bank.view(), NOW)[0]
    assert (waiting.kind, waiting.statement) == ("edit", "Deploys happen on Mondays.")
    assert waiting.changes == (PutMemory(edit.id, edit.fields, None, "sha-1"),)
    bank.commit(review.approve(bank.view(), waiting))
    assert live(bank) == ["Deploys happen on Mondays."]


def test_forgetting_on_an_agents_word_sets_the_tombstone_too() -> None:
    bank = desk(memory(1, CI, source="memory_extract"))
    move = MoveMemory("facts/2026/11/2026-11-30-0001.md", "trashed")
    bank.record(review.propose(bank.view(), [move], "aria", "outdated", NOW).rows)
    waiting = review.queue(bank.view(), NOW)[0]
    assert waiting.kind == "forget"
    bank.commit(review.approve(bank.view(), waiting))
    assert live(bank) == [] and f"|{gap_id(CI)}" in bank.view().rows("tombstones")


def test_the_same_proposal_is_filed_once_and_a_rejected_one_does_not_return() -> None:
    bank = desk()
    change = remember("Deploys happen on Fridays.")
    first = review.propose(bank.view(), [change], "aria", "a", NOW)
    bank.record(first.rows)
    again = review.propose(bank.view(), [change], "kim", "b", NOW + 5)
    assert (again.fate, again.id, again.rows) == ("waits already", first.id, ())
    bank.commit(review.reject(bank.view(), review.queue(bank.view(), NOW)[0]))
    assert review.propose(bank.view(), [change], "aria", "a", NOW).fate == "rejected before"


def test_what_the_bank_says_or_the_person_forgot_is_not_proposed() -> None:
    bank = desk(memory(1, CI), tombstones={f"|{gap_id('Old news.')}": {"at": 1, "why": "forgotten"}})
    assert review.propose(bank.view(), [remember(CI)], "aria", "", NOW).fate == "known already"
    assert review.propose(bank.view(), [remember("Old news.")], "aria", "", NOW).fate == "rejected before"


def test_an_agent_cannot_propose_about_what_it_may_not_see_or_for_others_or_with_secrets() -> None:
    private = memory(1, "hidden", type="PREF", scope="private", owner="kim")
    bank = desk(private)
    view = bank.view()
    with pytest.raises(NotPermitted, match="may use"):
        review.propose(view, [MoveMemory(private.id, "trashed")], "aria", "", NOW)
    with pytest.raises(NotPermitted, match="another owner"):
        review.propose(view, [remember("x", type="PREF", owner="kim")], "aria", "", NOW)
    with pytest.raises(NotPermitted, match="memories only"):
        review.propose(view, [PutRow("settings", "agents_write", {"value": True})], "aria", "", NOW)
    with pytest.raises(SecretFound):
        review.propose(view, [remember("gh" + "p_" + "s" * 24)], "aria", "", NOW)
    assert review.propose(view, [MoveMemory(private.id, "trashed")], "you", "", NOW, agent=False).fate == "filed"
