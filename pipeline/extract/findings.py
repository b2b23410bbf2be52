"""From a range to admitted, rewritten facts: the model calls, in their order and within their budget.

`spec/extraction.md` §12–14 (steps d to i), with ext-D5, D8, D9 and D28.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.extract.admission import Admitted, Refused, admit, candidates, readmit, unsupported
from pipeline.extract.answer import (
    CannotResolve,
    Complete,
    Incident,
    SearchRequired,
    Verdict,
    Wrong,
    read_canonical,
    read_localized,
    read_proposal,
)
from pipeline.extract.asked import asked_for
from pipeline.extract.canonical import canonical
from pipeline.extract.coverage import centred, plan, record_limit
from pipeline.extract.effects import COUNTED, Ask, Audit, Called, Calling, Fate, Gate, Judged, Look, Stage, Started
from pipeline.extract.evidence import Record
from pipeline.extract.facets.facet import NOT_SAID, Facets
from pipeline.extract.facets.rules import completed
from pipeline.extract.ledger.control import FailureClass, denied_before
from pipeline.extract.ledger.gaps import join_quotes
from pipeline.extract.ledger.matching import Write, load
from pipeline.extract.ledger.unresolved import carried
from pipeline.extract.nearest import nearest
from pipeline.extract.search import render_context, search
from pipeline.extract.stages import Canonicalize, Localize, OpenGap, Propose, Repair, StageInput
from pipeline.extract.work import Blocked, Extractor, Failed, Range, Steps, Work
from pipeline.reply import ModelProblem, Reply
from store.secret import mask

CALLS = 3
"""Model calls of one range (`spec/extraction.md` §13)."""
ATTEMPTS = 2
"""Canonicalization calls of one range at most."""
REPAIR_POINTS = 8_000
"""Code points of a wrong answer that its model is shown again."""

Read = Callable[[str], Any]
"""Reads an answer strictly: what it says, or `Wrong`."""
_MISQUOTED = frozenset({"not_verbatim", "unknown_source"})


@dataclass(frozen=True, slots=True)
class Findings:
    """What a range yields before the ledger decides: the facts, and the fates of those that fell out already.

    `shown` are the ids of pending facts that this run's prompts offered; `records` the evidence that was shown, with
    messages of earlier ranges that had been left unresolved (their seqs are `carried`).
    """

    records: tuple[Record, ...] = ()
    writes: tuple[Write, ...] = ()
    fates: tuple[Fate, ...] = ()
    shown: frozenset[str] = frozenset()
    calls: int = 0
    extractors: tuple[Extractor, ...] = ()
    audits: tuple[Audit, ...] = ()
    """What else was found in this range (`pipeline/extract/further.py`), and what to note of it."""
    carried: tuple[int, ...] = ()


@dataclass(slots=True)
class _Budget:
    """The calls that a range has made."""

    used: int = 0

    @property
    def left(self) -> int:
        return CALLS - self.used


@dataclass(frozen=True, slots=True)
class _Proposed:
    """The incidents, the context that explained them, and the evidence that they cite."""

    incidents: tuple[Incident, ...]
    records: tuple[Record, ...]
    context: str = ""


@dataclass(slots=True)
class _Sieve:
    """Incidents on their way, with the number that each has in the range."""

    admitted: list[tuple[int, Admitted]] = field(default_factory=list)
    fates: list[Fate] = field(default_factory=list)

    @property
    def so_far(self) -> tuple[Fate, ...]:
        """What can be said of each before the last stage."""
        through = [Fate(number, "admitted", "", one.statement) for number, one in self.admitted]
        return tuple(sorted((*self.fates, *through), key=lambda fate: fate.number))


def gate() -> Steps:
    """Go on only while the session may be mined; raises `Blocked` with the gate's reason."""
    if reason := (yield Gate()):
        raise Blocked(str(reason))


def find(work: Work, span: Range) -> Steps:
    """The findings of a range, as a generator of effects; raises `Blocked` or `Failed`."""
    if not span.entries:
        return Findings()
    options = work.options
    covered = plan(span.entries, options.max_evidence_json_chars, record_limit(options))
    if covered is None:
        raise Failed("evidence")
    records = covered.records
    yield Started(work.snapshot.session, span.after, span.through, len(records))
    if not records:
        return Findings()
    open_gaps = (yield from _open_gaps(work)) if options.keeps_gaps else ()
    earlier = () if span.alone else carried((yield Look()), work, span, records)
    budget = _Budget()
    proposed = yield from _proposed(work, span, (*earlier, *records), open_gaps, budget)
    records = proposed.records
    found = Findings(records, shown=frozenset(gap.id for gap in open_gaps), carried=tuple(one.seq for one in earlier))
    sieve = _admit(work, proposed.incidents, records)
    yield Judged(work.snapshot.session, span.after, sieve.so_far)
    if not sieve.admitted:
        return replace(found, fates=tuple(sieve.fates), calls=budget.used)
    verdicts = yield from _canonicalized(work, sieve, records, proposed.context, budget)
    writes, fates = _readmitted(work, sieve, verdicts, records)
    yield Judged(work.snapshot.session, span.after, fates)
    audits = tuple(_left_out(verdict) for verdict in verdicts if verdict.ignored)
    return replace(found, writes=writes, fates=(*sieve.fates, *fates), calls=budget.used, audits=audits)


def _open_gaps(work: Work) -> Steps:
    view = yield Look()
    return load(view, work.snapshot.project, work.now, work.options).shown()


@dataclass(frozen=True, slots=True)
class _Miss:
    """A call without an answer that can be used; `wrong` when it is the answer's shape, and `answer` then."""

    failure_class: FailureClass
    note: str
    wrong: str = ""
    answer: str = ""

    @property
    def repair(self) -> Repair | None:
        """What a model is shown to do it better, secrets masked: they must not go back where they came from."""
        return Repair(mask(self.answer[: 2 * REPAIR_POINTS])[:REPAIR_POINTS], self.wrong) if self.wrong else None


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is asked at a stage, and how its answer is read."""

    stage: Stage
    question: StageInput
    read: Read


def _tried(work: Work, budget: _Budget, asking: _Asking, most: int, repeats: bool = False) -> Steps:
    """What the model answers, in at most so many calls; raises `Failed` when none can be used.

    After an answer of a wrong shape it is told what is wrong, where that is switched on; else, and after a failed call,
    the same is asked again only where the stage `repeats`.
    """
    miss = _Miss("provider", "")
    for left in reversed(range(min(most, budget.left))):
        answer = yield from _asked(work, budget, asking)
        if not isinstance(answer, _Miss):
            return answer
        miss = answer
        repair = miss.repair if work.options.repair_answers else None
        if not left or (repair is None and not repeats):
            break
        asking = replace(asking, question=replace(asking.question, repair=repair))
    raise Failed(miss.failure_class, miss.note)


def _asked(work: Work, budget: _Budget, asking: _Asking) -> Steps:
    """One call between two looks at the gate: what was read in the answer, or a `_Miss` after a counted problem."""
    yield from gate()
    budget.used += 1
    stage, question = asking.stage, asking.question
    again = question.repair is not None
    yield Calling(work.snapshot.session, stage, _size(question), budget.used, CALLS, again)
    answer = yield Ask(stage, question)
    value = Wrong("") if isinstance(answer, ModelProblem) else asking.read(answer.text)
    yield _called(work, stage, answer, value)
    yield from gate()
    if not isinstance(answer, ModelProblem):
        return _Miss("schema", _shapeless(value), value.what, answer.text) if isinstance(value, Wrong) else value
    if answer.kind not in COUNTED:
        raise Blocked("", answer.message)
    return _Miss("provider", answer.message)


def _called(work: Work, stage: Stage, answer: Reply | ModelProblem, value: object) -> Called:
    if isinstance(answer, ModelProblem):
        problem, message = str(answer.kind), answer.message
    else:
        problem, message = ("schema", _shapeless(value)) if isinstance(value, Wrong) else ("", "")
    used = (answer.tokens_in, answer.tokens_out, answer.cost, answer.seconds)
    return Called(work.snapshot.session, stage, problem, message, _count(value), *used)


def _shapeless(wrong: Wrong) -> str:
    return f"The model's answer does not have the required shape: {wrong.what}."


def _size(question: StageInput) -> int:
    """How many messages or candidates a call is about."""
    return len(question.candidates if isinstance(question, Canonicalize) else question.records)


def _count(value: object) -> int:
    """How many facts an answer proposes, or accepts."""
    if isinstance(value, Complete | SearchRequired | CannotResolve):
        return len(value.incidents)
    verdicts = value if isinstance(value, list | tuple) else ()
    return sum(isinstance(verdict, Verdict) and verdict.content is not None for verdict in verdicts)


def _proposed(
    work: Work, span: Range, records: tuple[Record, ...], open_gaps: Sequence[OpenGap], budget: _Budget
) -> Steps:
    partial = work.options.partial_answers
    question = Propose(records, work.now, tuple(open_gaps), partial)
    asking = _Asking("proposal", question, functools.partial(read_proposal, partial=partial))
    answer = yield from _tried(work, budget, asking, CALLS - 1, work.options.retry_proposal_in_run)
    if isinstance(answer, Complete):
        return _Proposed(answer.incidents, records)
    if isinstance(answer, CannotResolve):
        if answer.incidents:
            return _Proposed(answer.incidents, records)
        raise Failed("localization", "The model could not tell what was meant.")
    return (yield from _localized(work, span, question, answer, budget))


def _localized(work: Work, span: Range, first: Propose, asked: SearchRequired, budget: _Budget) -> Steps:
    """Look the reference up in the whole session, for interpretation only, and ask once more (ext-D5).

    Nothing that was written while memory was switched off, nor before, is looked at (§25, "Policy").
    """
    yield from gate()
    barrier = denied_before((yield Look()), work.snapshot.session, span.after)
    records = first.records
    hits = search(work.entries, work.snapshot.boundary, asked.terms, asked.roles, barrier)
    context = render_context(hits, asked.terms)
    if not context:
        if asked.incidents:
            return _Proposed(asked.incidents, records)
        raise Failed("localization", "Nothing in the session explains the reference.")
    if not asked.incidents:
        records = centred(records, work.entries, asked.terms, work.options.max_evidence_json_chars)
    question = Localize(records, context, work.now, first.open_gaps, first.partial)
    asking = _Asking("localized", question, functools.partial(read_localized, partial=first.partial))
    answer = yield from _tried(work, budget, asking, most=1)
    incidents = (*asked.incidents, *answer.incidents)
    if isinstance(answer, CannotResolve) and not incidents:
        raise Failed("localization", "The model could not tell what was meant.")
    return _Proposed(incidents, records, context)


def _admit(work: Work, incidents: Sequence[Incident], records: Sequence[Record]) -> _Sieve:
    sieve = _Sieve()
    for number, incident in enumerate(incidents, 1):
        checked = admit(incident, records, work.options.neutralize)
        if isinstance(checked, Refused):
            sieve.fates.append(_fate(number, checked, records))
        elif any(one.claims(records, checked.content, checked.citations) for one in work.extractors):
            sieve.fates.append(Fate(number, "profile", "filed as a profile fact", checked.statement))
        else:
            sieve.admitted.append((number, checked))
    return sieve


def _fate(number: int, refusal: Refused, records: Sequence[Record]) -> Fate:
    if refusal.reason == "secret":
        return Fate(number, "secret", refusal.reason)
    near = nearest(refusal.quote, records, refusal.source_ref) if refusal.reason in _MISQUOTED else None
    return Fate(
        number,
        "bad quote",
        refusal.reason,
        refusal.content,
        quote=refusal.quote,
        nearest=near.text if near else "",
        ref=near.source_ref if near else refusal.source_ref,
    )


def _canonicalized(work: Work, sieve: _Sieve, records: Sequence[Record], context: str, budget: _Budget) -> Steps:
    """The verdicts on every candidate; asked for again while the budget lasts."""
    shown = candidates([admitted for _, admitted in sieve.admitted], records)
    facets = work.options.facets
    question = Canonicalize(shown, work.now, context, facets)
    read = functools.partial(read_canonical, candidate_ids=[one.id for one in shown], facets=facets)
    return (yield from _tried(work, budget, _Asking("canonicalize", question, read), ATTEMPTS, repeats=True))


def _readmitted(
    work: Work, sieve: _Sieve, verdicts: Sequence[Verdict], records: Sequence[Record]
) -> tuple[tuple[Write, ...], tuple[Fate, ...]]:
    """Admission again, over the rewritten contents, in the order of the candidates."""
    by_id = {verdict.candidate_id: verdict for verdict in verdicts}
    writes, fates = [], []
    for index, (number, proposed) in enumerate(sieve.admitted):
        verdict = by_id[f"candidate_{index}"]
        if verdict.content is None:
            fates.append(Fate(number, "rejected", "its quotes do not support it", proposed.statement))
            continue
        checked = readmit(proposed, verdict.content, records, work.options.neutralize)
        if isinstance(checked, Refused):
            fates.append(_fate(number, checked, records))
        else:
            writes.append(_write(work, number, checked, records, verdict.facets))
    return tuple(writes), tuple(fates)


def _left_out(verdict: Verdict) -> Audit:
    """Says which facets of a fact were left out because they were not of the allowed shape."""
    return Audit("facet_ignored", "", f"{verdict.candidate_id}: {', '.join(verdict.ignored)}")


def _write(work: Work, number: int, fact: Admitted, records: Sequence[Record], facets: Facets) -> Write:
    by_ref = {record.source_ref: record for record in records}
    cited = [(by_ref[citation.source_ref], citation.quote) for citation in fact.citations]
    quotes = join_quotes([quote for record, text in cited for quote in work.cite(record.seq, text)], ())
    strange = unsupported(fact.content, fact, records) if work.options.support_check else ()
    wording = fact.statement if work.options.neutralize == "substitute" else fact.content
    return Write(
        number,
        fact.content,
        wording,
        quotes,
        fact.gap_id,
        any(asked_for(record.text, text) for record, text in cited),
        f"not in the quotes: {canonical(', '.join(strange))}" if strange else "",
        completed(facets, wording, [text for _, text in cited]) if work.options.facets else NOT_SAID,
    )
