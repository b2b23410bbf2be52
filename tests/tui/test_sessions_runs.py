"""Runs that are stopped, models that fail, transcripts that are broken or hostile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.model import OfflineDoor
from pipeline.reply import ModelProblem, Reply
from store.bank import Bank
from store.config import set_value
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tests.tui.sessions_world import claude, demo, go_to, nowhere, press, screen_of, sessions, until, waiting

__all__ = ["demo", "nowhere"]

HOSTILE = "Remember that [@click=app.quit]x[/] [/] [red]y \x1b]52;c;aGk=\x07 \u202eabc stays."


# --- stopping and failing


class Slow(OfflineDoor):
    """A model that answers when the test lets it."""

    rules = False

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.calls = 0

    def propose(self, question: Any, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.calls += 1
        self.asked.set()
        while not self.go_on.wait(0.01):
            if cancelled():
                return ModelProblem("aborted", "The call was stopped.")
        return super().propose(question, cancelled)


class Failing(OfflineDoor):
    """A model that cannot be reached for the first call."""

    def __init__(self) -> None:
        self.calls = 0

    def propose(self, question: Any, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.calls += 1
        if self.calls == 1:
            return ModelProblem("provider", "The server of m cannot be reached; check that it runs.")
        return super().propose(question, cancelled)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    door = Slow()
    monkeypatch.setattr("tui.screens.sessions_runs.open_door", lambda settings: door)
    return door


async def test_c_stops_the_call_that_is_under_way_at_once(demo: Bank, opened: Opened, slow: Slow) -> None:
    cursors = dict(demo.view().rows("cursors"))
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await pilot.press("R")
        await until(pilot, slow.asked.is_set)
        await until(pilot, lambda: "running: propose" in screen_text(pilot.app))
        text = screen_text(pilot.app)
        assert "waits  propose, call 1 of 3" in text and "read             6 messages of yours" in text
        await pilot.press("c")
        await until(pilot, lambda: not screen_of(pilot).going)
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "8f2e7d10 was stopped; what was settled stands." in text and "stopped" in text
        assert dict(demo.view().rows("cursors")) == cursors
        assert "Nothing is running." in await press(pilot, "c")
        slow.go_on.set()
        assert "8f2e7d10 settled" in await press(pilot, "R")
    assert set(demo.view().rows("cursors")) - set(cursors) == {"claude-code/8f2e7d10-9c4b-4d3a-b5e6-0a1b2c3d4e5f"}


async def test_two_transcripts_run_side_by_side_and_each_is_stopped_alone(
    demo: Bank, opened: Opened, slow: Slow
) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await pilot.press("space")
        go_to(pilot, "d41a5c77")
        await pilot.press("space", "R")
        await until(pilot, lambda: slow.calls == 2)
        await until(pilot, lambda: screen_text(pilot.app).count("running: propose") == 2)
        assert "2 running" in screen_text(pilot.app)
        go_to(pilot, "8f2e7d10")
        await pilot.press("c")
        await until(pilot, lambda: "1 more go on; c stops them." in screen_text(pilot.app))
        await until(pilot, lambda: len(screen_of(pilot).going) == 1)
        slow.go_on.set()
        await until(pilot, lambda: not screen_of(pilot).going)
        await settle(pilot)
        assert {item.name[:8]: item.state for item in screen_of(pilot).items}["d41a5c77"] == "settled"
        assert "stopped" in screen_text(pilot.app)


async def test_no_more_calls_are_under_way_than_the_setting_says_and_what_waits_can_be_stopped(
    demo: Bank, opened: Opened, slow: Slow
) -> None:
    set_value("parallel", 1)
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await pilot.press("space")
        go_to(pilot, "d41a5c77")
        await pilot.press("space", "R")
        await until(pilot, slow.asked.is_set)
        await until(pilot, lambda: "waits its turn" in screen_text(pilot.app))
        assert "running, 1 wait" in screen_text(pilot.app) and slow.calls == 1
        go_to(pilot, "8f2e7d10")
        await pilot.press("c", "c")
        await until(pilot, lambda: not screen_of(pilot).going and not screen_of(pilot).waiting)
        await settle(pilot)
        assert slow.calls == 1 and screen_text(pilot.app).count("! ") >= 2


async def test_a_failing_model_is_one_sentence_and_the_rest_of_the_queue_goes_on(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Failing()
    monkeypatch.setattr("tui.screens.sessions_runs.open_door", lambda settings: door)
    set_value("parallel", 1)
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "space")
        go_to(pilot, "d41a5c77")
        await press(pilot, "space", "R")
        screen = screen_of(pilot)
        states = {item.name[:8]: item.state for item in screen.items}
        assert (states["d41a5c77"], states["8f2e7d10"]) == ("retry", "settled")  # the older one is first
        go_to(pilot, "d41a5c77")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "failed once: R again" in text
        assert "The server of m cannot be reached; check" in text
        assert "R tries it once more" in text
        await press(pilot, "R")
        assert {item.name[:8]: item.state for item in screen.items}["d41a5c77"] == "settled"


async def test_leaving_during_a_run_asks_from_every_screen(demo: Bank, opened: Opened, slow: Slow) -> None:
    async with opened(demo) as pilot:
        await sessions(pilot)
        await pilot.press("R")
        await until(pilot, slow.asked.is_set)
        await pilot.press("1")
        await until(pilot, lambda: "[1 Bank]" in screen_text(pilot.app))
        await pilot.press("q")
        await until(pilot, lambda: "1 transcript is being read; what is settled stays." in screen_text(pilot.app))
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.return_code == 0)
    assert slow.calls == 1


# --- bad input


async def test_a_damaged_transcript_is_read_as_far_as_it_goes_and_says_so(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    claude(
        nowhere / "claude", "torn", "Remember that the deploy script needs VPN.", tail=b'\x00\xff broken\n{"type": "us'
    )
    async with opened(bank, size=(140, 50)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "enter")
        assert "line 2" in text and "line 3" in text
        text = await press(pilot, "escape", "R")
        assert "torn settled: 1 fact waits for review." in text
    assert waiting(bank) == {"the deploy script needs VPN"}


async def test_hostile_text_is_shown_literally(bank: Bank, opened: Opened, nowhere: Path) -> None:
    claude(nowhere / "claude", "[red]evil", HOSTILE)
    async with opened(bank, size=(140, 50)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "enter")
        assert "[@click=app.quit]x[/] [/] [red]y" in text and "␛]52;c;aGk=␇" in text
        text = await press(pilot, "escape", "R")
        assert "[red]evil" in text and "\u202e" not in text and "\x1b" not in text
        assert pilot.app.return_code is None


async def test_a_file_that_goes_away_keeps_its_line_and_says_so(bank: Bank, opened: Opened, nowhere: Path) -> None:
    path = claude(nowhere / "claude", "one", "Remember that the deploy script needs VPN.")
    async with opened(bank, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "R")
        path.unlink()
        screen_of(pilot).look_again()
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "settled, file gone" in text and "FACTS FROM IT   1" in text
        assert "1 file not there any more" in await press(pilot, "R")


async def test_a_read_only_bank_can_be_tried_but_not_run(demo: Bank, opened: Opened) -> None:
    async with opened(demo, read_only=True) as pilot:
        await sessions(pilot)
        assert "D tries it and keeps nothing. The workbench was opened" in await press(pilot, "R")
        assert "dry run: 2 facts would wait for review" in await press(pilot, "D")
