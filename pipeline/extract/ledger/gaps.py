"""The gap ledger's rows: facts that wait for another session or for a person (`spec/extraction.md` §17, §24.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from pipeline.extract.facets.facet import NOT_SAID, Facets, facet_fields, read_facets
from store.changes import PutRow, Row
from store.fields import is_integer, is_text, items, objects, revision, text, whole
from store.view import View

GapState = Literal["open", "ready", "covered", "rejected", "archived"]
MAX_AGE = 7_776_000_000
"""Lifetime of a sighting in milliseconds: 90 days (§20)."""
SIGHTINGS = 64
"""Sightings that a row keeps; more sessions than any floor asks for."""
QUOTES = 16
"""Quotes that a sighting keeps."""
FLOOR = 2
"""Distinct sessions that a fact found in passing needs (§20)."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One session produced this fact at that time (milliseconds); `quotes` are the person's words, masked.

    `seen_as` is the alias under which it was seen, "" for the row's own id: a split takes it along.
    """

    session: str
    at: int
    operation: str = ""
    model: str = ""
    quotes: tuple[Mapping[str, Any], ...] = ()
    seen_as: str = ""

    def row(self) -> dict[str, Any]:
        """The sighting as a row keeps it."""
        fields: dict[str, Any] = {"sessionId": self.session, "at": self.at}
        if self.operation:
            fields["operationId"] = self.operation
        if self.model:
            fields["model"] = self.model
        if self.quotes:
            fields["quotes"] = [dict(quote) for quote in self.quotes]
        if self.seen_as:
            fields["seenAs"] = self.seen_as
        return fields


@dataclass(frozen=True, slots=True)
class Gap:
    """One row of the gap ledger; times are milliseconds, `rev` is the row's revision (0: not there yet).

    `merged` are the rows that a person merged into this one, as they were, so that they can be split off again.
    `suspects` are ids of rows that a model cited for this fact without sharing a word: a link to look at, no more.
    """

    id: str
    project: str
    content: str
    state: GapState = "open"
    sightings: tuple[Sighting, ...] = ()
    aliases: tuple[str, ...] = ()
    updated_at: int = 0
    covered_at: int | None = None
    covered_by: str = ""
    memory: str = ""
    explicit: bool = False
    edited: bool = False
    postponed: int | None = None
    postponed_until: int | None = None
    extended: int | None = None
    """When a person postponed it, until when (None: until something new is known), and when they gave it more time."""
    merged: tuple[Mapping[str, Any], ...] = ()
    suspects: tuple[str, ...] = ()
    facets: Facets = NOT_SAID
    """What a model and the rules said of the fact, where that was asked for (`decisions.md` §2.4)."""
    rev: int = 0

    @property
    def key(self) -> str:
        """The row's key: the same id in two projects is two rows (ext-D16)."""
        return gap_key(self.project, self.id)

    @property
    def identities(self) -> tuple[str, ...]:
        """Every id that resolves to this row."""
        return (self.id, *self.aliases)

    def fresh(self, now: int, max_age: int = MAX_AGE) -> tuple[Sighting, ...]:
        """The sightings that still count: `now - at <= max_age`, equality included."""
        return tuple(sighting for sighting in self.sightings if now - sighting.at <= max_age)

    def sessions(self, now: int, max_age: int = MAX_AGE) -> frozenset[str]:
        """The distinct sessions among the fresh sightings; a session never counts twice."""
        return frozenset(sighting.session for sighting in self.fresh(now, max_age))

    def expires_at(self, max_age: int = MAX_AGE) -> int | None:
        """When the last fresh sighting runs out; postponing and extending count as looking at it anew."""
        looked = (self.postponed, self.postponed_until, self.extended)
        times = [sighting.at for sighting in self.sightings] + [time for time in looked if time is not None]
        return max(times) + max_age if times else None

    def alive(self, now: int, max_age: int = MAX_AGE) -> bool:
        """Whether it may go on waiting: `now` is not past `expires_at`, equality included."""
        expires = self.expires_at(max_age)
        return expires is not None and now <= expires

    def woken(self) -> Gap:
        """The same fact once a postponement is over."""
        return replace(self, postponed=None, postponed_until=None)

    def asleep(self, now: int) -> bool:
        """Whether a person put it off and the time that they named has not come."""
        return self.postponed is not None and (self.postponed_until is None or now < self.postponed_until)


def gap_key(project: str, identity: str) -> str:
    """Key of a gap row, and of a tombstone for a gap: `<project>|<id>`."""
    return f"{project}|{identity}"


def read_gap(key: str, row: Row) -> Gap | None:
    """A gap row, or None for a damaged one: empty content, `covered` no boolean, a malformed sighting (§19)."""
    project, _, identity = key.rpartition("|")
    sightings = read_sightings(row.get("sightings"))
    covered = row.get("covered")
    if not is_text(row.get("content")) or not isinstance(covered, bool) or sightings is None:
        return None
    if not is_integer(row.get("updatedAt")):
        return None
    return Gap(
        id=row["id"] if is_text(row.get("id")) else identity,
        project=row["project"] if isinstance(row.get("project"), str) else project,
        content=row["content"],
        state=_state(row.get("state"), covered),
        sightings=sightings,
        aliases=tuple(alias for alias in items(row, "aliases") if is_text(alias)),
        updated_at=int(row["updatedAt"]),
        covered_at=whole(row, "coveredAt"),
        covered_by=text(row, "coveredBy"),
        memory=text(row, "memory"),
        explicit=row.get("explicit") is True,
        edited=row.get("edited") is True,
        postponed=whole(row, "postponed"),
        postponed_until=whole(row, "postponedUntil"),
        extended=whole(row, "extended"),
        merged=objects(row, "merged"),
        suspects=tuple(name for name in items(row, "suspects") if is_text(name)),
        facets=read_facets(row),
        rev=revision(row),
    )


def read_sightings(value: object) -> tuple[Sighting, ...] | None:
    """The sightings of a row, None when any of them is malformed."""
    if not isinstance(value, list | tuple):
        return None
    found = []
    for entry in value:
        if not isinstance(entry, Mapping) or not is_text(entry.get("sessionId")) or not is_integer(entry.get("at")):
            return None
        operation, model, alias = (text(entry, name) for name in ("operationId", "model", "seenAs"))
        quotes = objects(entry, "quotes")
        found.append(Sighting(entry["sessionId"], int(entry["at"]), operation, model, quotes, alias))
    return tuple(found)


def put_gap(gap: Gap, **more: Any) -> PutRow:
    """Writes a gap over the state that was read (`gap.rev`); `more` are further fields of the row."""
    fields: dict[str, Any] = {
        "id": gap.id,
        "project": gap.project,
        "content": gap.content,
        "state": gap.state,
        "covered": gap.state == "covered",
        "sightings": [sighting.row() for sighting in gap.sightings],
        "updatedAt": gap.updated_at,
        "aliases": list(gap.aliases) or None,
        "coveredAt": gap.covered_at,
        "coveredBy": gap.covered_by or None,
        "memory": gap.memory or None,
        "explicit": True if gap.explicit else None,
        "edited": True if gap.edited else None,
        "postponed": gap.postponed,
        "postponedUntil": gap.postponed_until,
        "extended": gap.extended,
        "merged": [dict(part) for part in gap.merged] or None,
        "suspects": list(gap.suspects) or None,
        **facet_fields(gap.facets),
    }
    fields.update(more)
    return PutRow("gaps", gap.key, fields, rev=gap.rev)


def all_gaps(view: View) -> Iterable[Gap]:
    """Every readable gap of every project, in the order of the table."""
    for key, row in view.rows("gaps").items():
        if (gap := read_gap(key, row)) is not None:
            yield gap


def with_sighting(gap: Gap, seen: Sighting) -> tuple[Sighting, ...]:
    """The gap's sightings with this one: a session that is there keeps its time and gains the new quotes.

    A row keeps its first sighting and the newest ones, and a sighting its first quotes and the one that was said last,
    so that no row grows for ever.
    """
    if all(sighting.session != seen.session for sighting in gap.sightings):
        every = (*gap.sightings, seen)
        return every if len(every) <= SIGHTINGS else (every[0], *every[1 - SIGHTINGS :])
    return tuple(
        replace(sighting, quotes=_bounded(join_quotes(sighting.quotes, seen.quotes)))
        if sighting.session == seen.session
        else sighting
        for sighting in gap.sightings
    )


def join_quotes(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Both lists of quotes, each place and wording once."""
    seen: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for quote in (*first, *second):
        seen.setdefault((quote.get("session"), quote.get("seq"), quote.get("ref"), quote.get("quote")), quote)
    return tuple(seen.values())


def _bounded(quotes: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    newest = max(quotes, key=lambda quote: whole(quote, "at") or 0, default=None)
    first = quotes[:QUOTES]
    return first if newest is None or newest in first else (*quotes[: QUOTES - 1], newest)


def _state(value: object, covered: bool) -> GapState:
    """The state of a row; older rows have none, and `covered` decides for them in any case (§24.1)."""
    if covered:
        return "covered"
    known = [state for state in get_args(GapState) if state == value and state != "covered"]
    return known[0] if known else "open"
