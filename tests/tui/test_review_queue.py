"""The queue of Review: narrowed, ordered, searched, marked by what proposals share, and thousands of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from pipeline.review.following import follow
from pipeline.review.waiting import in_order, newest_first
from store import clock
from store.bank import Bank
from store.view import View
from tests.pipeline.review_desk import NOW, desk, gap
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.review_world import (
    CHINESE,
    FACT,
    NEW,
    ONCE,
    PNPM,
    PORTO,
    files,
    go_to,
    narrowed,
    paste,
    reasons,
    review,
    shown,
)
from tests.tui.screen import press
from tui.screens.review_find import Finder
from tui.screens.review_rows import ORDERS, Asked, Fold, ReviewRows, Shelf, row_id, section
from tui.text import width

pytestmark = pytest.mark.usefixtures("quick_rounds")

TALKS = ("codex/s-1", "codex/s-2", "gemini-cli/s-3")


def fill(bank: Bank, count: int, *, project: str = "harbour") -> None:
    """So many ready facts, each said in two of three sessions."""
    now = clock.millis()
    rows = []
    for number in range(count):
        text = f"Berth {number:05d} belongs to another boat"
        seen = tuple(Sighting(TALKS[(number + more) % 3], now - number, "memory_x", "offline") for more in (0, 1))
        rows.append(put_gap(Gap(gap_id(text), project, text, "ready", seen, updated_at=now - number)))
    for at in range(0, count, 500):
        bank.record(rows[at : at + 500])


# --- narrowing


async def test_f_shows_only_a_project_a_session_a_state_and_escape_steps_back(demo: Bank, opened: Opened) -> None:
    fill(demo, 9)
    async with opened(demo, size=(140, 40)) as pilot:
        text = await press(pilot, "2")
        assert " 16 ready   11 facts" in text
        text = await press(pilot, "f")
        assert "Show only what?" in text and "seen once" in text and "project harbour" in text
        text = await press(pilot, *"harbour", "enter")
        assert " 9 ready   9 facts " in text and "project harbour   ready first" in text and len(shown(pilot)) == 9
        text = await narrowed(pilot, "session s-1")
        assert "project harbour   session s-1   ready first" in text and len(shown(pilot)) == 6
        await press(pilot, "escape")
        assert len(shown(pilot)) == 9
        await press(pilot, "escape")
        assert len(shown(pilot)) == 16
        text = await narrowed(pilot, "seen once")
        assert "seen once   ready first" in text and shown(pilot) == [ONCE]
        await press(pilot, "f", "enter")
        assert len(shown(pilot)) == 16, "everything that waits is the first offer while something is narrowed"


async def test_orders_and_what_was_refused_are_offered_too(demo: Bank, opened: Opened) -> None:
    fill(demo, 3)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        await press(pilot, "r")
        text = await narrowed(pilot, "rejected")
        assert "rejected   newest first" in text and shown(pilot) == [CHINESE]
        assert "Brought back" in await press(pilot, "p", "escape")
        text = await narrowed(pilot, "newest")
        berths = [f"Berth 0000{n} belongs to another boat" for n in range(3)]
        assert "newest first" in text and set(shown(pilot)[:2]) == {CHINESE, berths[0]}, (
            "just now: brought back, and seen"
        )
        assert shown(pilot)[2:4] == berths[1:]
        text = await narrowed(pilot, "by project")
        assert "by project" in text and CHINESE in shown(pilot)[:-3] and shown(pilot)[-1].startswith("Berth")
        await press(pilot, "1", "2")
        assert "by project" in await press(pilot), "the order is kept"
        assert "ready first" in await press(pilot, "escape")


async def test_words_before_a_colon_search_one_thing(demo: Bank, opened: Opened) -> None:
    fill(demo, 4)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        for typed, found in (
            ("project:harbour", 4),
            ("kind:profile", 2),
            ("state:conflict", 1),
            ("by:kestrel", 2),
            ("type:pref", 2),
            ("session:s-3 berth", 2),
            ("kind:fact friday", 1),
            ("nobody:knows", 0),
        ):
            await pilot.press("/")
            await paste(pilot, typed)
            assert len(shown(pilot)) == found, typed
            await pilot.press("enter", "escape")


# --- many at once


async def test_all_of_a_session_are_marked_and_decided_as_one_change(demo: Bank, opened: Opened) -> None:
    fill(demo, 9)
    before = files(demo.path)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, "Berth 00000")
        text = await press(pilot, "V")
        assert "Mark all shown of the same what?" in text and "session s-2" in text and "project harbour" in text
        text = await press(pilot, *"s-2", "enter")
        assert "6 marked" in text
        text = await press(pilot, "a")
        assert "Approved 6 facts." in text and "[2 Review 10]" in text and reasons(demo) == ["approve 6 facts"]
        assert len(files(demo.path)) == len(before) + 6
        text = await press(pilot, "u")
        assert "[2 Review 16]" in text and files(demo.path) == before
        await go_to(pilot, "Berth 00000")
        text = await press(pilot, "V", *"project", "enter")
        assert "9 marked" in text
        text = await press(pilot, "R", *"too many", "enter")
        assert "Rejected 9 facts." in text and reasons(demo)[0].startswith("reject 9 facts")
        assert len([one for one in shown(pilot) if one.startswith("Berth")]) == 0
        await press(pilot, "u")
        assert len([one for one in shown(pilot) if one.startswith("Berth")]) == 9


async def test_one_of_a_batch_that_cannot_be_decided_stays_and_says_why(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2", "*")
        text = await press(pilot, "b")
        assert "It replaces nothing; a approves it." in text or "one value per field" in text
        await press(pilot, "escape")
        await go_to(pilot, PORTO)
        await press(pilot, "space")
        await go_to(pilot, NEW)
        text = await press(pilot, "space", "a", "y")
        assert "Approved 2 proposals." in text and PORTO not in " ".join(shown(pilot))


# --- columns


async def test_with_room_a_row_tells_sessions_age_and_project(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(108, 24)) as pilot:
        await press(pilot, "2", "escape")
        text = await go_to(pilot, ONCE)
        assert "2 of 2" in next(line for line in text.splitlines() if FACT in line)
        (row,) = [line for line in text.splitlines() if "Lars" in line]
        assert "1 of 2       9 d  ferrytime    6c0d9a41" in row
        (row,) = [line for line in text.splitlines() if "using pnpm" in line]
        assert "0.85" in row and "9 d" in row


async def test_what_runs_out_soon_says_in_how_many_days(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMDESK_NOW", "2027-02-16T12:00:00+00:00")
    async with opened(demo, size=(80, 24)) as pilot:
        await press(pilot, "2", "escape")
        text = await go_to(pilot, ONCE)
        assert "~ fact" in text and "3 d left" in text


# --- thousands


def _calls(counts: Counter[str], owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = getattr(owner, name)

    def counted(*given: Any, **named: Any) -> Any:
        counts[name] += 1
        return real(*given, **named)

    monkeypatch.setattr(owner, name, counted)


@pytest.mark.parametrize("count", [60, 3_000])
async def test_a_decision_shows_the_next_one_with_the_key_and_looks_at_few_rows(
    make_bank: MakeBank, opened: Opened, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """The same work among sixty and among three thousand: what is looked at is counted, not timed."""
    from pipeline.review import following
    from tui.screens import review_rows

    bank = make_bank()
    fill(bank, count)
    looked: Counter[str] = Counter()
    _calls(looked, following, "gap_item", monkeypatch)
    _calls(looked, following, "read_gap", monkeypatch)
    _calls(looked, review_rows, "section", monkeypatch)
    _calls(looked, review_rows, "row_id", monkeypatch)
    _calls(looked, review_rows, "in_order", monkeypatch)
    async with opened(bank, size=(120, 36)) as pilot:
        await press(pilot, "2")
        for key in ("a", "r", "s", "a", "r"):
            first, second = shown(pilot)[:2]
            looked.clear()
            await pilot.press(key)
            await pilot.pause()
            item = review(pilot).current_item()
            assert item is not None and item.statement == second, "the next one stands in the frame of the key"
            assert second in " ".join(review(pilot).detail.content.plain.split())
            await settle(pilot)
            assert first not in shown(pilot)
            assert sum(looked.values()) <= 400, looked
    bank.close()


def _rows(view: View, asked: Asked) -> ReviewRows:
    return Finder().arrange(follow(view, NOW), asked, NOW)


STATES = st.sampled_from(["open", "ready", "rejected", "postponed"])


@given(
    st.lists(STATES, min_size=1, max_size=12),
    st.sampled_from([*ORDERS, "refused"]),
    st.sets(st.sampled_from(["fold:once", "fold:later"])),
    st.lists(st.integers(0, 11), max_size=6),
)
def test_property_rows_are_found_where_they_stand_and_leave_without_a_trace(
    states: list[str], order: str, opened: set[str], leaving: list[int]
) -> None:
    rows: dict[str, Any] = {}
    for number, state in enumerate(states):
        more = {"postponed": NOW} if state == "postponed" else {}
        kept = "ready" if state == "postponed" else state
        project = ("a", "b")[number % 2]
        rows |= gap(f"Fact number {number}", f"s-{number % 3}", project=project, at=NOW - number, state=kept, **more)
    asked = Asked(order="ready", state="refused") if order == "refused" else Asked(order=order)
    view = desk(gaps=rows).view()
    made = _rows(view, Asked(asked.text, state=asked.state, order=asked.order, opened=frozenset(opened)))
    _check(made)
    every = [*follow(view, NOW).waiting, *follow(view, NOW).refused]
    gone = [every[at % len(every)] for at in leaving]
    left = made.without(gone)
    _check(left)
    keep = [one for one in made.shelf.items if one not in gone]
    assert list(left.shelf.items) == keep and dict(left.kinds) == dict(
        Counter("conflict" if one.state == "conflict" else one.kind for one in keep if one.counted)
    )
    assert left.same(left) and (left.same(made) == (len(keep) == len(made.shelf.items)))


def _check(rows: ReviewRows) -> None:
    """Every row is found by its id where it stands; folds are where their parts begin."""
    listed = list(rows.rows)
    assert len(rows) == len(listed)
    number = 0
    for at, row in enumerate(listed):
        number += not isinstance(row, Fold)
        assert rows.at(at) == row and rows.find(rows.id(at)) == at and rows.get(rows.id(at)) == row
        assert rows.ordinal(at) == number
    assert rows.at(len(listed)) is None and rows.find("gaps/none") is None and rows.get(None) is None
    assert rows.proposals == number == len(rows.items)


def test_a_shelf_knows_its_parts_and_gives_up_what_is_not_there() -> None:
    rows = gap("Ready", state="ready") | gap("Open") | gap("Later", state="ready", postponed=NOW)
    queue = follow(desk(gaps=rows).view(), NOW)
    shelf = Shelf.of(queue.waiting, in_order)
    assert shelf.ends == (1, 2, 3) and [section(one) for one in shelf.items] == [0, 1, 2]
    assert shelf.without([queue.waiting[1]]).ends == (1, 1, 2)
    other = follow(desk(gaps=gap("Elsewhere", state="ready")).view(), NOW).waiting[0]
    assert shelf.place(other) is None and shelf.without([other]) is shelf
    assert row_id(queue.waiting[0]) == f"gaps/{queue.waiting[0].key}"
    assert Shelf.of(queue.refused, newest_first, parted=False).ends == (0, 0, 0)


async def test_searching_thousands_keeps_the_cursor_and_what_was_decided_meanwhile(
    make_bank: MakeBank, opened: Opened
) -> None:
    bank = make_bank()
    fill(bank, 600)
    async with opened(bank, size=(120, 36)) as pilot:
        await press(pilot, "2", "/", *"0001", "enter")
        assert len(shown(pilot)) == 11
        await press(pilot, "j", "r")
        assert len(shown(pilot)) == 10 and "Berth 00010" not in " ".join(shown(pilot))
        item = review(pilot).current_item()
        assert item is not None and item.statement.startswith("Berth 00011")
        await press(pilot, "escape")
        assert len(shown(pilot)) == 599
        item = review(pilot).current_item()
        assert item is not None and item.statement.startswith("Berth 00011")
    bank.close()


async def test_every_kind_and_state_of_the_demo_is_found_by_a_click_in_the_header(demo: Bank, opened: Opened) -> None:
    """The mouse alone: to the screen, onto a row, and a key of the key line."""
    async with opened(demo, size=(140, 40)) as pilot:
        await pilot.click(offset=(22, 0))
        text = await press(pilot)
        assert "[2 Review 7]" in text
        at = next(number for number, line in enumerate(text.splitlines()) if CHINESE in line.split("│")[0])
        await pilot.click(offset=(14, at))
        text = await press(pilot)
        item = review(pilot).current_item()
        assert item is not None and item.statement == CHINESE
        line = text.splitlines()[-1]
        await pilot.click(offset=(line.index("r reject"), 39))
        text = await press(pilot)
        assert "Rejected 发布说明要先发中文." in text
        said = text.splitlines()[-2]
        await pilot.click(offset=(width(said[: said.index("u undo")]), 38))
        assert "[2 Review 7]" in await press(pilot) and PNPM in " ".join(shown(pilot))
