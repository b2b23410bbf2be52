"""A session of fifty proposals is worked through by keyboard: one key each, and all of it can be taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pipeline.review import Waiting, approve, postpone, queue, reject
from store import clock
from store.bank import Bank
from store.changes import Changeset
from store.memory import Memory
from store.view import View
from tests.tui.conftest import Opened
from tests.tui.review_fifty import FIFTY, HELD, RULE, THERE, Planned, make_bank
from tests.tui.review_world import proposal, reasons, review, rows_of
from tests.tui.screen import press
from tui.screens.review_rows import Fold

pytestmark = pytest.mark.usefixtures("quick_rounds")

VERBS = {"a": "approve", "b": "approve", "r": "reject", "s": "postpone"}
DECIDE: Mapping[str, Callable[[View, Waiting], Changeset]] = {
    "a": approve,
    "b": partial(approve, keep_both=True),
    "r": reject,
    "s": postpone,
}
"""What the keys do."""
NEW = ("ready", "open", "remember", "insight")


@pytest.fixture
def fifty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The bank with fifty proposals."""
    monkeypatch.setattr("tui.screens.review_look.INSPECT_AFTER", 0.001)
    bank = make_bank(tmp_path)
    yield bank
    bank.close()


def whole(root: Path) -> Mapping[str, bytes]:
    """Every file of the bank but the ledger's own."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and ".memdesk" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def planned(item: Waiting) -> Planned:
    """What is decided about a proposal."""
    (found,) = [
        one
        for one in FIFTY
        if item.statement in (one.text, f"{one.subject.partition('/')[2]}: {one.text}")
        or (one.kind == "forget" == item.kind and item.fields["subject"] == one.subject)
    ]
    return found


def decide_all(bank: Bank) -> None:
    """The same fifty decisions without a screen, each a change of its own."""
    while waiting := queue(bank.view(), clock.millis()):
        bank.commit(DECIDE[planned(waiting[0]).key](bank.view(), waiting[0]))


async def work_through(pilot: Any) -> list[Planned]:
    """Press one key for each proposal, from the first to the last; what each came to is seen at once."""
    decided = []
    while len(decided) < len(FIFTY):
        row = review(pilot).listed.at(review(pilot).rows.cursor)
        if isinstance(row, Fold):
            assert row.id == "fold:once" and row.number == 6
            await press(pilot, "enter", "j")
        item = review(pilot).current_item()
        assert item is not None
        one = planned(item)
        if one.kind not in ("edit", "forget", "remember"):
            assert f"» {one.text} «" in proposal(pilot)
        before = review(pilot).listed.proposals
        await pilot.press(one.key)
        assert review(pilot).listed.proposals == before - 1 or one.key == "s", "the row leaves with the key"
        decided.append(one)
        text = await press(pilot)
        assert "u undo" in text, text
    return decided


async def test_fifty_proposals_are_worked_through_with_one_key_each(fifty: Bank, opened: Opened) -> None:
    began = len(reasons(fifty))
    async with opened(fifty, size=(110, 22)) as pilot:
        text = await press(pilot, "2")
        assert "[2 Review 44]" in text
        decided = await work_through(pilot)
        assert sorted(one.text for one in decided) == sorted(one.text for one in FIFTY)
        text = await press(pilot)
        assert "[2 Review]" in text and "5 put off" in text and review(pilot).listed.proposals == 0

        _check_memories(fifty)
        _check_settings(fifty)
        _check_ledger(fifty)
        _check_history(fifty, decided, began)
        await press(pilot, "u", "u", "u")
        back = {planned(item).text for item in queue(fifty.view(), clock.millis())}
        assert back == {one.text for one in decided[-3:]} and len(reasons(fifty)) == began + 53


@pytest.mark.parametrize("key", ["u", "U"])
async def test_fifty_decisions_are_taken_back_and_done_again_with_one_key_each(
    fifty: Bank, opened: Opened, key: str
) -> None:
    there = whole(fifty.path), rows_of(fifty)
    began = len(reasons(fifty))
    decide_all(fifty)
    _check_memories(fifty)
    _check_ledger(fifty)
    made = whole(fifty.path), rows_of(fifty)
    if key == "U":
        for _ in FIFTY:
            fifty.undo(origin="screen")
    async with opened(fifty, size=(110, 22)) as pilot:
        await press(pilot, "2")
        text = await press(pilot, *[key] * 50)
        assert (whole(fifty.path), rows_of(fifty)) == (there if key == "u" else made)
        assert ("[2 Review 44]" if key == "u" else "[2 Review]") in text
    assert len(reasons(fifty)) == began + (100 if key == "u" else 150)


async def test_one_proposal_at_a_time_in_a_small_window_comes_to_the_same(fifty: Bank, opened: Opened) -> None:
    began = len(reasons(fifty))
    async with opened(fifty, size=(80, 24)) as pilot:
        await press(pilot, "2")
        decided = await work_through(pilot)
    _check_memories(fifty)
    _check_ledger(fifty)
    _check_history(fifty, decided, began)


def _live(bank: Bank) -> dict[str, Memory]:
    return {memory.statement: memory for memory in bank.view().live}


def _check_memories(bank: Bank) -> None:
    """What was approved is there once, the rest is not; what was replaced or forgotten is in the trash."""
    live = _live(bank)
    kept = {one.text for one in FIFTY if one.kind in NEW and one.key == "a"}
    about = {f"{one.subject.partition('/')[2]}: {one.text}" for one in FIFTY if "/" in one.subject and one.key in "ab"}
    edited = {one.text for one in FIFTY if one.kind == "edit" and one.key == "a"}
    replaced = {"CI", "retro", "old office", "VPN"}
    there = {said for name, said in THERE.items() if name not in replaced}
    held = {f"{name.partition('/')[2]}: {value}" for name, value in HELD.items() if name.startswith("preference")}
    assert set(live) == kept | about | edited | there | held
    assert len(bank.view().live) == len(live), "nothing is there twice"
    trashed = {memory.statement for memory in bank.view().trashed}
    assert trashed == {THERE["old office"], THERE["VPN"], "home: Lisbon", "name: Ana"}
    for text in kept - {"The office is in Lisbon"}:
        expected = "insight" if text.startswith("Questions") else ""
        assert live[text].label == expected and live[text].scope == "public"
    assert {memory.owner for memory in live.values() if memory.type == "PREF"} == {"ana"}
    assert "#" in live["Kenji owns the billing tables"].evidence


def _check_settings(bank: Bank) -> None:
    """One suggestion was kept beside the rule that is there, the other one is a new file."""
    files = bank.view().setting_files
    assert set(files) == {RULE, "settings/rules/brevity-2.md", "settings/rules/migrations.md"}
    assert files[RULE].body.strip() == "Answer briefly."
    assert files["settings/rules/brevity-2.md"].body.strip() == "Answer in one paragraph unless asked for more."


def _check_ledger(bank: Bank) -> None:
    rows = rows_of(bank)
    gaps = Counter(row["state"] for (table, _), row in rows.items() if table == "gaps")
    assert gaps == {"covered": 13, "rejected": 6, "ready": 2, "open": 1}
    by = Counter(row.get("coveredBy") for (table, _), row in rows.items() if table == "gaps")
    assert by == {"human": 12, "bank": 1, None: 9}
    facts = Counter(row["state"] for (table, _), row in rows.items() if table == "profile")
    assert facts == {"confirmed": 11, "rejected": 2, "pending": 1, "superseded": 2}
    proposals = Counter(row["state"] for (table, _), row in rows.items() if table == "proposals")
    assert proposals == {"approved": 10, "rejected": 5, "postponed": 1}
    stones = [row for (table, _), row in rows.items() if table == "tombstones"]
    assert Counter(row["why"] for row in stones)["rejected"] == 6


def _check_history(bank: Bank, decided: list[Planned], began: int) -> None:
    """One row of history for each key, newest first, by its verb, from the screen."""
    history = bank.history()[: len(decided)]
    assert len(reasons(bank)) == began + 50
    assert {change.origin for change in history} == {"screen"}
    assert [change.reason.split()[0] for change in reversed(history)] == [VERBS[one.key] for one in decided]
