"""How much waits for a decision, from the ledger's rows alone: what a prompt asks at every line (`decisions.md` §6.2).

It says what `pipeline.review.counts` says of a whole view, and imports only what reads rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipeline.extract.ledger.gaps import read_gap
from pipeline.extract.ledger.serialised import from_rows
from store.changes import Row
from store.errors import BadInput
from store.fields import is_text

Tables = Mapping[str, Mapping[str, Row]]
DECIDED = ("approved", "rejected", "postponed")
"""States in which a proposal is not ready; every other one is."""


def ready(tables: Tables, now: int) -> tuple[int, int | None]:
    """How many proposals are ready, and the time (milliseconds) at which that is another number by itself, or None.

    `tables` are the ledger's, `now` is milliseconds since 1970. A conflict is ready, too.
    """
    times = list(_facts(tables.get("gaps", {}), now))
    found = sum(time is None for time in times)
    found += sum(_is_pending(row) for row in tables.get("profile", {}).values())
    found += sum(_is_filed(row) for row in tables.get("proposals", {}).values())
    return found, min((time for time in times if time is not None), default=None)


def _facts(rows: Mapping[str, Row], now: int) -> Iterator[int | None]:
    """None for each fact that is ready, and the time of each that will be when a person's time has come."""
    for key, row in rows.items():
        if row.get("state") != "ready" or row.get("covered") is not False:
            continue
        gap = read_gap(key, row)
        if gap is not None and not gap.asleep(now):
            yield None
        elif gap is not None and gap.postponed_until is not None:
            yield gap.postponed_until


def _is_pending(row: Row) -> bool:
    whole = all(is_text(row.get(name)) for name in ("category", "field", "value", "state"))
    return whole and row["state"] == "pending" and not row.get("postponed")


def _is_filed(row: Row) -> bool:
    if row.get("state") in DECIDED:
        return False
    try:
        return bool(from_rows(row.get("changes")))
    except BadInput:
        return False
