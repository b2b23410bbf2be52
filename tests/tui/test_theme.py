"""Both themes can be read, and whoever wants no colour gets none."""

from __future__ import annotations

import pytest
from textual.color import Color

import tui
from tui.options import theme_for
from tui.theme import ANSI, DARK, LIGHT, MARKS, OUTCOMES, THEMES, plain

INK = ("text-primary", "text-secondary", "text-accent", "text-success", "text-warning", "text-error", "text-muted")
READABLE = 4.5
"""Contrast that text needs (WCAG 2.2, 1.4.3)."""


def _contrast(first: str, second: str) -> float:
    def light(colour: str) -> float:
        channels = [part / 255 for part in Color.parse(colour).rgb]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.ansi], ids=lambda theme: theme.name)
def test_every_ink_can_be_read_on_every_ground(theme) -> None:
    for ink in INK:
        for ground in (theme.background, theme.panel, theme.variables["bar"], theme.variables["mark-background"]):
            assert _contrast(theme.variables[ink], ground) >= READABLE, (ink, ground)
    cursor = theme.variables
    assert _contrast(cursor["block-cursor-foreground"], cursor["block-cursor-background"]) >= 7
    assert _contrast(theme.foreground, theme.background) >= 7


def test_no_outcome_is_told_by_colour_alone() -> None:
    for outcome in (*OUTCOMES.values(), *MARKS.values()):
        assert len(outcome.sign) == 1 and outcome.sign.isascii()
        assert outcome.word
    general = ["included", "always", "evicted", "dropped", "duplicate", "budget"]
    assert len({OUTCOMES[name].sign for name in general}) == len(general)


def test_an_empty_no_color_asks_for_nothing() -> None:
    environ = {"NO_COLOR": ""}
    tui.settle_environment(environ)
    assert environ == {"TEXTUAL_FPS": "120"}
    assert not plain(environ)


def test_no_color_means_the_terminal_and_no_colours() -> None:
    environ = {"NO_COLOR": "1", "TEXTUAL_FPS": "30"}
    tui.settle_environment(environ)
    assert environ == {"NO_COLOR": "1", "TEXTUAL_FPS": "30"}
    assert plain(environ)
    assert theme_for("light", environ) == ANSI


def test_the_theme_follows_the_person_then_the_terminal() -> None:
    assert theme_for("light", {}) == LIGHT
    assert theme_for("terminal", {}) == ANSI
    assert theme_for("", {"COLORFGBG": "0;15"}) == LIGHT
    assert theme_for("", {"COLORFGBG": "15;0"}) == DARK
    assert theme_for("", {}) == DARK
