"""Facts in Review: merged and parted, reworded, put off until a day, given more time, put away; and all taken back."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from pipeline.review import find, queue, reject
from store import clock
from store.bank import Bank
from store.changes import Changeset, PutMemory
from tests.tui.conftest import Opened, settle
from tests.tui.review_world import (
    CHINESE,
    FACT,
    NEW,
    ONCE,
    PNPM,
    files,
    go_to,
    proposal,
    reasons,
    review,
    rows_of,
    shown,
)
from tests.tui.screen import press

pytestmark = pytest.mark.usefixtures("quick_rounds")

ALIKE = "Deploys to production are frozen on every Friday"


def add(
    bank: Bank, content: str, *sessions: str, state: Any = "open", project: str = "ferrytime", secret: bool = False
) -> str:
    """A waiting fact; the key of its row."""
    now = clock.millis()
    seen = tuple(Sighting(name, now - 86_400_000, "memory_x", "offline") for name in sessions)
    gap = Gap(gap_id(content), project, content, state, seen, updated_at=now)
    if secret:  # as an older version may have left it
        bank.commit(Changeset([put_gap(gap)], "left over", allow_secrets=True))
    else:
        bank.record([put_gap(gap)])
    return gap.key


def gaps(bank: Bank) -> dict[str, dict[str, Any]]:
    return {str(row["content"]): row for (table, _), row in rows_of(bank).items() if table == "gaps"}


# --- merging and parting


async def test_m_offers_what_resembles_first_and_merging_is_one_change(demo: Bank, opened: Opened) -> None:
    add(demo, ALIKE, "codex/s-9")
    before = rows_of(demo)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, ALIKE)
        assert "waits too" in proposal(pilot)
        text = await press(pilot, "m")
        assert "what says the same?" in text
        offered = [line for line in text.splitlines() if "▌" in line and "waits too" in line]
        assert "Production deploys are frozen on Fridays" in offered[0] and "alike, waits too" in offered[0]
        text = await press(pilot, "enter")
        assert "Merged into Production deploys are frozen:" in text and "u undo" in text
        assert ALIKE not in shown(pilot)
        row = gaps(demo)[FACT]
        assert gap_id(ALIKE) in row["aliases"] and row["state"] == "ready" and ALIKE not in gaps(demo)
        assert {seen["sessionId"] for seen in row["sightings"]} >= {"codex/s-9"}
        assert reasons(demo)[0] == "merge fact Deploys to production into fact Production deploys are frozen"

        await go_to(pilot, FACT)
        text = await press(pilot, "d")
        assert "Split Deploys to production are frozen on every Friday off Production deploys are frozen." in text
        assert set(gaps(demo)) >= {FACT, ALIKE} and gaps(demo)[ALIKE]["state"] == "open"
        assert "Nothing was merged into it." in await press(pilot, "d")
        await press(pilot, "u", "u")
        assert rows_of(demo) == before


async def test_two_marked_facts_are_merged_under_the_wording_that_is_chosen(demo: Bank, opened: Opened) -> None:
    add(demo, ALIKE, "codex/s-9", state="ready")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        for words in (FACT, ALIKE):
            await go_to(pilot, words)
            await press(pilot, "space")
        text = await press(pilot, "m")
        assert "These two are one fact: which wording stays?" in text
        await press(pilot, *"every", "enter")
        assert FACT not in gaps(demo) and gap_id(FACT) in gaps(demo)[ALIKE]["aliases"]
        assert "marked" not in await press(pilot)


async def test_a_fact_that_a_memory_says_already_is_joined_to_it_without_a_copy(demo: Bank, opened: Opened) -> None:
    said = "The staging database of the ferry service is copied every Monday"
    memory = demo.commit(Changeset([PutMemory(None, {"type": "FACT", "subject": "s", "statement": said})], "x")).ids[0]
    add(demo, "The staging database of the ferry service is copied on each Monday", "codex/s-9")
    before = files(demo.path)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, "on each Monday")
        text = await press(pilot, "m")
        assert "in the bank, 75% alike" in text
        text = await press(pilot, *"in the bank", "enter")
        assert "The bank says it already:" in text
    row = gaps(demo)["The staging database of the ferry service is copied on each Monday"]
    assert (row["state"], row["coveredBy"], row["memory"]) == ("covered", "human", memory)
    assert files(demo.path) == before


async def test_enter_alone_merges_nothing_where_nothing_is_alike(demo: Bank, opened: Opened) -> None:
    """What waits in the same project is offered, but what is chosen already is none of it."""
    add(demo, "Gulls nest on the roof of pier two", "codex/s-9", state="ready")
    before = rows_of(demo)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, "Gulls nest")
        text = await press(pilot, "m")
        assert "what says the same?" in text and "> none of these" in text and "Production deploys are" in text
        text = await press(pilot, "enter")
        assert "Nothing was merged." in text
        assert rows_of(demo) == before
        await press(pilot, "m", *"frozen", "enter")
        assert gap_id("Gulls nest on the roof of pier two") in gaps(demo)[FACT]["aliases"]


async def test_what_cannot_be_merged_says_why(demo: Bank, opened: Opened) -> None:
    add(demo, "Alone in its project", "codex/s-9", project="elsewhere", state="ready")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, NEW)
        text = await press(pilot, "m")
        assert "Only facts found in transcripts can be merged; e changes it and approves it, a approves it" in text
        assert "This does not run out; s puts it off." in await press(pilot, "S")
        await go_to(pilot, "Alone in its project")
        assert "no other fact waits in its project" in await press(pilot, "m")


# --- words


async def test_words_are_corrected_without_deciding(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "E", "end")
        text = await press(pilot, *"和日文", "ctrl+s")
        assert "Corrected 发布说明要先发中文. It goes on waiting." in text and "[2 Review 7]" in text
        item = review(pilot).current_item()
        assert item is not None and item.statement == f"{CHINESE}和日文"
        row = gaps(demo)[f"{CHINESE}和日文"]
        assert row["edited"] is True and row["state"] == "ready" and gap_id(f"{CHINESE}和日文") in row["aliases"]
        assert "[2 Review 7]" in await press(pilot, "u") and CHINESE in gaps(demo)
        await press(pilot, "E", "escape")
        assert len(reasons(demo)) == 2
        await press(pilot, "E", "end", "ctrl+u")
        assert "There is no text left" in await press(pilot, "ctrl+s")


# --- time


async def test_a_fact_is_put_off_until_a_day_and_comes_back_on_it(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, FACT)
        text = await press(pilot, "S")
        assert "Production deploys are frozen: until when?" in text and "in a week" in text and "7 Dec" in text
        assert "whole time" not in text, "it does not run out"
        text = await press(pilot, "enter")
        assert "Put off until 7 Dec: Production deploys are frozen." in text and "[2 Review 6]" in text
        await go_to(pilot, FACT)
        assert "PUT OFF today, until 7 Dec" in proposal(pilot)
    monkeypatch.setenv("MEMDESK_NOW", "2026-12-07T00:00:00+00:00")
    async with opened(demo, size=(140, 40)) as pilot:
        assert "[2 Review 7]" in await press(pilot, "2") and FACT in shown(pilot)


async def test_an_open_fact_gets_its_whole_time_again_and_stays(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, ONCE)
        assert "else it is put away on 19 Feb 2027" in proposal(pilot)
        await press(pilot, "S")
        text = await press(pilot, *"whole", "enter")
        assert "Waits longer: Lars will be in Porto." in text
        item = review(pilot).current_item()
        assert item is not None and item.statement == ONCE
        assert "else it is put away on 28 Feb 2027" in proposal(pilot)
        await press(pilot, "S")
        text = await press(pilot, *"away", "enter")
        assert "Put away Lars will be in Porto." in text and ONCE not in shown(pilot)
        await press(pilot, "T")
        await go_to(pilot, ONCE)
        assert "PUT AWAY nobody decided in time" in proposal(pilot)
        assert "Brought back Lars will be in Porto." in await press(pilot, "p")


# --- what is stale


async def test_what_became_of_a_proposal_is_said_and_the_next_one_stands(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = add(demo, "Invoices carry the order number in the first line", "a/1", "a/2", state="ready")
    memory = {"type": "FACT", "subject": "invoices", "statement": "Invoices carry the order number in the first line"}
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        monkeypatch.setattr(pilot.app, "follow_queue", lambda: None)
        item = find(demo.view(), gap_id(CHINESE), clock.millis())
        demo.commit(Changeset([PutMemory(None, {**memory})], "by hand"))
        demo.commit(reject(demo.view(), item))
        before = review(pilot).current_item()
        text = await press(pilot, "a")
        assert "发布说明要先发中文 was rejected already; nothing was changed." in text
        assert review(pilot).current_item() is not before, "the next one stands, the refusal holds nothing up"
        await go_to(pilot, "Invoices carry")
        text = await press(pilot, "a")
        assert "The bank says it already (FACT 2026-11-30-" in text and "is settled, no second copy was made." in text
    assert demo.view().rows("gaps")[key]["coveredBy"] == "bank"
    assert [one.statement for one in demo.view().live].count(memory["statement"]) == 1


async def test_a_proposal_with_a_secret_is_refused_and_the_next_one_stands(demo: Bank, opened: Opened) -> None:
    add(demo, "the key is ghp_" + "a1B2c3D4e5" * 4, "a/1", "a/2", state="ready", secret=True)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, "the key is")
        assert "CANNOT BE" in proposal(pilot)
        text = await press(pilot, "a")
        assert "looks like it holds a secret" in text and "edit it, or reject it" in text
        assert any("the key is" in words for words in shown(pilot))
        item = review(pilot).current_item()
        assert item is not None and "the key is" not in item.statement
    assert not any("ghp_" in memory.statement for memory in demo.view().live)


async def test_a_merged_fact_that_is_still_shown_says_into_what_it_went(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.review import merge

    add(demo, ALIKE, "codex/s-9", state="ready")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, ALIKE)
        monkeypatch.setattr(pilot.app, "follow_queue", lambda: None)
        one, into = (find(demo.view(), gap_id(text), clock.millis()) for text in (ALIKE, FACT))
        demo.commit(merge(demo.view(), one, into))
        text = await press(pilot, "a")
        assert "Deploys to production was merged into Production deploys are frozen on Fridays" in text


# --- the whole thing without a wait


async def test_keys_pressed_at_once_merge_and_decide_in_their_order(demo: Bank, opened: Opened) -> None:
    add(demo, ALIKE, "codex/s-9", state="ready")
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, ALIKE)
        await pilot.press("m", "enter", "r", "u", "u")
        await settle(pilot)
        assert {FACT, ALIKE} <= {one.statement for one in queue(demo.view(), clock.millis())}
        assert len(reasons(demo)) == 4


@pytest.mark.parametrize("key", ["m", "d", "S", "E"])
async def test_read_only_changes_no_fact(demo: Bank, opened: Opened, key: str) -> None:
    async with opened(demo, size=(140, 40), read_only=True) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PNPM)
        assert "opened with --read-only" in await press(pilot, key)
