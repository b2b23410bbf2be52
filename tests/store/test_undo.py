"""Taking back and doing again: in order, by memory and by field, never over what came later (`decisions.md` §4.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.bank import Bank
from store.called import called
from store.changes import DropRow, MoveMemory, PutMemory, PutRow
from store.errors import BadInput, Changed, Conflict, NotPermitted
from tests.store.world import add, again, approve, approved, fact, files, make, put, text


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return make(tmp_path)


def state(bank: Bank) -> tuple[dict[str, bytes], dict[str, dict[str, object]]]:
    """What a person sees: the files, and the rows without their revisions."""
    tables = {
        name: {key: {k: v for k, v in row.items() if k != "_rev"} for key, row in rows.items()}
        for name, rows in bank.view().tables.items()
        if name not in {"history", "aliases"} and len(rows)
    }
    return {path: data for path, data in files(bank.path).items() if path.endswith(".md")}, tables


def test_undo_walks_back_and_redo_forward_through_everything_that_was_done(tmp_path: Path, bank: Bank) -> None:
    states = [state(bank)]
    approve(bank, "tea")
    states.append(state(bank))
    id = bank.view().live[0].id
    for change in (
        PutMemory(id, {"subject": "Tea"}),
        MoveMemory(id, "archived"),
        PutRow("settings", "x", {"value": 1}),
    ):
        put(bank, change)
        states.append(state(bank))
    for wanted in states[-2::-1]:
        bank.undo(origin="screen")
        assert state(bank) == wanted
    with pytest.raises(BadInput, match="nothing to undo"):
        bank.undo(origin="screen")
    bank = again(tmp_path)
    for wanted in states[1:]:
        bank.redo(origin="screen")
        assert state(bank) == wanted
    with pytest.raises(BadInput, match="nothing to redo"):
        bank.redo(origin="screen")
    bank.undo(origin="screen")
    assert state(bank) == states[-2]


def test_an_undo_is_a_change_that_is_shown_and_marks_what_it_took_back(bank: Bank) -> None:
    add(bank)
    undone = bank.undo(origin="terminal")
    assert (undone.undoes, undone.reason, undone.origin) == (1, "undo: a change", "terminal")
    assert [(c.number, c.undoes, c.redoes, c.undone_by) for c in bank.history()] == [
        (2, 1, None, None),
        (1, None, None, 2),
    ]
    bank.redo(origin="screen")
    marks = [(c.number, c.undoes, c.redoes, c.undone_by) for c in bank.history()]
    assert marks == [(3, None, 1, None), (2, 1, None, None), (1, None, None, None)]


def test_a_new_change_ends_the_way_forward(bank: Bank) -> None:
    add(bank)
    bank.undo(origin="screen")
    add(bank)
    with pytest.raises(BadInput, match="nothing to redo"):
        bank.redo(origin="screen")


def test_any_change_can_be_named_and_undoing_an_undo_does_it_again(bank: Bank) -> None:
    one, other = add(bank, subject="one"), add(bank, subject="other")
    undone = bank.undo(1, origin="screen")
    assert [memory.id for memory in bank.view().live] == [other]
    with pytest.raises(BadInput, match=f"undone already, by change {undone.number}"):
        bank.undo(1, origin="screen")
    again_ = bank.undo(undone.number, origin="screen")
    assert again_.redoes == 1
    assert {memory.id for memory in bank.view().live} == {one, other}
    bank.undo(again_.number, origin="screen")
    assert [memory.id for memory in bank.view().live] == [other]
    with pytest.raises(BadInput, match="no change 99"):
        bank.undo(99, origin="screen")


def test_undoing_an_approval_brings_the_proposal_back_as_it_was(bank: Bank) -> None:
    bank.record([PutRow("gaps", "tea", {"state": "ready", "sightings": 2})])
    approve(bank, "tea")
    bank.record([PutRow("gaps", "tea", {"sightings": 3})])
    bank.undo(origin="screen")
    row = dict(bank.view().rows("gaps")["tea"])
    del row["_rev"]
    assert row == {"state": "ready", "sightings": 3}
    assert bank.view().memories == {}
    assert "tombstones" not in bank.view().tables


def test_a_field_that_was_decided_again_since_is_not_undone_over(bank: Bank) -> None:
    put(bank, PutRow("gaps", "g", {"state": "approved"}))
    put(bank, PutRow("gaps", "g", {"state": "rejected"}))
    with pytest.raises(Changed, match="decided again since"):
        bank.undo(1, origin="screen")
    assert bank.view().rows("gaps")["g"]["state"] == "rejected"


def test_a_decision_is_undone_though_bookkeeping_moved_the_times_of_its_row_since(bank: Bank) -> None:
    bank.record([PutRow("gaps", "g", {"state": "ready", "updatedAt": 1})])
    put(bank, PutRow("gaps", "g", {"state": "covered", "updatedAt": 2, "coveredAt": 2}))
    bank.record([PutRow("gaps", "g", {"sightings": 2, "updatedAt": 3, "coveredAt": 3})])
    bank.undo(origin="screen")
    row = dict(bank.view().rows("gaps")["g"])
    assert (row["state"], row["updatedAt"], row.get("coveredAt"), row["sightings"]) == ("ready", 1, None, 2)


def test_a_dropped_row_comes_back_whole(bank: Bank) -> None:
    put(bank, PutRow("relations", "r", {"from": "a", "to": ["b"]}))
    put(bank, DropRow("relations", "r"))
    bank.undo(origin="screen")
    row = dict(bank.view().rows("relations")["r"])
    assert row == {"from": "a", "to": ["b"], "_rev": 3}


def test_a_row_that_got_more_fields_since_it_was_made_keeps_those(bank: Bank) -> None:
    put(bank, PutRow("gaps", "g", {"state": "approved"}))
    bank.record([PutRow("gaps", "g", {"sightings": 3})])
    bank.undo(origin="screen")
    assert bank.view().rows("gaps")["g"] == {"sightings": 3, "_rev": 3}


def test_an_edit_is_taken_back_beside_a_later_edit_of_another_field(bank: Bank) -> None:
    id = add(bank, source="chat")
    number = put(bank, PutMemory(id, {"subject": "Tea"})).number
    put(bank, PutMemory(id, {"source": "mail"}))
    undone = bank.undo(number, origin="screen")
    memory = bank.view().memories[id]
    assert (memory.subject, memory.source) == ("tea", "mail")
    assert undone.notes == (f"Joined with a later edit of {called(id)}.",)


def test_taking_back_an_edit_of_a_file_that_another_program_deleted_makes_it_again_and_says_so(bank: Bank) -> None:
    id = add(bank)
    before = text(bank, id)
    number = put(bank, PutMemory(id, {"subject": "Tea"})).number
    (bank.path / id).unlink()
    bank.refresh()
    assert bank.view().live == ()
    undone = bank.undo(number, origin="screen")
    assert text(bank, id) == before
    assert undone.notes == (f"{called(id)} had been deleted by another program; made again.",)
    assert bank.history(limit=1)[0].notes == undone.notes


def test_taking_back_a_forgetting_says_nothing_unless_the_trash_was_emptied_meanwhile(bank: Bank) -> None:
    ids = [add(bank), add(bank, subject="glaze", statement="celadon")]
    put(bank, *(MoveMemory(id, "trashed") for id in ids))
    assert bank.undo(origin="screen").notes == ()
    bank.redo(origin="screen")
    for file in (bank.path / ".trash").rglob("*.md"):
        file.unlink()
    bank.refresh()
    assert bank.undo(1 + 2, origin="screen").notes == ("2 memories had been deleted by another program; made again.",)
    assert {memory.id for memory in bank.view().live} == set(ids)


def test_an_edit_of_a_field_that_was_edited_since_is_refused_with_both_texts(bank: Bank) -> None:
    id = add(bank)
    number = put(bank, PutMemory(id, {"subject": "Tea"})).number
    put(bank, PutMemory(id, {"subject": "TEA"}))
    with pytest.raises(Conflict, match="changed since in the same place") as caught:
        bank.undo(number, origin="screen")
    assert "subject: tea\n" in caught.value.ours
    assert "subject: TEA\n" in caught.value.theirs
    assert bank.view().memories[id].subject == "TEA"


def test_a_body_changed_on_both_sides_is_taken_back_as_a_whole_or_not_at_all(bank: Bank) -> None:
    id = put(bank, PutMemory(None, {"type": "FACT", "subject": "s", "statement": "a", "body": "a\nb\nc\nd\ne"})).ids[0]
    number = put(bank, PutMemory(id, {"body": "A\nb\nc\nd\ne"})).number
    put(bank, PutMemory(id, {"body": "A\nb\nc\nd\nE"}))
    with pytest.raises(Conflict):
        bank.undo(number, origin="screen")
    assert bank.view().memories[id].body == "A\nb\nc\nd\nE"


def test_a_memory_that_was_worked_on_since_it_was_made_is_not_deleted_by_an_undo(bank: Bank) -> None:
    id = add(bank)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    with pytest.raises(Conflict):
        bank.undo(1, origin="screen")
    assert id in bank.view().memories


def test_a_forget_is_not_undone_once_the_memory_went_elsewhere(bank: Bank) -> None:
    id = add(bank)
    number = put(bank, MoveMemory(id, "trashed")).number
    put(bank, MoveMemory(id, "live"))
    put(bank, MoveMemory(id, "archived"))
    with pytest.raises(Changed, match="moved since"):
        bank.undo(number, origin="screen")


def test_an_edit_in_the_archive_since_survives_the_undo_of_the_archiving(bank: Bank) -> None:
    id = add(bank)
    number = put(bank, MoveMemory(id, "archived")).number
    put(bank, PutMemory(id, {"subject": "Tea"}))
    bank.undo(number, origin="screen")
    memory = bank.view().memories[id]
    assert (memory.state, memory.subject) == ("live", "Tea")


def test_undoing_over_a_foreign_edit_joins_it_or_refuses(bank: Bank) -> None:
    id = add(bank, source="chat")
    put(bank, PutMemory(id, {"subject": "Tea"}))
    path = bank.path / id
    path.write_text(text(bank, id).replace("source: chat", "source: mail"))
    bank.undo(origin="screen")
    assert "subject: tea\n" in text(bank, id)
    assert "source: mail\n" in text(bank, id)
    path.write_text(text(bank, id).replace("subject: tea", "subject: theirs"))
    with pytest.raises(Conflict):
        bank.redo(origin="screen")
    assert "subject: theirs\n" in text(bank, id)


def test_undo_of_a_deletion_brings_the_bytes_back_even_if_the_place_is_taken(bank: Bank) -> None:
    id = add(bank)
    (bank.path / id).unlink()
    bank.refresh()
    deleted = bank.history()[0]
    (bank.path / id).write_text("---\ntype: FACT\nsubject: theirs\nstatement: x\n---\nx\n")
    bank.undo(deleted.number, origin="screen")
    assert "theirs" in (bank.path / id).read_text()
    assert any("green" in data.decode() for path, data in files(bank.path).items() if path.endswith(".2.md"))


def test_an_undo_whose_bytes_are_not_kept_says_so_and_changes_nothing(tmp_path: Path, bank: Bank) -> None:
    put(bank, PutRow("gaps", "g", {"a": 1}))
    (bank.path / "facts" / "2026-01-01-0001.md").write_text("---\ntype: FACT\nsubject: s\nstatement: a\n---\na\n")
    bank = again(tmp_path)
    before = (bank.path / "facts" / "2026-01-01-0001.md").read_text()
    fresh = before.replace("a\n", "b\n")
    (bank.path / "facts" / "2026-01-01-0001.md").write_text(fresh)
    bank.refresh()
    newest = bank.history()[0]
    assert newest.origin == "outside"
    with pytest.raises(BadInput, match="not kept"):
        bank.undo(newest.number, origin="screen")
    assert (bank.path / "facts" / "2026-01-01-0001.md").read_text() == fresh


def test_the_first_edit_of_a_file_that_another_program_made_can_be_undone_in_a_later_session(tmp_path: Path) -> None:
    bank = make(tmp_path)
    path = bank.path / "facts" / "2026-01-01-0001.md"
    path.write_bytes(b"---\nsubject: s\nstatement: t\n---\nt\xff\r\n")
    bank = again(tmp_path)
    put(bank, PutMemory("facts/2026-01-01-0001.md", {"subject": "S"}))
    again(tmp_path).undo(origin="terminal")
    assert path.read_bytes() == b"---\nsubject: s\nstatement: t\n---\nt\xff\r\n"


def test_protecting_can_be_undone_and_an_older_change_of_a_protected_memory_cannot(bank: Bank) -> None:
    id = add(bank)
    number = put(bank, PutMemory(id, {"subject": "Tea"})).number
    put(bank, PutMemory(id, {"immutable": True}))
    with pytest.raises(NotPermitted, match="protected"):
        bank.undo(number, origin="screen")
    with pytest.raises((NotPermitted, Conflict)):
        bank.undo(1, origin="screen")
    bank.undo(origin="screen")
    assert not bank.view().memories[id].immutable
    bank.undo(origin="screen")
    assert bank.view().memories[id].subject == "tea"


def test_undo_reaches_through_a_compaction(tmp_path: Path, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        approve(bank, name)
    id = bank.view().live[0].id
    put(bank, PutMemory(id, {"subject": "a"}), MoveMemory(id, "trashed"), reason="gone")
    before = bank.history()
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.close()
    monkeypatch.undo()
    bank = again(tmp_path)
    assert bank.status().generation == 2
    assert bank.view().rows("history") == {}
    assert bank.history() == before
    for _ in range(3):
        bank.undo(origin="screen")
    assert bank.view().memories == {}
    bank.redo(origin="screen")
    bank.redo(origin="screen")
    assert approved(bank) == {"a", "b"}
    gone = next(change for change in bank.history() if change.reason == "gone")
    undone = next(change for change in bank.history() if change.undoes == gone.number)
    assert gone.undone_by == undone.number


def test_several_memories_in_one_change_are_taken_back_together_or_not_at_all(bank: Bank) -> None:
    one, other = put(bank, fact("one"), PutMemory(None, {"type": "FACT", "subject": "other", "statement": "x"})).ids
    number = put(bank, PutMemory(one, {"subject": "ONE"}), PutMemory(other, {"subject": "OTHER"})).number
    put(bank, PutMemory(other, {"subject": "changed"}))
    with pytest.raises(Conflict):
        bank.undo(number, origin="screen")
    assert bank.view().memories[one].subject == "ONE"
