"""The provider panel: before the program was ever started it shows what `hook check` does, then what it was asked."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest

from store.bank import Bank
from tests.cli.desk import call
from tests.tui.conftest import Home, MakeBank, Opened
from tests.tui.context_world import MEMORIES, press, screen, visit
from tui.home import at_home
from tui.screens.context_provider import ProviderPanel
from tui.screens.context_provider_rows import Lines

pytestmark = pytest.mark.usefixtures("quick_rounds")

BOTH = ("memory.hook", "context.paging")
PAGER = {"id": "pager", "version": "3", "capabilities": ["context.paging"], "command": [sys.executable, "-c", ""]}
HOOK = {"id": "hook", "capabilities": ["memory.hook"], "command": ["bin/none", "-x"], "timeout_ms": 700}


def of(*entries: object, schema: int = 1) -> str:
    return json.dumps({"schema": schema, "providers": entries})


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


def told(pilot: Any) -> list[str]:
    """The values of the panel's lines, whole, behind their names."""
    panel = pilot.app.screen
    assert isinstance(panel, ProviderPanel)
    source = panel.rows.source
    assert isinstance(source, Lines)
    return [f"{line.pieces[0][0].strip()}: {line.whole}" for line in source.lines if line.whole]


@pytest.mark.parametrize(
    "raw",
    [
        of(HOOK | {"command": [sys.executable, "-c", ""]}),
        of(PAGER, HOOK, HOOK | {"id": "third", "capabilities": list(BOTH)}),
        of(HOOK | {"capabilities": ["memory.hooks"]}),
        of(PAGER, HOOK | {"timeout_ms": "600"}),
        of(schema=2),
        of(),
        "{",
    ],
)
async def test_before_the_first_start_the_panel_shows_all_that_hook_check_says(
    bank: Bank, opened: Opened, home: Home, raw: str
) -> None:
    folder = home(raw=raw)
    said = call(["hook", "check"]).out.replace(str(folder / "provider.json"), at_home(folder / "provider.json"))
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "P")
        shown = [": ".join((line[:14].strip(), line[14:].strip())) for line in said.splitlines()]
        assert told(pilot)[: len(shown)] == shown
        assert not (folder / "provider-audit.jsonl").exists()


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_without_an_agent_and_without_a_start_the_panel_says_what_is_missing(
    bank: Bank, opened: Opened, home: Home, size: tuple[int, int]
) -> None:
    home(capabilities=BOTH)
    async with opened(bank, size=size) as pilot:
        await visit(pilot, agent="", agree="")
        text = await press(pilot, "P")
        assert "Provider   forget-old" in text and re.search(r"state +ready", text)
        assert "status: not asked yet: a chooses the agent whose pack it is about" in told(pilot)
        await press(pilot, "escape")
        await visit(pilot, agree="")
        await press(pilot, "P")
        assert "status: never started for this bank; H asks whether it may be" in told(pilot)
        assert "status: not asked: there is no budget to page for; = sets one" in told(pilot)
        await press(pilot, "escape", "H", "n", "P")
        assert "status: not asked: the hook is off; H switches it on" in told(pilot)


async def test_after_a_start_the_panel_says_who_was_asked_and_what_came_back(
    bank: Bank, opened: Opened, home: Home
) -> None:
    home('print(\'{"ok": true, "data": {}}\')', capabilities=BOTH)
    async with opened(bank, size=(140, 50)) as pilot:
        await visit(pilot)
        await press(pilot, "=", *"3000", "enter")
        await press(pilot, "P")
        heads = [line for line in told(pilot) if line.startswith(("asked", "effect"))]
        command = f"asked: forget-old: {sys.executable} -S forget.py"
        assert heads == [command, "effect: nothing was taken out"] * 2
        home(raw=of())
        await press(pilot, "escape", "P")
        assert "state: no provider" in told(pilot) and command in told(pilot)


async def test_each_request_is_shown_whole_and_copied_as_it_was_sent(
    bank: Bank, opened: Opened, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr("tui.clipboard.copy", lambda _, text, what: copied.append(text) or f"Copied {what}.")
    keep = "import sys; open('asked', 'a').write(sys.stdin.read() + '\\n'); print('{\"ok\": true}')"
    folder = home(keep, capabilities=BOTH)
    async with opened(bank, size=(140, 50)) as pilot:
        await visit(pilot)
        await press(pilot, "=", *"3000", "enter")
        await press(pilot, "P", "y", "end", "y")
        asked = [json.loads(text) for text in (folder / "asked").read_text().splitlines()[-2:]]
        assert [json.loads(text) for text in copied] == asked
        assert [one["capability"] for one in asked] == list(BOTH)
        shown = told(pilot)
        for name in ("protected", "sections", "truncated"):
            assert f"{name}: {json.dumps(asked[1]['payload'][name], ensure_ascii=False)}" in shown


async def test_a_refusal_is_told_once(bank: Bank, opened: Opened, home: Home) -> None:
    home('print(\'{"ok": false, "message": "closed on Sundays"}\')')
    async with opened(bank, size=(140, 50)) as pilot:
        await visit(pilot)
        await press(pilot, "P")
        shown = told(pilot)
        assert [line for line in shown if "Sundays" in line] == ["note: closed on Sundays"]
        assert "effect: none; the pack is whole without it" in shown


async def test_what_the_status_line_pushed_out_is_named(bank: Bank, opened: Opened, home: Home) -> None:
    home("raise SystemExit(3)")
    async with opened(bank, size=(140, 50)) as pilot:
        await visit(pilot)
        preview = screen(pilot).preview
        assert preview is not None
        last = preview.pack.attempts[-1]
        await press(pilot, "=", *str(last.used_before + last.chars - 1), "enter")
        await press(pilot, "P")
        shown = told(pilot)
        at = next(at for at, line in enumerate(shown) if line.endswith("and pushed out 1 memory"))
        assert shown[at + 1] == f": {last.memory.id}"
