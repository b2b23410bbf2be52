"""A pack while it is written: what every section may look at, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from pipeline.context.budget import Writer, one_line
from pipeline.context.focus import FocusHit
from pipeline.context.hook import HookResult
from pipeline.context.profile import Profile
from pipeline.context.standing import Standing, is_protected
from pipeline.measure import number_text, round3
from store.memory import Memory
from store.view import View

from pipeline.context.paged import PagingResult
from pipeline.context.request import Request

Reason = Literal["summary_priority", "focus_match", "recent_corridor", "high_value_backfill"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to put a memory into a section: its place in the section's list and what came of it.

    `chars` is the size of its line, `used_before` that of all lines before it, `score` the one that the section orders
    by (recall for 2.6, half importance and half utility for 4). Sizes are in the layout's unit.
    """

    memory: Memory
    section: str
    rank: int
    reason: Reason
    outcome: Literal["included", "duplicate", "budget"] = "included"
    chars: int = 0
    used_before: int = 0
    shortfall: int = 0
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
        return f"[dropped] {path} reason: {'duplicate' if self.outcome == 'duplicate' else 'budget_exceeded'}"


@dataclass(slots=True)
class Draft:
    """A pack while it is written. `removed` are the files that hook and paging take out, `shown` the paths that stand.

    `order` are the files that paging puts first.
    """

    view: View
    request: Request
    hook: HookResult | None
    paging: PagingResult | None
    standing: Standing
    writer: Writer
    status: bool = True
    attempts: list[Attempt] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    profile: Profile = field(default_factory=lambda: Profile("", "none"))
    hits: tuple[FocusHit, ...] = ()
    removed: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

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
