"""A bank: opened, looked at, changed through one door, remembered (`architecture.md`, `decisions.md` §1–4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.changes import Changeset, DropRow, MoveMemory, NewId, PutMemory, PutRow
from store.errors import (
    AlreadyDecided,
    BadInput,
    Changed,
    NotABank,
    NotPermitted,
    ReadOnly,
    SecretFound,
    StorageFailure,
    UnknownMemory,
)
from tests.store.world import add, again, approve, fact, files, folders, make, pref, put, text

SECRET = "the key is AKIAABCDEFGHIJKLMNOP, keep it"


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
    assert list(outside.rglob("*.md*")) == []
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


# --- leaving and coming back -----------------------------------------------------------------------------------------


def test_forgetting_moves_the_file_with_identical_bytes_and_restoring_brings_it_back(bank: Bank) -> None:
    id = add(bank)
    before = (bank.path / id).read_bytes()
    put(bank, MoveMemory(id, "trashed"), reason="forget tea")
    memory = bank.view().trashed[0]
    assert memory.path == f".trash/2026-10-12T07-00-00-000Z/{id}"
    assert (memory.id, memory.trashed_at) == (id, "2026-10-12T07:00:00.000Z")
    assert (bank.path / memory.path).read_bytes() == before
    assert not (bank.path / id).exists()
    put(bank, MoveMemory(id, "live"), reason="restore tea")
    assert (bank.path / id).read_bytes() == before
    assert bank.view().trashed == ()


def test_restoring_never_overwrites(bank: Bank) -> None:
    id = add(bank)
    put(bank, MoveMemory(id, "trashed"))
    (bank.path / id).write_text("---\ntype: FACT\nsubject: theirs\nstatement: theirs\n---\ntheirs\n")
    put(bank, MoveMemory(id, "live"))
    assert "theirs" in (bank.path / id).read_text()
    assert "green" in (bank.path / id.replace(".md", ".2.md")).read_text()
    assert len({memory.path for memory in bank.view().live}) == len(bank.view().live)


def test_two_memories_forgotten_at_once_do_not_meet_in_the_trash(bank: Bank) -> None:
    ids = [add(bank), add(bank, subject="coffee")]
    put(bank, *(MoveMemory(id, "trashed") for id in ids))
    assert len({memory.path for memory in bank.view().trashed}) == 2
    put(bank, *(MoveMemory(id, "live") for id in ids))
    assert sorted(memory.id for memory in bank.view().live) == sorted(ids)


def test_a_distill_is_archived_flat_and_comes_back_to_where_it_was(tmp_path: Path, bank: Bank) -> None:
    """`spec/bank.md` §2.5, with ids as in `decisions.md` §2.1."""
    id = "facts/distills/report.md"
    (bank.path / "facts" / "distills").mkdir()
    (bank.path / id).write_text("---\ntype: FACT\nsubject: s\nstatement: t\n---\nt\n")
    bank.refresh()
    put(bank, MoveMemory(id, "archived"))
    assert bank.view().archived[0].path == ".archive/facts/report.md"
    bank = again(tmp_path)
    assert bank.view().archived[0].id == id
    put(bank, MoveMemory(id, "live"))
    assert bank.view().live[0].path == id


def test_a_number_is_never_given_again_after_its_memory_left(tmp_path: Path, bank: Bank) -> None:
    """bank-D06."""
    ids = [add(bank, subject=f"s{n}") for n in range(3)]
    put(bank, MoveMemory(ids[2], "trashed"))
    assert add(bank).endswith("-0004.md")
    bank.undo(origin="screen")
    assert add(bank).endswith("-0005.md")
    bank.close()
    assert add(again(tmp_path)).endswith("-0006.md")


def test_a_number_is_remembered_through_compaction(tmp_path: Path, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    add(bank)
    bank.undo(origin="screen")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.close()
    assert add(again(tmp_path)).endswith("-0002.md")


def test_a_changed_type_moves_the_file_and_the_memory_stays_the_same(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    put(bank, PutMemory(id, {"type": "PREF", "owner": "aria"}))
    memory = bank.view().memories[id]
    assert memory.path == "private/aria/prefs/2026/10/2026-10-12-0001.md"
    assert (memory.type, memory.scope, memory.owner) == ("PREF", "private", "aria")
    assert "scope: private\n" in text(bank, id)
    assert bank.view().resolve(memory.path).id == id
    assert again(tmp_path).view().memories[id].path == memory.path
    bank.undo(origin="screen")
    assert bank.view().memories[id].path == id
    bank.redo(origin="screen")
    assert bank.view().memories[id].path == memory.path


# --- who may ---------------------------------------------------------------------------------------------------------


def test_an_agent_may_only_propose_unless_the_bank_lets_agents_write(bank: Bank) -> None:
    with pytest.raises(NotPermitted, match="may only propose"):
        put(bank, fact(), agent="aria")
    put(bank, PutRow("settings", "agents_write", {"value": True}), origin="screen")
    committed = put(bank, fact(), agent="aria")
    assert committed.by == "aria"
    assert "owner: aria\n" in text(bank, committed.ids[0])


@pytest.fixture
def open_bank(bank: Bank) -> Bank:
    put(bank, PutRow("settings", "agents_write", {"value": True}), origin="screen")
    return bank


def test_an_agent_writes_under_its_own_name_only(open_bank: Bank) -> None:
    mine = put(open_bank, pref("aria"), agent="aria").ids[0]
    with pytest.raises(NotPermitted, match="another owner"):
        put(open_bank, pref("lan"), agent="aria")
    put(open_bank, PutMemory(mine, {"subject": "Tea"}), agent="aria")
    for change in (PutMemory(mine, {"subject": "x"}), MoveMemory(mine, "trashed")):
        with pytest.raises(NotPermitted, match="no memory") as caught:
            put(open_bank, change, agent="lan")
        assert "likes it green" not in str(caught.value)
        assert str(caught.value).replace(mine, "ID") == str(_refusal(open_bank, "facts/none.md")).replace(
            "facts/none.md", "ID"
        )


def _refusal(bank: Bank, id: str) -> NotPermitted:
    with pytest.raises(NotPermitted) as caught:
        put(bank, PutMemory(id, {"subject": "x"}), agent="lan")
    return caught.value


def test_an_agent_cannot_move_a_memory_into_anothers_folder(open_bank: Bank) -> None:
    id = put(open_bank, fact(), agent="aria").ids[0]
    with pytest.raises(NotPermitted, match="another owner"):
        put(open_bank, PutMemory(id, {"type": "PREF", "owner": "lan"}), agent="aria")
    assert open_bank.view().memories[id].path == id


def test_an_agent_reads_by_a_grant_but_does_not_write_by_it(tmp_path: Path, open_bank: Bank) -> None:
    id = put(open_bank, pref("lan")).ids[0]
    (open_bank.path / "grants.json").write_text('{"aria": ["lan"]}')
    bank = again(tmp_path)
    assert bank.view().readable("aria") == bank.view().live
    with pytest.raises(NotPermitted, match="another owner"):
        put(bank, PutMemory(id, {"subject": "x"}), agent="aria")


@pytest.mark.parametrize("table", ["proposals", "profile", "gaps", "tombstones", "settings", "relations"])
def test_an_agent_decides_nothing(open_bank: Bank, table: str) -> None:
    with pytest.raises(NotPermitted, match="person's act"):
        put(open_bank, PutRow(table, "k", {"state": "approved"}), agent="aria")


@pytest.mark.parametrize("key", ["agents_write", "scripted_decisions"])
def test_dangerous_settings_are_switched_in_the_workbench_only(bank: Bank, key: str) -> None:
    with pytest.raises(NotPermitted, match="workbench only"):
        put(bank, PutRow("settings", key, {"value": True}), origin="terminal")
    number = put(bank, PutRow("settings", key, {"value": True}), origin="screen").number
    put(bank, PutRow("settings", key, {"value": False}), origin="screen")
    with pytest.raises(NotPermitted, match="workbench only"):
        bank.undo(origin="terminal")
    with pytest.raises(NotPermitted, match="workbench only"):
        bank.undo(number, origin="script")
    assert bank.view().setting(key) is False


def test_a_protected_memory_is_neither_edited_nor_moved_until_it_is_unprotected(bank: Bank) -> None:
    id = add(bank)
    put(bank, PutMemory(id, {"immutable": True}))
    changes = (
        PutMemory(id, {"subject": "x"}),
        PutMemory(id, {"immutable": False, "subject": "x"}),
        PutMemory(id, text="---\ntype: FACT\n---\nx\n"),
        MoveMemory(id, "trashed"),
        MoveMemory(id, "archived"),
    )
    for change in changes:
        with pytest.raises(NotPermitted, match=r"is protected; press p, or run `memdesk edit .* --unprotect`, first"):
            put(bank, change)
    put(bank, PutMemory(id, {"immutable": False}))
    put(bank, MoveMemory(id, "trashed"))
    assert bank.view().live == ()


def test_a_bound_is_forgotten_by_hand_only_and_never_archived(open_bank: Bank) -> None:
    id = put(open_bank, pref("aria", type="BOUND")).ids[0]
    with pytest.raises(NotPermitted, match="BOUND"):
        put(open_bank, MoveMemory(id, "trashed"), agent="aria")
    with pytest.raises(NotPermitted, match="BOUND"):
        put(open_bank, MoveMemory(id, "archived"))
    put(open_bank, MoveMemory(id, "trashed"))
    assert open_bank.view().trashed[0].id == id


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "FACT", "scope": "private"}, "always public"),
        ({"type": "PREF", "scope": "public", "owner": "aria"}, "always private"),
        ({"type": "PREF"}, "needs an owner"),
        ({"type": "PREF", "owner": "../aria"}, "needs an owner"),
        ({"type": "WISH"}, "no type"),
        ({"type": "FACT", "statement": " "}, "needs a statement"),
        ({"type": "FACT", "subject": ""}, "needs a subject"),
    ],
)
def test_what_no_memory_can_be_is_refused(bank: Bank, fields: dict[str, str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        put(bank, PutMemory(None, {"subject": "s", "statement": "t", **fields}))
    assert bank.view().memories == {}


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_secret_in_new_text_is_refused_by_the_name_of_its_kind_and_never_shown(bank: Bank) -> None:
    id = add(bank)
    for change in (fact(statement=SECRET), PutMemory(id, {"statement": SECRET}), PutMemory(id, text=f"{SECRET}\n")):
        with pytest.raises(SecretFound, match="AWS key id") as caught:
            put(bank, change)
        assert "AKIA" not in str(caught.value)
        assert caught.value.kinds == ("AWS key id",)
    assert put(bank, fact(statement=SECRET), allow_secrets=True).number > 0


def test_only_text_that_a_change_adds_is_checked(bank: Bank) -> None:
    id = put(bank, fact(statement=SECRET), allow_secrets=True).ids[0]
    put(bank, PutMemory(id, {"subject": "Tea"}))
    put(bank, PutMemory(id, {"statement": SECRET + " well"}))
    put(bank, MoveMemory(id, "archived"))
    put(bank, MoveMemory(id, "live"))
    for _ in range(3):
        bank.undo(origin="screen")
    for _ in range(3):
        bank.redo(origin="screen")
    assert bank.view().memories[id].statement == SECRET + " well"


def test_a_secret_in_proposed_text_is_refused_whatever_the_person_answered(open_bank: Bank) -> None:
    with pytest.raises(SecretFound):
        put(open_bank, fact(statement=SECRET), allow_secrets=True, proposed=True)
    with pytest.raises(SecretFound):
        put(open_bank, fact(statement=SECRET), allow_secrets=True, agent="aria")
    for table in ("proposals", "profile", "gaps"):
        with pytest.raises(SecretFound):
            open_bank.record([PutRow(table, "p", {"changes": [{"statement": SECRET}]})])
    assert open_bank.record([PutRow("proposals", "p", {"base": "0123456789abcdef" * 4, "statement": "tea"})]) > 0


# --- encrypted and read-only -----------------------------------------------------------------------------------------


def test_an_encrypted_bank_shows_its_public_memories_and_refuses_to_be_written(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    (bank.path / "keys").mkdir()
    (bank.path / "private/aria/prefs").mkdir(parents=True)
    (bank.path / "private/aria/prefs/2026-01-01-0001.md.enc").write_bytes(b"\x00\x01")
    bank = again(tmp_path)
    assert bank.encrypted
    assert [memory.id for memory in bank.view().live] == [id]
    assert bank.view().problems == ()
    for work in (
        lambda: put(bank, fact()),
        lambda: bank.record([PutRow("gaps", "g", {})]),
        lambda: bank.undo(origin="screen"),
    ):
        with pytest.raises(ReadOnly, match="encrypted") as caught:
            work()
        assert caught.value.exit_code == 3
    bank.refresh()
    bank.close()


def test_a_bank_opened_for_reading_writes_nothing(tmp_path: Path, bank: Bank) -> None:
    add(bank)
    before = sorted(tmp_path.rglob("*"))
    reader = again(tmp_path, read_only=True)
    with pytest.raises(ReadOnly, match="for reading only"):
        put(reader, fact())
    reader.refresh()
    reader.close()
    assert sorted(tmp_path.rglob("*")) == before


# --- events, projections, order --------------------------------------------------------------------------------------


def test_listeners_are_told_after_the_view_has_moved_on(bank: Bank) -> None:
    seen: list[Any] = []
    stop = bank.subscribe(
        lambda event: seen.append((event.kind, event.ids, event.tables, event.number, len(bank.view().live)))
    )
    committed = approve(bank, "tea")
    bank.record([PutRow("usage", "x", {"n": 1})])
    assert seen == [
        ("committed", committed.ids, ("gaps", "receipts"), 1, 1),
        ("recorded", (), ("usage",), 2, 1),
    ]
    stop()
    add(bank)
    assert len(seen) == 2


def test_the_index_and_the_trash_audit_are_written_at_a_flush_in_banks_that_ask_for_them(bank: Bank) -> None:
    id = add(bank)
    put(bank, MoveMemory(id, "trashed"))
    bank.flush()
    assert not (bank.path / "index.json").exists()
    assert [path.name for path in (bank.path / ".trash").iterdir()] == ["2026-10-12T07-00-00-000Z"]
    put(bank, PutRow("settings", "yotta_index", {"value": True}))
    other = put(bank, pref("aria")).ids[0]
    put(bank, MoveMemory(other, "trashed"))
    bank.flush()
    assert '"entries": []' in (bank.path / "index.json").read_text()
    (audit,) = (bank.path / ".trash").glob("audit-2026-10-12.jsonl")
    assert audit.read_text() == (
        '{"ts":"2026-10-12T07:00:00.000Z","action":"forget","file":"' + other + '",'
        '"trash":".trash/2026-10-12T07-00-00-000Z/' + other + '","owner":"aria","selfAgent":""}\n'
    )


def test_the_original_order_is_that_of_the_index_then_of_the_paths_and_new_ones_come_last(
    tmp_path: Path, bank: Bank
) -> None:
    ids = [add(bank, subject=f"s{n}") for n in range(3)]
    entries = ",".join(f'{{"file": "{id}"}}' for id in reversed(ids))
    (bank.path / "index.json").write_text(f'{{"version": 4, "entries": [{entries}]}}')
    bank = again(tmp_path)
    assert [memory.id for memory in bank.view().live] == ids[::-1]
    new = add(bank)
    put(bank, PutMemory(ids[0], {"subject": "edited"}), MoveMemory(ids[1], "archived"))
    assert [memory.id for memory in bank.view().live] == [ids[2], ids[0], new]
    put(bank, MoveMemory(ids[1], "live"))
    assert [memory.id for memory in bank.view().live] == [ids[2], ids[1], ids[0], new]


def test_files_keep_the_permissions_that_they_had(bank: Bank) -> None:
    id = add(bank)
    (bank.path / id).chmod(0o640)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    assert (bank.path / id).stat().st_mode & 0o777 == 0o640
    assert bank.ledger.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o077 for path in bank.ledger.rglob("*") if path.is_file()} == {0}


def test_the_ledger_of_a_bank_in_a_synchronised_folder_lies_in_the_users_own_folder(tmp_path: Path) -> None:
    root = tmp_path / "Dropbox" / "bank"
    bank = Bank.create(root, **folders(tmp_path))
    add(bank)
    assert bank.ledger.is_relative_to(tmp_path / "state")
    assert not (root / ".memdesk").exists()
    assert len(Bank.open(root, **folders(tmp_path)).history()) == 1


def test_the_bytes_of_every_version_can_be_had_for_the_history(tmp_path: Path, bank: Bank) -> None:
    id = add(bank)
    first = bank.source(id)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    effects = [change.files[0] for change in again(tmp_path).history()]
    assert [again(tmp_path).bytes_at(effect.sha_after or "") for effect in effects] == [bank.source(id), first]
    assert bank.bytes_at("0" * 64) is None
    with pytest.raises(UnknownMemory):
        bank.source("facts/none.md")


def test_an_edit_of_a_memory_moved_meanwhile_by_us_still_finds_it(bank: Bank) -> None:
    id = add(bank)
    base = bank.view().memories[id].sha
    put(bank, MoveMemory(id, "archived"))
    put(bank, PutMemory(id, {"subject": "Tea"}, base=base))
    assert bank.view().archived[0].subject == "Tea"
    with pytest.raises(Changed):
        put(bank, MoveMemory(id, "trashed", base=base))


def test_history_can_be_asked_for_one_memory_and_cut(bank: Bank) -> None:
    one, other = add(bank), add(bank)
    for n in range(3):
        put(bank, PutMemory(one, {"subject": f"s{n}"}), reason=f"edit {n}")
    assert [change.reason for change in bank.history(limit=2)] == ["edit 2", "edit 1"]
    assert len(bank.history(id=one)) == 4
    assert len(bank.history(id=other)) == 1


def test_a_changeset_composes_edits_and_moves_of_one_memory(bank: Bank) -> None:
    id = add(bank)
    committed = put(bank, PutMemory(id, {"subject": "a"}), PutMemory(id, {"source": "b"}), MoveMemory(id, "archived"))
    assert len(committed.files) == 1
    memory = bank.view().archived[0]
    assert (memory.subject, memory.source) == ("a", "b")
    bank.undo(origin="screen")
    assert bank.view().live[0].subject == "tea"


def test_the_whole_changeset_is_one_frame(bank: Bank) -> None:
    bank.commit(Changeset((fact("a"), fact("b"), pref("aria")), "three"))
    assert bank.status().last_frame == 1
    assert len({memory.path for memory in bank.view().live}) == 3
