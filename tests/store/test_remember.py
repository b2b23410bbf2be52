"""Remembering: checks in their order, the window in which the same words are the same memory (`spec/bank.md` §7)."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.errors import BadInput, NotPermitted
from store.remember import find_duplicate, remember, type_hint
from tests.store.world import again, make, text

TODAY = date(2026, 10, 12)


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    monkeypatch.setenv("MEMDESK_NOW", "2026-10-12T09:00:00+00:00")
    return make(tmp_path)


def say(bank: Bank, statement: str = "green, 80 C", today: date = TODAY, **fields: Any) -> Any:
    named = {"type": "FACT", "subject": "tea", "statement": statement, **fields}
    return bank.commit(remember(bank.view(), named, today))


def place(bank: Bank, path: str, **fields: str) -> None:
    target = bank.path / path
    target.parent.mkdir(parents=True, exist_ok=True)
    named = {"type": "FACT", "subject": "tea", "statement": "green, 80 C", "scope": "public", **fields}
    lines = "".join(f"{key}: {value}\n" for key, value in named.items())
    target.write_text(f"---\n{lines}---\n{named['statement']}\n")


def test_the_same_words_in_the_same_month_update_the_memory_that_has_them(bank: Bank) -> None:
    place(
        bank,
        "facts/2026/10/2026-10-03-0001.md",
        created="2026-10-03",
        updated="2026-10-03",
        weight="1.4",
        access_count="2",
    )
    bank.refresh()
    committed = say(bank, source="chat", weight=1.2)
    assert committed.ids == ("facts/2026/10/2026-10-03-0001.md",)
    memory = bank.view().live[0]
    assert (memory.updated, memory.created, memory.source, memory.weight) == ("2026-10-12", "2026-10-03", "chat", 1.4)
    assert memory.access_count == 2
    say(bank, source="mail", weight=2)
    memory = bank.view().live[0]
    assert (memory.source, memory.weight) == ("chat", 2)
    assert len(bank.view().live) == 1


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("facts/2026/10/2026-10-03-0001.md", True),
        ("facts/2026/10/deeper/2026-10-03-0001.md", True),
        ("facts/2026/2026-10-03-0001.md", True),
        ("facts/2026-01-03-0001.md", True),
        ("facts/2026/09/2026-09-03-0001.md", False),
        ("facts/2025/10/2025-10-03-0001.md", False),
        ("facts/2025/2025-10-03-0001.md", False),
        ("facts/distills/2026-10-03-0001.md", False),
        (".archive/facts/2026/10/2026-10-03-0001.md", False),
    ],
)
def test_the_window_is_this_month_and_loose_files_of_this_year_and_of_the_type(
    bank: Bank, path: str, same: bool
) -> None:
    place(bank, path)
    bank.refresh()
    committed = say(bank)
    assert (committed.files[0].path_before is not None) == same


def test_another_statement_type_or_owner_is_another_memory(bank: Bank) -> None:
    say(bank)
    say(bank, "black")
    say(bank, type="PREF", owner="aria")
    say(bank, type="PREF", owner="lan")
    say(bank, type="COMMIT", owner="lan")
    assert len(bank.view().live) == 5
    assert len({memory.path.rpartition("/")[0] for memory in bank.view().live}) == 4


@pytest.mark.parametrize("statement", ['say "hi"', "two\nlines", '"quoted"', "'q'", "  spaced  ", "a\r\nb", "备份"])
def test_awkward_texts_are_recognised_again(tmp_path: Path, bank: Bank, statement: str) -> None:
    """bank-D05."""
    say(bank, statement)
    bank = again(tmp_path)
    say(bank, statement)
    assert len(bank.view().live) == 1


def test_a_protected_memory_is_left_as_it_is(bank: Bank) -> None:
    place(bank, "facts/2026/10/2026-10-03-0001.md", immutable="true", updated="2026-10-03")
    bank.refresh()
    before = text(bank, "facts/2026/10/2026-10-03-0001.md")
    assert say(bank).number == 0
    assert text(bank, "facts/2026/10/2026-10-03-0001.md") == before


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "WISH", "statement": ""}, "no type"),
        ({"statement": " \n", "subject": ""}, "statement is empty"),
        ({"subject": "  "}, "subject is empty"),
        ({"type": "PREF"}, "needs an owner"),
        ({"type": "PREF", "owner": "a/b"}, "needs an owner"),
        ({"scope": "private"}, "always public"),
        ({"type": "BOUND", "owner": "a", "scope": "public"}, "always private"),
    ],
)
def test_what_cannot_be_remembered_is_refused_in_the_order_of_the_checks(
    bank: Bank, fields: dict[str, str], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        say(bank, **fields)


def test_an_agent_remembers_in_its_own_name(bank: Bank) -> None:
    fields = {"type": "PREF", "subject": "tea", "statement": "green"}
    change = remember(bank.view(), fields, TODAY, agent="aria").changes[0]
    assert change.fields["owner"] == "aria"  # type: ignore[union-attr]
    with pytest.raises(NotPermitted, match="in the name of lan"):
        remember(bank.view(), {**fields, "owner": "lan"}, TODAY, agent="aria")


def test_a_duplicate_is_found_among_many_without_a_look_at_each(bank: Bank) -> None:
    from store.memory import Memory
    from store.view import View

    def at(n: int) -> Memory:
        path = f"facts/2026/10/2026-10-01-{n:04d}.md"
        return Memory(path, path, "", subject=f"s{n}", statement="x", ordinal=n)

    view = View.of(at(n) for n in range(3000))
    assert find_duplicate(view, {"type": "FACT", "subject": "s1234", "statement": "x"}, TODAY) == at(1234)
    assert find_duplicate(view, {"type": "FACT", "subject": "none", "statement": "x"}, TODAY) is None
    changed = View(
        view.memories.with_changes({at(7).path: Memory(at(7).path, at(7).path, "", subject="new", statement="x")})
    )
    assert find_duplicate(changed, {"type": "FACT", "subject": "s7", "statement": "x"}, TODAY) is None
    assert find_duplicate(changed, {"type": "FACT", "subject": "new", "statement": "x"}, TODAY) is not None


def test_a_fact_that_sounds_like_a_preference_gets_a_hint_and_is_stored_all_the_same(bank: Bank) -> None:
    assert "PREF" in type_hint("FACT", "用户喜欢绿茶")
    assert type_hint("PREF", "用户喜欢绿茶") == ""
    assert type_hint("FACT", "the user likes green tea") == ""
    assert say(bank, "用户喜欢绿茶").number == 1
