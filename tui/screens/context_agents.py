"""Whose pack: the agents that the bank knows, or another name, typed."""

from __future__ import annotations

from collections.abc import Mapping

from tui.screens.context_inputs import check_agent
from tui.text import count
from tui.widgets.pick import Names, Pick


def known_agents(agents: Mapping[str, int]) -> Names:
    """The agents that the bank knows as rows; `agents` gives the number of private memories of each."""
    return Names(_with_words(agents), "", "")


WHOSE = "Whose pack? An agent is given its own private memories and all public ones."


def whose_pack(agents: Mapping[str, int], current: str = "", question: str = WHOSE) -> Pick:
    """The question that gives the name of an agent; `agents` are the known ones with their private memories."""
    return Pick(
        question,
        _with_words(agents),
        current,
        other="not known to this bank yet",
        check=check_agent,
    )


def _with_words(agents: Mapping[str, int]) -> dict[str, str]:
    return {name: count(number, "private memory", "private memories") for name, number in agents.items()}
