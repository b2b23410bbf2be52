"""The commit adapter: which facts are new to the bank, and what memories would hold them (`spec/extraction.md` §18)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.extract.canonical import canonical, statement
from pipeline.extract.facets.facet import NOT_SAID, Facets
from pipeline.extract.ledger.known import known
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.options import Options
from pipeline.extract.placement import place
from store.changes import PutMemory
from store.view import View

Stored = Literal["committed", "duplicate", "dropped"]


@dataclass(frozen=True, slots=True)
class Save:
    """One fact to be stored. `importance` is 0..1; `context` says in one line where it came from."""

    key: str
    content: str
    project: str
    session: str
    context: str
    importance: float = 0.5
    quotes: tuple[Mapping[str, Any], ...] = ()
    facets: Facets = NOT_SAID
    now: int | None = None
    """The time of the commit in milliseconds: no memory was said later."""


@dataclass(frozen=True, slots=True)
class Adapted:
    """What the adapter makes of one fact, with its normalised content; `save` only for what is to be stored."""

    content: str
    outcome: Stored
    save: Save | None = None
    memory: str = ""
    """The memory that says it already; empty when it is one of the same batch."""


def provenance(session: str, boundary: int) -> str:
    """One short line that names the session and the end of the range."""
    return f"extracted from session {session} up to {boundary}"


def adapt(
    view: View,
    facts: Sequence[tuple[str, Save]],
    options: Options,
    refused: Collection[str] = (),
) -> tuple[Adapted, ...]:
    """One outcome per fact, in order. `facts` pairs each raw content with its `Save`; `refused` are keys that the bank
    would not take. A repeat inside the batch is a duplicate.
    """
    results: list[Adapted] = []
    stored: dict[str, str] = {}
    for raw, save in facts:
        content = wording(raw, options)
        same = canonical(content, options.neutralize)
        if not same or save.key in refused:
            results.append(Adapted(content or raw, "dropped"))
            continue
        memory = known(view, content, save.project, options.neutralize) if options.dedupe else None
        if memory is not None or (options.dedupe and same in stored):
            results.append(Adapted(content, "duplicate", memory=memory or ""))
            continue
        stored[same] = save.key
        results.append(Adapted(content, "committed", save))
    return tuple(results)


def wording(raw: str, options: Options) -> str:
    """The normalised content as it is stored: with the person's own characters unless the port's stripping is on."""
    return statement(raw) if options.neutralize == "substitute" else canonical(raw, options.neutralize)


def put_memory(save: Save) -> PutMemory:
    """The memory that would hold a fact, placed by rule (`decisions.md` §2.4)."""
    quotes = read_quotes(save.quotes)
    fields = place(save.content, quotes, project=save.project, facets=save.facets, latest=save.now)
    return PutMemory(None, fields, key=save.key)
