"""The memory that a waiting row would become; each of its fields can be changed at approval (`decisions.md` §2.4)."""

from __future__ import annotations

from typing import Any

from pipeline.extract.ledger.gaps import Gap
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.placement import place
from pipeline.extract.profile.rows import SINGLE, ProfileRow
from pipeline.review.proposals import AgentProposal
from store.changes import MoveMemory, PutMemory
from store.clock import millis
from store.memory import Memory
from store.view import View

SHOWN = ("type", "label", "subject", "statement", "owner", "project", "scope", "tags")
"""Fields of a memory that a review shows."""


def gap_fields(view: View, gap: Gap) -> dict[str, Any]:
    """Fields of the memory that a pending fact would become now, with the words of all its sightings."""
    quotes = tuple(quote for seen in gap.sightings for quote in read_quotes(seen.quotes))
    fields = place(gap.content, quotes, project=gap.project, facets=gap.facets, latest=millis())
    return with_owner(view, fields)


def profile_fields(view: View, row: ProfileRow) -> dict[str, Any]:
    """Fields of the memory that a profile fact would become: about the person, so of no project."""
    subject = row.field if row.category in SINGLE else row.captured
    quotes = read_quotes(row.quotes)
    told: dict[str, Any] = {"category": row.category, "label": "profile", "owner": row.owner, "subject": subject}
    return with_owner(view, place(row.value, quotes, **told, latest=millis()))


def proposal_fields(view: View, proposal: AgentProposal) -> dict[str, Any]:
    """Fields of the memory that a proposal makes, or of the one that it changes, with the change in it."""
    fields: dict[str, Any] = {}
    for change in proposal.changes:
        if isinstance(change, PutMemory | MoveMemory):
            memory = view.memories.get(change.id) if change.id else None
            fields = _of_memory(memory) if memory else {}
        if isinstance(change, PutMemory):
            return {**fields, **change.fields}
    return fields


def with_owner(view: View, fields: dict[str, Any]) -> dict[str, Any]:
    """A private memory needs an owner: the only agent that the bank knows, else the person chooses."""
    if fields.get("type") == "FACT" or fields.get("owner") or len(view.agents) != 1:
        return fields
    return {**fields, "owner": view.agents[0]}


def _of_memory(memory: Memory) -> dict[str, Any]:
    return {name: value for name in SHOWN if (value := getattr(memory, name))}
