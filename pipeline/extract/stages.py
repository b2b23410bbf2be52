"""What each stage of extraction asks of a model door, as data: a language model or the offline rules answer alike.

`decisions.md` §5.2; the stages are those of `spec/extraction.md` §10–11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.extract.evidence import Record

OPEN_GAPS = 16
"""Pending facts shown to the model (`spec/extraction.md` §20)."""


@dataclass(frozen=True, slots=True)
class OpenGap:
    """A fact that other sessions produced and that waits for corroboration."""

    id: str
    content: str
    sessions: int


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote of a candidate, with the minute-floored time of its message in milliseconds."""

    source_ref: str
    quote: str
    observed_at: int
    question: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the canonicalizer sees of an admitted fact: its id and its quotes, never the proposed wording."""

    id: str
    evidence: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """The answer to the same question that could not be used, secrets masked and cut, and what was wrong with it."""

    answer: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Propose:
    """Stage 1: which durable facts do these records hold? `now` is milliseconds since 1970.

    `partial` lets findings stand beside a search request (ext-D28).
    """

    records: tuple[Record, ...]
    now: int
    open_gaps: Sequence[OpenGap] = ()
    partial: bool = False
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Localize:
    """Stage 1 again, with the found context, which may explain and never prove."""

    records: tuple[Record, ...]
    context: str
    now: int
    open_gaps: Sequence[OpenGap] = ()
    partial: bool = False
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Canonicalize:
    """The last stage: one self-contained statement per candidate, from its quotes, or a rejection."""

    candidates: tuple[Candidate, ...]
    now: int
    context: str = ""
    facets: bool = False
    repair: Repair | None = None


@dataclass(frozen=True, slots=True)
class Reflect:
    """Beside the stages of facts: what do these records show, and what could the person keep in their settings?

    `insights` and `suggestions` say what is asked for (`spec/memora.md` §8.2, 11.5).
    """

    records: tuple[Record, ...]
    now: int
    insights: bool = True
    suggestions: bool = True
    repair: Repair | None = None


StageInput = Propose | Localize | Canonicalize
Question = StageInput | Reflect
"""Everything that a model may be asked."""
