"""Settling a range: its writes in their order, worked out on the newest state (`spec/extraction.md` §15, §17, §23)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.deciding import Decided, Scene, decide_all, item_key, save_of
from pipeline.extract.effects import (
    Audit,
    Commit,
    Fate,
    Look,
    Outcome,
    Record,
    Refusal,
    Result,
    Settled,
    Status,
    Written,
    kept,
)
from pipeline.extract.findings import Findings
from pipeline.extract.ledger.control import Receipt, put_receipt, read_cursor
from pipeline.extract.ledger.gaps import join_quotes, put_gap
from pipeline.extract.ledger.matching import Decision
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.ledger.receipts import moved, receipt
from pipeline.extract.ledger.unresolved import tried
from pipeline.extract.save import provenance, put_memory
from pipeline.extract.work import BUSY, TRIES, Blocked, Filed, Harvest, Moved, Range, Steps, Work
from store.changes import Changeset, DropRow, NewId, PutMemory, PutRow
from store.view import View

_WAITS = ("deferred", "ready", "refused")
_OUTCOMES: Mapping[str, Outcome] = {
    "suppressed": "suppressed",
    "duplicate": "duplicate",
    "store": "stored",
    "ready": "ready",
    "deferred": "deferred",
    "refused": "refused",
    "dropped": "refused",
}


Closing = Callable[[View], Sequence[PutRow | DropRow]]
"""Rows that go with a settled range, worked out on the newest state."""


def nothing(view: View) -> Sequence[PutRow | DropRow]:
    """No rows."""
    return ()


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run has brought about so far, over all of its ranges. `waiting` and `filed` are keys of rows."""

    items: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    filed: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()
    audits: tuple[Audit, ...] = ()
    windows: tuple[tuple[int, int], ...] = ()
    calls: int = 0

    def plus(self, more: Tally) -> Tally:
        """Both together, each waiting row once."""
        return Tally(
            (*self.items, *more.items),
            tuple(dict.fromkeys((*self.waiting, *more.waiting))),
            tuple(dict.fromkeys((*self.filed, *more.filed))),
            (*self.fates, *more.fates),
            (*self.audits, *more.audits),
            (*self.windows, *more.windows),
            self.calls + more.calls,
        )

    def result(self) -> Result:
        """The result of a run that got through (`spec/extraction.md` §23.2)."""
        status: Status = "extracted" if self.items else "pending" if self.waiting else "skipped"
        return Result(
            status,
            self.items,
            len(self.waiting),
            fates=self.fates,
            audits=self.audits,
            windows=self.windows,
            calls=self.calls,
            waiting=self.waiting,
            filed=self.filed,
        )


def settle(work: Work, span: Range, findings: Findings, so_far: Tally, closing: Closing = nothing) -> Steps:
    """Write a range: gaps, memories, cursor, receipt and clean-up as one change, worked out on the newest state.

    `closing` gives rows that go with it (the failure row of a retry). Returns the range's `Tally`. Raises `Moved` when
    somebody else moved the cursor, `Blocked` when the bank never holds still.
    """
    unwanted: set[str] = set()
    for _ in range(TRIES):
        view = yield Look()
        cursor = read_cursor(view, work.snapshot.session)
        if cursor.seq != span.after and not span.by_hand:
            raise Moved
        decided = decide_all(Scene(work, span, findings, view, unwanted))
        filed = _filed(work, findings, view)
        tally = _tally(findings, decided, filed, span)
        settled = put_receipt(_receipt(work, span, decided, tally, so_far))
        end = (*moved(cursor, span, work.now), settled, *_expired(decided), *closing(view))
        again = tried(view, work, findings.carried, _cited(findings))
        answer = yield _effect(work, decided, (*filed.rows, *end, *again))
        if isinstance(answer, Written):
            yield Settled(work.snapshot.session, span.after, span.through, tally.fates)
            return tally
        if isinstance(answer, Refusal):
            unwanted.update(answer.keys or [item_key(span, one.write) for one in decided.decisions])
    raise Blocked("", BUSY)


def _cited(findings: Findings) -> set[Any]:
    """The seqs of the messages that admitted facts rest on."""
    return {quote.get("seq") for write in findings.writes for quote in write.quotes}


def _filed(work: Work, findings: Findings, view: View) -> Filed:
    """What the further extractors file over the same evidence."""
    said = tuple(write.wording for write in findings.writes)
    harvest = Harvest(view, findings.records, work.snapshot, work.now, work.cite, said)
    every = (*work.extractors, *findings.extractors) if findings.records else ()
    parts = [extractor.file(harvest) for extractor in every]
    numbered = enumerate(
        (fate for part in parts for fate in part.fates), len(findings.fates) + len(findings.writes) + 1
    )
    return Filed(
        tuple(row for part in parts for row in part.rows),
        tuple(key for part in parts for key in part.new),
        tuple(replace(fate, number=number) for number, fate in numbered),
    )


def _memories(work: Work, decided: Decided) -> tuple[PutMemory, ...]:
    stored = [one for one in decided.decisions if one.verdict == "store"]
    return tuple(put_memory(save_of(work, one.item, one.write, _words(one), one.gap.facets)) for one in stored)


def _words(decision: Decision) -> Sequence[Mapping[str, Any]]:
    """The person's words of every session that said it, this one's last."""
    return join_quotes([quote for seen in decision.gap.sightings for quote in seen.quotes], decision.write.quotes)


def _final(decided: Decided) -> dict[str, Decision]:
    """The last decision on each gap row; earlier ones are part of it."""
    return {one.gap.key: one for one in decided.decisions if one.verdict not in ("suppressed", "dropped")}


def _waiting_rows(decided: Decided) -> tuple[PutRow, ...]:
    if decided.ledger is None:
        return ()
    return tuple(put_gap(one.gap) for one in _final(decided).values() if one.verdict in _WAITS)


def _covered_rows(decided: Decided) -> tuple[PutRow, ...]:
    if decided.ledger is None:
        return ()
    covered = [one for one in _final(decided).values() if one.verdict not in _WAITS]
    return tuple(put_gap(one.gap, memory=NewId(one.item) if one.item else one.gap.memory or None) for one in covered)


def _expired(decided: Decided) -> tuple[PutRow | DropRow, ...]:
    """Rows that nobody corroborated in time; only runs that wrote something clean up (§17, "Purge")."""
    if decided.ledger is None or not decided.decisions:
        return ()
    ledger = decided.ledger
    if ledger.options.expired_rows == "delete":
        return tuple(DropRow("gaps", gap.key, gap.rev) for gap in ledger.expired())
    return tuple(
        PutRow("gaps", gap.key, {"state": "archived", "updatedAt": ledger.now}, gap.rev) for gap in ledger.expired()
    )


def _tally(findings: Findings, decided: Decided, filed: Filed, span: Range) -> Tally:
    stored = tuple(one.write.wording for one in decided.decisions if one.verdict == "store")
    waiting = tuple(dict.fromkeys(one.gap.key for one in decided.decisions if one.verdict in _WAITS))
    facts = (*findings.fates, *map(_fate, decided.decisions))
    fates = sorted((*facts, *filed.fates), key=lambda fate: fate.number)
    audits = (*findings.audits, *decided.audits)
    windows = ((span.entries[0].seq, span.entries[-1].seq),) if span.entries else ()
    return Tally(stored, waiting, filed.new, tuple(fates), audits, windows, findings.calls)


def _fate(decision: Decision) -> Fate:
    write, verdict = decision.write, decision.verdict
    reason = {
        "suppressed": "you rejected or forgot it",
        "duplicate": "the bank says so already",
        "deferred": f"seen in {decision.have} of {decision.need} sessions",
        "ready": write.doubt or ("you asked for it" if write.explicit else "waits for you"),
        "refused": "the bank would not store it",
        "dropped": "the bank would not store it",
    }.get(verdict, "")
    outcome, key = _OUTCOMES[verdict], decision.gap.key
    return Fate(write.number, outcome, reason, write.wording, key, have=decision.have, need=decision.need)


def _receipt(work: Work, span: Range, decided: Decided, tally: Tally, so_far: Tally) -> Receipt:
    verdicts = {one.verdict for one in decided.decisions}
    eligible = bool(verdicts & {"store", "duplicate", "dropped"})
    status = "extracted" if eligible else "pending" if tally.waiting else "skipped"
    result = kept(so_far.plus(tally).result())
    return receipt(work, span, status, tally.items, result)


def _effect(work: Work, decided: Decided, rest: Sequence[PutRow | DropRow]) -> Record | Commit:
    """The whole range as one write; bookkeeping alone when no memory is made."""
    waiting, covered, memories = _waiting_rows(decided), _covered_rows(decided), _memories(work, decided)
    if not memories:
        return Record((*waiting, *covered, *rest))
    quotes = [quote for one in decided.decisions if one.verdict == "store" for quote in one.write.quotes]
    reason = provenance(work.snapshot.session, work.snapshot.boundary)
    changes = (*waiting, *memories, *covered, *rest)
    return Commit(Changeset(changes, reason, evidence=read_quotes(quotes), proposed=True))
