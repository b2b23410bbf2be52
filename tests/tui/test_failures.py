"""What no run got through: listed with its reason and the words in it, tried again, split, given up, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.extract.ledger.control import Failure, Receipt, put_failure, put_receipt, read_cursor
from pipeline.formats.read import read
from pipeline.model import OfflineDoor
from pipeline.review.left_out import failures
from pipeline.transcripts import opened as listed
from store import clock
from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.sessions_world import claude, press, sessions
from tui.screens import failures_runs
from tui.screens.failures import KEYS, LeftOutList

NAME = "9f31c2aa"
SAID = (
    "Remember that the tide gauge reports in feet.",
    "The key is ghp_" + "a1B2c3D4e5" * 4,
    "Remember: Kenji owns billing.",
)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual places of transcripts are the test's own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "dsh"))
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def left_out(bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """A bank with a session whose first three turns failed once, and one range each that was given up and denied."""
    monkeypatch.setattr("tui.screens.failures.REST", 0.001)
    path = claude(tmp_path, NAME, *SAID)
    (session,) = read(path)
    bank.record(listed(bank.view(), [session]))
    now = clock.millis()
    failed = Failure(
        session.key, read_cursor(bank.view(), session.key).seq + 1, 3, "hash", "memory_one", 1, "schema", now
    )
    bank.record([put_failure(failed)])
    for status, operation, gone in (("discarded", "memory_two", "evidence"), ("denied", "memory_three", "")):
        receipt = Receipt(operation, "claude-code/gone", status, (), now - 1000, after=4, through=9, failure_class=gone)  # type: ignore[arg-type]
        bank.record([put_receipt(receipt)])
    yield bank
    bank.close()


def pane(pilot: Any) -> LeftOutList:
    screen = pilot.app.screen
    assert isinstance(screen, LeftOutList)
    return screen


def told(pilot: Any) -> str:
    return " ".join(pane(pilot).pane.content.plain.split())


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_each_range_is_listed_with_its_reason_and_the_words_in_it(
    left_out: Bank, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(left_out, size=size) as pilot:
        await sessions(pilot)
        text = await press(pilot, "F")
        assert "3 ranges of sessions that no run got through" in text
        assert "! 9f31c2aa  turns 1 to 3" in text and "the model's answer could not be read" in text
        assert "failed once; the next run tries it once more" in told(pilot)
        assert "1 Remember that the tide gauge reports in feet." in told(pilot)
        assert "ghp_" not in told(pilot), "secrets are masked"
        await press(pilot, "j")
        assert "given up; nothing tries it by itself" in told(pilot)
        assert "No transcript is known for it" in told(pilot)
        text = await press(pilot, "R")
        assert "No transcript is known for it; read its file on Sessions (n)." in text
        await press(pilot, "j")
        assert "written while memory was switched off" in told(pilot)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, LeftOutList)


@pytest.mark.parametrize("key", ["R", "d"])
async def test_trying_again_evaluates_the_range_and_closes_the_failure(
    left_out: Bank, opened: Opened, key: str
) -> None:
    async with opened(left_out, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "F", key)
        await settle(pilot)
    assert [one.state for one in failures(left_out.view())] == ["given up"]
    gaps = [row["content"] for row in left_out.view().rows("gaps").values()]
    assert any("Kenji owns billing" in text for text in gaps) and not any("ghp_" in text for text in gaps)


async def test_another_model_is_asked_for_this_range_alone(
    left_out: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def door(settings: Any) -> OfflineDoor:
        asked.append(settings.model)
        return OfflineDoor()

    monkeypatch.setattr(failures_runs, "open_door", door)
    async with opened(left_out, size=(140, 40)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "F", "M")
        assert "Which model?" in text
        await press(pilot, *"other/large", "enter")
        await settle(pilot)
    assert asked == ["other/large"]
    assert [one.state for one in failures(left_out.view())] == ["given up"]


async def test_giving_up_goes_on_behind_the_range_and_can_be_taken_back(left_out: Bank, opened: Opened) -> None:
    async with opened(left_out, size=(140, 40)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "F", "x")
        assert "Given up: turns 1 to 3 of 9f31c2aa. The next run goes on behind them." in text and "u undo" in text
        key = f"claude-code/{NAME}"
        assert read_cursor(left_out.view(), key).seq == 3
        assert {one.state for one in failures(left_out.view())} == {"given up"}
        text = await press(pilot, "F", "x")
        assert "It is left out already; R tries it again." in text
        await press(pilot, "escape", "u")
        assert (
            "frozen" in {one.state for one in failures(left_out.view())} and read_cursor(left_out.view(), key).seq < 1
        )


async def test_what_was_written_while_memory_was_off_asks_first(left_out: Bank, opened: Opened) -> None:
    path = str(read(next(Path(left_out.path).parent.rglob(f"{NAME}.jsonl")))[0].path)
    from store.changes import PutRow

    left_out.record([PutRow("sessions", "claude-code/gone", {"path": path, "format": "claude-code", "id": "gone"})])
    async with opened(left_out, size=(140, 40)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "F", "G", "R")
        words = " ".join(text.replace("▌", " ").split())
        assert "memory was switched off while this was written. Evaluate it all the same?" in words
        await press(pilot, "n")
        assert isinstance(pilot.app.screen, LeftOutList)


async def test_read_only_looks_and_changes_nothing(left_out: Bank, opened: Opened) -> None:
    before = dict(left_out.view().rows("failures"))
    async with opened(left_out, size=(140, 40), read_only=True) as pilot:
        await sessions(pilot)
        for key in ("R", "d", "M", "x"):
            text = await press(pilot, *(() if isinstance(pilot.app.screen, LeftOutList) else ("F",)), key)
            assert "opened with --read-only" in text
    assert dict(left_out.view().rows("failures")) == before


async def test_health_tells_of_them_and_a_bank_without_any_says_so(left_out: Bank, bank: Bank, opened: Opened) -> None:
    async with opened(left_out, size=(140, 40)) as pilot:
        text = await press(pilot, "5")
        assert "! sessions    2 ranges that no run got through" in text and "F on Sessions lists them" in text


async def test_where_nothing_was_left_out_it_says_so(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(80, 24)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "F")
        assert "Nothing was left out: every run got through what it read." in text
        assert [words for _, words in KEYS if words in text] == ["back"]
        await press(pilot, "R", "x", "d", "M", "escape")
        assert not isinstance(pilot.app.screen, LeftOutList)
