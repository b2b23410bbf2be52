"""The queue that follows the bank says at every step what a queue made from nothing says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ready import ready
from pipeline.rehearsal import Rehearsal
from pipeline.review import (
    Counts,
    Waiting,
    approve,
    counts,
    follow,
    postpone,
    queue,
    reject,
    rejected,
    resemblances,
    restore,
)
from pipeline.review.following import Following
from pipeline.review.together import CLASH, together
from store.changes import Changeset, MoveMemory, PutMemory, PutRow
from store.errors import AlreadyDecided, SecretFound
from tests.pipeline.review_desk import DAY, NOW, desk, gap, item, memory, profile

DECISIONS = {"approve": approve, "reject": reject, "postpone": postpone, "restore": restore}


def _bare(items: tuple[Waiting, ...]) -> list[Waiting]:
    return [replace(one, resembles=()) for one in items]


def _world() -> Rehearsal:
    rows: dict[str, Any] = {}
    for number in range(4):
        rows |= gap(f"Deploys of part {number} are frozen", "s-1", "s-2", state="ready")
    for number in range(3):
        rows |= gap(f"Lars moves to town {number}", at=NOW - number * 30 * 86_400_000)
    facts = profile("identity", "home", "Porto") | profile("identity", "home", "Faro")
    facts |= profile("preference", "uses", "pnpm")
    home = memory(1, "home: Lisbon", type="PREF", owner="aria")
    facts |= profile("identity", "home", "Lisbon", state="confirmed", memory=home.id)
    facts |= profile("preference", "editor", "emacs")
    editor = memory(
        3, "editor: vim", type="PREF", owner="aria", label="profile", extra=(("name", "preference: editor: vim"),)
    )
    return desk(home, memory(2, "CI takes six minutes"), editor, gaps=rows, profile=facts)


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from([*sorted(DECISIONS), "wait", "forget"])), max_size=12))
def test_property_following_gives_what_looking_anew_gives(steps: list[tuple[int, str]]) -> None:
    """After any decisions, in any order, days apart, with memories that come and go beside them."""
    bank, now = _world(), NOW
    before: Following | None = None
    for place, name in steps:
        view = bank.view()
        before = follow(view, now, before)
        assert list(before.waiting) == _bare(queue(view, now, postponed=True, resembling=False))
        assert list(before.refused) == _bare(rejected(view, now))
        assert before.counts == Counts.of(one.state for one in before.waiting) == counts(view, now)
        assert ready(view.tables, now)[0] == before.counts.ready
        every = (*before.waiting, *before.refused)
        assert all(before.item(one.table, one.key) is one for one in every)
        one = every[place % len(every)]
        if name == "wait":
            now += place * DAY
            continue
        if name == "forget":
            memories = sorted(view.memories)
            id = memories[place % len(memories)]
            bank.commit(
                Changeset([MoveMemory(id, "live" if view.memories[id].state == "trashed" else "trashed")], name)
            )
            continue
        if name == "approve" and one.state in ("rejected", "archived"):
            continue
        bank.commit(DECISIONS[name](view, one))


def test_what_did_not_change_is_the_same_object() -> None:
    bank = _world()
    first = follow(bank.view(), NOW)
    bank.commit(reject(bank.view(), first.waiting[0]))
    second = follow(bank.view(), NOW, first)
    kept = {id(one) for one in first.waiting} & {id(one) for one in second.waiting}
    assert len(kept) == len(first.waiting) - 1 and second.counts.ready == first.counts.ready - 1


def test_an_hour_later_times_are_looked_at_again() -> None:
    rows = gap("Lars moves", at=NOW - 83 * 86_400_000 + 1)
    bank = desk(gaps=rows)
    first = follow(bank.view(), NOW)
    assert [one.state for one in first.waiting] == ["open"]
    assert [one.state for one in follow(bank.view(), NOW + 3_600_000, first).waiting] == ["expiring"]


def test_a_proposal_is_worked_out_again_when_its_memory_is_another() -> None:
    from pipeline.review import propose

    bank = desk(memory(1, "CI takes six minutes", subject="CI"))
    id = next(iter(bank.view().memories))
    bank.record(propose(bank.view(), [MoveMemory(id, "trashed")], "aria", "old", NOW, agent=False).rows)
    first = follow(bank.view(), NOW)
    bank.commit(Changeset([PutMemory(id, {"subject": "the CI"})], "edit"))
    second = follow(bank.view(), NOW, first)
    assert [one.fields["subject"] for one in (*first.waiting, *second.waiting)] == ["CI", "the CI"]


def test_neighbours_among_waiting_facts_leave_out_what_was_decided_since() -> None:
    rows = gap("Deploys are frozen on Fridays", state="ready") | gap(
        "Deploys are frozen on every Friday", state="ready"
    )
    bank = desk(gaps=rows)
    one, other = queue(bank.view(), NOW, resembling=False)
    assert [near.id for near in resemblances(bank.view(), one)] == [other.id]
    bank.commit(reject(bank.view(), other))
    assert resemblances(bank.view(), item(bank, one.id)) == ()


# --- many at once


def test_many_approvals_are_one_changeset_with_a_memory_each() -> None:
    bank = _world()
    items = [one for one in queue(bank.view(), NOW) if one.kind == "fact" and one.counted]
    found = together(bank.view(), items, approve, "approve 4 facts")
    bank.commit(found.changeset)
    rows = bank.view().rows("gaps")
    made = {bank.view().memories[rows[one.key]["memory"]].statement for one in items}
    assert made == {one.statement for one in items} and found.left == ()
    assert found.changeset.reason == "approve 4 facts" and found.changeset.proposed
    assert len(found.changeset.evidence) == sum(len(one.quotes) for one in items)


def test_two_values_of_one_field_are_not_approved_together() -> None:
    bank = desk(profile=profile("identity", "home", "Porto") | profile("identity", "home", "Faro"))
    items = queue(bank.view(), NOW)
    found = together(bank.view(), items, approve)
    assert found.decided == items[:1]
    assert [(one, str(why)) for one, why in found.left] == [(items[1], CLASH)]


def test_one_that_is_refused_does_not_hold_up_the_others() -> None:
    rows = gap("Deploys are frozen", state="ready") | gap("the key is ghp_" + "a1B2c3D4e5" * 4, state="ready")
    bank = desk(gaps=rows)
    found = together(bank.view(), queue(bank.view(), NOW), approve)
    assert len(found.decided) == 1 and isinstance(found.left[0][1], SecretFound)


def test_when_nothing_is_left_the_first_refusal_is_told() -> None:
    bank = desk(gaps=gap("Deploys are frozen", state="ready"))
    (one,) = queue(bank.view(), NOW)
    bank.record([PutRow("gaps", one.key, {"updatedAt": NOW + 1})])
    with pytest.raises(AlreadyDecided):
        together(bank.view(), [one], approve)
