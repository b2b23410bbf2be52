"""What the command palette offers besides keys: the themes, and the switches that only a person at a screen may set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from store.settings import bank_value
from tui.theme import CHOICES, plain

if TYPE_CHECKING:
    from tui.bench import Bench

SWITCHES = {
    "agents_write": (
        "Agents write at once",
        "Let agents change this bank at once, without your review? Every change can still be taken back.",
    ),
    "scripted_decisions": (
        "Scripts may decide",
        "Let scripts approve and reject for you in this bank (memdesk approve --yes)?",
    ),
}
"""By setting: what it is called, and what is asked before it is switched on (`decisions.md` §1.2, §1.3)."""


def offers(bench: Bench) -> list[tuple[str, Callable[[], object]]]:
    """The words of each offer, and what carries it out."""
    found: list[tuple[str, Callable[[], object]]] = []
    if not plain():
        found += [(f"Theme: {word}", partial(bench.choose_theme, word)) for word in CHOICES]
    if not bench.desk.read_only:
        for key, (words, _) in SWITCHES.items():
            turn = "switch off" if bank_value(bench.desk.view, key) else "switch on"
            found.append((f"{words}: {turn}", partial(bench.switch, key)))
    return found
