"""Several runs of one session told as one (`spec/extraction.md` §23.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.extract.effects import Result, Status


def joined(results: Sequence[Result]) -> Result:
    """What the runs came to together: the end of the last one that did anything, with the findings of all.

    Runs that found their work done already add nothing, unless all did.
    """
    did = [one for one in results if one.status != "no_range" and not one.replayed]
    if len(did) < 2:
        return did[0] if did else results[-1] if results else Result("no_range")
    last = did[-1]
    items = tuple(item for one in did for item in one.items)
    waiting = tuple(dict.fromkeys(key for one in did for key in one.waiting))
    status: Status = "extracted" if items else "pending" if waiting else "skipped"
    return replace(
        last,
        status=last.status if last.status == "unavailable" else status,
        items=items,
        pending=len(waiting),
        recovered=next((one.recovered for one in did if one.recovered), None),
        windows=tuple(window for one in did for window in one.windows),
        fates=tuple(fate for one in did for fate in one.fates),
        audits=tuple(audit for one in did for audit in one.audits),
        calls=sum(one.calls for one in did),
        waiting=waiting,
        filed=tuple(dict.fromkeys(key for one in did for key in one.filed)),
    )
