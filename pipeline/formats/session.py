"""What a transcript says, whatever tool wrote it: a session of turns with an author each (`spec/formats.md` §1)."""

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


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a file that could not be read, where it stands, and why; never the text itself."""

    line: int
    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation as its file tells it.

    `format` and `id` are its identity (`spec/formats.md` §1.3). `compactions` are the seqs of compaction marks.
    `read_to` is the byte offset up to which whole lines were read; a line still growing lies behind it.
    """

    format: str
    id: str
    path: str
    turns: tuple[Turn, ...]
    project: str = ""
    branch: str = ""
    started: int | None = None
    ended: int | None = None
    compactions: tuple[int, ...] = ()
    damage: tuple[Damage, ...] = ()
    subagent: bool = False
    parent: str = ""
    read_to: int = 0
    size: int = 0
    modified: int = 0
    """Bytes of the file and its time (milliseconds since 1970) when it was read; 0 when it was not read from a file."""

    @property
    def key(self) -> str:
        """The identity under which the ledger knows the session (`spec/formats.md` §1.3)."""
        return f"{self.format}/{self.id}"

    @property
    def project_name(self) -> str:
        """The last part of the folder that the session was held in, "" when it names none."""
        return self.project.replace("\\", "/").rstrip("/").rpartition("/")[2]

    @property
    def last_seq(self) -> int:
        """The highest seq of the session, 0 when it is empty."""
        return max((turn.seq for turn in self.turns), default=0)
