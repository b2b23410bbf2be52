"""The nouns: what a memory is, and the names of what the ledger keeps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class MemoryType(StrEnum):
    """Who reads a memory, how it ages and whether a hook may evict it (`spec/bank.md` §5)."""

    FACT = "FACT"
    PREF = "PREF"
    BOUND = "BOUND"
    COMMIT = "COMMIT"


Scope = Literal["public", "private"]
State = Literal["live", "archived", "trashed"]

TYPE_FOLDERS: dict[str, str] = {"FACT": "facts", "PREF": "prefs", "BOUND": "bounds", "COMMIT": "commits"}
"""Folder of each type (`spec/bank.md` §2.1)."""

DEFAULT_SCOPES: dict[str, Scope] = {"FACT": "public", "PREF": "private", "BOUND": "private", "COMMIT": "private"}

SELF_PROFILE_SUBJECT = "自我接入档案"
"""Subject of the PREF in which an agent describes itself (`spec/bank.md` §3.6)."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it was last read: healed values (`spec/bank.md` §25.4), never raw file text.

    `id` is the bank-relative path at which it was made; `path` is where its file lies now. `sha` is the SHA-256 of
    the file's bytes, the base that an edit compares against. Dates are the strings of the file.
    """

    id: str
    path: str
    sha: str
    type: str = "FACT"
    subject: str = ""
    statement: str = ""
    body: str = ""
    scope: Scope = "public"
    owner: str = ""
    tags: tuple[str, ...] = ()
    confidence: float | None = 1.0
    created: str = ""
    updated: str = ""
    immutable: bool = False
    source: str = ""
    label: str = ""
    weight: float = 1.0
    access_count: int = 0
    last_accessed: str = ""
    feedback_net: int = 0
    hit_days: str = ""
    hit_queries: str = ""
    project: str = ""
    evidence: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown front-matter keys, in file order."""
    state: State = "live"
    ordinal: int = 0
    """Original order for ties: a valid `index.json`, then path order (`decisions.md` §3.6)."""
    has_front_matter: bool = True
    trashed_at: str = ""

    @property
    def name(self) -> str:
        """The name of its file as it lies now, without folders, as shown on screen beside the type.

        A change of type or owner gives it another one, while the id stays (`decisions.md` §2.1).
        """
        return (self.path or self.id).rsplit("/", 1)[-1].removesuffix(".enc")

    @property
    def first_name(self) -> str:
        """The name of the file that it was made as, which the history goes on calling it by."""
        return self.id.rsplit("/", 1)[-1]

    @property
    def observed(self) -> str:
        """When the words that it rests on were said last, as an ISO instant; "" when that is not known.

        Written by extraction; the engine keeps the key as any other (`spec/extraction.md` §25).
        """
        return dict(self.extra).get("observed", "")

    @property
    def display(self) -> str:
        """The memory's text for people: the body when it says the same as the statement, with its line ends."""
        flat = " ".join(self.body.split())
        return self.body.strip("\n") if flat and flat == " ".join(self.statement.split()) else self.statement


@dataclass(frozen=True, slots=True)
class Quote:
    """A person's exact words and where they stand: the evidence under a proposal.

    `start` and `end` are character offsets in the turn's text; `ref` names the record (`line 18`, an id).
    """

    session: str
    ref: str
    text: str
    format: str = ""
    start: int = 0
    end: int = 0
    at: int | None = None
    question: str = ""
    """The question that a chosen answer belongs to."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that cannot be read as a memory, or something else to tell the person; never entry text."""

    path: str
    message: str


TABLES = (
    "proposals",
    "profile",
    "gaps",
    "tombstones",
    "cursors",
    "receipts",
    "failures",
    "unresolved",
    "sessions",
    "relations",
    "usage",
    "aliases",
    "settings",
    "history",
)
"""The ledger's tables (`architecture.md`, "store")."""
