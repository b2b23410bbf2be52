"""The thread that works transcripts off, one after the other: read, evaluate, tell. It writes through the bank only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from pipeline.contents import Contents, contents
from pipeline.extract.effects import Told
from pipeline.extract.options import Options as ExtractOptions
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.copies import Copies
from pipeline.formats.openai import NAME as MESSAGES
from pipeline.formats.read import read
from pipeline.formats.session import Session
from pipeline.run import BankLike, Door
from pipeline.watched import Answered, Asked, WatchedDoor
from store import clock
from store.errors import BadInput, Cancelled, MemdeskError

STEP = 1 << 20
"""Bytes of a file between two words about how far it was read."""
WHOSE = "Message lists may be someone else's words; read it with n and say whose they are."


@dataclass(frozen=True, slots=True)
class Job:
    """One transcript to work on. `key` picks one session of a file that holds several, "" all of them.

    `ours` says that the person called the words of a message list theirs; `only_read` stops before the evaluation.
    """

    id: str
    path: str
    key: str = ""
    ours: bool = False
    dry_run: bool = False
    only_read: bool = False


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


News = Began | ReadTo | ReadAll | Asked | Answered | Told | Ended


class Stop:
    """Two ways to stop: after the call that is under way, and now."""

    def __init__(self) -> None:
        self.after_call = Event()
        self.now = Event()

    def step(self) -> bool:
        """Stop, the second time at once; whether this was the first time."""
        first = not self.after_call.is_set()
        (self.after_call if first else self.now).set()
        return first

    def at_once(self) -> None:
        """Stop without waiting for anything."""
        self.after_call.set()
        self.now.set()


@dataclass(frozen=True, slots=True)
class Bench:
    """What every job of a queue is worked on with."""

    bank: BankLike
    door: Door
    options: ExtractOptions
    stop: Stop
    tell: Callable[[Job, News], None]


def work_off(next_job: Callable[[], Job | None], bench: Bench) -> None:
    """Work until there is no job left. What goes wrong with one never stops the others."""
    copies = Copies()
    while (job := next_job()) is not None:
        if bench.stop.after_call.is_set():
            bench.tell(job, Ended(clock.millis(), stopped=True))
            continue
        bench.tell(job, Began(clock.millis(), _size(job.path)))
        bench.tell(job, _ended(job, bench, copies))


def _ended(job: Job, bench: Bench, copies: Copies) -> Ended:
    try:
        return _worked(job, bench, copies)
    except Cancelled:
        return Ended(clock.millis(), stopped=True)
    except MemdeskError as error:
        return Ended(clock.millis(), problem=str(error), stranger=isinstance(error, BadInput))
    except Exception as error:
        from tui.faults import report

        return Ended(clock.millis(), problem=report(error))


def _worked(job: Job, bench: Bench, copies: Copies) -> Ended:
    sessions = _read(job, bench)
    bench.tell(job, ReadAll(tuple(contents(session, bench.bank.view()) for session in sessions)))
    if job.only_read:
        return Ended(clock.millis(), sessions=tuple(replace(one, turns=()) for one in sessions))
    if not job.ours and any(session.format == MESSAGES for session in sessions):
        return Ended(clock.millis(), problem=WHOSE, stranger=True)
    door = WatchedDoor(bench.door, lambda news: bench.tell(job, news), bench.stop.now.is_set)
    report = extract(
        [copies.marked(session) for session in sessions],
        bench.bank,
        door,
        bench.options,
        on_event=lambda told: bench.tell(job, told),
        cancelled=bench.stop.after_call.is_set,
        dry_run=job.dry_run,
    )
    return Ended(clock.millis(), _without_turns(report), stopped=any(one.state == "stopped" for one in report.sessions))


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

    sessions = read(job.path, progress=progress, cancelled=bench.stop.after_call.is_set)
    return [one for one in sessions if not job.key or one.key == job.key]


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
