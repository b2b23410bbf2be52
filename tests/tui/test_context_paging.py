"""Paging from the screen: asked after the hook where there is a budget, shown in every fate, and turned off."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from store.bank import Bank
from tests.tui.conftest import Home, MakeBank, Opened
from tests.tui.context_world import MEMORIES, press, quiet, screen, visit

PAGES = """
    import json, sys
    asked = json.load(sys.stdin)
    named = {one["subject"]: one["file"] for one in asked["payload"]["candidates"]}
    paging = asked["capability"] == "context.paging"
    data = {"drop": [named["scarf"], "facts/none.md"], "order": [named["lake house"]], "complete": True}
    data = data if paging else {}
    json.dump({"ok": True, "data": data}, sys.stdout)
"""


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


@pytest.fixture
def home(home: Home) -> Path:
    """A provider that hooks and pages."""
    return home(PAGES, capabilities=("memory.hook", "context.paging"))


def asked(home: Path) -> list[str]:
    lines = (home / "provider-audit.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["capability"] for line in lines]


async def test_a_budget_is_paged_and_each_memory_says_so(bank: Bank, opened: Opened, home: Path) -> None:
    async with opened(bank, size=(120, 40)) as pilot:
        await visit(pilot)
        assert asked(home) == ["memory.hook"]
        await press(pilot, "=", *"3000", "enter")
        text = await quiet(pilot)
        assert asked(home)[-2:] == ["memory.hook", "context.paging"]
        assert "forget-old paged out 1 memory and put 1 first." in " ".join(text.split())
        assert "< paged out 1" in text and "scarf" in text
        fates = screen(pilot).preview.fates  # type: ignore[union-attr]
        assert fates.counts.outcomes["paged_out"] == 1
        await press(pilot, "P")
        await pilot.press("G")
        panel = await press(pilot, "g")
        assert "memory.hook, context.paging" in panel


async def test_paging_is_turned_off_in_the_what_if_and_the_pack_is_as_without_it(
    bank: Bank, opened: Opened, home: Path
) -> None:
    async with opened(bank, size=(120, 40)) as pilot:
        await visit(pilot)
        await press(pilot, "=", *"3000", "enter")
        await quiet(pilot)
        form = await press(pilot, "w")
        assert "paging" in form
        await press(pilot, "escape")
        screen(pilot).try_out(replace(screen(pilot).now, paging=False), "Paging off")
        text = await quiet(pilot)
        assert "paged out" not in text
        assert screen(pilot).preview.pack.paging is None  # type: ignore[union-attr]
        assert screen(pilot).now.request("").paging is False
