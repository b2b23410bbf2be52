"""What the engine asks of its driver, what it is answered, and what it tells (`decisions.md` §5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pipeline.extract.stages import Question
from store.changes import Changeset, DropRow, PutRow
from store.fields import is_integer

Stage = Literal["proposal", "localized", "canonicalize", "reflect"]
COUNTED = frozenset({"provider", "timeout"})
"""Problems that are the range's fault; every other kind blocks the run and leaves no trace (§13)."""
Status = Literal["extracted", "skipped", "no_range", "pending", "unavailable"]
Outcome = Literal[
    "admitted",
    "bad quote",
    "secret",
    "rejected",
    "deferred",
    "ready",
    "stored",
    "duplicate",
    "suppressed",
    "refused",
    "profile",
]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One trigger, frozen: which session, up to which seq (inclusive), for which project and with which model.

    `session` is the identity that ledger rows use (`<format>/<id>`), `project` the name that gap rows are kept under.
    """

    session: str
    boundary: int
    project: str = ""
    model: str = ""
    origin: str = ""
    delegation_depth: int = 0

    @property
    def valid(self) -> bool:
        """Whether it can be run at all: a session with a name, a boundary that is a safe integer of at least 0."""
        boundary: object = self.boundary
        named = isinstance(self.session, str) and bool(self.session)
        return named and is_integer(boundary) and self.boundary >= 0


@dataclass(frozen=True, slots=True)
class Ask:
    """One model call with the data of its stage; answered by `Reply` or `ModelProblem` (`pipeline/model.py`)."""

    stage: Stage
    input: Question


@dataclass(frozen=True, slots=True)
class Gate:
    """May this session be mined right now? Answered by "" (yes) or `disabled`, `ineligible`, `unavailable`."""


@dataclass(frozen=True, slots=True)
class Look:
    """The bank as it is now; answered by a `View`."""


@dataclass(frozen=True, slots=True)
class Record:
    """Bookkeeping rows to write together, in order; answered by `Written` or `Stale`."""

    rows: tuple[PutRow | DropRow, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """Memories and rows to write together, in order; answered by `Written`, `Stale` or `Refusal`."""

    changeset: Changeset


@dataclass(frozen=True, slots=True)
class Written:
    """The write is durable."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Somebody else wrote one of the rows meanwhile; nothing was written, look again."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The bank refuses these new memories (`keys` of `PutMemory`; empty: it cannot say which); nothing was written."""

    keys: tuple[str, ...]
    message: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    """A range is being processed: seqs, and how many messages of the person it holds."""

    session: str
    after: int
    through: int
    records: int


@dataclass(frozen=True, slots=True)
class Calling:
    """A model call begins, the `number`-th of at most `budget` for this range, about `size` messages or candidates.

    `repair` says that the model is told what was wrong with its answer before.
    """

    session: str
    stage: Stage
    size: int
    number: int
    budget: int
    repair: bool = False
    rules: bool = False
    """Whether no model is asked: rules answer."""


@dataclass(frozen=True, slots=True)
class Called:
    """A model call ended; `problem` is empty, a kind of `ModelProblem`, or `schema` for an answer of a wrong shape.

    `message` says what was wrong, never in words of the answer. `found` is how many facts the answer proposes or, from
    the canonicalizer, accepts. The figures are those of `Reply`: None where nobody knows.
    """

    session: str
    stage: Stage
    problem: str = ""
    message: str = ""
    found: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    rules: bool = False
    """Whether rules answered, so that it was no call that could use anything."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What has become of the facts of a range so far: its fates may change until the range is settled."""

    session: str
    after: int
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one proposed fact, and why.

    `content` is empty for refused ones (it may hold a secret); `number` counts the incidents of the range from 1.
    Of a bad quote: the `quote` as it was given, masked, and the `nearest` words that the evidence `ref` does hold.
    Of a waiting fact: in how many sessions it was seen (`have`) of those that it needs.
    """

    number: int
    outcome: Outcome
    reason: str = ""
    content: str = ""
    key: str = ""
    quote: str = ""
    nearest: str = ""
    ref: str = ""
    have: int = 0
    need: int = 0


@dataclass(frozen=True, slots=True)
class Audit:
    """Something to note about a run: `citation_ignored`, `citation_suspect`, `suppressed`, `failure_superseded`, …"""

    kind: str
    gap: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """A range is settled, with the fate of each of its incidents."""

    session: str
    after: int
    through: int
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run reports (`spec/extraction.md` §20, §23.2)."""

    status: Status
    items: tuple[str, ...] = ()
    pending: int = 0
    reason: str = ""
    recovered: Result | None = None
    replayed: bool = False
    windows: tuple[tuple[int, int], ...] = ()
    fates: tuple[Fate, ...] = ()
    audits: tuple[Audit, ...] = ()
    calls: int = 0
    waiting: tuple[str, ...] = ()
    """Keys of the gap rows that this run left open or ready."""
    filed: tuple[str, ...] = ()
    """Keys of new proposals of further extractors (profile facts)."""
    more: bool = False
    """Windows are left for another run (`spec/extraction.md` §23.3)."""
    note: str = ""
    """What the last model problem said to a person, when the run could not go on."""


@dataclass(frozen=True, slots=True)
class Done:
    """The run of one session ended."""

    session: str
    result: Result = field(default_factory=lambda: Result("skipped"))


Effect = Ask | Gate | Look | Record | Commit
Told = Started | Calling | Called | Judged | Settled | Done


def kept(result: Result) -> Mapping[str, Any]:
    """The part of a result that a receipt keeps, so that a replay says the same (ext-D19)."""
    fields: dict[str, Any] = {"status": result.status}
    if result.status == "extracted":
        fields["items"] = list(result.items)
    if result.pending:
        fields["pending"] = result.pending
    return fields
