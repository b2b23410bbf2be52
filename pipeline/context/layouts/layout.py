"""What a layout says: which sections a pack has, in what order, how each is filled, and who may be refused.

A layout is data; `pack.assemble` does what it says. Budget, hook, fates and differences are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from pipeline.context.budget import UNITS, Measure
from pipeline.context.draft import Draft, Reason
from pipeline.context.fate import OUTCOMES, Outcome
from pipeline.context.standing import Standing
from store.memory import Memory


@dataclass(frozen=True, slots=True)
class Words:
    """A section of words that stand in every pack; no lines, no section. `part` is its stretch of the budget bar.

    Before the first memories compete, the words look at nothing that `opening` leaves out: not at budget, limit, focus.
    """

    key: str
    part: str
    said: Callable[[Draft], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Written:
    """A section that writes itself: several memories on a line, messages of a chat."""

    key: str
    part: str
    write: Callable[[Draft], None]


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
    `empty` stands for none. A `cap` is the most that the section may hold, in characters; with the first line that is
    too much the list ends (`spec/memora.md` §16.1). With a `message` it is one of a chat, of that role.
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
    cap: int = 0
    message: str = ""


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


SectionRule = Words | Written | Choice | Every


@dataclass(frozen=True)
class Layout:
    """A named form of the pack.

    `parts` are the stretches of the budget bar in order; `EXEMPT` comes on top. `measure` is its unit, `limit` and
    `budget` what holds when nobody says (0: no budget). `cut` takes away whole messages when the pack is too long.
    """

    name: str
    sections: tuple[SectionRule, ...]
    parts: tuple[str, ...]
    limit: int
    measure: Measure = UNITS
    budget: int = 0
    cut: Callable[[Draft], None] | None = None
    tells_hook: bool = True
    """Whether lines of the pack say what a provider did."""
    by_path: bool = True
    """Whether two memories of one relative path in two roots are one to it (`spec/context.md` §6)."""
    takes_all: bool = True
    """Whether every memory gets in when the limit is large enough."""
    most_summaries: int = 0
    """So many consolidated summaries go in apart from all others; 0: they are memories like any."""
    outcomes: tuple[Outcome, ...] = OUTCOMES
    """What may become of a memory, in the order of checking."""

    def budget_of(self, asked: int) -> int:
        """The budget that holds when `asked` is asked for; 0 or less for no limit."""
        return asked if asked > 0 else self.budget

    @cached_property
    def part_of(self) -> dict[str, str]:
        """The stretch of the budget bar to which each section belongs."""
        return {rule.key: rule.part for rule in self.sections}

    @cached_property
    def opening(self) -> tuple[SectionRule, ...]:
        """The words before anything else."""
        return tuple(takewhile(lambda rule: isinstance(rule, Words), self.sections))

    @cached_property
    def competing(self) -> tuple[SectionRule, ...]:
        """The sections behind the opening up to the last for which memories compete."""
        last = max((at for at, rule in enumerate(self.sections, 1) if isinstance(rule, Choice)), default=0)
        return self.sections[len(self.opening) : last]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The sections for which memories compete, in order."""
        return tuple(rule for rule in self.sections if isinstance(rule, Choice))

    @property
    def always(self) -> tuple[Every, ...]:
        """The sections that show every memory of a kind, in order."""
        return tuple(rule for rule in self.sections if isinstance(rule, Every))

    @property
    def is_chat(self) -> bool:
        """Whether it is made of messages, which can be taken away whole."""
        return self.cut is not None

    @cached_property
    def profile(self) -> str:
        """The section that holds the profile."""
        return next((rule.key for rule in self.sections if rule.part == "profile"), "")

    @cached_property
    def order(self) -> dict[str, int]:
        """The place of each section."""
        return {rule.key: at for at, rule in enumerate(self.sections)}
