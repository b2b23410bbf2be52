"""What one run works with: the trigger, the session's entries, the options, and how its evidence is written down."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pipeline.extract import effects
from pipeline.extract.answer import Citation
from pipeline.extract.effects import Effect, Fate, Look, Snapshot, Told, Written
from pipeline.extract.evidence import Entry, Record
from pipeline.extract.ledger.control import FailureClass
from pipeline.extract.options import Options
from pipeline.extract.stages import Reflect
from store.changes import DropRow, PutRow
from store.view import View

Cite = Callable[[int, str], Sequence[Mapping[str, Any]]]
"""The quotes of one message as rows keep them: `(seq, quote) -> {session, format, ref, seq, quote, at}` each."""
Steps = Generator[Effect | Told, Any, Any]
TRIES = 8
"""How often a write is worked out anew because somebody else wrote one of its rows meanwhile."""
BUSY = "The bank is being changed by somebody else all the time; run the extraction again."


@dataclass(frozen=True, slots=True)
class Filed:
    """Rows that a further extractor wants written with a range, and the keys of those that are new proposals.

    `fates` say of what it leaves out why; they are numbered by the range.
    """

    rows: tuple[PutRow, ...] = ()
    new: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()


@dataclass(frozen=True, slots=True)
class Harvest:
    """What a further extractor is given: the evidence that the model was shown, and the bank as it is now.

    `said` are the facts that the range proposes itself.
    """

    view: View
    records: tuple[Record, ...]
    snapshot: Snapshot
    now: int
    cite: Cite
    said: tuple[str, ...] = ()


class Extractor(Protocol):
    """A further extractor over the same evidence (`architecture.md`, "pipeline")."""

    def file(self, harvest: Harvest) -> Filed:
        """Rows for what the evidence holds, over the rows that are there."""

    def claims(self, records: Sequence[Record], content: str, citations: Sequence[Citation]) -> bool:
        """Whether it files this fact itself: one proposal per quote and meaning (`decisions.md` §2.5)."""


class Answered(Extractor, Protocol):
    """An extractor that a model's reply made; `count` things stand in it, if it was `readable` at all."""

    @property
    def count(self) -> int:
        """How much the reply proposes."""

    @property
    def readable(self) -> bool:
        """Whether the reply could be read."""


class Asking(Protocol):
    """A further extractor that asks a model first (`pipeline/extract/reflection/reflector.py`)."""

    def question(self, view: View, records: Sequence[Record], now: int, /) -> Reflect | None:
        """What to ask about these records, None for nothing."""

    def answered(self, reply: str, question: Reflect, by: str, /) -> Answered:
        """What files the reply."""


@dataclass(frozen=True, slots=True)
class Work:
    """One run: everything that its ranges have in common. `now` is milliseconds and stands still during the run."""

    snapshot: Snapshot
    entries: Sequence[Entry]
    options: Options
    now: int
    cite: Cite
    extractors: tuple[Extractor, ...] = ()
    asking: Asking | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """The entries with after < seq <= through, evaluated under one operation id.

    `by_hand`: a person wants it evaluated again, wherever the cursor stands. `alone`: nothing that was left unresolved
    earlier is shown with it.
    """

    entries: Sequence[Entry]
    after: int
    through: int
    operation: str
    by_hand: bool = False
    alone: bool = False


class Blocked(Exception):
    """The run stops here and leaves no trace: the gate closed (`reason`), or the fault is not the range's."""

    def __init__(self, reason: str = "", note: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.note = note


class Failed(Exception):
    """The range failed with a counted class; it is frozen for its single retry."""

    def __init__(self, failure_class: FailureClass, note: str = "") -> None:
        super().__init__(failure_class)
        self.failure_class = failure_class
        self.note = note


class Moved(Exception):
    """Somebody else evaluated the range meanwhile."""


def write_rows(rows_for: Callable[[View], Sequence[PutRow | DropRow]]) -> Steps:
    """Write bookkeeping rows that depend on the newest state; nothing when there are none."""
    for _ in range(TRIES):
        rows = tuple(rows_for((yield Look())))
        if not rows or isinstance((yield effects.Record(rows)), Written):
            return
    raise Blocked("", BUSY)
