"""The decision record of one memory, and the counts of a whole bank (`spec/context.md`, part G)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.context.draft import Attempt, Reason
from pipeline.context.standing import root_of
from pipeline.recall.scores import Breakdown
from store.access import path_owner
from store.memory import Memory

Outcome = Literal[
    "always",
    "evicted",
    "unlisted",
    "paged_out",
    "included",
    "duplicate",
    "budget",
    "over_limit",
    "summary_overflow",
    "block_full",
    "unmatched",
]
Paged = Literal["", "dropped", "entered", "left", "moved"]
Unsent = Literal["", "protected", "beyond_500", "not_asked"]
Unseen = Literal["unreadable", "outside_year", "other_project", "not_indexed"]

OUTCOMES: tuple[Outcome, ...] = (
    *("always", "evicted", "unlisted", "paged_out", "included"),
    *("duplicate", "budget", "over_limit", "summary_overflow"),
)
"""Of the yotta layout, in the order of checking."""
CHAT_OUTCOMES: tuple[Outcome, ...] = (
    *("evicted", "unlisted", "paged_out", "included"),
    *("budget", "block_full", "over_limit", "unmatched"),
)
"""Of a chat: a memory may also find its block full, or answer to nothing that was asked."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What orders a memory: recall (with its scale), and the section-4 score with its parts (`spec/context.md` §9)."""

    value: float
    importance: float
    utility: Breakdown
    recall: float | None = None
    scale: Literal["", "raw", "fused"] = ""
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fate:
    """The decision record of one memory. Lengths in UTF-16 units.

    `section` and `rank` are where it stands, or where it would: without the hook when the hook took it out (paging
    alike), with `needs_limit` when the limit left it out ("" and 0 when nowhere). `attempts` are all tries, duplicates
    included. `sent` is None when no provider was asked; `unsent` says why a memory was not sent.
    """

    memory: Memory
    outcome: Outcome
    chars: int = 0
    section: str = ""
    rank: int = 0
    reason: Reason | Literal["always", ""] = ""
    attempts: tuple[Attempt, ...] = ()
    used_before: int = 0
    shortfall: int = 0
    needs_limit: int | None = None
    sent: bool | None = None
    unsent: Unsent = ""
    moved_up: bool = False
    paged: Paged = ""
    """What paging did to it: taken out, brought in, left without room, put in another place."""
    duplicate_of: str = ""
    differs: bool = False
    """With `duplicate_of`: whether the two files say different things."""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def root(self) -> str:
        """The bank of a joined view, "" otherwise."""
        return root_of(self.memory)

    @property
    def owner(self) -> str:
        """Whose memory it is; the path's owner wins."""
        return path_owner(self.memory.path) or self.memory.owner

    @property
    def stands(self) -> bool:
        """Whether it is in the pack; if not, its place is where it would have been."""
        return self.outcome in {"always", "included"}

    @property
    def place(self) -> str:
        """The place in words: `2.6  1`, or `2.6 (2)` for where it would have been."""
        if not self.section:
            return ""
        if not self.rank:
            return self.section
        return f"{self.section} {self.rank}" if self.stands else f"{self.section} ({self.rank})"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many memories met each outcome; `unseen` are those without a record. All but `not_indexed` make `live`."""

    outcomes: Mapping[Outcome, int]
    unseen: Mapping[Unseen, int]
    moved_up: int
    live: int

    @property
    def total(self) -> int:
        """All live memories, counted by outcome."""
        return sum(self.outcomes.values()) + sum(self.unseen.values()) - self.unseen["not_indexed"]
