"""Two wordings of one fact become one row, and can be parted again (`spec/extraction.md` §24.2).

The surviving row keeps what the other one was, so that a split gives both back as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.facets.facet import NOT_SAID, Facets, facet_fields, joined, read_facets
from pipeline.extract.ledger.gaps import (
    FLOOR,
    Gap,
    GapState,
    Sighting,
    gap_key,
    join_quotes,
    put_gap,
    read_gap,
    read_sightings,
)
from pipeline.extract.ledger.known import alive
from pipeline.review.rows import DECIDED, gap_of
from pipeline.review.waiting import Waiting
from store.changes import Change, Changeset, DropRow, Origin
from store.clock import millis
from store.errors import AlreadyDecided, BadInput, unknown_memory
from store.fields import items, text
from store.view import View


@dataclass(frozen=True, slots=True)
class Part:
    """A fact that was merged into another: its id, its own wording and the sessions that said it so."""

    id: str
    content: str
    sessions: tuple[str, ...]


def merge(view: View, item: Waiting | Sequence[Waiting], into: Waiting, origin: Origin = "screen") -> Changeset:
    """The changeset that merges a fact, or several, into the fact `into`.

    `into` keeps its id and wording, takes the other's id and aliases, and all sightings, each session once at its
    earliest time with the quotes of both. It is ready when enough sessions are together; nothing is ever stored by it.
    Raises `AlreadyDecided`, and `BadInput` for facts that do not wait or are of two projects.
    """
    several = [item] if isinstance(item, Waiting) else list({one.key: one for one in item}.values())
    united, dropped = gap_of(view, into), []
    for one in several:
        gone = gap_of(view, one)
        _check_pair(gone, united)
        united = _united(view, gone, united)
        dropped.append(DropRow("gaps", gone.key, gone.rev))
    if not dropped:
        raise BadInput("There is nothing to merge; choose the facts that say the same.")
    named = several[0].named if len(several) == 1 else f"{len(several)} facts"
    changes: tuple[Change, ...] = (put_gap(united), *dropped)
    return Changeset(changes, f"merge {named} into {into.named}", origin, allow_secrets=True)


def _check_pair(gone: Gap, kept: Gap) -> None:
    if gone.key == kept.key:
        raise BadInput("A fact cannot be merged with itself; choose another one.")
    if gone.project != kept.project:
        raise BadInput("These facts are of two projects; facts are merged within one project only.")
    if {gone.state, kept.state} - {"open", "ready"}:
        raise BadInput("Only facts that wait can be merged; restore the other one first.")


def split(view: View, item: Waiting, alias: str, origin: Origin = "screen") -> Changeset:
    """The changeset that takes a merged fact out again, with its own sightings and those that came under its name.

    `alias` is the id of a `Part`. Raises `AlreadyDecided`, `BadInput` when nothing of that id was merged into it.
    """
    gap = gap_of(view, item)
    record = next((part for part in gap.merged if part.get("id") == alias), None)
    if record is None:
        raise BadInput("Nothing of that name was merged into this fact; there is nothing to split off.")
    row = view.rows("gaps").get(gap_key(gap.project, alias))
    old = read_gap(gap_key(gap.project, alias), {**record, "project": gap.project, "covered": False})
    if old is None or row is not None:
        raise AlreadyDecided(DECIDED)
    now = millis()
    away = set(old.identities)
    later = [replace(seen, seen_as="" if seen.seen_as == old.id else seen.seen_as) for seen in gap.sightings]
    new = [
        seen
        for before, seen in zip(gap.sightings, later, strict=True)
        if before.seen_as in away and all(one.session != before.session for one in old.sightings)
    ]
    parted = replace(old, sightings=(*old.sightings, *new), updated_at=now, rev=0)
    rest = replace(
        gap,
        facets=_own_facets(gap, old, record.get("own")),
        aliases=tuple(name for name in gap.aliases if name not in away),
        sightings=tuple(_own(gap.sightings, away, old, read_sightings(record.get("over")) or ())),
        merged=tuple(part for part in gap.merged if part.get("id") != alias),
        updated_at=now,
    )
    rest = replace(rest, state=_state(view, rest, now, record.get("was") == "ready"))
    parted = replace(parted, state=_state(view, parted, now, old.state == "ready"))
    return Changeset(
        (put_gap(rest), put_gap(parted)), f"split {old.content[:30]} off {item.named}", origin, allow_secrets=True
    )


def parts(view: View, item: Waiting) -> tuple[Part, ...]:
    """The facts that were merged into this one, oldest merge first."""
    gap = read_gap(item.key, view.rows(item.table).get(item.key, {})) if item.table == "gaps" else None
    if gap is None:
        return ()
    return tuple(
        Part(text(part, "id"), text(part, "content"), tuple(_sessions(part))) for part in gap.merged if text(part, "id")
    )


def same_as(view: View, item: Waiting, memory: str, origin: Origin = "screen") -> Changeset:
    """The changeset that says that a waiting fact is what a live memory says already: its row retires, no copy is made.

    `memory` is the memory's id; what later sessions say under this identity counts as said by it. Raises
    `AlreadyDecided`, `BadInput`, `UnknownMemory`.
    """
    gap = gap_of(view, item)
    if gap.state not in ("open", "ready"):
        raise BadInput("This does not wait any more; there is nothing to join.")
    if not alive(view, memory):
        raise unknown_memory(memory)
    now = millis()
    covered = replace(gap.woken(), state="covered", updated_at=now, covered_at=now, covered_by="human", memory=memory)
    reason = f"{item.named} is what {view.memories[memory].name} says"
    return Changeset((put_gap(covered, approvedBy="human"),), reason, origin, allow_secrets=True)


def _united(view: View, gone: Gap, kept: Gap) -> Gap:
    now = millis()
    aliases = dict.fromkeys((*kept.aliases, *gone.identities))
    united = replace(
        kept.woken(),
        aliases=tuple(name for name in aliases if name != kept.id),
        sightings=_union(kept.sightings, gone),
        merged=(*kept.merged, _record(kept, gone)),
        explicit=kept.explicit or gone.explicit,
        extended=max((time for time in (kept.extended, gone.extended) if time is not None), default=None),
        suspects=tuple(name for name in (*kept.suspects, *gone.suspects) if name not in (kept.id, *gone.identities)),
        facets=joined(kept.facets, gone.facets),
        updated_at=now,
    )
    ready = "ready" in (kept.state, gone.state)
    return replace(united, state=_state(view, united, now, ready))


def _state(view: View, gap: Gap, now: int, ready: bool) -> GapState:
    """Ready when it was so before, was asked for, or enough distinct sessions said it lately; else open."""
    enough = len(gap.sessions(now)) >= view.setting("min_gap_evidence", FLOOR)
    return "ready" if ready or gap.explicit or enough else "open"


def _record(kept: Gap, gone: Gap) -> dict[str, Any]:
    """What a split needs: the other row as it was, our own sightings of sessions that both had, and our own facets."""
    fields = put_gap(gone).fields
    theirs = {seen.session for seen in gone.sightings}
    over = [seen.row() for seen in kept.sightings if seen.session in theirs]
    left_out = ("project", "covered")
    record = {name: value for name, value in fields.items() if value is not None and name not in left_out}
    own = {name: value for name, value in facet_fields(kept.facets).items() if value is not None}
    told = {} if gone.facets == NOT_SAID else {"own": own}
    return record | {"was": kept.state} | ({"over": over} if over else {}) | told


def _union(ours: Sequence[Sighting], gone: Gap) -> tuple[Sighting, ...]:
    """Each session once, at its earliest time, with the quotes of both; what came from the other row says so."""
    found = {seen.session: seen for seen in ours}
    for seen in gone.sightings:
        mine = found.get(seen.session)
        if mine is None:
            found[seen.session] = replace(seen, seen_as=seen.seen_as or gone.id)
        else:
            quotes = join_quotes(mine.quotes, seen.quotes)
            found[seen.session] = replace(mine, at=min(mine.at, seen.at), quotes=quotes)
    return tuple(found.values())


def _own(sightings: Sequence[Sighting], away: set[str], old: Gap, over: Sequence[Sighting]) -> Sequence[Sighting]:
    """Our sightings without the other row's: those of its own go, those that both had are as they were before."""
    before = {seen.session: seen for seen in over}
    theirs = {seen.session: seen for seen in old.sightings}
    found: list[Sighting] = []
    for seen in (one for one in sightings if one.seen_as not in away):
        mine = before.get(seen.session)
        if mine is None:
            found.append(seen)
        else:
            new = [quote for quote in seen.quotes if quote not in theirs[seen.session].quotes]
            found.append(replace(mine, quotes=join_quotes(mine.quotes, new)))
    return found


def _own_facets(gap: Gap, old: Gap, own: object) -> Facets:
    """Our facets without the other row's, as they were before; what a later session said of both stays."""
    before = read_facets(own) if isinstance(own, Mapping) else gap.facets
    return before if gap.facets == joined(before, old.facets) else gap.facets


def _sessions(part: Mapping[str, Any]) -> list[str]:
    return [text(seen, "sessionId") for seen in items(part, "sightings") if isinstance(seen, Mapping)]
