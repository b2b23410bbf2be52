"""The Review screen: every decision with one key, in the files, the ledger and the history alike, and undone again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.review import queue, reject
from store import clock
from store.bank import Bank
from store.changes import Changeset, PutMemory
from tests.tui.conftest import Opened, settle
from tests.tui.review_world import (
    CHINESE,
    EDIT,
    FACT,
    FORGET,
    NEW,
    ONCE,
    PNPM,
    PORTO,
    files,
    go_to,
    place_of,
    press,
    review,
    rows_of,
    shown,
)
from tests.tui.screen import screen_text
from tui.demo.build import build_demo


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The demo's bank with eight waiting proposals."""
    monkeypatch.setattr("tui.screens.review_look.INSPECT_AFTER", 0.001)
    bank = build_demo(tmp_path / "demo")
    yield bank
    bank.close()


def _history(bank: Bank) -> list[str]:
    return [change.reason for change in bank.history()]


# --- looking


async def test_wide_the_queue_stands_beside_the_proposal_with_its_words(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        text = await press(pilot, "2")
        assert "[2 Review 7]" in text.splitlines()[0]
        assert " 7 ready   2 facts, 1 edit, 1 new memory, 1 memory to forget, 1 profile fact, 1 conflict" in text
        assert "+ 1 seen once" in text
        text = await go_to(pilot, PORTO)
        assert "PROPOSED   PREF   home   profile   private to kestrel   confidence 0.90" in text
        assert "EVIDENCE   session 6c0d9a41, event 3, typed by you, 21 Nov" in text
        assert "2  agent  Moved to Thursday 14:00." in text
        assert "3  you    » I live in Porto «, so my mornings start an hour later, on the train." in text
        assert "4  agent  Understood." in text
        assert "- PREF   home: Mei lives in Lisbon   in the bank since" in text
        assert "+ PREF   home: Porto" in text
        assert "+ the quote is in the source, word for word" in text
        assert "+ typed by you, not by a tool, a document or a summary" in text
        assert "! contradicts 2026-05-14-0001, which is live" in text
        assert "+ no secret found" in text


async def test_narrow_one_proposal_at_a_time_and_j_goes_on(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        text = await press(pilot, "2")
        assert " 1 of 7   edit, by kestrel" in text and "PROPOSED to edit by kestrel" in text
        assert NEW not in text
        text = await press(pilot, "j")
        assert " 2 of 7   new memory, by kestrel" in text and NEW in text
        text = await press(pilot, "escape")
        assert ">  new      browser tests" in text and "PROPOSED" not in text
        text = await press(pilot, "j", "enter")
        assert " 3 of 7   memory to forget, by wren" in text


async def test_the_order_is_ready_then_conflicts_and_what_was_seen_once_is_folded(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        assert [FACT in one for one in shown(pilot)].count(True) == 1
        assert PORTO in shown(pilot)[-1] and len(shown(pilot)) == 7
        text = await press(pilot, "G")
        assert "1 fact was seen in one session only." in text and "enter  shows it" in text
        assert "These are 1 seen once; enter shows them." in await press(pilot, "a")
        text = await press(pilot, "enter")
        assert "- 1 seen once" in text and shown(pilot)[-1] == ONCE
        text = await press(pilot, "j")
        assert "1 of 2 sessions" in text and "waits until 19 Feb 2027" in text


async def test_agents_proposals_say_who_why_and_what_would_change(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, EDIT)
        assert "PROPOSED to edit by kestrel   FACT   CI   public" in text
        assert "WHY        the job now takes four minutes" in text
        assert "- statement: CI is Forgejo Actions; a full run takes about six minutes" in text
        assert "+ statement: CI is Forgejo Actions; a full run takes about four minutes" in text
        assert "? no words of yours support it, kestrel says so" in text
        text = await go_to(pilot, FORGET)
        assert "PROPOSED to forget by wren" in text and "WHY        the office was given up in spring" in text
        assert "- FACT   旧办公室在阿尔坎塔拉，电梯经常坏   to the trash, in the bank since 13 Feb 2025" in text
        assert "There is no text in it to edit." in await press(pilot, "e")
        assert "No words of a transcript stand behind it." in await press(pilot, "o")


async def test_a_gone_transcript_leaves_the_quote_and_says_so(demo: Bank, opened: Opened, tmp_path: Path) -> None:
    for path in (tmp_path / "demo" / "claude").rglob("*.jsonl"):
        path.unlink()
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, CHINESE)
        assert "» 记住：发布说明要先发中文，再发英文。 «" in text and "agent" not in text.split("EVIDENCE")[1]
        assert "? the quote cannot be looked up: the transcript is not there any more" in text
        text = await press(pilot, "o")
        assert "The transcript is not there any more; it was" in text
        assert "[2 Review 7]" in await press(pilot, "escape")


# --- deciding


async def test_approve_edit_reject_and_undo_all_agree_in_files_ledger_and_history(demo: Bank, opened: Opened) -> None:
    root = demo.path
    before_files, before_rows, before_history = files(root), rows_of(demo), _history(demo)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")

        await go_to(pilot, FACT)
        text = await press(pilot, "a")
        assert "Approved Production deploys are frozen." in text and "u undo" in text and "[2 Review 6]" in text
        made = files(root).keys() - before_files.keys()
        assert len(made) == 1 and FACT in files(root)[made.pop()].decode()
        (gap,) = [row for (table, _), row in rows_of(demo).items() if table == "gaps" and row["content"] == FACT]
        assert gap["state"] == "covered" and gap["coveredBy"] == "human"
        memory = demo.view().memories[gap["memory"]]
        assert memory.statement == FACT and memory.source == "memory_extract" and memory.evidence.count("#") == 2
        assert memory.type == "FACT" and memory.path.startswith("facts/")
        assert _history(demo)[0].startswith("approve fact gap_") and demo.history()[0].origin == "screen"

        await go_to(pilot, PNPM)
        text = await press(pilot, "a")
        (fact,) = [row for (table, _), row in rows_of(demo).items() if table == "profile" and PNPM in row["value"]]
        assert fact["state"] == "confirmed" and demo.view().memories[fact["memory"]].owner == "kestrel"
        assert "[2 Review 5]" in text and len(files(root)) == len(before_files) + 2

        await go_to(pilot, CHINESE)
        await press(pilot, "e", "end")
        text = await press(pilot, *"并附链接", "ctrl+s")
        assert "Approved with another statement: 发布说明要先发中文." in text and "[2 Review 4]" in text
        edited = f"{CHINESE}并附链接"
        assert [one.statement for one in demo.view().live if CHINESE in one.statement] == [edited]
        (gap,) = [row for (table, _), row in rows_of(demo).items() if table == "gaps" and CHINESE in row["content"]]
        assert gap["edited"] is True and gap["content"] == edited

        await go_to(pilot, NEW)
        text = await press(pilot, "r")
        assert "Rejected browser tests. It will not be proposed again." in text and "[2 Review 3]" in text
        (row,) = [
            row for (table, _), row in rows_of(demo).items() if table == "proposals" and row["state"] == "rejected"
        ]
        assert row["by"] == "kestrel" and len(files(root)) == len(before_files) + 3

        for left in (4, 5, 6, 7):
            text = await press(pilot, "u")
            assert f"[2 Review {left}]" in text and "Took back: " in text and "U redo" in text
        assert files(root) == before_files and rows_of(demo) == before_rows
        assert len(_history(demo)) == len(before_history) + 8


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
        assert len(shown(pilot)) == 4 and len(_history(demo)) == 0
        free.set()
        await settle(pilot)
        assert len(shown(pilot)) == 4 and len(_history(demo)) == 3


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
        assert "This was decided in the meantime; look at the queue again." in text
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
        assert _history(demo) == ["approve 2 facts"]
        made = {memory.statement for memory in demo.view().live}
        assert {FACT, CHINESE} <= made
        gaps = [row for (table, _), row in rows_of(demo).items() if table == "gaps" and row["covered"]]
        assert {demo.view().memories[row["memory"]].statement for row in gaps} == {FACT, CHINESE}
        assert "[2 Review 7]" in await press(pilot, "u")


async def test_marked_ones_are_decided_together(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await press(pilot, "space", "space")
        assert "2 marked" in text
        text = await press(pilot, "r")
        assert "Rejected 2 proposals." in text and "marked" not in text
        assert _history(demo) == ["reject 2 proposals"] and len(shown(pilot)) == 5


async def test_a_reason_is_asked_for_and_kept(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        assert "Why not Production deploys are frozen?" in await press(pilot, "R")
        await press(pilot, "escape")
        assert len(shown(pilot)) == 7
        await press(pilot, "R")
        await press(pilot, *"only in May", "enter")
    assert _history(demo)[0].endswith(": only in May")


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
        text = await press(pilot, "space", *secret, "ctrl+s")
        assert "Your text looks like it holds a secret" in text
        assert "Nothing was decided." in await press(pilot, "n")
        assert len(shown(pilot)) == 7 and not any(secret in memory.statement for memory in demo.view().live)
        await press(pilot, "e", "end")
        await press(pilot, "space", *secret, "ctrl+s")
        assert "Approved with another statement:" in await press(pilot, "y")
    assert any(secret in memory.statement for memory in demo.view().live)


async def test_an_empty_form_is_not_approved(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "e", "end", "ctrl+u")
        assert "There is no text left to remember" in await press(pilot, "ctrl+s")


# --- the source


async def test_the_source_opens_at_the_place_with_every_author_named(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PORTO)
        text = await press(pilot, "o")
        assert "turn 3 of 8   1 turn with quoted words" in text
        assert "» I live in Porto «, so my mornings start an hour later, on the train." in text
        assert "3  you, typed   21 Nov" in text and "4  agent" in text
        assert "turn 1 of 8" in await press(pilot, "g")
        assert "turn 3 of 8" in await press(pilot, "n")
        text = await press(pilot, "escape")
        assert "[2 Review 7]" in text
        item = review(pilot).current_item()
        assert item is not None and PORTO in item.statement


async def test_with_two_transcripts_it_is_asked_which(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, FACT)
        assert "also session 5b1f0c2e, event 7, typed by you" in text
        text = await press(pilot, "o")
        assert "Which transcript?" in text and "5b1f0c2e" in text
        text = await press(pilot, "down", "enter")
        assert "tool" in text and "importer: ok, 4120 trips" in text and "injected" in text


# --- narrowing, copying, states


async def test_searching_and_one_kind_narrow_the_queue(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await press(pilot, "/", *"friday")
        assert shown(pilot) == [FACT]
        await press(pilot, "enter", "escape")
        assert len(shown(pilot)) == 7
        text = await press(pilot, "t")
        assert "kind edit" in text and len(shown(pilot)) == 1
        text = await press(pilot, "/", *"zzz")
        assert "Nothing that waits matches 'zzz'." in text
        await press(pilot, "escape", "escape", "escape")
        assert len(shown(pilot)) == 7


async def test_copying_text_and_json(demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "1")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        await press(pilot, "y")
        assert pilot.app.clipboard == FACT
        await press(pilot, "Y")
        (proposal,) = json.loads(pilot.app.clipboard)["proposals"]
        assert proposal["content"] == FACT and proposal["state"] == "ready" and len(proposal["evidence"]) == 2


async def test_read_only_looks_but_decides_nothing(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40), read_only=True) as pilot:
        await press(pilot, "2")
        for key in ("a", "A", "b", "r", "R", "s", "e", "p"):
            assert "opened with --read-only" in await press(pilot, key)
        assert len(shown(pilot)) == 7
    assert _history(demo) == []


async def test_when_nothing_waits_it_says_when_the_last_run_was(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2", "G", "enter")
        await press(pilot, "*", "r")
        text = screen_text(pilot.app)
        assert "Nothing waits." in text and "2 sessions were read, the last one 27 Nov." in text
        assert "T  look at what was rejected (8)" in text and "[2 Review]" in text
        assert "Nothing waits here." in await press(pilot, "a")


async def test_a_bank_without_sessions_says_how_to_begin(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        text = await press(pilot, "2")
        assert "Nothing waits." in text and "No session was read yet" in text


async def test_the_count_stands_in_the_header_of_every_screen(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.bench.QUEUE_AFTER", 0.001)
    async with opened(demo) as pilot:
        assert "2 Review 7" in (await press(pilot)).splitlines()[0]
        (item, *_) = queue(demo.view(), clock.millis())
        demo.commit(reject(demo.view(), item))
        assert "2 Review 6" in (await press(pilot)).splitlines()[0]


async def test_text_from_outside_is_shown_and_never_acts(demo: Bank, opened: Opened) -> None:
    from pipeline.review import propose

    hostile = "[@click=app.quit]x[/] \x1b[2J\x07 \u202eevil [red]y"
    fields = {"type": "FACT", "subject": "odd [b]", "statement": hostile}
    filed = propose(demo.view(), [PutMemory(None, fields)], "kes\x1b[1mtrel", f"because {hostile}", 1, agent=False)
    demo.record(filed.rows)
    for size in ((140, 40), (80, 24)):
        async with opened(demo, size=size) as pilot:
            await press(pilot, "2")
            text = await go_to(pilot, "[@click=app.quit]x[/]")
            assert "[@click=app.quit]x[/]" in text and "WHY        because" in text
            assert "\x1b" not in text and "\u202e" not in text and "\x07" not in text
            await pilot.click(offset=(70, 8))
            await press(pilot, "e", "escape", "R", "escape", "A", "n", "?", "escape", "/", "escape")
            assert pilot.app.is_running


async def test_cursor_and_place_survive_other_sizes(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        for size in ((39, 9), (80, 24), (60, 12), (140, 40)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            item = review(pilot).current_item()
            assert item is not None and item.statement == FACT
        text = await press(pilot, "r")
        assert "Rejected Production deploys are frozen." in text


async def test_without_colour_every_sign_has_its_word(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        text = await go_to(pilot, PORTO)
        assert ">! conflict home: Porto" in text and "» I live in Porto «" in text
        colours = {
            part.style.color.name
            for strip in pilot.app.screen._compositor.render_strips()
            for part in strip
            if part.style and part.style.color and not part.style.color.is_default
        }
        assert colours <= {"default"}


async def test_pasted_text_is_searched_for_and_never_decides(demo: Bank, opened: Opened) -> None:
    from textual import events

    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        pilot.app.post_message(events.Paste("arq"))
        await settle(pilot)
        assert review(pilot).query_box.text == "arq" and _history(demo) == []
        assert place_of(review(pilot).listed, FACT) is None
