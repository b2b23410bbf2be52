"""How it looks: two themes, the terminal's own colours, no colour at all, and the one table of outcomes.

Colour is never the only sign: each outcome has a sign and a word as well. Blue and orange carry the difference, since
they stay apart in the common kinds of colour blindness.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from textual.theme import Theme

DARK = "memdesk-dark"
LIGHT = "memdesk-light"
ANSI = "memdesk-ansi"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one fate is shown: its sign, its word, the row style, and the colour token of `Content` styles."""

    sign: str
    word: str
    style: str
    token: str


OUTCOMES: Mapping[str, Outcome] = {
    "included": Outcome("+", "included", "good", "$text-success"),
    "always": Outcome("#", "always", "accent", "bold $text-accent"),
    "evicted": Outcome("-", "evicted", "warn", "$text-warning"),
    "dropped": Outcome("x", "not removed", "bad", "$text-error"),
    "duplicate": Outcome("=", "duplicate", "second", "italic $text-secondary"),
    "budget": Outcome("!", "budget", "loud", "reverse $text-error"),
    "moved_up": Outcome("^", "moved up", "good", "$text-success"),
    "unlisted": Outcome("~", "unlisted", "warn", "$text-warning"),
    "paged_out": Outcome("<", "paged out", "warn", "$text-warning"),
    "over_limit": Outcome(":", "limit", "muted", "$text-muted"),
    "summary_overflow": Outcome(":", "limit", "muted", "$text-muted"),
    "block_full": Outcome("!", "block full", "loud", "reverse $text-error"),
    "unmatched": Outcome(":", "no match", "muted", "$text-muted"),
    "unreadable": Outcome("?", "private to others", "muted", "$text-muted"),
    "outside_year": Outcome("?", "outside the year", "muted", "$text-muted"),
    "other_project": Outcome("?", "other project", "muted", "$text-muted"),
    "not_indexed": Outcome("?", "not indexed", "muted", "$text-muted"),
}
"""The fates of `spec/context.md` as the list, the legend, the budget bar and the README show them."""

MARKS: Mapping[str, Outcome] = {
    "immutable": Outcome("#", "immutable", "accent", "bold $text-accent"),
    "waiting": Outcome("?", "waiting for review", "warn", "$text-warning"),
    "duplicate": Outcome("=", "near duplicate", "second", "italic $text-secondary"),
    "archived": Outcome("-", "archived", "muted", "$text-muted"),
    "unmarked": Outcome("~", "no front matter", "warn", "$text-warning"),
}
"""What a row of the bank says about a memory before its type."""

_DARK_INK = {
    "text-primary": "#8fc1f0",
    "text-secondary": "#b7a8ee",
    "text-accent": "#e6bd6a",
    "text-success": "#74c9c4",
    "text-warning": "#f2a766",
    "text-error": "#f28f94",
    "text-muted": "#98a2b0",
    "rule": "#2c3440",
    "mark-background": "#2b3346",
    "bar": "#171b22",
    "block-cursor-background": "#2f4a69",
    "block-cursor-foreground": "#f3f6fa",
    "block-cursor-text-style": "none",
    "block-cursor-blurred-background": "#232c38",
    "block-cursor-blurred-foreground": "#d5dbe3",
    "input-selection-background": "#3a5f88",
    "scrollbar": "#333d4b",
    "scrollbar-hover": "#46546a",
    "scrollbar-active": "#8fc1f0",
    "scrollbar-background": "#12151a",
    "scrollbar-background-hover": "#12151a",
    "scrollbar-background-active": "#12151a",
    "border": "#8fc1f0",
    "border-blurred": "#333d4b",
}
_LIGHT_INK = {
    "text-primary": "#1f5c9e",
    "text-secondary": "#5a48ad",
    "text-accent": "#7d5500",
    "text-success": "#0b686b",
    "text-warning": "#a04c00",
    "text-error": "#a82a39",
    "text-muted": "#596069",
    "rule": "#d9d5ca",
    "mark-background": "#e7e6f5",
    "bar": "#f0ede5",
    "block-cursor-background": "#cfe0f3",
    "block-cursor-foreground": "#14202e",
    "block-cursor-text-style": "none",
    "block-cursor-blurred-background": "#e6e9ee",
    "block-cursor-blurred-foreground": "#23292f",
    "input-selection-background": "#b5d0ee",
    "scrollbar": "#cfcabd",
    "scrollbar-hover": "#b3ad9e",
    "scrollbar-active": "#1f5c9e",
    "scrollbar-background": "#fbfaf7",
    "scrollbar-background-hover": "#fbfaf7",
    "scrollbar-background-active": "#fbfaf7",
    "border": "#1f5c9e",
    "border-blurred": "#cfcabd",
}
_ANSI_INK = {
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "text-muted": "ansi_default",
    "rule": "ansi_default",
    "mark-background": "ansi_default",
    "bar": "ansi_default",
    "block-cursor-background": "ansi_blue",
    "block-cursor-foreground": "ansi_bright_white",
    "block-cursor-text-style": "bold",
    "block-cursor-blurred-background": "ansi_default",
    "block-cursor-blurred-foreground": "ansi_default",
    "block-cursor-blurred-text-style": "bold underline",
    "border": "ansi_blue",
    "border-blurred": "ansi_default",
    "scrollbar": "ansi_blue",
    "scrollbar-background": "ansi_default",
    "scrollbar-background-hover": "ansi_default",
    "scrollbar-background-active": "ansi_default",
}

DEFAULTS = dict(_DARK_INK)
"""Values of our own variables for themes that do not know them (Textual's, chosen from the palette)."""

THEMES = (
    Theme(
        name=DARK,
        primary="#8fc1f0",
        secondary="#b7a8ee",
        accent="#e6bd6a",
        success="#74c9c4",
        warning="#f2a766",
        error="#f28f94",
        foreground="#d5dbe3",
        background="#12151a",
        surface="#191d24",
        panel="#20262f",
        dark=True,
        variables=_DARK_INK,
    ),
    Theme(
        name=LIGHT,
        primary="#1f5c9e",
        secondary="#5a48ad",
        accent="#7d5500",
        success="#0b686b",
        warning="#a04c00",
        error="#a82a39",
        foreground="#23292f",
        background="#fbfaf7",
        surface="#f3f1ea",
        panel="#e9e6dc",
        dark=False,
        variables=_LIGHT_INK,
    ),
    Theme(
        name=ANSI,
        primary="ansi_blue",
        secondary="ansi_magenta",
        accent="ansi_yellow",
        success="ansi_cyan",
        warning="ansi_yellow",
        error="ansi_red",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        dark=True,
        ansi=True,
        variables=_ANSI_INK,
    ),
)

CHOICES: Mapping[str, str] = {"dark": DARK, "light": LIGHT, "terminal": ANSI}
"""What a person writes for `theme` in their settings, and the theme that it names."""


def plain(environ: Mapping[str, str] | None = None) -> bool:
    """Whether the person wants no colour: `NO_COLOR` is set and not empty."""
    return bool((os.environ if environ is None else environ).get("NO_COLOR"))
