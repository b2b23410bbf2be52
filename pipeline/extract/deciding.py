"""What the facts of one range become, one after the other, against one state of the bank (`spec/extraction.md` §17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.extract.effects import Audit
from pipeline.extract.facets.facet import Facets
from pipeline.extract.findings import Findings
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting
from pipeline.extract.ledger.known import alive, known
from pipeline.extract.ledger.matching import (
    Decision,
    Ledger,
    Verdict,
    Write,
    decide,
    identify,
    load,
    refused,
    suspected,
    without_rows,
)
from pipeline.extract.save import Save, adapt, provenance
from pipeline.extract.work import Range, Work
from store.view import View


@dataclass(slots=True)
class Scene:
    """A range while its facts are decided. `unwanted` are keys of memories that the bank would not take.

    `stored` maps the content of each memory that the range makes to its key, so that a repeat is seen.
    """

    work: Work
    span: Range
    findings: Findings
    view: View
    unwanted: set[str]
    stored: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions in order, what is to be noted about them, and the ledger afterwards (None: switched off)."""

    decisions: tuple[Decision, ...] = ()
    audits: tuple[Audit, ...] = ()
    ledger: Ledger | None = None


def item_key(span: Range, write: Write) -> str:
    """The key under which a fact's new memory is named inside its changeset."""
    return f"{span.operation}/{write.number}"


def decide_all(scene: Scene) -> Decided:
    """Decide each fact on the rows as they are, those of the facts before it included."""
    work = scene.work
    rows = load if work.options.keeps_gaps else without_rows
    ledger = rows(scene.view, work.snapshot.project, work.now, work.options)
    if not work.options.keeps_gaps:
        return _without_ledger(scene, ledger)
    decisions: list[Decision] = []
    audits: list[Audit] = []
    used: set[str] = set()
    for write in scene.findings.writes:
        identity, notes = identify(ledger, write, scene.findings.shown, used)
        decision = _doubted(_one(scene, ledger, write, identity), notes)
        if decision.verdict not in ("suppressed", "dropped"):
            ledger = ledger.after(decision.gap)
        decisions.append(decision)
        audits += [*notes, *_noted(decision)]
    return Decided(tuple(decisions), tuple(audits), ledger)


def _doubted(decision: Decision, notes: Sequence[Audit]) -> Decision:
    """The decision with a doubtful citation kept in its row, for a person to look at."""
    doubts = [note.gap for note in notes if note.kind == "citation_suspect"]
    return replace(decision, gap=suspected(decision.gap, doubts[0])) if doubts else decision


def _noted(decision: Decision) -> tuple[Audit, ...]:
    kinds = {"suppressed": "suppressed", "refused": "store_refused"}
    kind = kinds.get(decision.verdict)
    return (Audit(kind, decision.gap.id),) if kind else ()


def _without_ledger(scene: Scene, ledger: Ledger) -> Decided:
    """With the ledger off everything that is new to the bank is stored at once; only tombstones are obeyed."""
    decisions: dict[int, Decision] = {}
    living: list[Write] = []
    for write in scene.findings.writes:
        identity = gap_id(write.content, scene.work.options.neutralize)
        gap = Gap(identity, ledger.project, write.wording, facets=write.facets)
        dead = ledger.suppresses((identity,))
        decisions[write.number] = Decision(write, "suppressed" if dead else "store", gap)
        if not dead:
            living.append(write)
    facts = [(write.wording, _save(scene, write)) for write in living]
    verdicts: dict[str, Verdict] = {"committed": "store", "duplicate": "duplicate", "dropped": "dropped"}
    for write, made in zip(living, adapt(scene.view, facts, scene.work.options, scene.unwanted), strict=True):
        verdict = verdicts[made.outcome]
        item = item_key(scene.span, write) if verdict == "store" else ""
        decisions[write.number] = replace(decisions[write.number], verdict=verdict, item=item)
    found = tuple(decisions.values())
    return Decided(found, tuple(note for decision in found for note in _noted(decision)))


def _save(scene: Scene, write: Write) -> Save:
    return save_of(scene.work, item_key(scene.span, write), write, write.quotes, write.facets)


def save_of(work: Work, key: str, write: Write, quotes: Sequence[Mapping[str, Any]], facets: Facets) -> Save:
    """What the bank is asked to keep of one fact, under the key of its new memory."""
    snapshot = work.snapshot
    context = provenance(snapshot.session, snapshot.boundary)
    return Save(
        key,
        write.wording,
        snapshot.project,
        snapshot.session,
        context,
        work.options.importance,
        tuple(quotes),
        facets,
        now=work.now,
    )


def _one(scene: Scene, ledger: Ledger, write: Write, identity: str) -> Decision:
    """The decision on one fact by the ledger, after a look whether the bank or this range holds it already."""
    dedupe = scene.work.options.dedupe
    same = _same(scene, write, ledger.index.get(identity)) if dedupe else None
    twin = scene.stored.get(write.content, "") if dedupe else ""
    holds = same if same is not None or not twin else ""
    decision = decide(ledger, write, identity, _seen(scene, write), holds)
    if decision.verdict == "store":
        return _stored(scene, ledger, decision)
    return replace(decision, item=twin) if decision.verdict == "duplicate" and same is None else decision


def _stored(scene: Scene, ledger: Ledger, decision: Decision) -> Decision:
    """A fact that may be stored, unless the bank would not take it: then its sighting is kept (ext-D20)."""
    key = item_key(scene.span, decision.write)
    if key not in scene.unwanted:
        scene.stored.setdefault(decision.write.content, key)
        return replace(decision, item=key)
    if not scene.work.options.record_sighting_on_drop:
        return replace(decision, verdict="dropped")
    return replace(decision, verdict="refused", gap=refused(ledger, decision, _seen(scene, decision.write)))


def _same(scene: Scene, write: Write, gap: Gap | None) -> str | None:
    """The memory that holds this fact already: the same words, or the memory that the fact was approved as."""
    work = scene.work
    words = [write.wording, *([gap.content] if gap is not None and gap.edited else [])]
    found = (known(scene.view, text, work.snapshot.project, work.options.neutralize) for text in words)
    same = next((memory for memory in found if memory is not None), None)
    return gap.memory if same is None and gap is not None and alive(scene.view, gap.memory) else same


def _seen(scene: Scene, write: Write) -> Sighting:
    work = scene.work
    return Sighting(work.snapshot.session, work.now, scene.span.operation, work.snapshot.model, write.quotes)
