"""What a model said that a fact is, in Review and in the Bank: shown, and corrected where there is a place for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.extract.facets.facet import Facets
from pipeline.extract.facets.search_keys import SearchKey
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from store import clock
from store.bank import Bank
from tests.tui.conftest import Opened
from tests.tui.review_world import CHINESE, go_to, paste, proposal
from tests.tui.screen import press

pytestmark = pytest.mark.usefixtures("quick_rounds")

PLAN = "The ferry timetable moves to the new format"
DAY = 86_400_000
KEYS = (
    SearchKey("ferries", "concept", "user"),
    SearchKey("timetable.v2", "code", "deterministic"),
    SearchKey("[bold]schedule", "alias", "llm"),
)
DATED = Facets("context", "Timetable", "plan", "point", 1_796_342_400_000, None, "global", KEYS)
"""For the 4th of December 2026."""


def add(bank: Bank, facets: Facets, *, ago: int = 21) -> None:
    """A ready fact of these facets, said so many days ago."""
    now = clock.millis()
    words = {"session": "s-9", "format": "codex", "ref": "line 4", "seq": 4, "quote": PLAN, "at": now - ago * DAY}
    seen = Sighting("codex/s-9", now, "memory_x", "offline", (words,))
    bank.record([put_gap(Gap(gap_id(PLAN), "harbour", PLAN, "ready", (seen,), updated_at=now, facets=facets))])


async def test_review_shows_what_a_fact_is_what_finds_it_and_how_long_ago_it_was_said(
    demo: Bank, opened: Opened
) -> None:
    add(demo, DATED)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PLAN)
        text = proposal(pilot)
        assert "IT IS a plan, context, 2026-12-04, of every project" in text
        assert "KEYS ferries (yours), timetable.v2 (code), [bold]schedule (alias)" in text
        assert "said 3 weeks ago" in text and "COMMIT" in text
        await go_to(pilot, CHINESE)
        assert "IT IS" not in proposal(pilot) and "KEYS" not in proposal(pilot)


async def test_the_day_of_a_plan_is_corrected_in_the_form_and_stands_in_the_bank(demo: Bank, opened: Opened) -> None:
    add(demo, replace(DATED, scope="workspace"), ago=1)
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, PLAN)
        await press(pilot, "e", *["tab"] * 3)
        await paste(pilot, "kestrel")
        text = await press(pilot, *["tab"] * 4, "end")
        assert "2026-12-04" in text and "ferries, timetable.v2" in text
        text = await press(pilot, *" or so", "ctrl+s")
        assert "The form cannot tell when that is; use a day (2026-12-01)" in text
        await press(pilot, *["backspace"] * 6, *" to 2026-12-06", "ctrl+s")
        (made,) = [one for one in demo.view().live if one.statement == PLAN]
        assert dict(made.extra)["when"] == "2026-12-04 to 2026-12-06"
        assert (made.type, made.project, made.tags) == ("COMMIT", "harbour", ("ferries", "timetable.v2"))
        await press(pilot, "1")
        await pilot.press("slash")
        await paste(pilot, "timetable moves")
        text = await press(pilot, "enter")
        assert "said" in text and "yesterday, 29 Nov" in text and "2026-12-04 to 2026-12-06" in text


async def test_a_fact_without_a_day_has_no_field_for_one(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await press(pilot, "2")
        await go_to(pilot, CHINESE)
        assert " when" not in await press(pilot, "e")
