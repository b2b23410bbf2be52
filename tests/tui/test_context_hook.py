"""The provider from the screen: asked with consent, on a thread, when its inputs rest; its failures are sentences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from tests.tui.conftest import Home, MakeBank, Opened
from tests.tui.context_world import HANGS, MEMORIES, counted, press, quiet, screen, visit
from tests.tui.screen import screen_text

LICENCE = """print('{"ok": false, "code": "license_required", "message": "pay"}')"""
pytestmark = pytest.mark.usefixtures("quick_rounds")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


# --- the provider


async def test_the_first_use_of_a_program_asks_once_for_a_bank_and_names_it(
    bank: Bank, opened: Opened, home: Home
) -> None:
    folder = home()
    async with opened(bank, remember=True) as pilot:
        text = await visit(pilot, agree="")
        assert "hook waits for H" in text and "Start this program" not in text
        assert "The hook's program forget-old was never started for this bank." in text
        text = await press(pilot, "H")
        assert "Start this program for the preview?" in text and "-S forget.py" in text
        assert str(folder)[:30] in text
        assert not (folder / "provider-audit.jsonl").exists()
        assert "hook on" in await press(pilot, "y")
        assert (folder / "provider-audit.jsonl").read_text(encoding="utf-8").count("\n") == 1
    async with opened(bank, remember=True) as pilot:
        text = await visit(pilot, agent="", agree="")
        assert "hook on" in text and "Start this program" not in text


async def test_a_key_meant_for_the_screen_never_starts_a_program(bank: Bank, opened: Opened, home: Home) -> None:
    """However soon `y` is pressed: it copies, and the program waits for H and a second key."""
    folder = home()
    async with opened(bank, remember=True) as pilot:
        await visit(pilot, agree="")
    async with opened(bank, remember=True) as pilot:
        pilot.app.open_screen("context")  # type: ignore[attr-defined]
        for _ in range(3):
            await pilot.press("y")
        text = await quiet(pilot)
        assert "hook waits for H" in text and "Start this program" not in text
        await press(pilot, "y", "j", "y")
        assert not (folder / "provider-audit.jsonl").exists() and pilot.app.screen is screen(pilot)
        await press(pilot, "+", "escape")
        assert "hook waits for H" in screen_text(pilot.app)
        assert "Start this program" in await press(pilot, "H")


async def test_a_refused_program_is_left_out_until_it_is_asked_for(bank: Bank, opened: Opened, home: Home) -> None:
    folder = home()
    async with opened(bank, remember=True) as pilot:
        text = await visit(pilot, agree="n")
        assert "hook off" in text and "The provider is left out; H asks again." in text
    async with opened(bank, remember=True) as pilot:
        text = await visit(pilot, agent="", agree="")
        assert "hook off" in text and "Start this program" not in text
        assert not (folder / "provider-audit.jsonl").exists()
        assert "Start this program" in await press(pilot, "H")
        assert "hook on" in await press(pilot, "y")


async def test_another_command_is_another_question(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank, remember=True) as pilot:
        await visit(pilot)
        home(raw=None, timeout_ms=4000)
        (Path(home()) / "provider.json").write_text(
            '{"schema": 1, "providers": [{"id": "forget-old", "capabilities": ["memory.hook"], "command": ["other"]}]}',
            encoding="utf-8",
        )
        await press(pilot, "H")
        assert "Start this program" in await press(pilot, "H", "H")


@pytest.mark.parametrize(
    ("script", "rest", "head", "sentence"),
    [
        (HANGS, {"timeout_ms": 50}, "hook failed: timeout", "The provider timed out."),
        ("print('nonsense')", {}, "hook failed: invalid output", "The provider's answer is not JSON."),
        ("raise SystemExit(3)", {}, "hook failed", "The provider ended with exit code 3."),
        (LICENCE, {}, "hook failed: license required", "The provider needs a licence: pay."),
        ("", {"raw": "{"}, "hook failed", "provider.json is not valid: it is not JSON at line 1, column 2."),
    ],
)
async def test_a_provider_that_fails_says_so_and_the_pack_is_whole(
    bank: Bank, opened: Opened, home: Home, script: str, rest: dict[str, Any], head: str, sentence: str
) -> None:
    home(script, **rest)
    async with opened(bank, size=(120, 30)) as pilot:
        text = await visit(pilot, agree="" if "raw" in rest else "y")
        assert head in text.splitlines()[1]
        assert f"{sentence} The pack is whole without it." in text
        assert counted(text)[0]["evicted"] == 0 and counted(text)[0]["included"] == 8


async def test_no_key_waits_for_a_provider_and_leaving_does_not_either(bank: Bank, opened: Opened, home: Home) -> None:
    home(HANGS)
    async with opened(bank) as pilot:
        await visit(pilot, agree="")
        assert "Start this program" in await press(pilot, "H")
        await pilot.press("y")
        for _ in range(100):
            await pilot.pause()
            if screen(pilot).asking and pilot.app.screen is screen(pilot):
                break
        await pilot.press("j", "j")
        assert screen(pilot).asking and screen(pilot).rows.cursor == 2
        assert "hook asking" in screen_text(pilot.app)
        await pilot.press("q")
    assert pilot.app.return_code == 0


async def test_other_inputs_ask_again_after_they_rest_and_mark_the_last_answer_until_then(
    bank: Bank, opened: Opened, home: Home
) -> None:
    folder = home()
    async with opened(bank) as pilot:
        await visit(pilot)
        audit = folder / "provider-audit.jsonl"
        assert audit.read_text(encoding="utf-8").count("\n") == 1
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "lake", 0, 10), None)
        for _ in range(50):
            await pilot.pause()
            if screen(pilot).resting:
                break
        assert "hook last answer" in screen_text(pilot.app)
        assert "hook on" in await quiet(pilot)
        assert audit.read_text(encoding="utf-8").count("\n") == 2
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "lake", 0, 3), None)
        await quiet(pilot)
        assert audit.read_text(encoding="utf-8").count("\n") == 2  # the limit is not sent


# --- whose pack


async def test_without_an_agent_the_screen_asks_and_says_what_it_needs(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        pilot.app.open_screen("context")  # type: ignore[attr-defined]
        text = await quiet(pilot)
        assert "Whose pack?" in text and re.search(r"> ana +3 private memories\n +bo +1 private memory", text)
        assert "enter one of these   a another name" in text
        assert "Choose the agent first." in await press(pilot, "H")
        text = await press(pilot, "j", "enter")
        assert "as bo" in text and screen(pilot).rows.cursor == 0
        await press(pilot, "a", *"nova")
        text = await press(pilot, "enter")
        assert "as nova" in text and counted(text)[0]["private to others"] == 4
        text = await press(pilot, "G")
        assert "? private    " in text and "4 memories private to others" in text


async def test_the_first_visit_takes_no_key_from_the_person(bank: Bank, opened: Opened) -> None:
    """The numbers go on opening screens while it is not known whose pack is wanted; back again, it still asks."""
    async with opened(bank) as pilot:
        pilot.app.open_screen("context")  # type: ignore[attr-defined]
        assert "Whose pack?" in await quiet(pilot)
        assert "[5 Health]" in await press(pilot, "5")
        text = await press(pilot, "3")
        assert "[3 Context]" in text and "Whose pack?" in text and "as nobody yet" in text


async def test_the_only_agent_of_a_bank_is_preselected(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank()) as pilot:
        assert "as ana" in await visit(pilot, agent="", agree="")


async def test_an_empty_bank_says_how_to_begin(make_bank: MakeBank, opened: Opened) -> None:
    async with opened(make_bank(())) as pilot:
        text = await visit(pilot, agent="nova", agree="")
        assert "No memory yet that nova could be given" in text and "= 0" in text
        assert "# always     1-2" in text
