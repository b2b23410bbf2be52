"""The foot of a panel: its keys in one line, most useful first."""

from __future__ import annotations

from textual.content import Content

from tui.text import line

KEY = "bold $text-primary"
GAP = 3
"""Cells between two keys."""


def foot(*keys: tuple[str, str], gap: int = GAP) -> Content:
    """The keys with what they do; `gap` is smaller where many have to fit."""
    parts = [part for key, does in keys for part in ((key, KEY), f" {does}", " " * gap)]
    return line(*parts[:-1])
