"""Transcripts to proposals: the run over many sessions that the command line and the Sessions screen start."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from pipeline.extract.checkpoints import execute_session
from pipeline.extract.effects import Called, Calling, Fate, Result, Snapshot, Told
from pipeline.extract.evidence import entries
from pipeline.extract.gate import closed
from pipeline.extract.ledger.control import read_cursor
from pipeline.extract.ledger.quoting import cite_session
from pipeline.extract.ledger.retention import retained
from pipeline.extract.options import Options
from pipeline.extract.profile.rows import ProfileExtractor
from pipeline.extract.reflection.reflector import reflector, rule_extractors
from pipeline.extract.rerun import Span, execute_spans
from pipeline.extract.work import Extractor, Work
from pipeline.formats.session import Session
from pipeline.originals import FIELD as RECORDS
from pipeline.originals import Originals, as_known
from pipeline.rehearsal import Rehearsal
from pipeline.reply import never
from pipeline.review.waiting import Waiting, queue
from pipeline.run import PARALLEL, BankLike, Cancelled, Door, SessionQueue, by_rules, reflects, run, silent
from pipeline.usage import NOTHING, Usage, used
from store.changes import Changeset, DropRow, PutRow
from store.clock import millis
from store.errors import MemdeskError
from store.fields import SAFE_INTEGER
from store.view import View

LOG = logging.getLogger("memdesk")
WHOLE = Span(-1, SAFE_INTEGER)
"""A session from its beginning to its end, whatever was evaluated of it before."""
OUT = frozenset({"bad quote", "secret", "rejected", "suppressed", "refused"})
"""Fates after which nothing of a proposed fact is left."""


@dataclass(frozen=True, slots=True)
class SessionReport:
    """What a run made of one session.

    `found` counts the facts that were proposed, `kept` those that wait or were stored, `out` the rest. `problem` is one
    sentence when the run could not go on; `new` are the keys of the rows that it left waiting; `usage` is what all its
    calls used, also those that came to nothing.
    """

    key: str
    session: Session
    result: Result
    found: int = 0
    kept: int = 0
    out: int = 0
    new: tuple[str, ...] = ()
    problem: str = ""
    usage: Usage = NOTHING

    @property
    def fates(self) -> tuple[Fate, ...]:
        """What became of each proposed fact, that of a range that was tried again included."""
        return (*(self.result.recovered.fates if self.result.recovered else ()), *self.result.fates)

    @property
    def state(self) -> str:
        """The result in a word: extracted, pending, skipped, nothing new, stopped, failed or left alone."""
        if self.result.status == "no_range" or self.result.replayed:
            return "nothing new"
        if self.result.status != "unavailable":
            return "pending" if self.result.status == "skipped" and self.new else self.result.status
        if self.result.reason.endswith("ineligible"):
            return "left alone"
        return "failed" if self.problem else "stopped"


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What a run over several sessions came to. `proposals` are what waits now because of it."""

    sessions: tuple[SessionReport, ...]
    proposals: tuple[Waiting, ...] = ()
    refused: tuple[tuple[str, int], ...] = ()
    """Why proposed facts fell out, and how many each."""
    dry_run: bool = False
    rules: bool = False
    """Whether rules answered instead of a model: then `usage` is nothing."""
    seconds: float = 0.0
    """From the beginning of the run to its end."""

    @property
    def failed(self) -> bool:
        """Whether a session could not be evaluated."""
        return any(report.problem for report in self.sessions)

    @property
    def usage(self) -> Usage:
        """What all calls used together."""
        return sum((report.usage for report in self.sessions), NOTHING)


def extract(
    sessions: Sequence[Session],
    bank: BankLike,
    door: Door,
    options: Options | None = None,
    *,
    project: str | None = None,
    on_event: Callable[[Told], None] = silent,
    cancelled: Cancelled = never,
    dry_run: bool = False,
    parallel: int = PARALLEL,
    spans: Sequence[Span] = (),
) -> ExtractReport:
    """Evaluate each session from its cursor to its end and file what is found for review.

    `project` is the name of the project that the facts belong to (None: the folder of each session). Events of several
    sessions come one at a time. A session that fails is reported and never stops the others. Running it again adds
    nothing, and nor do words that an earlier run met in another session. A dry run does the same to a copy and writes
    nothing. `spans` evaluates these parts of the sessions instead, wherever their cursors stand.
    """
    began = millis()
    target = Shared(Rehearsal(bank.view()) if dry_run else bank)
    told = _one_at_a_time(on_event)
    view = target.view()
    originals = Originals(view)
    chosen = fitted(floored(options or Options(), view), door)
    batch = _Batch(target, door, chosen, project, told, cancelled, originals, tuple(spans))
    line = SessionQueue(parallel)
    try:
        marked = [originals.marked(as_known(session, view)) for session in sessions]
        waiting = [line.submit(session.key, partial(_evaluated, batch, session)) for session in marked]
        reports = tuple(future.result() for future in waiting)
    finally:
        line.close()
    _tidy(target)
    report = _report(reports, target.view(), dry_run)
    return replace(report, rules=by_rules(door), seconds=(millis() - began) / 1000)


def _tidy(bank: Shared) -> None:
    """Let go of what is old in the ledger; when somebody is in the way, the next run does it."""
    rows = retained(bank.view(), millis())
    if rows:
        with contextlib.suppress(MemdeskError):
            bank.record(rows)


def floored(options: Options, view: View) -> Options:
    """The options with the bank's own number of sessions that a fact found in passing needs."""
    floor = view.setting("min_gap_evidence")
    return replace(options, min_gap_evidence=floor) if isinstance(floor, int) and floor > 0 else options


def fitted(options: Options, door: Door) -> Options:
    """The options with windows no larger than the door can answer for (`decisions.md` §5.2)."""
    window = getattr(door, "window_messages", None)
    if not isinstance(window, int):
        return options
    return replace(options, window_messages=min(options.window_messages, window))


class Shared:
    """A bank used by several runs at once: one write at a time."""

    def __init__(self, bank: BankLike) -> None:
        self._bank = bank
        self._lock = Lock()

    def view(self) -> View:
        """The bank as it is now."""
        with self._lock:
            return self._bank.view()

    def commit(self, changeset: Changeset) -> Any:
        """See `Bank.commit`."""
        with self._lock:
            return self._bank.commit(changeset)

    def record(self, rows: Sequence[PutRow | DropRow]) -> Any:
        """See `Bank.record`."""
        with self._lock:
            return self._bank.record(rows)


def _one_at_a_time(listener: Callable[[Told], None]) -> Callable[[Told], None]:
    lock = Lock()

    def tell(told: Told) -> None:
        with lock:
            listener(told)

    return tell


@dataclass(frozen=True, slots=True)
class _Batch:
    """What the sessions of one run have in common."""

    bank: Shared
    door: Door
    options: Options
    project: str | None
    on_event: Callable[[Told], None]
    cancelled: Cancelled
    originals: Originals
    spans: tuple[Span, ...] = ()


def _evaluated(batch: _Batch, session: Session) -> SessionReport:
    """One session from its cursor to its end; whatever goes wrong becomes its report."""
    key = session.key
    work = _work(batch, session)
    calls: list[Usage] = []
    try:
        result = _result(batch, work, session, calls)
        report = _session_report(session, result, sum(calls, NOTHING))
        if not batch.cancelled():
            batch.bank.record([_session_row(batch, report, work)])
        elif met := _met(batch, session):
            batch.bank.record([PutRow("sessions", key, met)])
    except MemdeskError as error:
        result, spent = Result("unavailable", reason="bank"), sum(calls, NOTHING)
        return SessionReport(key, session, result, problem=str(error), usage=spent)
    except Exception as error:
        LOG.warning("An extraction run ended with %s at %s", type(error).__name__, _where(error))
        text = f"The run failed inside Memdesk ({type(error).__name__}); nothing of the session was changed."
        result, spent = Result("unavailable", reason="run"), sum(calls, NOTHING)
        return SessionReport(key, session, result, problem=text, usage=spent)
    return report


def _where(error: Exception) -> str:
    """The place in the code: a traceback would spell out values, and with them a person's words."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _result(batch: _Batch, work: Work, session: Session, calls: list[Usage]) -> Result:
    """Run the engine; what each call used is added to `calls`, whatever becomes of the run."""

    def gate() -> str:
        return closed(batch.options, work.snapshot)

    def hear(told: Told) -> None:
        if isinstance(told, Calling | Called) and by_rules(batch.door):
            told = replace(told, rules=True)
        if isinstance(told, Called):
            calls.append(used(told))
        batch.on_event(told)

    spans = [replace(span, through=min(span.through, session.last_seq)) for span in batch.spans]
    engine = execute_spans(work, spans) if spans else execute_session(work, session.compactions)
    return run(engine, batch.bank, batch.door, gate=gate, on_event=hear, cancelled=batch.cancelled)


def _work(batch: _Batch, session: Session) -> Work:
    view, asks = batch.bank.view(), reflects(batch.door)
    extractors: tuple[Extractor, ...] = (ProfileExtractor(), *rule_extractors(view, asks))
    snapshot = Snapshot(
        session.key,
        session.last_seq,
        session.project_name if batch.project is None else batch.project,
        str(getattr(batch.door, "name", "") or batch.options.model or ""),
        "subagent" if session.subagent else "",
    )

    def cite(seq: int, quote: str) -> Sequence[Mapping[str, Any]]:
        return cite_session(session, seq, quote)

    return Work(snapshot, entries(session), batch.options, millis(), cite, extractors, reflector(view, asks))


def _session_report(session: Session, result: Result, usage: Usage) -> SessionReport:
    parts = (result.recovered, result) if result.recovered else (result,)
    filed = [key for part in parts for key in part.filed]
    waiting = [key for part in parts for key in part.waiting]
    report = SessionReport(session.key, session, result, new=tuple(dict.fromkeys((*waiting, *filed))), usage=usage)
    out = sum(fate.outcome in OUT for fate in report.fates)
    found = sum(fate.outcome != "profile" for fate in report.fates) + len(filed)
    return replace(report, found=found, kept=found - out, out=out, problem=_problem(result))


def _problem(result: Result) -> str:
    """What a person is told about a run that could not go on; "" for runs that were not meant to."""
    if result.status != "unavailable" or result.reason.endswith(("ineligible", "disabled", "stopped")):
        return ""
    if result.note:
        return result.note
    if result.reason.startswith("failure: evidence"):
        return "The session does not fit into one call; run it again with smaller windows."
    return "" if result.reason == "blocked" else f"The session could not be evaluated ({result.reason}); run it again."


def _met(batch: _Batch, session: Session) -> dict[str, Any]:
    """What the session's row keeps of the records that are evaluated, so that a copy of them is known for one."""
    kept = batch.originals.kept(session, read_cursor(batch.bank.view(), session.key).seq)
    return {**_named(session), RECORDS: kept} if kept else {}


def _named(session: Session) -> dict[str, Any]:
    """What a session's row says of its file."""
    return {"format": session.format, "id": session.id, "path": session.path}


def _session_row(batch: _Batch, report: SessionReport, work: Work) -> PutRow:
    """The session's row in the ledger; a run that found nothing new leaves the counts of the one before."""
    session, result = report.session, report.result
    fields: dict[str, Any] = {
        **_named(session),
        "project": work.snapshot.project,
        "lastRun": work.now,
        "size": session.size or None,
        "modified": session.modified or None,
        "more": result.more or None,
        **_met(batch, session),
    }
    if report.state != "nothing new":
        fields |= {"found": report.found, "kept": report.kept, "out": report.out, "state": report.state}
        fields["fates"] = dict(Counter(fate.outcome for fate in result.fates))
        fields["why"] = _reasons(result.fates)
        fields |= {"problem": report.problem or None, "reason": result.reason or None}
    return PutRow("sessions", report.key, fields)


def _reasons(fates: Sequence[Fate]) -> dict[str, int]:
    """Why proposed facts fell out, and how many each."""
    return dict(
        Counter(fate.reason if fate.outcome == "bad quote" else fate.outcome for fate in fates if fate.outcome in OUT)
    )


def _report(reports: Sequence[SessionReport], view: View, dry_run: bool) -> ExtractReport:
    new = {key for report in reports for key in report.new}
    proposals = tuple(one for one in queue(view, millis(), resembling=False) if one.key in new)
    refused = _reasons([fate for report in reports for fate in report.result.fates])
    return ExtractReport(tuple(reports), proposals, tuple(sorted(refused.items())), dry_run)
