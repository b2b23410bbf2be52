"""Which memories a query looks among, whatever ranks them: whose, of what type, of which years and project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from store.access import Reader, may_read, path_owner
from store.errors import BadInput
from store.memory import Memory
from store.view import View

_YEAR = re.compile("[0-9]{4}")


@dataclass(frozen=True, slots=True)
class Among:
    """The memories that may be found, in the order of the source; `denied` others were asked for and may not be read.

    `denied` is counted only for an explicit look at others' memories (`spec/bank.md` §6.8), else it is 0.
    """

    memories: Sequence[Memory]
    denied: int = 0


@dataclass(frozen=True, slots=True)
class Within:
    """Where a query looks.

    `agent` is who asks (None: the person); `everyone` asks for other owners' memories too, `owner` leaves out what
    names another owner (bank-D17); `years` are four digits of `created`; `project` leaves out what belongs to another
    project (`decisions.md` §2.4).
    """

    today: date
    agent: str | None = None
    type: str | None = None
    years: Sequence[str] = ()
    owner: str | None = None
    everyone: bool = False
    project: str | None = None

    def of(self, source: View | Sequence[Memory]) -> Among:
        """The memories of a source that may be found. Raises `BadInput` for a year that is none."""
        view = source if isinstance(source, View) else None
        memories = source.live if isinstance(source, View) else source
        asked = [memory for memory in self._asked(memories) if self._names(memory)]
        if self.agent is None:
            return Among(asked)
        reader = view.reader(self.agent) if view else Reader(self.agent)
        readable = [memory for memory in asked if may_read(memory, reader)]
        crossing = self.everyone or self.owner not in {None, "", self.agent}
        return Among(readable, len(asked) - len(readable) if crossing else 0)

    def _asked(self, memories: Sequence[Memory]) -> Sequence[Memory]:
        for year in self.years:
            if not _YEAR.fullmatch(year):
                raise BadInput(f"A year has four digits, like {self.today.year}; {year!r} has not.")
        if self.type:
            wanted = self.type.upper()
            memories = [memory for memory in memories if memory.type == wanted]
        if self.years:
            chosen, current = set(self.years), f"{self.today.year:04}"
            memories = [memory for memory in memories if (memory.created[:4] or current) in chosen]
        if self.project is not None:
            memories = [memory for memory in memories if memory.project in {"", self.project}]
        return memories

    def _names(self, memory: Memory) -> bool:
        """Whether the memory is of the owner asked for or of nobody: what names another is left out (bank-D17)."""
        return not self.owner or (path_owner(memory.path) or memory.owner) in {"", self.owner}
