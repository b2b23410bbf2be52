"""From a range to admitted, rewritten facts: the model calls, in their order and within their budget.

`spec/extraction.md` §12–14 (steps d to i), with ext-D5, D8, D9 and D28.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipeline.extract.admission import Admitted, Refused, admit, candidates, readmit, unsupported
from pipeline.extract.answer import (
    CannotResolve,
    Complete,
    Incident,
    SearchRequired,
    Verdict,
    covers,
    parse_canonical,
    parse_localized,
    parse_proposal,
)
from pipeline.extract.asked import asked_for
from pipeline.extract.canonical import canonical
from pipeline.extract.coverage import plan, record_limit
from pipeline.extract.effects import COUNTED, Ask, Called, Fate, Gate, Look, Stage, Started
from pipeline.extract.evidence import Record
from pipeline.extract.gaps import join_quotes
from pipeline.extract.ledger import Write, load
from pipeline.extract.search import render_context, search
from pipeline.extract.stages import Canonicalize, Localize, OpenGap, Propose, StageInput
from pipeline.extract.work import Blocked, Failed, Range, Steps, Work
from pipeline.reply import ModelProblem

CALLS = 3
"""Model calls of one range (`spec/extraction.md` §13)."""
ATTEMPTS = 2
"""Canonicalization calls of one range at most."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a range yields before the ledger decides: the facts, and the fates of those that fell out already.

    `shown` are the ids of pending facts that this run's prompts offered; `records` the evidence that was shown.
    """

    records: tuple[Record, ...] = ()
    writes: tuple[Write, ...] = ()
    fates: tuple[Fate, ...] = ()
    shown: frozenset[str] = frozenset()
    calls: int = 0


@dataclass(slots=True)
class _Budget:
    """The calls that a range has made."""

    used: int = 0

    @property
    def left(self) -> int:
        return CALLS - self.used


@dataclass(frozen=True, slots=True)
class _Proposed:
    incidents: tuple[Incident, ...]
    context: str = ""


@dataclass(slots=True)
class _Sieve:
    """Incidents on their way, with the number that each has in the range."""

    admitted: list[tuple[int, Admitted]] = field(default_factory=list)
    fates: list[Fate] = field(default_factory=list)


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
    budget = _Budget()
    proposed = yield from _proposed(work, records, open_gaps, budget)
    shown = frozenset(gap.id for gap in open_gaps)
    sieve = _admit(work, proposed.incidents, records)
    if not sieve.admitted:
        return Findings(records, (), tuple(sieve.fates), shown, budget.used)
    verdicts = yield from _canonicalized(work, sieve, records, proposed.context, budget)
    writes, fates = _readmitted(work, sieve, verdicts, records)
    return Findings(records, writes, (*sieve.fates, *fates), shown, budget.used)


def _open_gaps(work: Work) -> Steps:
    view = yield Look()
    return load(view, work.snapshot.project, work.now, work.options).shown()


def _ask(work: Work, stage: Stage, question: StageInput, budget: _Budget) -> Steps:
    """One call between two looks at the gate: the answer's text, or None after a counted problem."""
    yield from gate()
    budget.used += 1
    answer = yield Ask(stage, question)
    problem = isinstance(answer, ModelProblem)
    if problem:
        yield Called(work.snapshot.session, stage, answer.kind, answer.message)
    yield from gate()
    if not problem:
        return answer.text, ""
    if answer.kind not in COUNTED:
        raise Blocked("", answer.message)
    return None, answer.message


def _parsed(work: Work, stage: Stage, value: object) -> Steps:
    """Tell how the call ended; raises `Failed` for an answer of a wrong shape."""
    yield Called(work.snapshot.session, stage, "" if value is not None else "schema", found=_count(value))
    if value is None:
        raise Failed("schema", "The model's answer does not have the required shape.")
    return value


def _count(value: object) -> int:
    """How many facts a parsed answer proposes, or accepts."""
    if isinstance(value, Complete | SearchRequired | CannotResolve):
        return len(value.incidents)
    verdicts = value if isinstance(value, list | tuple) else ()
    return sum(isinstance(verdict, Verdict) and verdict.content is not None for verdict in verdicts)


def _proposed(work: Work, records: Sequence[Record], open_gaps: Sequence[OpenGap], budget: _Budget) -> Steps:
    partial = work.options.partial_answers
    question = Propose(tuple(records), work.now, tuple(open_gaps), partial)
    answer = yield from _first(work, question, budget)
    if isinstance(answer, Complete):
        return _Proposed(answer.incidents)
    if isinstance(answer, CannotResolve):
        if answer.incidents:
            return _Proposed(answer.incidents)
        raise Failed("localization", "The model could not tell what was meant.")
    return (yield from _localized(work, records, open_gaps, answer, budget))


def _first(work: Work, question: Propose, budget: _Budget) -> Steps:
    """The proposal call; repeated once in the run when that is switched on and calls remain for the rest."""
    while True:
        again = work.options.retry_proposal_in_run and budget.left > 2
        text, note = yield from _ask(work, "proposal", question, budget)
        if text is None and not again:
            raise Failed("provider", note)
        if text is None:
            continue
        try:
            return (yield from _parsed(work, "proposal", parse_proposal(text, partial=question.partial)))
        except Failed:
            if not again:
                raise


def _localized(
    work: Work, records: Sequence[Record], open_gaps: Sequence[OpenGap], asked: SearchRequired, budget: _Budget
) -> Steps:
    """Look the reference up in the whole session, for interpretation only, and ask once more (ext-D5)."""
    yield from gate()
    hits = search(work.entries, work.snapshot.boundary, asked.terms, asked.roles)
    context = render_context(hits)
    if not context:
        if asked.incidents:
            return _Proposed(asked.incidents)
        raise Failed("localization", "Nothing in the session explains the reference.")
    partial = work.options.partial_answers
    question = Localize(tuple(records), context, work.now, tuple(open_gaps), partial)
    text, note = yield from _ask(work, "localized", question, budget)
    if text is None:
        raise Failed("provider", note)
    answer = yield from _parsed(work, "localized", parse_localized(text, partial=partial))
    incidents = (*asked.incidents, *answer.incidents)
    if isinstance(answer, CannotResolve) and not incidents:
        raise Failed("localization", "The model could not tell what was meant.")
    return _Proposed(incidents, context)


def _admit(work: Work, incidents: Sequence[Incident], records: Sequence[Record]) -> _Sieve:
    sieve = _Sieve()
    for number, incident in enumerate(incidents, 1):
        checked = admit(incident, records, work.options.neutralize)
        if isinstance(checked, Refused):
            sieve.fates.append(_fate(number, checked))
        elif any(one.claims(records, checked.content, checked.citations) for one in work.extractors):
            sieve.fates.append(Fate(number, "profile", "filed as a profile fact", checked.statement))
        else:
            sieve.admitted.append((number, checked))
    return sieve


def _fate(number: int, refusal: Refused) -> Fate:
    if refusal.reason == "secret":
        return Fate(number, "secret", refusal.reason)
    return Fate(number, "bad quote", refusal.reason, refusal.content)


def _canonicalized(work: Work, sieve: _Sieve, records: Sequence[Record], context: str, budget: _Budget) -> Steps:
    """The verdicts on every candidate; repeated with the same question while the budget lasts."""
    shown = candidates([admitted for _, admitted in sieve.admitted], records)
    question = Canonicalize(shown, work.now, context, work.options.facets)
    failure = Failed("provider")
    for _ in range(min(ATTEMPTS, budget.left)):
        text, note = yield from _ask(work, "canonicalize", question, budget)
        if text is None:
            failure = Failed("provider", note)
            continue
        verdicts = parse_canonical(text, facets=work.options.facets)
        covered = verdicts is not None and covers(verdicts, [candidate.id for candidate in shown])
        try:
            return (yield from _parsed(work, "canonicalize", verdicts if covered else None))
        except Failed as shape:
            failure = shape
    raise failure


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
            fates.append(_fate(number, checked))
        else:
            checked = replace(checked, kind=verdict.kind, subject=verdict.subject)
            writes.append(_write(work, number, checked, records))
    return tuple(writes), tuple(fates)


def _write(work: Work, number: int, fact: Admitted, records: Sequence[Record]) -> Write:
    by_ref = {record.source_ref: record for record in records}
    cited = [(by_ref[citation.source_ref], citation.quote) for citation in fact.citations]
    quotes = join_quotes([quote for record, text in cited for quote in work.cite(record.seq, text)], ())
    strange = unsupported(fact.content, fact, records) if work.options.support_check else ()
    return Write(
        number,
        fact.content,
        fact.statement if work.options.neutralize == "substitute" else fact.content,
        quotes,
        fact.gap_id,
        any(asked_for(record.text, text) for record, text in cited),
        f"not in the quotes: {canonical(', '.join(strange))}" if strange else "",
        fact.kind,
        fact.subject,
    )
