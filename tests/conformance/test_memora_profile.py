"""The profile cases of `spec/memora.md` §7, run on a real bank.

Where a case confirms without a person, the adapter gives the original's threshold as an argument (`decisions.md` §1.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.profile.portrait import confirmed, portrait
from pipeline.extract.profile.rows import SURE, all_profile, profile_id, read_stored, stored_facts
from pipeline.extract.profile.rules import FIELDS, Fact
from pipeline.review.at_once import archive_facts
from store.bank import Bank
from store.changes import Event, PutMemory
from store.errors import BadInput
from store.view import View
from tests.conformance.memora_cases import cases, matches
from tests.store.world import again, make, put

NOW = 1_796_032_800_000


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """A bank with one agent, to whom what is private belongs."""
    made = make(tmp_path)
    (made.path / "private" / "aria" / "prefs").mkdir(parents=True)
    return again(tmp_path)


def fact(category: Any, field: str, value: str, confidence: float = 1.0) -> Fact:
    return Fact(category, field, value, confidence, value, 0, len(value), field)  # type: ignore[arg-type]


def given_facts(case: Any) -> list[Fact]:
    return [fact(one["category"], one["fieldName"], one["value"], one["confidence"]) for one in case["when"]["facts"]]


def archive(bank: Bank, facts: Sequence[Fact]) -> tuple[str, ...]:
    """As the original does it: what is sure enough is confirmed at once."""
    return archive_facts(bank, facts, NOW, auto_confirm=SURE)


def prepare(bank: Bank, case: Any) -> None:
    """The facts that a case starts from."""
    known = case["given"]
    archive_facts(
        bank, [fact(*one) for one in known.get("confirmed", known.get("confirmed in order", ()))], NOW, auto_confirm=0
    )
    archive_facts(bank, [fact(*one, 0.5) for one in known.get("pending", ())], NOW)


def values(bank: Bank) -> list[str]:
    """What is confirmed, in the order of the ledger."""
    return [row.value for row in confirmed(bank.view())]


def pending(bank: Bank) -> list[str]:
    return [row.value for row in all_profile(bank.view()) if row.state == "pending"]


def stored(bank: Bank) -> list[str]:
    """The statements of the live memories, all of which are about the person."""
    live = bank.view().live
    assert {memory.label for memory in live} <= {"profile"}
    return [memory.statement for memory in live]


def binned(bank: Bank) -> list[str]:
    return [memory.statement for memory in bank.view().trashed]


def test_mem_pro_03_the_sure_fact_is_confirmed_and_the_other_waits(bank: Bank) -> None:
    case = cases()["MEM-PRO-03"]
    ids = archive(bank, given_facts(case))
    then = case["then"]
    assert (values(bank), pending(bank)) == (then["confirmed"], then["pending"])
    assert stored(bank) == then["stored memories with source profile"]
    assert matches(then["id of the first"], ids[0])


def test_mem_pro_04_a_new_value_of_the_same_field_replaces_the_old_one(bank: Bank) -> None:
    case = cases()["MEM-PRO-04"]
    prepare(bank, case)
    ids = archive(bank, given_facts(case))
    assert (values(bank), binned(bank)) == (case["then"]["confirmed"], case["then"]["bin"])
    before = dict(bank.view().rows("profile")[ids[0]])
    assert archive(bank, given_facts(case)) == ()
    assert dict(bank.view().rows("profile")[ids[0]]) == before and stored(bank) == case["then"]["confirmed"]


@pytest.mark.parametrize("name", ["MEM-PRO-05", "MEM-PRO-06"])
def test_a_conflict_needs_the_same_category_and_the_same_field(bank: Bank, name: str) -> None:
    case = cases()[name]
    prepare(bank, case)
    archive(bank, given_facts(case))
    then = case["then"]
    assert len(values(bank)) == then.get("confirmed count", len(values(bank)))
    assert values(bank) == then.get("confirmed", values(bank))


def test_mem_pro_08_confirming_stores_the_fact_and_is_told(bank: Bank) -> None:
    case = cases()["MEM-PRO-08"]
    prepare(bank, case)
    told: list[Event] = []
    bank.subscribe(told.append)
    (waiting,) = review.queue(bank.view(), NOW)
    bank.commit(review.approve(bank.view(), waiting))
    assert (pending(bank), values(bank), stored(bank)) == ([], case["then"]["confirmed"], case["then"]["confirmed"])
    (event,) = [one for one in told if one.kind == "committed"]
    assert [bank.view().memories[id].label for id in event.ids] == ["profile"]
    with pytest.raises(BadInput, match="Nothing that waits"):
        review.find(bank.view(), "profile:nope", NOW)


def test_mem_pro_09_rejecting_ends_a_pending_and_a_confirmed_fact(bank: Bank) -> None:
    case = cases()["MEM-PRO-09"]
    prepare(bank, case)
    (waiting,) = review.queue(bank.view(), NOW)
    bank.commit(review.reject(bank.view(), waiting))
    (held,) = confirmed(bank.view())
    bank.commit(review.forget(bank.view(), [held.memory]))
    assert (pending(bank), values(bank), binned(bank)) == ([], [], case["then"]["bin"])


def test_mem_pro_10_the_prompt_names_confirmed_values_by_category(bank: Bank) -> None:
    case = cases()["MEM-PRO-10"]
    assert portrait(confirmed(bank.view())) == case["then"]["with nothing confirmed"]
    prepare(bank, case)
    assert portrait(confirmed(bank.view()), case["given"]["labels"]) == case["then"]["text"]


def test_mem_pro_11_old_data_is_read_in_its_order(bank: Bank) -> None:
    case = cases()["MEM-PRO-11"]
    read = [list(read_stored(one["content"], one["name"])) for one in case["given"]["stored"]]
    assert read == case["then"]["entries (category, fieldName, value)"]
    for one in case["given"]["stored"]:
        fields = {"type": "PREF", "owner": "aria", "subject": "x", "statement": one["content"], "label": "profile"}
        put(bank, PutMemory(None, {**fields, "name": one["name"]}))
    view: View = bank.view()
    found = [(row.value, row.state) for place in read[:2] for row in stored_facts(view, place[0], slot_of(place[1]))]
    assert found == [("偏好: 暗色", "confirmed"), ("Go", "confirmed")]
    assert stored_facts(view, "history", "unknown") == ()  # without a field it takes part in no conflict


def slot_of(field: str) -> str:
    """The field whatever the language."""
    return FIELDS[field][1] if field in FIELDS else field


def test_mem_pro_12_what_is_pending_outlives_a_restart(bank: Bank, tmp_path: Path) -> None:
    case = cases()["MEM-PRO-12"]
    prepare(bank, case)
    bank.close()
    opened = again(tmp_path)
    assert (pending(opened), values(opened)) == (case["then"]["pending"], case["then"]["confirmed"])


def test_mem_pro_13_a_pending_value_never_touches_the_confirmed_one(bank: Bank) -> None:
    case = cases()["MEM-PRO-13"]
    prepare(bank, case)
    archive(bank, given_facts(case))
    then = case["then"]
    assert {"confirmed": values(bank), "pending": pending(bank)} == {
        name: then["after archive"][name] for name in ("confirmed", "pending")
    }
    (waiting,) = review.queue(bank.view(), NOW)
    assert waiting.reason == then["after archive"]["review row says"]
    bank.commit(review.reject(bank.view(), waiting))
    assert {"confirmed": values(bank), "pending": pending(bank)} == then["after reject"]


def test_mem_pro_14_going_back_to_a_value_in_the_bin_restores_it(bank: Bank) -> None:
    case = cases()["MEM-PRO-14"]
    prepare(bank, case)
    first = confirmed(bank.view())[0]
    for value in case["when"]["values"]:
        archive(bank, [fact("identity", "姓名", value, case["when"]["confidence"])])
    assert (values(bank), stored(bank), binned(bank)) == (
        case["then"]["confirmed"],
        case["then"]["confirmed"],
        case["then"]["bin"],
    )
    assert confirmed(bank.view())[0].memory == first.memory
    other = profile_id("identity", "姓名", "姓名: 周")
    assert bank.view().rows("profile")[other]["supersededBy"] == first.id


def test_mem_pro_15_seeing_a_confirmed_value_again_changes_nothing(bank: Bank) -> None:
    case = cases()["MEM-PRO-15"]
    prepare(bank, case)
    assert archive(bank, given_facts(case)) == ()
    assert (values(bank), pending(bank)) == (case["then"]["confirmed"], case["then"]["pending"])
