"""What a transcript says, whatever tool wrote it: a session of turns with an author each (`spec/formats.md` §1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.formats.turn import EVIDENCE_AUTHORS, Author, Turn
from pipeline.formats.turns import Turns

__all__ = ["EVIDENCE_AUTHORS", "Author", "Damage", "Session", "Turn"]


UNKNOWN = "unknown"
"""The format of an empty file, which nothing tells."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a file that could not be read, where it stands, and why; never the text itself."""

    line: int
    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation as its file tells it.

    `turns` may be given as any sequence; they are kept as `Turns`, so that a huge session takes little memory.
    `format` and `identity` name it (`spec/formats.md` §1.3). `compactions` are the seqs of compaction marks.
    `read_to` is the byte offset up to which whole lines were read; a line still growing lies behind it.
    """

    format: str
    id: str
    path: str
    turns: Sequence[Turn]
    project: str = ""
    branch: str = ""
    started: int | None = None
    ended: int | None = None
    compactions: tuple[int, ...] = ()
    damage: tuple[Damage, ...] = ()
    subagent: bool = False
    parent: str = ""
    read_to: int = 0
    place: str = ""
    """Which file it is, where `id` was made of the file's name and another folder may hold the same name."""
    size: int = 0
    modified: int = 0
    """Bytes of the file and its time (milliseconds since 1970) when it was read; 0 when it was not read from a file."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", Turns.of(self.turns))

    @property
    def log(self) -> Turns:
        """`turns` with what is known of all of them at once: seqs, authors, marks."""
        return Turns.of(self.turns)

    @property
    def key(self) -> str:
        """The identity under which the ledger knows the session (`spec/formats.md` §1.3)."""
        return f"{self.format}/{self.identity}"

    @property
    def identity(self) -> str:
        """The session's name among all of its format: `id`, with its place behind it where `id` says too little."""
        return f"{self.id}@{self.place}" if self.place else self.id

    def goes_by(self, name: str) -> bool:
        """Whether a quote from this file that names its session so means this one, as older quotes leave out places."""
        return name in (self.identity, self.id)

    @property
    def project_name(self) -> str:
        """The last part of the folder that the session was held in, "" when it names none."""
        return self.project.replace("\\", "/").rstrip("/").rpartition("/")[2]

    @property
    def last_seq(self) -> int:
        """The highest seq of the session, 0 when it is empty."""
        return self.log.last_seq
