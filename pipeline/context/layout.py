"""What a layout says: which sections a pack has, in what order, how each is filled, and who may be refused.

A layout is data; `pack.assemble` does what it says. Budget, hook, fates and differences are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.context.draft import Draft, Reason
from pipeline.context.standing import Standing
from store.memory import Memory


@dataclass(frozen=True, slots=True)
class Words:
    """A section of words that stand in every pack; no lines, no section. `part` is its stretch of the budget bar."""

    key: str
    part: str
    said: Callable[[Draft], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The memories that a section tries, in order, each with the score that ordered it.

    `silent` leaves a section without any memory also without its placeholder.
    """

    tries: Sequence[tuple[Memory, float | None]]
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A section for which memories compete: hook, limit and dedupe apply, and the budget where it `refuses`.

    `choose` gives None when the section is left out altogether. `head` and `foot` are the lines around the memories,
    `empty` stands for none.
    """

    key: str
    part: str
    reason: Reason
    choose: Callable[[Draft], Chosen | None]
    line: Callable[[Memory], str]
    head: tuple[str, ...]
    empty: tuple[str, ...]
    foot: tuple[str, ...]
    refuses: bool = True


@dataclass(frozen=True, slots=True)
class Every:
    """A section that shows every memory of a kind, whatever limit, budget and hook say."""

    key: str
    part: str
    memories: Callable[[Standing], Sequence[Memory]]
    line: Callable[[Memory], str]
    head: tuple[str, ...]
    empty: tuple[str, ...]
    foot: tuple[str, ...]


SectionRule = Words | Choice | Every


@dataclass(frozen=True)
class Layout:
    """A named form of the pack. `parts` are the stretches of the budget bar in order; `EXEMPT` comes on top."""

    name: str
    sections: tuple[SectionRule, ...]
    parts: tuple[str, ...]

    @cached_property
    def part_of(self) -> dict[str, str]:
        """The stretch of the budget bar to which each section belongs."""
        return {rule.key: rule.part for rule in self.sections}

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The sections for which memories compete, in order."""
        return tuple(rule for rule in self.sections if isinstance(rule, Choice))

    @property
    def always(self) -> tuple[Every, ...]:
        """The sections that show every memory of a kind, in order."""
        return tuple(rule for rule in self.sections if isinstance(rule, Every))

    @cached_property
    def order(self) -> dict[str, int]:
        """The place of each section."""
        return {rule.key: at for at, rule in enumerate(self.sections)}
