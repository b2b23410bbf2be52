"""The one driver: does what engines ask for (model, gate, bank) and passes on what they tell (`decisions.md` §5.1)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar, runtime_checkable

from pipeline.extract.effects import Ask, Commit, Effect, Gate, Look, Record, Refusal, Result, Stale, Told, Written
from pipeline.extract.stages import Canonicalize, Localize, Propose, Reflect
from pipeline.extract.work import Steps
from pipeline.rehearsal import Rehearsal
from pipeline.reply import ModelProblem, Reply, never
from store.changes import Changeset, DropRow, PutRow
from store.errors import BadInput, Changed, NotPermitted, ReadOnly
from store.view import View

PARALLEL = 4
"""Sessions that are worked on at the same time."""
STOPPED = "stopped"
"""What the gate says once a person has stopped the run."""

T = TypeVar("T")
Cancelled = Callable[[], bool]


class BankLike(Protocol):
    """What a run needs of a bank; `store.bank.Bank` and `Rehearsal` have it."""

    def view(self) -> View:
        """The bank as it is now."""

    def commit(self, changeset: Changeset, /) -> Any:
        """Take a decision, or raise and take nothing."""

    def record(self, rows: Sequence[PutRow | DropRow], /) -> Any:
        """Take bookkeeping rows, or raise and take nothing."""


class Door(Protocol):
    """A model, stage by stage; `cancelled` is looked at while a call waits (`decisions.md` §5.2)."""

    def propose(self, question: Propose, cancelled: Cancelled, /) -> Reply | ModelProblem:
        """Which durable facts do these records hold?"""

    def localize(self, question: Localize, cancelled: Cancelled, /) -> Reply | ModelProblem:
        """The same, with context that may explain and never prove."""

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled, /) -> Reply | ModelProblem:
        """One self-contained statement per candidate."""


@runtime_checkable
class ReflectingDoor(Protocol):
    """A door that can also be asked for insights and suggestions: one with a language model behind it."""

    def reflect(self, question: Reflect, cancelled: Cancelled, /) -> Reply | ModelProblem:
        """What do these records show, and what could be kept in the settings?"""


def by_rules(door: Door) -> bool:
    """Whether rules answer instead of a model."""
    return getattr(door, "rules", False) is True


def reflects(door: Door) -> bool:
    """Whether a door can be asked for insights; the rules cannot, nor can a door in front of them."""
    return isinstance(door, ReflectingDoor) and bool(getattr(door, "reflects", True))


def silent(told: Told) -> None:
    """Listens to nothing."""


def open_gate() -> str:
    """Lets everything through."""
    return ""


def run(
    engine: Steps,
    bank: BankLike,
    door: Door,
    *,
    gate: Callable[[], str] = open_gate,
    on_event: Callable[[Told], None] = silent,
    cancelled: Cancelled = never,
    dry_run: bool = False,
) -> Result:
    """Carry out one engine to its end and return its result.

    `gate` answers why the session may not be mined, or "". Once `cancelled` is true no further call is made and nothing
    is written. A dry run writes to a copy in memory. Raises what the bank raises when it cannot be written at all.
    """
    target = Rehearsal(bank.view()) if dry_run else bank
    answer: Any = None
    while True:
        try:
            step = engine.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
        if isinstance(step, Ask | Gate | Look | Record | Commit):
            answer = answered(step, target, door, gate, cancelled)
        else:
            on_event(step)
            answer = None


def answered(
    step: Effect, bank: BankLike, door: Door, gate: Callable[[], str] = open_gate, cancelled: Cancelled = never
) -> Any:
    """Carry out one effect; its answer."""
    if isinstance(step, Ask):
        return _asked(step, door, cancelled)
    if isinstance(step, Gate):
        return STOPPED if cancelled() else gate()
    return bank.view() if isinstance(step, Look) else _written(step, bank)


def _asked(ask: Ask, door: Door, cancelled: Cancelled) -> Reply | ModelProblem:
    """One model call; a door that breaks is a failing model, never a failing run."""
    question = ask.input
    try:
        if isinstance(question, Propose):
            return door.propose(question, cancelled)
        if isinstance(question, Localize):
            return door.localize(question, cancelled)
        if isinstance(question, Reflect):
            return reflected(question, door, cancelled)
        return door.canonicalize(question, cancelled)
    except Exception as error:
        return ModelProblem("provider", f"The model call failed ({type(error).__name__}); run again.")


def reflected(question: Reflect, door: Door, cancelled: Cancelled) -> Reply | ModelProblem:
    """The answer of a door that can be asked for insights, or why there is none."""
    if isinstance(door, ReflectingDoor) and reflects(door):
        return door.reflect(question, cancelled)
    return ModelProblem("configuration", "Insights need a language model; choose one, or switch them off.")


def _written(step: Record | Commit, bank: BankLike) -> Written | Stale | Refusal:
    try:
        if isinstance(step, Record):
            bank.record(step.rows)
        else:
            bank.commit(step.changeset)
    except Changed:
        return Stale()
    except ReadOnly:
        raise
    except (BadInput, NotPermitted) as error:
        if isinstance(step, Record):
            raise
        return Refusal((), str(error))
    return Written()


class SessionQueue:
    """Runs of one session strictly one after the other in the order given, different sessions side by side.

    `submit` returns at once (`spec/extraction.md` §4).
    """

    def __init__(self, parallel: int = PARALLEL) -> None:
        self._pool = ThreadPoolExecutor(max(1, parallel), thread_name_prefix="extract")
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._lock = threading.Lock()

    def submit(self, session: str, job: Callable[[], T]) -> Future[T]:
        """Run `job` when every earlier job of this session has ended; its outcome is the future's."""
        future: Future[T] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)

        with self._lock:
            line = self._waiting.get(session)
            if line is not None:
                line.append(work)
                return future
            self._waiting[session] = deque()
        self._pool.submit(self._drain, session, work)
        return future

    def _drain(self, session: str, work: Callable[[], None]) -> None:
        """Work through the session's line and forget it when it is empty."""
        while True:
            work()
            with self._lock:
                line = self._waiting[session]
                if not line:
                    del self._waiting[session]
                    return
                work = line.popleft()

    def close(self) -> None:
        """Wait for everything that was submitted."""
        self._pool.shutdown(wait=True)
