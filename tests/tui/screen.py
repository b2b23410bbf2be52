"""What a person does and sees: keys, and the screen as text."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tests.tui.conftest import settle
from tui.screens.bank import BankScreen


def screen_text(app: App[Any]) -> str:
    """The screen as lines of text, without trailing spaces."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)


async def press(pilot: Any, *keys: str) -> str:
    """Press keys, and the screen once all has come to rest."""
    await pilot.press(*keys)
    await settle(pilot)
    return screen_text(pilot.app)


def bank_screen(pilot: Any) -> BankScreen:
    """The Bank screen that is open."""
    screen = pilot.app.framed
    assert isinstance(screen, BankScreen)
    return screen
