"""The lines of a pack while it is written, counted in the unit of its layout, and what the count says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

from pipeline.context.layouts.tokens import SCALE, thirds
from pipeline.measure import units
from store.memory import Memory

ENTRY = attrgetter("entry")
EXEMPT = "exempt"
"""The part of the budget bar that no budget counts: sections 5 and later come on top (`spec/context.md` §5)."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit of size: its word, what a text weighs, and how much weight makes one (the rest of one counts as one)."""

    word: str
    weigh: Callable[[str], int]
    scale: int = 1

    def of(self, weight: int) -> int:
        """The size of a weight."""
        return -(-weight // self.scale)

    def size(self, text: str) -> int:
        """The size of a text."""
        return self.of(self.weigh(text))


UNITS = Measure("characters", units)
"""UTF-16 code units (`spec/context.md` §0)."""
TOKENS = Measure("tokens", thirds, SCALE)
"""Estimated tokens (`spec/memora.md` §16.2)."""


class Line(NamedTuple):
    """One line of the pack: its text, its section, and the memory that it shows ("" for none).

    `used_before` is the size of all lines before it, `units` its own with the line break, both in the layout's unit.
    In a chat `message` is the number of the message that it belongs to, -1 for a line that only shows where one begins.
    `also` are the other memories that it shows, `origin` the setting file that it comes from.
    """

    text: str
    section: str
    entry: str
    used_before: int
    units: int
    message: int = -1
    also: tuple[str, ...] = ()
    origin: str = ""

    @property
    def entries(self) -> tuple[str, ...]:
        """All memories that it shows."""
        return (self.entry, *self.also) if self.entry else ()


@dataclass(frozen=True, slots=True)
class Bar:
    """The budget bar: size of each part with its headings and blank lines; `used` is all but the exempt tail."""

    budget: int
    parts: dict[str, int]

    @property
    def used(self) -> int:
        """All that the budget counts: in the yotta layout, up to the end of section 4."""
        return sum(size for part, size in self.parts.items() if part != EXEMPT)

    @property
    def free(self) -> int:
        """What is left of the budget; 0 without one."""
        return max(self.budget - self.used, 0)

    @property
    def over(self) -> int:
        """By how much what is never cut exceeds the budget; 0 without one."""
        return max(self.used - self.budget, 0) if self.budget > 0 else 0


@dataclass(slots=True)
class Writer:
    """Takes lines one after the other and knows how much they make, in a budget's unit.

    In a document every line counts with its line break. In a chat each message counts for itself, as the text it is.
    """

    budget: int
    measure: Measure = UNITS
    lines: list[Line] = field(default_factory=list)
    used: int = 0
    message: int = -1
    _weight: int = 0
    """What the document, or the message, weighs so far."""
    _joined: bool = False
    """Whether the next line comes without a line break."""

    def add(self, section: str, text: str, entry: str = "", *, also: tuple[str, ...] = (), origin: str = "") -> None:
        """Write one line, or several when the text has line breaks."""
        for part in text.split("\n"):
            before = self.measure.of(self._weight)
            self._weight += self.measure.weigh(part) + (not self._joined)
            self._joined = False
            size = self.measure.of(self._weight) - before
            self.lines.append(Line(part, section, entry, self.used, size, self.message, also, origin))
            self.used += size

    def again(self, budget: int) -> Writer:
        """Another one that goes on from here, within a budget of its own."""
        return replace(self, budget=budget, lines=[*self.lines])

    def begin(self, section: str, role: str) -> None:
        """Begin the next message of a chat: a line says whose it is, which is no part of it."""
        if self.message >= 0:
            self.lines.append(Line("", section, "", self.used, 0))
        self.lines.append(Line(f"[{role}]", section, "", self.used, 0))
        self.message += 1
        self._weight, self._joined = 0, True  # n lines have n - 1 line breaks

    def join(self) -> None:
        """The next line follows without a line break: the arguments of a call behind the words of their message."""
        self._joined = True

    def shortfall(self, size: int) -> int:
        """What is missing for a text of that size to be accepted; 0 when it fits (equality fits)."""
        return max(self.used + size - self.budget, 0) if self.budget > 0 else 0


_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def one_line(text: str) -> str:
    """Text that stays on its line whatever it holds: every line break becomes a space, the length stays."""
    return text if text.isprintable() else "".join(" " if char in _BREAKS else char for char in text)


def places(lines: Iterable[Line]) -> dict[str, str]:
    """The first section that shows each memory."""
    found: dict[str, str] = {}
    for line in filter(ENTRY, lines):
        for entry in line.entries:
            found.setdefault(entry, line.section)
    return found


def entry_line(memory: Memory) -> str:
    """The line of a memory in sections 2.5 to 4; statements are never shortened."""
    return f"- [{memory.type}] {one_line(memory.subject)}: {one_line(memory.statement)}"
