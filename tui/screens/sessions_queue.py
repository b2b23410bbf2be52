"""What a thread does with one transcript: read, evaluate, tell. It writes through the bank only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from pipeline.contents import Contents, contents
from pipeline.extract.effects import Told
from pipeline.extract.options import Options as ExtractOptions
from pipeline.extract.rerun import Span
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.copies import Copies
from pipeline.formats.openai import NAME as MESSAGES
from pipeline.formats.read import read
from pipeline.formats.session import Session
from pipeline.originals import as_known, imported
from pipeline.preview import Plan, plan
from pipeline.run import BankLike, Door
from store import clock
from store.errors import BadInput, Cancelled, MemdeskError

STEP = 1 << 20
"""Bytes of a file between two words about how far it was read."""
WHOSE = "Message lists may be someone else's words; read it with n and say whose they are."


@dataclass(frozen=True, slots=True)
class Job:
    """One transcript to work on. `key` picks one session of a file that holds several, "" all of them.

    `ours` says that the person called the words of a message list theirs; `only_read` stops before the evaluation and
    `only_plan` before the first call. `form` is the format that it is read as, "" for what its content tells.
    `spans` are evaluated wherever the cursor stands; none: from the cursor on. `model` is asked instead of the one of
    the settings. `stop` ends it, also while a call is
    under way.
    """

    id: str
    path: str
    key: str = ""
    ours: bool = False
    dry_run: bool = False
    only_read: bool = False
    only_plan: bool = False
    form: str = ""
    spans: tuple[Span, ...] = ()
    model: str = ""
    stop: Event = field(default_factory=Event, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Began:
    """Work on a transcript begins; `at` is milliseconds."""

    at: int
    size: int


@dataclass(frozen=True, slots=True)
class ReadTo:
    """So many bytes of the file were read."""

    done: int


@dataclass(frozen=True, slots=True)
class ReadAll:
    """The file was read: what each of its sessions holds."""

    contents: tuple[Contents, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """What a run would show a model."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class Ended:
    """Work on a transcript ended: with a report, after reading only, or with a sentence that says why not.

    `stranger` says that the file is no transcript, or not the person's; `stopped` that they stopped it.
    """

    at: int
    report: ExtractReport | None = None
    sessions: tuple[Session, ...] = ()
    problem: str = ""
    stranger: bool = False
    stopped: bool = False


News = Began | ReadTo | ReadAll | Planned | Told | Ended


@dataclass(frozen=True, slots=True)
class Bench:
    """What every job is worked on with. `parallel` bounds the sessions of one file that are evaluated at a time."""

    bank: BankLike
    door: Door
    options: ExtractOptions
    tell: Callable[[Job, News], None]
    parallel: int = 1
    copies: Copies = field(default_factory=Copies)


def work_on(job: Job, bench: Bench) -> None:
    """Do one job to its end; whatever goes wrong is told."""
    bench.tell(job, Began(clock.millis(), _size(job.path)))
    bench.tell(job, _ended(job, bench))


def _ended(job: Job, bench: Bench) -> Ended:
    try:
        return _worked(job, bench)
    except Cancelled:
        return Ended(clock.millis(), stopped=True)
    except MemdeskError as error:
        return Ended(clock.millis(), problem=str(error), stranger=isinstance(error, BadInput))
    except Exception as error:
        from tui.faults import report

        return Ended(clock.millis(), problem=report(error))


def _worked(job: Job, bench: Bench) -> Ended:
    sessions = _read(job, bench)
    marked = [bench.copies.marked(session) for session in sessions] if not job.only_read else []
    bench.tell(job, ReadAll(tuple(contents(session, bench.bank.view()) for session in sessions)))
    if job.only_read:
        return Ended(clock.millis(), sessions=tuple(replace(one, turns=()) for one in sessions))
    if not job.ours and any(session.format == MESSAGES for session in sessions):
        return Ended(clock.millis(), problem=WHOSE, stranger=True)
    if job.dry_run or job.only_plan:
        bench.tell(job, Planned(_plan(job, bench, marked)))
    if job.only_plan:
        return Ended(clock.millis(), stopped=job.stop.is_set())
    report = extract(
        marked,
        bench.bank,
        bench.door,
        bench.options,
        on_event=lambda told: bench.tell(job, told),
        cancelled=job.stop.is_set,
        dry_run=job.dry_run,
        parallel=bench.parallel,
        spans=job.spans,
    )
    return Ended(clock.millis(), _without_turns(report), stopped=any(one.state == "stopped" for one in report.sessions))


def _plan(job: Job, bench: Bench, sessions: Sequence[Session]) -> Plan:
    return plan(sessions, bench.bank, bench.door, bench.options, spans=job.spans, cancelled=job.stop.is_set)


def _without_turns(report: ExtractReport) -> ExtractReport:
    """The report without the conversations, so that no run is kept in memory longer than it takes."""
    kept = tuple(replace(one, session=replace(one.session, turns=())) for one in report.sessions)
    return replace(report, sessions=kept)


def _read(job: Job, bench: Bench) -> Sequence[Session]:
    told = 0

    def progress(done: int) -> None:
        nonlocal told
        if done - told >= STEP:
            told = done
            bench.tell(job, ReadTo(done))

    sessions = read(job.path, format=job.form or None, progress=progress, cancelled=job.stop.is_set)
    view = bench.bank.view()
    wanted = [one for one in sessions if not job.key or as_known(one, view).key == job.key]
    return imported(wanted, view)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
