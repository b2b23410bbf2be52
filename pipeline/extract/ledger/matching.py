"""The gap ledger at work: what the model is shown, who a fact is, whether it waits (`spec/extraction.md` §17, §23).

All of it is decided on rows as they were read; the engine reads them again right before it writes (ext-D18).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pipeline.extract.canonical import canonical
from pipeline.extract.effects import Audit
from pipeline.extract.facets.facet import NOT_SAID, Facets, joined
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, GapState, Sighting, gap_key, read_gap, with_sighting
from pipeline.extract.options import Options
from pipeline.extract.stages import OPEN_GAPS, OpenGap
from pipeline.extract.words import content_words
from store.fields import revision
from store.view import View

SUSPECTS = 8
"""Doubtful citations that a row remembers; the newest ones."""
Verdict = Literal["suppressed", "duplicate", "store", "ready", "deferred", "refused", "dropped"]


@dataclass(frozen=True, slots=True)
class Write:
    """One admitted and rewritten fact on its way into the ledger or the bank.

    `content` is C() of `spec/extraction.md` §12, the basis of ids; `wording` is what is kept and stored, with the
    person's own characters (`decisions.md` §4.7). `doubt` says why a person should look before it is stored (ext-D10).
    """

    number: int
    content: str
    wording: str
    quotes: tuple[Mapping[str, Any], ...] = ()
    cited: str | None = None
    explicit: bool = False
    doubt: str = ""
    facets: Facets = NOT_SAID


@dataclass(frozen=True, slots=True)
class Ledger:
    """The gap rows of one project as they were read. `index` finds a gap by its id and by each alias."""

    project: str
    now: int
    options: Options
    index: Mapping[str, Gap] = field(default_factory=dict)
    revisions: Mapping[str, int] = field(default_factory=dict)
    tombstones: frozenset[str] = frozenset()

    @property
    def max_age(self) -> int:
        """Lifetime of a sighting in milliseconds."""
        return self.options.gap_ledger_max_age_ms

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Each gap once, in the order of the table."""
        return tuple({gap.id: gap for gap in self.index.values()}.values())

    def shown(self) -> tuple[OpenGap, ...]:
        """What the model may cite: waiting rows with a fresh sighting, newest first, at most 16."""
        waiting = [gap for gap in self.gaps if gap.state in ("open", "ready") and not self.suppresses(gap.identities)]
        alive = [gap for gap in waiting if gap.fresh(self.now, self.max_age)]
        newest = sorted(alive, key=lambda gap: -gap.updated_at)[:OPEN_GAPS]
        return tuple(
            OpenGap(gap.id, canonical(gap.content, self.options.neutralize), len(gap.sessions(self.now, self.max_age)))
            for gap in newest
        )

    def expired(self) -> tuple[Gap, ...]:
        """Open rows whose last sighting has run out: candidates for the archive (or, in the port, for deletion)."""
        return tuple(gap for gap in self.gaps if gap.state == "open" and not gap.alive(self.now, self.max_age))

    def suppresses(self, identities: Sequence[str]) -> bool:
        """Whether a person rejected or forgot one of these identities (`spec/extraction.md` §24.4)."""
        return any(identity in self.tombstones for identity in identities)

    def after(self, gap: Gap) -> Ledger:
        """The ledger once this gap is written, for the next fact of the same run."""
        return replace(self, index={**self.index, **dict.fromkeys(gap.identities, gap)})


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to one fact: the verdict and its gap row as it would stand afterwards.

    `item` is the key of the new memory that holds the fact, when this run makes one.
    """

    write: Write
    verdict: Verdict
    gap: Gap
    have: int = 0
    need: int = 0
    item: str = ""


def load(view: View, project: str, now: int, options: Options) -> Ledger:
    """The ledger of one project; damaged rows are passed over but can be written over.

    Tombstones of no project are about the person and hold in every project.
    """
    index: dict[str, Gap] = {}
    revisions: dict[str, int] = {}
    prefix = gap_key(project, "")
    for key, row in view.rows("gaps").items():
        if not key.startswith(prefix):
            continue
        revisions[key] = revision(row)
        gap = read_gap(key, row)
        if gap is not None and gap.project == project:
            index[gap.id] = gap
    for gap in tuple(index.values()):
        for alias in gap.aliases:
            index.setdefault(alias, gap)
    return Ledger(project, now, options, index, revisions, _dead(view, project))


def without_rows(view: View, project: str, now: int, options: Options) -> Ledger:
    """A ledger that is switched off: no row is read, only tombstones (`spec/extraction.md` §17, floor 0)."""
    return Ledger(project, now, options, tombstones=_dead(view, project))


def _dead(view: View, project: str) -> frozenset[str]:
    prefixes = (gap_key(project, ""), gap_key("", ""))
    return frozenset(key.rpartition("|")[2] for key in view.rows("tombstones") if key.startswith(prefixes))


def identify(ledger: Ledger, write: Write, shown: frozenset[str], used: set[str]) -> tuple[str, tuple[Audit, ...]]:
    """Which identity a fact has: the pending fact that it cites, if that citation can be trusted, else its own hash.

    A citation counts when the row was offered in this run, was not cited before in it, and shares a content word
    (`spec/extraction.md` §23.1). `used` is added to.
    """
    own = gap_id(write.content, ledger.options.neutralize)
    cited = write.cited
    if cited is None:
        return own, ()
    if cited not in shown or cited not in ledger.index:
        return own, (Audit("citation_ignored", cited, "not_shown"),)
    if cited in used:
        return own, (Audit("citation_ignored", cited, "already_used_in_run"),)
    if not content_words(ledger.index[cited].content) & content_words(write.content):
        return own, (Audit("citation_suspect", cited),)
    used.add(cited)
    return cited, ()


def decide(ledger: Ledger, write: Write, identity: str, seen: Sighting, known: str | None) -> Decision:
    """What happens to a fact of this identity.

    `known` is the id of a memory that says the same already, "" when this run makes one that does, or None.
    A rejected or forgotten fact gathers nothing. One that the bank has retires at once (§23.9). Otherwise it needs
    enough distinct sessions, this one included, unless it was asked for in so many words; and in review mode `all` a
    person on top. A wording that a person chose (an edit; a merge, while it waits) stays, whatever a session calls it.
    """
    gap = ledger.index.get(identity) or _new(ledger, write, identity)
    if gap.id != identity:
        seen = replace(seen, seen_as=identity)
    if gap.edited:
        write = replace(write, wording=gap.content)
    if gap.state == "rejected" or ledger.suppresses((identity, *gap.identities)):
        return Decision(write, "suppressed", gap)
    have, need = len(gap.sessions(ledger.now, ledger.max_age) | {seen.session}), ledger.options.min_gap_evidence
    if known is not None:
        content = gap.content if known and gap.memory == known else write.wording
        found = replace(gap, memory=known or gap.memory)
        return Decision(write, "duplicate", _covered(found, content, seen, ledger.now, "bank"), have, need)
    met = gap.state == "covered" or write.explicit or have >= need
    if met and ledger.options.review_mode == "floor" and not write.doubt:
        facets = joined(write.facets, gap.facets)
        covered = _covered(replace(gap, facets=facets), write.wording, seen, ledger.now, "commit")
        return Decision(write, "store", covered, have, need)
    ready = met or gap.state == "ready"
    kept = write if gap.id == identity else replace(write, wording=gap.content)
    waiting = _waiting(gap, kept, seen, ledger, "ready" if ready else "open")
    return Decision(write, "ready" if ready else "deferred", waiting, have, need)


def refused(ledger: Ledger, decision: Decision, seen: Sighting) -> Gap:
    """The row after the bank refused to store the fact: the sighting is kept and a person decides (ext-D20)."""
    before = ledger.index.get(decision.gap.id) or _new(ledger, decision.write, decision.gap.id)
    return _waiting(before, decision.write, seen, ledger, "ready")


def suspected(gap: Gap, other: str) -> Gap:
    """The row with the id of another that was cited for it though they share no word (`spec/extraction.md` §24.3)."""
    if other in (*gap.identities, *gap.suspects):
        return gap
    return replace(gap, suspects=(*gap.suspects, other)[-SUSPECTS:])


def _new(ledger: Ledger, write: Write, identity: str) -> Gap:
    rev = ledger.revisions.get(gap_key(ledger.project, identity), 0)
    return Gap(identity, ledger.project, write.wording, rev=rev)


def _covered(gap: Gap, content: str, seen: Sighting, now: int, by: str) -> Gap:
    """A retired row keeps every sighting it ever had."""
    settled = gap.state == "covered"
    return replace(
        gap.woken(),
        state="covered",
        content=content,
        sightings=with_sighting(gap, seen),
        updated_at=now,
        covered_at=now,
        covered_by=gap.covered_by if settled and gap.covered_by else by,
    )


def _waiting(gap: Gap, write: Write, seen: Sighting, ledger: Ledger, state: GapState) -> Gap:
    """A row that goes on waiting: stale sightings are dropped below the floor; something new ends a postponement."""
    kept = gap.sightings if state == "ready" else gap.fresh(ledger.now, ledger.max_age)
    return replace(
        gap.woken(),
        state=state,
        content=write.wording,
        sightings=with_sighting(replace(gap, sightings=kept), seen),
        updated_at=ledger.now,
        covered_at=None,
        covered_by="",
        explicit=gap.explicit or write.explicit,
        facets=joined(write.facets, gap.facets),
    )
