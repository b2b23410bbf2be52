"""What would be different: a larger budget, and the provider's own status lines (`spec/context.md` §5, part G)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.context.draft import Attempt
from pipeline.context.layouts.sections import status_lines
from pipeline.context.pack import Pack, included, tries
from pipeline.measure import units


@dataclass(frozen=True, slots=True)
class More:
    """With `budget` units, the least that alters the pack, these memories would come in and those would go."""

    budget: int
    entered: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusCost:
    """What the status lines of hook and paging take, and the memories that they pushed over the budget (ctx-D12)."""

    units: int
    pushed_out: tuple[str, ...] = ()


def next_with_budget(pack: Pack, steps: int = 3) -> tuple[More, ...]:
    """What the next larger budgets would add, the smallest first; nothing without a budget."""
    found: list[More] = []
    attempts: Sequence[Attempt] = pack.attempts
    while len(found) < steps:
        refused = [attempt.enough for attempt in attempts if attempt.outcome == "budget"]
        if not refused:
            break
        before, attempts = included(attempts), tries(pack, budget := min(refused))
        after = included(attempts)
        come, gone = (dict.fromkeys(names) for names in (after, before))
        entered = tuple(name for name in come if name not in gone)
        found.append(More(budget, entered, tuple(name for name in gone if name not in come)))
    return tuple(found)


def budget_ended(pack: Pack) -> int | None:
    """What was used when the first memory was refused; None when the budget refused nothing, or whole messages."""
    if pack.layout.is_chat:
        return None
    return next((attempt.used_before for attempt in pack.attempts if attempt.outcome == "budget"), None)


def status_cost(pack: Pack) -> StatusCost:
    """What the status lines of the pack cost; nothing without a provider."""
    told = status_lines(pack.hook, pack.paging)
    if not told or not pack.layout.tells_hook:
        return StatusCost(0)
    cost = sum(units(line) + 2 for line in told)
    if pack.budget <= 0:
        return StatusCost(cost)
    there = frozenset(pack.included)
    # Without those lines everything is as it is with so much more budget.
    return StatusCost(cost, tuple(name for name in included(tries(pack, pack.budget + cost)) if name not in there))
