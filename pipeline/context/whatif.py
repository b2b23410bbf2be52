"""What would be different: a larger budget, and the provider's own status lines (`spec/context.md` §5, part G)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipeline.context.layouts.sections import status_lines
from pipeline.context.pack import Pack, assemble
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
    while len(found) < steps:
        refused = [attempt.enough for attempt in pack.attempts if attempt.outcome == "budget"]
        if not refused:
            break
        budget = min(refused)
        larger = assemble(pack.view, replace(pack.request, budget=budget), pack.hook, pack.paging)
        before, after = pack.included, larger.included
        entered = tuple(name for name in after if name not in before)
        found.append(More(budget, entered, tuple(name for name in before if name not in after)))
        pack = larger
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
    without = assemble(pack.view, pack.request, pack.hook, pack.paging, status=False)
    there = frozenset(pack.included)
    pushed = tuple(name for name in without.included if name not in there)
    return StatusCost(sum(units(line) + 2 for line in told), pushed)
