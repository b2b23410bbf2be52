"""Whose pack: the agents that the bank knows, or another name, typed."""

from __future__ import annotations

from collections.abc import Mapping

from tui.screens.context_inputs import check_agent
from tui.text import count
from tui.widgets.pick import Pick


def whose_pack(agents: Mapping[str, int], current: str = "") -> Pick:
    """The question that gives the name of an agent; `agents` are the known ones with their private memories."""
    return Pick(
        "Whose pack? An agent is given its own private memories and all public ones.",
        {name: count(number, "private memory", "private memories") for name, number in agents.items()},
        current,
        other="not known to this bank yet",
        check=check_agent,
    )
