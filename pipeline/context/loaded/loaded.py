"""The one shape of every layout that agents load from files: its limits, its pieces in order, and what is wrong.

The words are those of a bank's pack: a piece has an outcome of `pipeline.context.fate` wherever that means the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.context.fate import Outcome, Unseen

Unit = Literal["lines", "bytes", "characters", "deep"]
Why = Outcome | Unseen | Literal["on_demand", "unlooked", "replaced", "for_people"]
"""`on_demand`: read when the agent asks for it, or works there; `unlooked`: it lies outside, and was not opened here;
`replaced`: another file stands in its place; `for_people`: an HTML comment."""
Standing = Literal["loaded", "cut", "not loaded"]
Kind = Literal["cut", "link", "unread", "repeated", "contradiction", "expiring"]
State = Literal["found", "missing", "case", "outside", "external", "circle"]

KINDS: tuple[Kind, ...] = ("cut", "link", "unread", "repeated", "contradiction", "expiring")
"""What can be lost, in the order in which it is told."""
KIND_WORDS: dict[Kind, str] = {
    "cut": "lines past a limit",
    "link": "links that lead nowhere",
    "unread": "what no agent reads",
    "repeated": "said in several places",
    "contradiction": "statements that contradict each other",
    "expiring": "transcripts about to be deleted",
}
LINES_TOLD, CHARS_TOLD = 200, 4_000
"""Lines of one loss that are kept with their text, and characters of one line; the rest is a number."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a layout: at most `most` of `unit` of what `of` names."""

    of: str
    most: int
    unit: Unit

    @property
    def words(self) -> str:
        """`MEMORY.md: 200 lines`, `imports: 5 deep`."""
        return f"{self.of}: {self.most:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class Cited:
    """One line of a file, as it stands there; `line` counts from 1, 0 stands for the whole file."""

    file: Path
    name: str
    line: int
    text: str

    @property
    def place(self) -> str:
        """`MEMORY.md:12`."""
        return f"{self.name}:{self.line}" if self.line else self.name


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file and what becomes of them.

    `name` is the file for people: below the layout's folder, or with `~`. Lines count from 1, both ends included; 0, 0
    when nothing of it could be read. `size` is in `unit`. `via` is the line that imports it, as `CLAUDE.md:3`.
    """

    file: Path
    name: str
    first: int
    last: int
    size: int
    unit: Unit
    outcome: Why
    reason: str
    via: str = ""

    @property
    def fate(self) -> Standing:
        """Loaded when the agent starts, cut by a limit, or not loaded."""
        if self.outcome in {"always", "included"}:
            return "loaded"
        return "cut" if self.outcome in {"over_limit", "budget"} else "not loaded"

    @property
    def lines(self) -> str:
        """`1-200`, or nothing."""
        return "" if not self.last else f"{self.first}-{self.last}" if self.last > self.first else f"{self.first}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a loaded file, and where it leads; `external` ones and those `outside` the folder are not followed.

    `leads` is the name of the file that it stands for, also when it calls it in other letters (`case`).
    """

    file: Path
    name: str
    line: int
    target: str
    state: State
    text: str
    words: str = ""
    leads: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a file says in one bullet or paragraph. `section` is the heading that it stands under."""

    text: str
    file: Path
    name: str
    line: int
    section: str = ""
    of: str = ""
    """The file that an index line is about: the two are no repetition of each other."""
    later: bool = False
    """Whether it is loaded only for some files or in some folder: two of those need never meet."""

    @property
    def cited(self) -> Cited:
        """The place with the text."""
        return Cited(self.file, self.name, self.line, self.text)


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is lost, or about to be: what, where exactly, and what a person can do about it.

    `first` and `last` are lines of `file` (0: the whole file); `lines` are the exact lines, `more` how many others
    there are. `day` is when a transcript goes, `age` how many days ago it was written last.
    """

    kind: Kind
    layout: str
    title: str
    todo: str
    file: Path | None = None
    name: str = ""
    first: int = 0
    last: int = 0
    lines: tuple[Cited, ...] = ()
    more: int = 0
    day: str = ""
    age: int = 0

    @property
    def place(self) -> str:
        """`MEMORY.md:201-223`."""
        span = f":{self.first}-{self.last}" if self.last > self.first else f":{self.first}" if self.first else ""
        return f"{self.name}{span}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What one agent loads from one place: the layout's name, its limits, its pieces in loading order, its faults.

    `name` is for programs, `title` for people. `project` is the folder that the layout is about, None when it belongs
    to every project of the person. `statements` are those that the agent can come to read. `notes` say what was too
    large to be looked at.
    """

    name: str
    agent: str
    title: str
    folder: Path
    limits: tuple[Limit, ...] = ()
    pieces: tuple[Piece, ...] = ()
    links: tuple[Link, ...] = ()
    losses: tuple[Loss, ...] = ()
    statements: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    project: Path | None = None


def counted(number: int, one: str, many: str) -> str:
    """A number with its word: `1 line is`, `1,200 lines are`."""
    return f"{number:,} {one if number == 1 else many}"


def cite(file: Path, name: str, lines: Sequence[tuple[int, str]]) -> tuple[tuple[Cited, ...], int]:
    """Lines as a loss keeps them, and how many more there are; blank ones say nothing and are left out."""
    told = [Cited(file, name, number, text[:CHARS_TOLD]) for number, text in lines[:LINES_TOLD] if text.strip()]
    return tuple(told), max(0, len(lines) - LINES_TOLD)
