"""Decisions in Review: with one key, in the files, the ledger and the history alike, and undone again."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from pipeline.extract.profile.rows import ProfileRow, profile_id, put_profile
from pipeline.extract.profile.rules import facts
from pipeline.review import queue, reject
from store import clock
from store.bank import Bank
from store.changes import Changeset, PutMemory
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.review_world import (
    CHINESE,
    EDIT,
    FACT,
    FORGET,
    NEW,
    PNPM,
    PORTO,
    files,
    go_to,
    paste,
    reasons,
    review,
    rows_of,
    shown,
)
from tests.tui.screen import press

pytestmark = pytest.mark.usefixtures("quick_rounds")


def _row(bank: Bank, table: str, name: str, words: str) -> dict[str, Any]:
    """The one row of a table whose field holds these words."""
    (row,) = [row for (where, _), row in rows_of(bank).items() if where == table and words in str(row[name])]
    return row


async def _undo_until(pilot: Any, ready: int) -> None:
    for left in range(ready - 3, ready + 1):
        text = await press(pilot, "u")
        assert f"[2 Review {left}]" in text and "Took back: " in text and "U redo" in text


async def _approve(pilot: Any, bank: Bank, before: Mapping[str, bytes]) -> None:
    """A fact is approved: one file more, its row covered by the person, one row of history."""
    await go_to(pilot, FACT)
    text = await press(pilot, "a")
    assert "Approved Production deploys are frozen." in text and "u undo" in text and "[2 Review 6]" in text
    made = files(bank.path).keys() - before.keys()
    assert len(made) == 1 and FACT in files(bank.path)[made.pop()].decode()
    gap = _row(bank, "gaps", "content", FACT)
    assert gap["state"] == "covered" and gap["coveredBy"] == "human"
    memory = bank.view().memories[gap["memory"]]
    assert memory.statement == FACT and memory.source == "memory_extract" and memory.evidence.count("#") == 2
    assert memory.type == "FACT" and memory.path.startswith("facts/")
    assert reasons(bank)[0].startswith("approve fact Production deploys are frozen")
    assert bank.history()[0].origin == "screen"


async def _edit(pilot: Any, bank: Bank) -> None:
    """A fact is approved in other words: the memory and the row say the new ones."""
    await go_to(pilot, CHINESE)
    await press(pilot, "e", "end")
    text = await press(pilot, *"并附链接", "ctrl+s")
    assert "Approved with another statement: 发布说明要先发中文." in text and "[2 Review 4]" in text
    edited = f"{CHINESE}并附链接"
    assert [one.statement for one in bank.view().live if CHINESE in one.statement] == [edited]
    gap = _row(bank, "gaps", "content", CHINESE)
    assert gap["edited"] is True and gap["content"] == edited


async def test_approve_edit_reject_and_undo_all_agree_in_files_ledger_and_history(demo: Bank, opened: Opened) -> None:
    root = demo.path
    before_files, before_rows, before_history = files(root), rows_of(demo), reasons(demo)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await _approve(pilot, demo, before_files)

        await go_to(pilot, PNPM)
        text = await press(pilot, "a")
        fact = _row(demo, "profile", "value", PNPM)
        assert fact["state"] == "confirmed" and demo.view().memories[fact["memory"]].owner == "kestrel"
        assert "[2 Review 5]" in text and len(files(root)) == len(before_files) + 2

        await _edit(pilot, demo)

        await go_to(pilot, NEW)
        text = await press(pilot, "r")
        assert "Rejected browser tests. It will not be proposed again." in text and "[2 Review 3]" in text
        row = _row(demo, "proposals", "state", "rejected")
        assert row["by"] == "kestrel" and len(files(root)) == len(before_files) + 3

        await _undo_until(pilot, 7)
        assert files(root) == before_files and rows_of(demo) == before_rows
        assert len(reasons(demo)) == len(before_history) + 8


async def test_an_approved_edit_of_an_agent_touches_only_the_lines_meant(demo: Bank, opened: Opened) -> None:
    (memory,) = [one for one in demo.view().live if one.subject == "CI"]
    before = (demo.path / memory.path).read_text().splitlines()
    async with opened(demo) as pilot:
        await press(pilot, "2")
        await go_to(pilot, EDIT)
        assert "Approved CI." in await press(pilot, "a")
    after = (demo.path / memory.path).read_text().splitlines()
    changed = {old.partition(":")[0] for old, new in zip(before, after, strict=True) if old != new}
    assert changed <= {"statement", "updated", memory.statement} and "statement" in changed
    assert demo.view().memories[memory.id].statement.endswith("since the browser tests are split")


async def test_an_approved_forget_moves_the_memory_to_the_trash(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FORGET)
        await press(pilot, "a")
        assert [memory.subject for memory in demo.view().trashed].count("旧办公室") == 1
        await press(pilot, "u")
        assert [memory.subject for memory in demo.view().live].count("旧办公室") == 1


async def test_undo_brings_the_proposal_back_under_the_cursor(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "r", "g")
        assert CHINESE not in shown(pilot)
        await press(pilot, "u")
        item = review(pilot).current_item()
        assert item is not None and item.statement == CHINESE


async def test_a_conflict_is_replaced_with_a(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PORTO)
        text = await press(pilot, "b")
        assert "Who you are has one value per field; approve this one to replace the other" in text
        assert len(shown(pilot)) == 7
        await press(pilot, "a")
    homes = {memory.statement: memory.state for memory in demo.view().memories.values() if memory.subject == "home"}
    assert homes == {"Mei lives in Lisbon": "trashed", "home: Porto": "live"}


async def test_a_preference_in_conflict_can_be_kept_beside_the_old_one(demo: Bank, opened: Opened) -> None:
    old = demo.commit(
        Changeset(
            [PutMemory(None, {"type": "PREF", "subject": "yarn", "statement": "I use yarn", "owner": "kestrel"})], "x"
        )
    ).ids[0]
    (pending,) = [one for one in queue(demo.view(), clock.millis()) if PNPM in one.statement]
    row = dict(demo.view().rows("profile")[pending.key])
    from store.changes import PutRow

    fields = {name: value for name, value in row.items() if not name.startswith("_")}
    confirmed = {**fields, "id": "profile:old", "value": "using: yarn", "state": "confirmed", "memory": old}
    demo.record([PutRow("profile", "profile:old", confirmed, rev=0)])
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, PNPM)
        assert "- PREF   yarn: I use yarn" in text and "a approve  b keep both" in text
        assert "Approved" in await press(pilot, "b")
    assert demo.view().memories[old].state == "live"
    assert any(PNPM in memory.statement for memory in demo.view().live)


async def test_three_presses_in_a_row_decide_about_three_and_the_rows_leave_with_the_key(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, real = threading.Event(), demo.commit

    def held(changeset: Changeset) -> Any:
        assert free.wait(30)
        return real(changeset)

    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        monkeypatch.setattr(demo, "commit", held)
        await pilot.press("r", "r", "r")
        await pilot.pause()
        assert len(shown(pilot)) == 4 and len(reasons(demo)) == 0
        free.set()
        await settle(pilot)
        assert len(shown(pilot)) == 4 and len(reasons(demo)) == 3


async def test_a_refusal_brings_the_row_back_and_says_why(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from store.errors import StorageFailure

    def full(_: Changeset) -> None:
        raise StorageFailure("There is no space left on the disk; nothing was changed.")

    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        monkeypatch.setattr(demo, "commit", full)
        text = await press(pilot, "a")
        assert "There is no space left on the disk; nothing was changed." in text
        item = review(pilot).current_item()
        assert item is not None and item.statement == CHINESE and "[2 Review 7]" in text


async def test_what_was_decided_elsewhere_meanwhile_is_said(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        monkeypatch.setattr(pilot.app, "follow_queue", lambda: None)
        item = review(pilot).current_item()
        assert item is not None
        demo.commit(reject(demo.view(), item))
        text = await press(pilot, "a")
        assert "发布说明要先发中文 was rejected already; nothing was changed." in text
        assert demo.view().rows("gaps")[item.key]["state"] == "rejected"


async def test_approving_all_like_this_asks_and_is_one_change(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        text = await press(pilot, "A")
        assert "Approve these 2 facts?" in text and "+ Production deploys are frozen" in text
        await press(pilot, "n")
        assert len(shown(pilot)) == 7
        await press(pilot, "A")
        text = await press(pilot, "y")
        assert "Approved 2 facts." in text and "[2 Review 5]" in text
        assert reasons(demo) == ["approve 2 facts"]
        made = {memory.statement for memory in demo.view().live}
        assert {FACT, CHINESE} <= made
        gaps = [row for (table, _), row in rows_of(demo).items() if table == "gaps" and row["covered"]]
        assert {demo.view().memories[row["memory"]].statement for row in gaps} == {FACT, CHINESE}
        assert "[2 Review 7]" in await press(pilot, "u")


async def test_whose_it_is_can_be_said_where_nobody_is_known_yet(make_bank: MakeBank, opened: Opened) -> None:
    """The list of names is empty in a new bank: the box says what to type."""
    bank = make_bank([])
    fact = facts("I prefer short answers in plain text.")[0]
    name = profile_id(fact.category, fact.field, fact.value)
    seen = clock.millis()
    row = ProfileRow(name, fact.category, fact.field, fact.value, 0.9, first_seen=seen, last_seen=seen, slot=fact.slot)
    bank.record([put_profile(row)])
    async with opened(bank, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await press(pilot, "a")
        assert "which agent does it belong to?" in text
        assert "type a name, for example the one you use with --as" in text
        assert "Approved" in await press(pilot, *"ana", "enter")


async def test_everything_marked_at_once_is_approved_only_after_a_question_that_counts_what_it_does(
    demo: Bank, opened: Opened
) -> None:
    """Among seven is one that replaces a confirmed value and one that forgets: `a` asks, and only `y` answers."""
    before = demo.view().revision
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2", "*")
        text = await press(pilot, "a")
        assert "Approve 7: 4 new, 1 changes, 1 replaces, 1 forgets?" in text
        assert text.index("- memory to forget") < text.index("- profile fact  home") < text.index("~ edit  CI")
        await press(pilot, "a", "A", "enter")
        assert demo.view().revision == before
        text = await press(pilot, "n")
        assert demo.view().revision == before and "7 marked" in text and len(shown(pilot)) == 7
        assert "Approved 7 proposals." in await press(pilot, "a", "y")
        assert reasons(demo) == ["approve 7 proposals"]


async def test_two_kinds_that_only_add_are_asked_about_too(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        for one in (PNPM, FACT):
            await go_to(pilot, one)
            await press(pilot, "space")
        assert "Approve 2: 2 new?" in await press(pilot, "a")
        assert "Approved 2 proposals." in await press(pilot, "y")


async def test_two_that_only_add_and_are_alike_are_approved_unasked(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        for one in (FACT, CHINESE):
            await go_to(pilot, one)
            await press(pilot, "space")
        assert "Approved 2 facts." in await press(pilot, "a")


async def test_marked_ones_are_decided_together(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await press(pilot, "space", "space")
        assert "2 marked" in text
        text = await press(pilot, "r")
        assert "Rejected 2 proposals." in text and "marked" not in text
        assert reasons(demo) == ["reject 2 proposals"] and len(shown(pilot)) == 5


async def test_a_reason_is_asked_for_and_kept(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        assert "Why not Production deploys are frozen?" in await press(pilot, "R")
        await press(pilot, "escape")
        assert len(shown(pilot)) == 7
        await press(pilot, "R")
        await press(pilot, *"only in May", "enter")
    assert reasons(demo)[0].endswith(": only in May")


async def test_what_was_put_off_or_rejected_can_be_brought_back(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        text = await press(pilot, "s")
        assert "Put off Production deploys are frozen. It comes back when something new is known." in text
        assert "+ 1 put off" in text and "[2 Review 6]" in text
        await go_to(pilot, FACT)
        assert "It is put off already; p brings it back." in await press(pilot, "s")
        assert "[2 Review 7]" in await press(pilot, "p")
        await go_to(pilot, FACT)
        await press(pilot, "r")
        text = await press(pilot, "T")
        assert " 1 proposal rejected or put away" in text and shown(pilot) == [FACT]
        assert "It was rejected; p brings it back first." in await press(pilot, "a")
        text = await press(pilot, "p")
        assert "Brought back Production deploys are frozen." in text and "Nothing was rejected or put away." in text
        await press(pilot, "T", "enter")
        assert FACT in [*shown(pilot), *(one.statement for one in queue(demo.view(), clock.millis()))]


async def test_a_private_memory_without_owner_asks_whose_and_offers_the_answer_next_time(
    demo: Bank, opened: Opened
) -> None:
    from store.changes import PutRow

    for key, row in demo.view().rows("profile").items():
        demo.record([PutRow("profile", key, {"owner": None}, rev=row["_rev"])])
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, PNPM)
        assert "private, owner to be chosen" in text
        text = await press(pilot, "a")
        assert "which agent does it belong to?" in text and "kestrel" in text and "wren" in text
        await press(pilot, "escape")
        assert len(shown(pilot)) == 7
        await press(pilot, "a")
        assert "'a/b' cannot be an owner" in await press(pilot, *"a/b", "enter")
        await press(pilot, "backspace", "backspace", "backspace", *"heron")
        text = await press(pilot, "enter")
        assert "Approved" in text
        (memory,) = [one for one in demo.view().live if PNPM in one.statement]
        assert memory.owner == "heron" and memory.path.startswith("private/heron/prefs/")
        await go_to(pilot, PORTO)
        await press(pilot, "a")
        await press(pilot, "enter")
    (home,) = [one for one in demo.view().live if one.subject == "home"]
    assert home.owner == "heron"


async def test_own_words_that_look_like_a_secret_ask_first(demo: Bank, opened: Opened) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "e", "end")
        await paste(pilot, f" {secret}")
        text = await press(pilot, "ctrl+s")
        assert "Your text looks like it holds a secret" in text
        assert "Nothing was decided." in await press(pilot, "n")
        assert len(shown(pilot)) == 7 and not any(secret in memory.statement for memory in demo.view().live)
        await press(pilot, "e", "end")
        await paste(pilot, f" {secret}")
        await press(pilot, "ctrl+s")
        assert "Approved with another statement:" in await press(pilot, "y")
    assert any(secret in memory.statement for memory in demo.view().live)


async def test_an_empty_form_is_not_approved(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "e", "end", "ctrl+u")
        assert "There is no text left to remember" in await press(pilot, "ctrl+s")
