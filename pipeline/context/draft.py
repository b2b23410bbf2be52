"""A pack while it is written: what every section may look at, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from pipeline.context.budget import Writer, one_line
from pipeline.context.focus import FocusHit
from pipeline.context.layouts.chat import Message
from pipeline.context.profile import Profile
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.request import Request
from pipeline.context.standing import Standing, is_protected
from pipeline.measure import number_text, round3
from store.memory import Memory
from store.view import View

Reason = Literal["summary_priority", "focus_match", "recent_corridor", "high_value_backfill", "confirmed_fact"]


Tried = Literal["included", "duplicate", "budget", "block_full"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to put a memory into a section: its place in the section's list and what came of it.

    `chars` is the size of its line, `used_before` that of all lines before it, `score` the one that the section orders
    by (recall for 2.6, half importance and half utility for 4). `enough` is the least budget that lets in what the
    budget refused. Sizes are in the layout's unit, but the `shortfall` of a full block is in characters.
    """

    memory: Memory
    section: str
    rank: int
    reason: Reason
    outcome: Tried = "included"
    chars: int = 0
    used_before: int = 0
    shortfall: int = 0
    enough: int = 0
    score: float | None = None

    @property
    def trace(self) -> str:
        """Its line of the trace (`spec/context.md` §11)."""
        path = one_line(self.memory.path)
        if self.outcome == "included":
            score = (
                f" score: {number_text(round3(self.score))}"
                if self.reason == "focus_match" and self.score is not None
                else ""
            )
            return f"[included] {path} reason: {self.reason}{score}"
        return f"[dropped] {path} reason: {'budget_exceeded' if self.outcome == 'budget' else self.outcome}"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something besides a memory that a pack has not: its section, whose message, what it says, and why it is out.

    `origin` is the setting file that it comes from; `enough` the least budget that would keep it, 0 for none.
    """

    section: str
    role: str
    text: str
    why: str
    origin: str = ""
    enough: int = 0


@dataclass(slots=True)
class Draft:
    """A pack while it is written. `removed` are the files that hook and paging take out, `shown` the paths that stand.

    `trace` is what the trace says before the tries. `order` are the files that paging puts first. `messages` are what a
    chat consists of in the end, `dropped` what it would have had.
    """

    view: View
    request: Request
    hook: HookResult | None
    paging: PagingResult | None
    standing: Standing
    writer: Writer
    attempts: list[Attempt] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    profile: Profile = field(default_factory=lambda: Profile("", "none"))
    hits: tuple[FocusHit, ...] = ()
    removed: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    spoken: dict[int, Message] = field(default_factory=dict)
    """The messages of a chat that came as such, by number; all others are what their lines say."""
    messages: tuple[Message, ...] = ()
    dropped: list[Dropped] = field(default_factory=list)
    filled: dict[str, int] = field(default_factory=dict)
    """Units of the sections with a cap, what was refused included."""
    whys: dict[str, str] = field(default_factory=dict)
    """Why a setting file is told, by its path."""

    @property
    def traced(self) -> list[str]:
        """The whole trace: what was said beforehand, and every try."""
        return [*self.trace, *(attempt.trace for attempt in self.attempts)]

    def allowed(self, memory: Memory) -> bool:
        """Whether hook and paging leave the memory in; protected ones always stay (ctx-D24)."""
        return memory.path not in self.removed or is_protected(memory, self.request.shown)

    def write(self, section: str, lines: Iterable[str]) -> None:
        """Write lines that show no memory."""
        for line in lines:
            self.writer.add(section, line)

    def first(self, memories: Iterable[Memory], count: int, wanted: Callable[[Memory], bool]) -> Sequence[Memory]:
        """The first wanted memories that hook and paging leave in."""
        return tuple(islice((memory for memory in memories if wanted(memory) and self.allowed(memory)), count))
