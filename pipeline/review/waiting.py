"""Everything that waits for a person, in one queue: pending facts, profile facts, agents' proposals (`product.md`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pipeline.extract.facets.facet import NOT_SAID, Facets
from pipeline.extract.ledger.gaps import FLOOR, MAX_AGE, Gap, Sighting, all_gaps
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.placement import SUBJECT_LENGTH
from pipeline.extract.profile.rows import ProfileRow, all_profile, conflicting
from pipeline.review.lazily import Lazily
from pipeline.review.nearby import Neighbour, WaitingWords, near_gaps, near_memories, near_waiting
from pipeline.review.proposals import AgentProposal, all_proposals
from pipeline.review.setting import KIND as SUGGESTION
from pipeline.review.setting import Suggested, suggested
from pipeline.review.suggested import gap_fields, profile_fields, proposal_fields
from store.changes import Change, MoveMemory, PutMemory
from store.errors import AmbiguousMemory, BadInput
from store.memory import DEFAULT_SCOPES, Quote
from store.view import View

EXPIRING = 7 * 86_400_000
"""Milliseconds before its end in which an open fact counts as expiring."""
_GROUPS = {"ready": 0, "conflict": 1, "expiring": 2, "open": 3, "postponed": 4, "rejected": 5, "archived": 6}
_PROPOSAL_STATES = {"waiting": "ready", "postponed": "postponed", "rejected": "rejected"}


@dataclass(frozen=True, slots=True)
class Waiting:
    """One row that waits for a decision, with all that a screen or a command shows of it.

    `id` is what a person types; `table`, `key` and `rev` say which row it is and which revision of it was read. `state`
    is `ready`, `conflict`, `expiring`, `open`, `postponed`, `rejected` or `archived`; `counted` ones make up the number
    in the header, `folded` ones stand under "seen once". `fields` are those of the memory that approval would make;
    `conflict` is the id of the memory, or the path of the setting file, that it would replace. Times are milliseconds.
    """

    id: str
    table: str
    key: str
    rev: int
    kind: str
    state: str
    fields: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    quotes: tuple[Quote, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    have: int = 0
    need: int = 0
    confidence: float | None = None
    by: str = ""
    reason: str = ""
    created: int = 0
    updated: int = 0
    expires: int | None = None
    conflict: str | None = None
    choices: tuple[str, ...] = ()
    """Fields between which the person chooses (a name or a profession)."""
    resembles: tuple[Neighbour, ...] = ()
    facets: Facets = NOT_SAID
    """What a model and the rules said of a fact, where that was asked for (`spec/extraction.md` §25)."""

    @property
    def counted(self) -> bool:
        """Whether it is part of the number in the header and of `review --count` (`decisions.md` §6.2)."""
        return self.state in ("ready", "conflict")

    @property
    def folded(self) -> bool:
        """Whether it stands folded under "seen once": below the floor, but it can be approved."""
        return self.state in ("expiring", "open")

    @property
    def needs_owner(self) -> bool:
        """Whether the person must say whose it is before it can be approved: private, and nobody proposed."""
        private = DEFAULT_SCOPES.get(str(self.fields.get("type", "FACT"))) == "private"
        return private and not self.fields.get("owner")

    @property
    def statement(self) -> str:
        """The text of the memory that approval would leave."""
        return str(self.fields.get("statement", ""))

    @property
    def observed(self) -> str:
        """When the words that it rests on were said last, as an ISO instant; "" when that is not known."""
        return str(self.fields.get("observed") or "")

    @property
    def project(self) -> str:
        """The project in which it was learnt or which its memory would be of, "" for none."""
        return self.key.rpartition("|")[0] if self.table == "gaps" else str(self.fields.get("project") or "")

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that it was found in, as `<format>/<session>`."""
        found = (*(seen.session for seen in self.sightings), *(f"{one.format}/{one.session}" for one in self.quotes))
        return tuple(dict.fromkeys(found))

    @property
    def named(self) -> str:
        """The row in a few words for the history: its kind and the subject of its memory, or its id."""
        subject = " ".join(str(self.fields.get("subject", "")).split())
        return f"{self.kind} {subject[:SUBJECT_LENGTH] or self.id}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How much waits. `ready` is the number in the header; conflicts are part of it."""

    ready: int = 0
    conflicts: int = 0
    seen_once: int = 0
    postponed: int = 0

    @classmethod
    def of(cls, states: Iterable[str]) -> Counts:
        """Of rows in these states."""
        found = Counter(states)
        conflicts = found["conflict"]
        return cls(found["ready"] + conflicts, conflicts, found["open"] + found["expiring"], found["postponed"])


def queue(view: View, now: int, *, postponed: bool = False, resembling: bool = True) -> tuple[Waiting, ...]:
    """What waits, in the order ready, conflicts, expiring, newest (`decisions.md` §6.2).

    `view` is one bank's. `now` is milliseconds since 1970. `postponed` adds at the end what was put off. Without
    `resembling` the neighbours are left out, which is quicker; `resemblances` finds them for one row.
    """
    found = [one for one in _every(view, now) if one.state not in ("rejected", "archived")]
    if not postponed:
        found = [one for one in found if one.state != "postponed"]
    found.sort(key=in_order)
    return with_resemblances(view, found) if resembling else tuple(found)


def with_resemblances(view: View, items: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """These with what each resembles; for many, quicker than `resemblances` of each."""
    words = WaitingWords.of(all_gaps(view))
    return tuple(replace(one, resembles=_resemblances(view, one, words)) for one in items)


def rejected(view: View, now: int) -> tuple[Waiting, ...]:
    """What was rejected or went to the archive and can be restored, newest first."""
    found = [one for one in _every(view, now) if one.state in ("rejected", "archived")]
    return tuple(sorted(found, key=newest_first))


def counts(view: View, now: int) -> Counts:
    """How much waits; cheap enough for every change of the bank."""
    confirmed = _confirmed(view)
    states = [_gap_state(gap, now) for gap in all_gaps(view) if gap.state != "covered"]
    states += [_profile_state(row, conflicting(view, confirmed, row)) for row in all_profile(view) if _undecided(row)]
    states += [_PROPOSAL_STATES.get(one.state, "ready") for one in all_proposals(view) if one.state != "approved"]
    return Counts.of(states)


def find(view: View, reference: str, now: int) -> Waiting:
    """The row that a person's words name: its id, or the beginning of it if only one begins so.

    Decided rows that can be restored are found as well. Raises `BadInput`, or `AmbiguousMemory` with the candidates.
    """
    every = list(_every(view, now))
    exact = [one for one in every if reference in (one.id, one.key)]
    found = exact or [one for one in every if reference and one.id.startswith(reference)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BadInput(f"Nothing that waits is called {reference!r}; use an id that `memdesk review` prints.")
    names = [one.key if exact else one.id for one in found]
    raise AmbiguousMemory(f"{reference!r} names {len(names)} proposals; give one of: {', '.join(names)}.", names)


def resemblances(view: View, item: Waiting) -> tuple[Neighbour, ...]:
    """Memories and other waiting facts that share words with this one, most alike first."""
    near = _near_memories(view, item)
    return (*near, *near_waiting(view, item.key)) if item.table == "gaps" else near


def _resemblances(view: View, item: Waiting, words: WaitingWords) -> tuple[Neighbour, ...]:
    own = words.gaps.get(item.key) if item.table == "gaps" else None
    near = _near_memories(view, item)
    return (*near, *near_gaps(words, own)) if own else near


def _near_memories(view: View, item: Waiting) -> tuple[Neighbour, ...]:
    if item.kind == "forget" or not item.statement:
        return ()
    near = near_memories(view, item.statement, str(item.fields.get("project", "")))
    touched = {change.id for change in item.changes if isinstance(change, PutMemory | MoveMemory)}
    return tuple(one for one in near if one.id not in touched)


def in_order(one: Waiting) -> tuple[int, int, float, str, str]:
    """Ready first, then conflicts, then what runs out soonest, then the newest; of these the surest suggestion."""
    within = one.expires or 0 if one.state == "expiring" else -one.updated
    sure = (one.confidence or 0.0) if one.kind == SUGGESTION else 0.0
    return _GROUPS[one.state], within, -sure, one.id, one.key


def newest_first(one: Waiting) -> tuple[int, str, str]:
    """What changed last first."""
    return -one.updated, one.id, one.key


def _every(view: View, now: int) -> Iterator[Waiting]:
    for gap in all_gaps(view):
        if gap.state != "covered":
            yield gap_item(view, gap, now)
    confirmed = _confirmed(view)
    for row in all_profile(view):
        if _undecided(row):
            yield profile_item(view, row, conflicting(view, confirmed, row))
    for proposal in all_proposals(view):
        if proposal.state != "approved":
            yield proposal_item(view, proposal)


def _confirmed(view: View) -> tuple[ProfileRow, ...]:
    return tuple(row for row in all_profile(view) if row.state == "confirmed")


def _undecided(row: ProfileRow) -> bool:
    """Whether a profile fact waits or can be brought back."""
    return row.state in ("pending", "rejected")


def gap_item(view: View, gap: Gap, now: int) -> Waiting:
    """The row of a pending fact as the queue shows it; `now` is milliseconds."""
    need = view.setting("min_gap_evidence", FLOOR)
    fields = Lazily(partial(gap_fields, view, gap))
    quotes = tuple(quote for seen in gap.sightings for quote in read_quotes(seen.quotes))
    return Waiting(
        gap.id,
        "gaps",
        gap.key,
        gap.rev,
        "fact",
        _gap_state(gap, now),
        fields,
        (PutMemory(None, fields, key="memory"),),
        quotes,
        gap.sightings,
        len(gap.sessions(now)),
        need,
        by=next((seen.model for seen in reversed(gap.sightings) if seen.model), ""),
        reason="you asked to remember it" if gap.explicit else "",
        created=min((seen.at for seen in gap.sightings), default=gap.updated_at),
        updated=gap.updated_at,
        expires=gap.expires_at() if gap.state == "open" else None,
        facets=gap.facets,
    )


def _gap_state(gap: Gap, now: int) -> str:
    if gap.state in ("rejected", "archived"):
        return gap.state
    if gap.asleep(now):
        return "postponed"
    if gap.state == "ready":
        return "ready"
    expires = gap.expires_at(MAX_AGE)
    return "expiring" if expires is not None and expires - now <= EXPIRING else "open"


def profile_item(view: View, row: ProfileRow, conflict: ProfileRow | None) -> Waiting:
    """The row of a profile fact; `conflict` is the confirmed fact that it would replace."""
    fields = Lazily(partial(profile_fields, view, row))
    replaced = conflict.memory if conflict else None
    changes: tuple[Change, ...] = (PutMemory(None, fields, key="memory"),)
    if replaced:
        changes = (*changes, MoveMemory(replaced, "trashed"))
    return Waiting(
        row.id,
        "profile",
        row.key,
        row.rev,
        "profile",
        _profile_state(row, conflict),
        fields,
        changes,
        read_quotes(row.quotes),
        have=row.times_seen,
        confidence=row.confidence,
        reason=f"would replace {conflict.value}" if conflict else "",
        created=row.first_seen,
        updated=row.last_seen,
        conflict=replaced,
        choices=row.choices,
    )


def _profile_state(row: ProfileRow, conflict: ProfileRow | None) -> str:
    if row.state == "rejected":
        return "rejected"
    if row.postponed:
        return "postponed"
    return "conflict" if conflict else "ready"


def proposal_item(view: View, proposal: AgentProposal) -> Waiting:
    """The row of an agent's proposal, an insight or a suggestion."""
    item = Waiting(
        proposal.id,
        "proposals",
        proposal.key,
        proposal.rev,
        proposal.kind,
        _PROPOSAL_STATES.get(proposal.state, "ready"),
        proposal_fields(view, proposal),
        proposal.changes,
        read_quotes(proposal.quotes),
        by=proposal.by,
        reason=proposal.reason,
        created=proposal.created,
        updated=proposal.created,
    )
    found = suggested(view, view.rows("proposals").get(proposal.key, {}), proposal.created)
    return item if found is None else _suggestion_item(item, found)


def _suggestion_item(item: Waiting, found: Suggested) -> Waiting:
    """A suggestion against the setting file that is there: a conflict until the person has seen what it replaces."""
    return replace(
        item,
        state="conflict" if found.conflict and item.state == "ready" else item.state,
        fields=found.fields,
        changes=found.changes,
        confidence=found.confidence,
        reason=found.reason,
        conflict=found.conflict,
    )
