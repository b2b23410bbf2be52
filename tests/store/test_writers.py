"""Several programs work on one bank at the same time: nothing is lost, nothing is decided twice (`storage.md` §9.6)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import PutRow
from store.errors import AlreadyDecided, Busy
from tests.store.world import again, approve, approved, in_child, make, no_leftovers

STEPS, APPROVALS = 150, 30


def start(work: object) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()  # type: ignore[operator]
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def step(bank: Bank) -> None:
    """Raise the shared counter by one, however often somebody else is quicker."""
    while True:
        row = bank.view().rows("usage").get("counter", {})
        change = PutRow("usage", "counter", {"value": row.get("value", 0) + 1}, rev=row.get("_rev", 0))
        try:
            bank.record([change])
        except AlreadyDecided:
            continue
        return


def test_two_writers_count_together_and_approve_together_while_a_third_keeps_opening(tmp_path: Path) -> None:
    make(tmp_path)

    def writer(name: str) -> None:
        bank = again(tmp_path)
        for number in range(STEPS):
            step(bank)
            if number % (STEPS // APPROVALS) == 0:
                approve(bank, f"{name}{number}")
        bank.close()

    def opener() -> None:
        for _ in range(40):
            bank = again(tmp_path)
            assert bank.read_only == ""
            for gap in bank.view().rows("gaps").values():
                assert gap["memory"] in bank.view().memories
            bank.close()

    children = [start(lambda: writer("a")), start(lambda: writer("b")), start(opener)]
    assert [ended(child) for child in children] == [0, 0, 0]
    bank = again(tmp_path)
    assert bank.view().rows("usage")["counter"]["value"] == 2 * STEPS
    assert len(approved(bank)) == 2 * APPROVALS
    assert len({memory.path for memory in bank.view().live}) == 2 * APPROVALS
    assert bank.conflicts() == ()
    no_leftovers(bank)


def test_a_second_decision_on_the_same_proposal_is_told_that_it_was_decided_already(tmp_path: Path) -> None:
    one = make(tmp_path)
    one.record([PutRow("proposals", "p", {"state": "open"})])
    other = again(tmp_path)
    rev = other.view().rows("proposals")["p"]["_rev"]
    from tests.store.world import put

    put(one, PutRow("proposals", "p", {"state": "approved"}, rev=rev))
    with pytest.raises(AlreadyDecided) as caught:
        put(other, PutRow("proposals", "p", {"state": "rejected"}, rev=rev))
    assert caught.value.exit_code == 4
    assert other.view().rows("proposals")["p"]["state"] == "approved"


def test_a_held_lock_is_told_with_its_holder_and_waited_for_no_longer_than_asked(tmp_path: Path) -> None:
    bank = make(tmp_path)
    approve(bank, "first")
    reader, writer = os.pipe()
    finish, done = os.pipe()

    def hold() -> None:
        with again(tmp_path)._state.lock.held():
            os.write(writer, b"x")
            os.read(finish, 1)

    child = start(hold)
    os.read(reader, 1)
    late = again(tmp_path, lock_timeout=0.05)
    with pytest.raises(Busy, match=f"Process {child} on .* is writing"):
        approve(late, "second")
    assert approved(late) == {"first"}
    os.write(done, b"x")
    assert ended(child) == 0
    approve(late, "second")
    assert approved(late) == {"first", "second"}


def test_a_holder_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    bank = make(tmp_path)
    approve(bank, "first")

    def hold() -> None:
        again(tmp_path)._state.lock.held().__enter__()
        os._exit(9)

    assert in_child(hold) == 9
    approve(again(tmp_path, lock_timeout=0.5), "second")
    bank.refresh()
    assert approved(bank) == {"first", "second"}


def test_what_another_memdesk_commits_is_seen_and_told_at_the_next_look(tmp_path: Path) -> None:
    one = make(tmp_path)
    approve(one, "first")
    other = again(tmp_path)
    events = []
    one.subscribe(events.append)
    committed = approve(other, "second")
    told = one.refresh()
    assert [event.kind for event in told] == ["outside"]
    assert told[0].ids == committed.ids
    assert {"gaps", "receipts", "history"} <= set(told[0].tables)
    assert tuple(events) == told
    assert approved(one) == {"first", "second"}
    assert [change.origin for change in one.history()] == ["screen", "screen"]
    assert one.refresh() == ()


def test_two_memdesks_that_see_the_same_foreign_edit_tell_it_once(tmp_path: Path) -> None:
    one = make(tmp_path)
    id = approve(one, "first").ids[0]
    other = again(tmp_path)
    path = one.path / id
    path.write_text(path.read_text().replace("what first says", "what they say"))
    with one._state.lock.held():
        assert [event.ids for event in other.refresh()] == [(id,)]
    assert [change.origin for change in other.history()] == ["screen"]
    one.refresh()
    other.refresh()
    approve(other, "second")
    origins = [change.origin for change in one.history()] if one.refresh() else []
    assert origins == ["screen", "outside", "screen"]
    assert len(other.history()) == 3


def test_a_generation_begun_by_another_program_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = make(tmp_path)
    approve(one, "first")
    other = again(tmp_path)
    approve(other, "second")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    other.flush()
    monkeypatch.undo()
    approve(other, "third")
    approve(one, "fourth")
    assert one.status().generation == 2
    other.refresh()
    assert approved(one) == approved(other) == {"first", "second", "third", "fourth"}
    assert [change.origin for change in one.history()] == ["screen"] * 4


def test_looking_never_waits_for_another_programs_lock(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = approve(bank, "first").ids[0]
    reader, writer = os.pipe()
    finish, done = os.pipe()

    def hold() -> None:
        with again(tmp_path)._state.lock.held():
            os.write(writer, b"x")
            os.read(finish, 1)

    child = start(hold)
    os.read(reader, 1)
    waiting = threading.Thread(target=lambda: approve(bank, "second"))
    waiting.start()
    for _ in range(3):
        assert set(bank.view().rows("gaps")) == {"first"}
        assert bank.source(id).endswith(b"what first says\n")
        assert len(bank.history()) == 1
        assert bank.status().read_only == ""
        bank.refresh()
    assert waiting.is_alive()
    os.write(done, b"x")
    assert ended(child) == 0
    waiting.join(30)
    assert approved(bank) == {"first", "second"}


def test_threads_of_one_program_share_a_bank(tmp_path: Path) -> None:
    bank = make(tmp_path)
    threads = [threading.Thread(target=lambda n=n: [approve(bank, f"{n}-{i}") for i in range(6)]) for n in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        bank.refresh()
        view = bank.view()
        for row in view.rows("gaps").values():
            assert row["memory"] in view.memories
    for thread in threads:
        thread.join(60)
    bank.refresh()
    assert len(approved(bank)) == 24
    assert {change.origin for change in bank.history()} == {"screen"}
    no_leftovers(bank)
