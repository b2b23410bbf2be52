"""The Review screen: what is shown of a proposal, its source at the place, and every state of the queue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.review import queue, reject
from store import clock
from store.bank import Bank
from store.changes import PutMemory
from tests.tui.conftest import Opened, settle
from tests.tui.review_world import (
    CHINESE,
    EDIT,
    FACT,
    FORGET,
    NEW,
    ONCE,
    PORTO,
    go_to,
    place_of,
    proposal,
    reasons,
    review,
    shown,
)
from tests.tui.screen import press, screen_text
from tui.screens.transcript_rows import TranscriptRows
from tui.widgets.rows import Rows

pytestmark = pytest.mark.usefixtures("quick_rounds")

# --- looking


async def test_wide_the_queue_stands_beside_the_proposal_with_its_words(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        text = await press(pilot, "2")
        assert "[2 Review 7]" in text.splitlines()[0]
        assert " 7 ready   2 facts, 1 profile fact, 1 new memory, 1 edit, 1 memory to forget, 1 conflict" in text
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
        assert "! contradicts PREF home of kestrel, which is live" in text
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
        assert "1 of 2 sessions" in text
        assert (
            "NOT YET said in 1 of 2 sessions: it waits for one more session, else it is put away on 19 Feb 2027"
            in proposal(pilot)
        )


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


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_another_line_of_the_source_is_remembered_and_waits_in_the_queue(
    demo: Bank, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(demo, size=size) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PORTO)
        assert "m remember this line" in await press(pilot, "o")
        rows = pilot.app.screen.query_one(Rows)
        assert isinstance(rows.source, TranscriptRows)
        said = next(one for one in rows.source.lines if "ship job" in str(one.pieces))
        rows.cursor = rows.source.lines.index(said)
        text = await press(pilot, "m")
        assert "Waits for review: Can you move the ship job to Thursday?" in text
        await press(pilot, "escape")
        assert "[2 Review 8]" in await press(pilot)
        item = next(one for one in queue(demo.view(), clock.millis()) if "ship job" in one.statement)
        assert (item.state, item.reason) == ("ready", "you asked to remember it")
        assert "[2 Review 7]" in await press(pilot, "u")


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
    assert reasons(demo) == []


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
        assert review(pilot).query_box.text == "arq" and reasons(demo) == []
        assert place_of(review(pilot).listed, FACT) is None
