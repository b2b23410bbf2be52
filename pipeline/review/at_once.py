"""Filing profile facts one after the other, and confirming the sure ones without a person.

Confirming at once is for hosts and tests only: the product never does it (`decisions.md` §1.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.extract.profile.rows import known_fact, profile_id, put_profile, seen
from pipeline.extract.profile.rules import Fact
from pipeline.review.decide import approve
from pipeline.review.waiting import find
from pipeline.run import BankLike


def archive_facts(
    bank: BankLike,
    facts: Iterable[Fact],
    now: int,
    *,
    auto_confirm: float | None = None,
    quotes: tuple[Mapping[str, Any], ...] = (),
) -> tuple[str, ...]:
    """File facts in their order (`spec/memora.md` §7.3); the ids of those that were filed or confirmed.

    With `auto_confirm` a fact at least as sure as that (0..1) is confirmed at once and replaces another value of its
    field; one that a person rejected before never is (§7.6). `now` is milliseconds, `quotes` are rows of the words that
    they rest on.
    """
    done = []
    for fact in facts:
        name = profile_id(fact.category, fact.field, fact.value)
        before = known_fact(bank.view(), name)
        row = seen(bank.view(), fact, quotes, now, before)
        if row is None:
            continue
        if row != before:
            bank.record([put_profile(row)])
        done.append(name)
        refused = bank.view().rows("profile")[name].get("rejectedAt") is not None
        if auto_confirm is not None and row.confidence >= auto_confirm and not refused:
            view = bank.view()
            bank.commit(approve(view, find(view, name, now), origin="library"))
    return tuple(done)
