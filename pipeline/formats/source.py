"""What a reader is told about the file that it reads, and what is common to building a session from it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.formats.content import clip
from pipeline.formats.envelopes import Table, pieces
from pipeline.formats.lines import Item, Record, Whole
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Damage
from pipeline.formats.times import instant
from store.errors import Cancelled

PLACE = 8
"""Hex digits of a file's place: only files of the same name need to be told apart by it."""
DAMAGE_KEPT = 1_000
"""Damaged places that a session names one by one."""

_WHOLE = EVIDENCE_AUTHORS | {Author.MODEL, Author.COMMAND}
_WORKTREE = re.compile(r"^(?P<main>.+?)[/\\]\.claude[/\\]worktrees[/\\](?P<label>[^/\\]+)")


def never() -> bool:
    """Nobody stops this reading."""
    return False


@dataclass(frozen=True, slots=True)
class Source:
    """The file (`path` names it, nothing is opened through it), the envelope table, and the present in milliseconds.

    `cancelled` says whether to stop; the line reader asks it too, so a format asks only where it works long at the end.
    """

    path: Path
    table: Table
    now: int
    cancelled: Callable[[], bool] = never

    @property
    def stem(self) -> str:
        """The file name without its endings: the session's name when its records carry none."""
        return self.path.name.split(".jsonl")[0].removesuffix(".json")

    @property
    def place(self) -> str:
        """Eight hex digits for the file's real path, the same however the path is written (`spec/formats.md` §1.3)."""
        try:
            real = self.path.resolve()
        except (OSError, ValueError, RuntimeError):
            real = self.path.absolute()
        return hashlib.sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()[:PLACE]

    def go_on(self) -> None:
        """Raises `Cancelled` when somebody stopped the reading."""
        if self.cancelled():
            raise Cancelled("Reading was stopped; nothing was kept of it.")


@dataclass(slots=True)
class Words:
    """A piece of a record's text with its author, on the way to a `Turn`; not frozen, as that would cost most."""

    author: Author
    text: str
    reason: str = ""
    question: str = ""


@dataclass(slots=True)
class Frame:
    """What every reader gathers beside the turns: damage, how far whole lines reach, the span of trustworthy times."""

    source: Source
    damage: list[Damage] = field(default_factory=list)
    damages: int = 0
    """All that was met, also beyond what is kept in `damage`."""
    read_to: int = 0
    started: int | None = None
    ended: int | None = None

    def note(self, item: Damage | Whole) -> None:
        """Keeps what the line reader reports beside records."""
        if isinstance(item, Damage):
            self.damaged(item)
        else:
            self.read_to = item.read_to

    def records(self, items: Iterable[Item]) -> Iterator[Record]:
        """The records among what the line reader gives; what it reports beside them is kept."""
        for item in items:
            if isinstance(item, Record):
                yield item
            else:
                self.note(item)

    def damaged(self, item: Damage) -> None:
        """Keeps a damage among the first `DAMAGE_KEPT` and counts the others: a file may be damaged throughout."""
        self.damages += 1
        if self.damages <= DAMAGE_KEPT:
            self.damage.append(item)

    def report(self) -> tuple[Damage, ...]:
        """The damage as the session tells it."""
        more = self.damages - len(self.damage)
        return (*self.damage, Damage(0, 0, f"{more} further places are damaged")) if more else tuple(self.damage)

    def time(self, value: Any) -> tuple[int | None, bool]:
        """`times.instant` of a record, which also widens the session's span when it can be trusted."""
        at, doubtful = instant(value, self.source.now)
        if at is not None and not doubtful:
            if self.ended is None or at > self.ended:
                self.ended = at
            if self.started is None or at < self.started:
                self.started = at
        return at, doubtful


Mark = tuple[str, Author, str]
"""How a text begins that is not the person's to its end, whose it is, and why."""
ROUNDS = 64
"""Wrappings taken off one message; a message with more is no message that a person would send."""


def begun_by(marks: Iterable[Mark], text: str) -> Words | None:
    """The whole text as that of the first mark that it begins with, None when it begins with none."""
    return next((Words(author, text, reason) for mark, author, reason in marks if text.startswith(mark)), None)


def words_in(text: str, table: Table) -> list[Words]:
    """A block of text under the person's name, split by author (`envelopes.pieces`)."""
    return [Words(piece.author, piece.text, piece.reason) for piece in pieces(text, table)]


def told_apart(names: Iterable[str]) -> list[str]:
    """Names of sessions; one that was there before gets its number among the same behind it."""
    met: Counter[str] = Counter()
    told: list[str] = []
    for name in names:
        met[name] += 1
        told.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return told


def bounded(words: Words) -> str:
    """The text to keep: the person's whole, everything else a prefix."""
    return words.text if words.author in _WHOLE else clip(words.text)


def project_of(cwd: str) -> tuple[str, str]:
    """The project of a working directory and, for a worktree that the tool made inside it, the worktree's name.

    Worktrees elsewhere cannot be told from the path alone; they stay projects of their own (`spec/formats.md` §1.3).
    """
    found = _WORKTREE.match(cwd)
    return (found["main"], found["label"]) if found else (cwd, "")
