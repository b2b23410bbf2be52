"""Insights in the ledger: proposals with the person's exact words, decided on in Review (`decisions.md` §1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.extract.admission import Admitted
from pipeline.extract.canonical import canonical
from pipeline.extract.effects import Fate
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import all_gaps, gap_key
from pipeline.extract.ledger.known import known
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.placement import place
from pipeline.extract.profile.rows import all_profile
from pipeline.extract.reflection.filing import PROMPT, Desk, Draft, cited, proposal_key, quotes_of
from pipeline.extract.reflection.insight import LABELS, SAME, Insight, Stored, known_as
from pipeline.extract.work import Filed, Harvest
from pipeline.segments import overlap
from store.changes import PutMemory
from store.fields import text
from store.view import View

KIND = "insight"
"""Kind of these proposals, and label of the memories that they become."""


def stored(view: View) -> tuple[Stored, ...]:
    """The live memories that an insight may repeat."""
    return tuple(Stored(one.id, one.statement, label=one.label) for one in view.live if one.label in LABELS)


def file_insights(harvest: Harvest, insights: Iterable[Insight], by: str) -> Filed:
    """Rows for the insights that hold: quoted word for word, new to the bank, the ledger and the range itself.

    `by` is the model that worded them.
    """
    desk, there = Desk(harvest, KIND), stored(harvest.view)
    for insight in insights:
        found = cited(harvest, insight.text, insight.evidence, *insight.tags)
        if isinstance(found, Fate):
            desk.turn_away(found)
        elif why := _said(harvest, found, there):
            desk.turn_away(Fate(0, "duplicate", why, found.statement))
        elif _forgotten(harvest, found):
            desk.turn_away(Fate(0, "suppressed", "you rejected or forgot it", found.statement))
        else:
            desk.file(_draft(harvest, insight, found, by), _same(desk, found.statement))
    return desk.filed()


def _said(harvest: Harvest, found: Admitted, there: Sequence[Stored]) -> str:
    """Where it is said already, in words; "" when it is new. One proposal per quote and meaning (§2.5)."""
    view, project = harvest.view, harvest.snapshot.project
    if known(view, found.statement, project) or known_as(found.statement, there, SAME):
        return "the bank says so already"
    waiting = [gap.content for gap in all_gaps(view) if gap.state in ("open", "ready") and gap.project == project]
    waiting += [row.value for row in all_profile(view) if row.state == "pending"]
    if any(overlap(found.statement, content) > SAME for content in (*harvest.said, *waiting)):
        return "it waits as a fact already"
    return ""


def _forgotten(harvest: Harvest, found: Admitted) -> bool:
    stones = harvest.view.rows("tombstones")
    return any(gap_key(project, gap_id(found.statement)) in stones for project in ("", harvest.snapshot.project))


def _same(desk: Desk, statement: str) -> str | None:
    """The row that says the same, decided or not."""
    alike = {key: overlap(statement, text(row, "content")) for key, row in desk.rows.items()}
    best = max(alike, key=lambda key: alike[key], default=None)
    return best if best is not None and alike[best] > SAME else None


def _draft(harvest: Harvest, insight: Insight, found: Admitted, by: str) -> Draft:
    project, quotes = harvest.snapshot.project, quotes_of(harvest, found)
    fields = place(found.statement, read_quotes(quotes), project=project, label=KIND, latest=harvest.now)
    fields |= {"quality": insight.quality} | ({"tags": list(insight.tags)} if insight.tags else {})
    return Draft(
        KIND,
        proposal_key(KIND, project, canonical(found.statement)),
        found.statement,
        (PutMemory(None, fields, key="memory"),),
        quotes,
        insight.score,
        f"{insight.quality} quality",
        by,
        {"extractor": KIND, "prompt": PROMPT},
    )
