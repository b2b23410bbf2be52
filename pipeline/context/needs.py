"""What it would take for a memory to get into the pack: no hook, a larger limit, a larger budget (part G)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipeline.context.fate import Fate
from pipeline.context.fates import Fates
from pipeline.context.whatif import More

Taken = Literal["evicted", "unlisted", "paged_out"]
TAKEN: tuple[Taken, ...] = ("evicted", "unlisted", "paged_out")
"""The outcomes that a provider decided."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a memory that is not in the pack would need; everything that is set is needed together.

    `hook` is the decision that would have to be another one, `limit` the least limit, `budget` the least budget in
    units. `exact` says that this is enough; otherwise it is the least, and room may still be wanting.
    """

    hook: Taken | Literal[""] = ""
    limit: int | None = None
    budget: int | None = None
    exact: bool = True


def needs(fates: Fates, fate: Fate, more: Sequence[More] = ()) -> Needs | None:
    """What the memory of a fate would need; None when it is in the pack, or when nothing lets it in.

    `more` is what larger budgets would add (`whatif.next_with_budget`): the further it goes, the more is exact.
    """
    budget = fates.pack.request.budget
    for decision in TAKEN:
        if fate.outcome == decision:
            free = Fates(fates.unhooked)
            found = free.of(fate.id)
            rest = Needs() if found.stands else needs(free, found)
            return rest and replace(rest, hook=decision)
    if fate.outcome == "budget":
        exact = next((one.budget for one in more if fate.id in one.entered), None)
        return Needs(budget=exact or fate.attempts[0].enough, exact=exact is not None)
    if fate.outcome == "over_limit" and fate.needs_limit:
        return Needs(limit=fate.needs_limit, exact=budget <= 0)
    return None
