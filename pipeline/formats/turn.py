"""Who wrote a piece of a transcript, and the piece (`spec/formats.md` §1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Author(StrEnum):
    """Who wrote a piece of text; a role called "user" proves nothing (`spec/formats.md` §1.1)."""

    TYPED = "typed"
    CHOSEN = "chosen"
    COMMAND = "command"
    INJECTED = "injected"
    DOCUMENT = "document"
    TOOL = "tool"
    MODEL = "model"
    OTHER_AGENT = "other agent"
    SUMMARY = "summary"

    __hash__ = str.__hash__
    """As the text that it equals, and not through Python code: readers look authors up for every piece of text."""


EVIDENCE_AUTHORS = frozenset({Author.TYPED, Author.CHOSEN})
"""The only authors whose words may support a fact (`spec/formats.md` §1.1)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One piece of text with one author.

    `seq` is the 1-based raw line for JSONL and the ordinal on the live branch for documents (`decisions.md` §5.3); one
    record may give several turns of the same `seq`. `ref` is the record's own id, or `line N`. `at` is milliseconds
    since 1970 or None; `doubtful_time` marks a time that must not decide which statement is newer. `reason` says why
    text of role user is not the person's. `abandoned` marks a branch that was rewound. `turn` groups records of one
    exchange where the format says so. `question` is what a chosen answer replies to.
    """

    seq: int
    ref: str
    author: Author
    text: str
    at: int | None = None
    doubtful_time: bool = False
    reason: str = ""
    turn: int | None = None
    question: str = ""
    abandoned: bool = False
    inherited: bool = False
    """Copied from a parent session (a fork): imported once, with the parent."""
