"""What every ranker answers with: the memories found, best first, each with the numbers that put it there."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.measure import round3
from store.memory import Memory


@dataclass(frozen=True, slots=True)
class Part:
    """One named number behind the place of a hit.

    `words` says it to people and has places for `{value}`, `{term}` (of the query) and `{found}` (in the memory); a
    part without words is a number for programs and is not told. What came from outside goes into `term` and `found`.
    """

    name: str
    value: float
    words: str = ""
    term: str = ""
    found: str = ""

    @property
    def said(self) -> str:
        """The words with their values, the number rounded to three places; "" when the part is not told."""
        return self.words.format(value=round3(self.value), term=self.term, found=self.found)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found, with its total counters.

    `score` is how well it matches on the ranker's own scale, `final` what orders the list. `terms` are the words of
    the query that the memory answered, each once.
    """

    memory: Memory
    score: float
    final: float
    ranker: str
    parts: tuple[Part, ...] = ()
    terms: tuple[str, ...] = ()

    def number(self, name: str) -> float:
        """The value of the first part of that name; 0 when there is none."""
        return next((part.value for part in self.parts if part.name == name), 0.0)


@dataclass(frozen=True, slots=True)
class Recall:
    """What a query gives: the hits shown, the number of all, and how many memories the reader was denied.

    `denied` is counted only for an explicit look at others' memories (`spec/bank.md` §6.8), else it is 0. `notes` are
    sentences to show beside the list, `advice` one on words that stand nowhere ("": none). `wordless` is a query in
    which there is nothing to look for.
    """

    hits: tuple[Hit, ...]
    total: int
    denied: int = 0
    ranker: str = ""
    notes: tuple[str, ...] = ()
    wordless: bool = False
    advice: str = ""

    @property
    def truncated(self) -> bool:
        """Whether more were found than are shown."""
        return self.total > len(self.hits)
