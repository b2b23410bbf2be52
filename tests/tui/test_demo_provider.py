"""The demo's provider is a real one: it hooks and pages, and the panel shows what it was asked and what it took out."""

from __future__ import annotations

import pytest

from store.bank import Bank
from tests.cli.desk import call
from tests.tui.conftest import Opened
from tests.tui.context_world import press, screen, visit
from tests.tui.test_context_provider import told
from tui.demo.build import places

pytestmark = pytest.mark.usefixtures("quick_rounds", "quick_rest")


async def test_a_budget_is_paged_in_the_demo_and_the_panel_tells_it(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in places(demo.path.parent).items():
        monkeypatch.setenv(name, value)
    assert call(["hook", "check"]).code == 0
    async with opened(demo, size=(140, 40)) as pilot:
        await visit(pilot, agent="kestrel")
        text = await press(pilot, "=", *"5000", "enter")
        assert "hook on: tidy" in text and "- evicted 5" in text and "< paged out 2" in text
        await press(pilot, "P")
        effects = [line for line in told(pilot) if line.startswith("effect")]
        assert effects == ["effect: 5 evicted", "effect: 2 paged out, 0 put first"]
        paged = screen(pilot).preview.pack.paged  # type: ignore[union-attr]
        out = {memory.subject for memory in demo.view().live if memory.path in paged}
        assert out == {"runbook", "long line"}
