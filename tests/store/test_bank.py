"""A bank: opened, looked at, changed through one door, remembered (`architecture.md`, `decisions.md` §1–4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.changes import DropRow, NewId, PutMemory, PutRow
from store.errors import (
    AlreadyDecided,
    BadInput,
    NotABank,
    StorageFailure,
    UnknownMemory,
)
from tests.store.world import add, again, fact, files, make, put, text


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-12T09:00:00+02:00")
    return make(tmp_path)


def test_a_new_bank_has_its_folders_a_readme_and_what_git_leaves_out_and_no_ledger_yet(bank: Bank) -> None:
    assert sorted(path.name for path in bank.path.iterdir()) == [
        ".archive",
        ".gitignore",
        "README.md",
        "facts",
        "private",
    ]
    assert ".memdesk/\n" in (bank.path / ".gitignore").read_text()
    assert bank.read_only == ""
    assert not bank.status().exists


def test_a_bank_is_not_made_over_another_one(bank: Bank) -> None:
    with pytest.raises(BadInput, match="is a bank already"):
        Bank.create(bank.path)


def test_making_a_bank_leaves_a_readme_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "README.md").write_text("mine\n")
    assert (make(tmp_path).path / "README.md").read_text() == "mine\n"


def test_a_folder_that_is_no_bank_is_refused_with_what_it_looks_like(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("x")
    with pytest.raises(NotABank, match="Claude"):
        Bank.open(tmp_path)
    with pytest.raises(NotABank, match="not there"):
        Bank.open(tmp_path / "nowhere")


def test_a_new_memory_is_one_file_and_one_row_of_history(bank: Bank) -> None:
    committed = put(bank, fact(), reason="remember tea", origin="terminal")
    id = "facts/2026/10/2026-10-12-0001.md"
    assert committed.ids == (id,)
    assert text(bank, id) == (
        "---\ntype: FACT\nsubject: tea\nstatement: green, 80 C\nconfidence: 1\ncreated: 2026-10-12\n"
        "updated: 2026-10-12\ntags: []\nimmutable: false\nscope: public\nweight: 1\naccess_count: 0\n---\ngreen, 80 C\n"
    )
    (told,) = bank.history()
    assert told == committed
    assert (told.at, told.by, told.origin, told.reason) == (
        "2026-10-12T07:00:00.000Z",
        "you",
        "terminal",
        "remember tea",
    )
    assert bank.view().live == (bank.view().memories[id],)


def test_an_edit_changes_the_lines_of_its_field_and_updated(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    id = add(bank)
    before = text(bank, id).splitlines()
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-13T09:00:00+02:00")
    put(bank, PutMemory(id, {"subject": "Tea"}, base=bank.view().memories[id].sha))
    after = text(bank, id).splitlines()
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [
        ("subject: tea", "subject: Tea"),
        ("updated: 2026-10-12", "updated: 2026-10-13"),
    ]


def test_a_view_is_never_changed_by_a_later_commit(bank: Bank) -> None:
    id = add(bank)
    view = bank.view()
    put(bank, PutMemory(id, {"subject": "Tea"}), PutRow("gaps", "g", {"state": "open"}))
    assert view.memories[id].subject == "tea"
    assert dict(view.rows("gaps")) == {}
    assert bank.view().revision > view.revision
    assert bank.view() is bank.view()


def test_a_changeset_that_changes_nothing_leaves_no_trace(bank: Bank) -> None:
    id = add(bank)
    bank.record([PutRow("gaps", "g", {"a": 1})])
    committed = put(bank, PutMemory(id, {"subject": "tea"}), PutRow("gaps", "g", {"a": 1, "b": None}))
    assert (committed.number, committed.notes) == (0, ("Nothing changed.",))
    assert len(bank.history()) == 1
    assert bank.status().last_frame == 2


def test_everything_in_a_changeset_happens_or_nothing(bank: Bank) -> None:
    id = add(bank)
    before = files(bank.path)
    with pytest.raises(UnknownMemory):
        put(bank, PutMemory(id, {"subject": "Tea"}), PutMemory("facts/nothing.md", {"subject": "x"}))
    with pytest.raises(BadInput, match="cannot hold"):
        put(bank, PutMemory(id, {"subject": "Tea"}), PutRow("gaps", "g", {"x": float("nan")}))
    with pytest.raises(BadInput, match="does not make"):
        put(bank, PutMemory(id, {"subject": "Tea"}), PutRow("gaps", "g", {"x": NewId("nobody")}))
    assert files(bank.path) == before
    assert len(bank.history()) == 1


@pytest.mark.parametrize("value", [float("inf"), 2**70, "\ud800", {1: "x"}, {"x": {1}}, b"x"], ids=repr)
def test_a_value_that_json_cannot_hold_is_refused_before_anything_is_written(bank: Bank, value: Any) -> None:
    with pytest.raises(BadInput, match="ledger"):
        bank.record([PutRow("gaps", "g", {"x": value})])
    assert bank.view().rows("gaps") == {}


def test_rows_know_the_ids_of_the_memories_made_with_them(bank: Bank) -> None:
    put(bank, fact(), PutRow("gaps", "g", {"memory": NewId("new"), "all": [NewId("new")]}))
    row = bank.view().rows("gaps")["g"]
    assert row["memory"] == row["all"][0] == bank.view().live[0].id


def test_a_row_carries_its_revision_and_a_stale_one_is_already_decided(bank: Bank) -> None:
    bank.record([PutRow("proposals", "p", {"state": "open"}, rev=0)])
    rev = bank.view().rows("proposals")["p"]["_rev"]
    put(bank, PutRow("proposals", "p", {"state": "approved"}, rev=rev))
    for stale in (rev, 0):
        with pytest.raises(AlreadyDecided, match="already decided"):
            put(bank, PutRow("proposals", "p", {"state": "rejected"}, rev=stale))
        with pytest.raises(AlreadyDecided):
            bank.record([DropRow("proposals", "p", rev=stale)])
    with pytest.raises(AlreadyDecided):
        put(bank, PutRow("proposals", "other", {"state": "rejected"}, rev=rev))
    assert bank.view().rows("proposals")["p"]["state"] == "approved"


def test_a_row_keeps_the_fields_that_are_not_named_and_loses_those_set_to_none(bank: Bank) -> None:
    bank.record([PutRow("gaps", "g", {"a": 1, "b": [1, {"c": 2}]})])
    number = bank.record([PutRow("gaps", "g", {"a": None, "d": "x"})])
    assert bank.view().rows("gaps")["g"] == {"b": [1, {"c": 2}], "d": "x", "_rev": number}
    bank.record([DropRow("gaps", "g"), DropRow("gaps", "missing")])
    assert "g" not in bank.view().rows("gaps")


def test_what_a_caller_does_to_its_values_afterwards_changes_no_row(bank: Bank) -> None:
    words = ["a"]
    bank.record([PutRow("gaps", "g", {"words": words})])
    words.append("b")
    assert bank.view().rows("gaps")["g"]["words"] == ["a"]


def test_bookkeeping_leaves_no_history_and_cannot_be_undone(bank: Bank) -> None:
    bank.record([PutRow("cursors", "s", {"seq": 4})])
    assert bank.history() == []
    with pytest.raises(BadInput, match="nothing to undo"):
        bank.undo(origin="screen")
    with pytest.raises(BadInput, match="rewritten"):
        bank.record([PutRow("history", "1", {"reason": "forged"})])


def test_rows_survive_reopening(tmp_path: Path, bank: Bank) -> None:
    bank.record([PutRow("gaps", "ключ", {"текст": "备份\n\x1b[31m", "n": 1.5})])
    bank.close()
    assert dict(again(tmp_path).view().rows("gaps")) == {"ключ": {"текст": "备份\n\x1b[31m", "n": 1.5, "_rev": 1}}


@pytest.mark.parametrize("given", ["", " \n", "---\ntype: FACT\nsubject: x\n", "a\0b", "\ud800"])
def test_a_text_that_no_memory_should_be_is_refused(bank: Bank, given: str) -> None:
    id = add(bank)
    before = text(bank, id)
    for change in (PutMemory(id, text=given), PutMemory(None, text=given)):
        with pytest.raises(BadInput):
            put(bank, change)
    assert text(bank, id) == before


def test_bytes_that_are_no_utf_8_go_through_an_editor_unchanged(bank: Bank) -> None:
    (bank.path / "facts" / "2026-01-01-0001.md").write_bytes(b"---\nsubject: s\nstatement: t\n---\nt\xff\n")
    bank.refresh()
    source = bank.source("facts/2026-01-01-0001.md").decode("utf-8", "surrogateescape")
    put(bank, PutMemory("facts/2026-01-01-0001.md", text=source.replace("subject: s", "subject: S")))
    assert bank.source("facts/2026-01-01-0001.md") == b"---\nsubject: S\nstatement: t\n---\nt\xff\n"
    bank.undo(origin="screen")
    assert bank.source("facts/2026-01-01-0001.md") == b"---\nsubject: s\nstatement: t\n---\nt\xff\n"


def test_a_memory_of_a_type_we_do_not_know_can_be_edited_where_it_is(bank: Bank) -> None:
    id = "facts/2026-01-01-0001.md"
    (bank.path / id).write_text("---\ntype: INSIGHT\nsubject: s\nstatement: t\n---\nt\n")
    bank.refresh()
    put(bank, PutMemory(id, {"subject": "S"}))
    assert "type: INSIGHT\nsubject: S\n" in text(bank, id)
    assert bank.view().memories[id].path == id


def test_nothing_is_written_through_a_link_that_leads_out_of_the_bank(tmp_path: Path, bank: Bank) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (bank.path / "facts" / "2026").symlink_to(outside)
    with pytest.raises(StorageFailure, match="leads out of the bank"):
        put(bank, fact())
    assert list(outside.iterdir()) == []
    assert bank.history() == []


def test_a_file_that_is_a_link_is_not_replaced(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    (tmp_path / "real.md").write_bytes((bank.path / id).read_bytes())
    (bank.path / id).unlink()
    (bank.path / id).symlink_to(tmp_path / "real.md")
    with pytest.raises((StorageFailure, UnknownMemory)):
        put(bank, PutMemory(id, {"subject": "Tea"}))
    assert (bank.path / id).is_symlink()
    assert "subject: tea\n" in (tmp_path / "real.md").read_text()


def test_closing_never_fails_because_a_projection_cannot_be_written(tmp_path: Path, bank: Bank) -> None:
    put(bank, PutRow("settings", "yotta_index", {"value": True}), fact())
    (bank.path / "index.json").mkdir()
    told: list[str] = []
    bank.subscribe(lambda event: told.append(event.message))
    bank.close()
    assert len(told) == 1
    assert "index.json" in told[0]
    assert len(again(tmp_path).view().live) == 1
