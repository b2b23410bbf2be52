"""What a model door answers with: a reply, or the problem that there is none; and when a call may be cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProblemKind = Literal["aborted", "timeout", "configuration", "provider"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer: its raw text, tokens in and out, cost in dollars (None: unknown), duration in seconds."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelProblem:
    """Why there is no answer: the error class of `spec/extraction.md` §13 and one sentence for a person.

    An answer that was cut short or refused is paid for all the same: the figures are those of `Reply`.
    """

    kind: ProblemKind
    message: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0


def never() -> bool:
    """The cancel check of a call that nobody can cancel."""
    return False
