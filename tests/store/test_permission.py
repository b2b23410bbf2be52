"""Who may write what, what is protected, and no secret gets in (`decisions.md` §1, 2.8, 4.6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import MoveMemory, PutMemory, PutRow
from store.errors import (
    BadInput,
    NotPermitted,
    SecretFound,
)
from tests.store.world import add, again, fact, make, pref, put, text

SECRET = "the key is AKIAABCDEFGHIJKLMNOP, keep it"


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-12T09:00:00+02:00")
    return make(tmp_path)


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
    with pytest.raises(NotPermitted, match="only in the workbench"):
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
