"""The lines of a pack while it is written, counted in UTF-16 units (`spec/context.md` §5), and what the count says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.measure import units
from store.memory import Memory

EXEMPT = "exempt"
"""The part of the budget bar that no budget counts: sections 5 and later come on top (`spec/context.md` §5)."""


class Line(NamedTuple):
    """One line of the pack: its text, its section, and the memory that it shows ("" for none).

    `used_before` are the units of all lines before it, `units` its own with the line break.
    """

    text: str
    section: str
    entry: str
    used_before: int
    units: int


@dataclass(frozen=True, slots=True)
class Bar:
    """The budget bar: units of each part with its headings and blank lines; `used` is all but the exempt tail."""

    budget: int
    parts: dict[str, int]

    @property
    def used(self) -> int:
        """Units up to the end of section 4."""
        return sum(size for part, size in self.parts.items() if part != EXEMPT)

    @property
    def free(self) -> int:
        """Units of the budget that are left; 0 without a budget."""
        return max(self.budget - self.used, 0)

    @property
    def over(self) -> int:
        """Units by which what is never cut exceeds the budget; 0 without a budget."""
        return max(self.used - self.budget, 0) if self.budget > 0 else 0


@dataclass(slots=True)
class Writer:
    """Takes lines one after the other and knows how many units they make."""

    budget: int
    lines: list[Line] = field(default_factory=list)
    used: int = 0

    def add(self, section: str, text: str, entry: str = "") -> None:
        """Write one line, or several when the text has line breaks."""
        for part in text.split("\n"):
            size = units(part) + 1
            self.lines.append(Line(part, section, entry, self.used, size))
            self.used += size

    def shortfall(self, text: str) -> int:
        """Units that are missing for `text` to be accepted; 0 when it fits (equality fits)."""
        return max(self.used + units(text) - self.budget, 0) if self.budget > 0 else 0


_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def one_line(text: str) -> str:
    """Text that stays on its line whatever it holds: every line break becomes a space, the length stays."""
    return text if text.isprintable() else "".join(" " if char in _BREAKS else char for char in text)


def entry_line(memory: Memory) -> str:
    """The line of a memory in sections 2.5 to 4; statements are never shortened."""
    return f"- [{memory.type}] {one_line(memory.subject)}: {one_line(memory.statement)}"


def bar(lines: Iterable[Line], budget: int, parts: Iterable[str], part_of: Mapping[str, str]) -> Bar:
    """What each part takes; `part_of` says to which part a section belongs."""
    sizes = dict.fromkeys(parts, 0)
    for line in lines:
        sizes[part_of[line.section]] += line.units
    return Bar(max(budget, 0), sizes)
