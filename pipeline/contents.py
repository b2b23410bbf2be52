"""What a transcript holds, told without keeping it: who wrote how much, the person's own words, what is damaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from pipeline.extract.ledger.control import read_cursor
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Damage, Session
from store.secret import mask
from store.view import View

WORDS = 200
"""Messages of the person that are kept."""
LENGTH = 400
"""Characters of each that are kept."""
DAMAGES = 100
"""Damaged lines that are kept; the rest is a number."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the person: its record, when (milliseconds), and the beginning of its text, secrets masked.

    `new` says that no run has evaluated it yet; `question` is what a chosen answer replies to.
    """

    ref: str
    at: int | None
    text: str
    new: bool = True
    question: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """A session that was read. `cursor` is the seq up to which runs have evaluated it, -1 for none."""

    key: str
    project: str = ""
    branch: str = ""
    started: int | None = None
    ended: int | None = None
    subagent: bool = False
    authors: Mapping[Author, int] = field(default_factory=dict)
    """Turns by author, of the live branch and not copied from another session."""
    left_out: int = 0
    """Turns of branches that were rewound, and those copied from another session."""
    said: tuple[Said, ...] = ()
    more_said: int = 0
    new: int = 0
    """Messages of the person after the cursor."""
    compactions: tuple[int, ...] = ()
    damage: tuple[Damage, ...] = ()
    more_damage: int = 0
    cursor: int = -1
    last_seq: int = 0
    size: int = 0
    modified: int = 0
    """Bytes and time (milliseconds since 1970) of the file as it was read."""

    @property
    def typed(self) -> int:
        """Messages that may support a fact."""
        return sum(self.authors.get(author, 0) for author in EVIDENCE_AUTHORS)


def contents(session: Session, view: View) -> Contents:
    """What the session holds, against how far it was evaluated in this bank."""
    cursor = read_cursor(view, session.key).seq
    own, new, shown = _said(session, cursor)
    authors = session.log.census()
    return Contents(
        session.key,
        session.project_name,
        session.branch,
        session.started,
        session.ended,
        session.subagent,
        authors,
        len(session.turns) - authors.total(),
        shown,
        own - len(shown),
        new,
        session.compactions,
        tuple(islice(session.damage, DAMAGES)),
        max(0, len(session.damage) - DAMAGES),
        cursor,
        session.last_seq,
        session.size,
        session.modified,
    )


def _said(session: Session, cursor: int) -> tuple[int, int, tuple[Said, ...]]:
    """The person's messages: how many, how many after the cursor, and the first of these, else the first of all."""
    own = new = 0
    first: list[Said] = []
    for _, turn in session.log.by(EVIDENCE_AUTHORS):
        if turn.abandoned or turn.inherited or not turn.text:
            continue
        own, after = own + 1, turn.seq > cursor
        if after and not new:
            first.clear()
        new += after
        if len(first) < WORDS and (after or not new):
            first.append(Said(turn.ref, turn.at, _beginning(turn.text), after, turn.question[:LENGTH]))
    return own, new, tuple(first)


def after_run(found: Contents, view: View) -> Contents:
    """The same contents against how far the session is evaluated now."""
    cursor = read_cursor(view, found.key).seq
    if cursor < found.last_seq:
        return found
    return replace(found, cursor=cursor, new=0, said=tuple(replace(one, new=False) for one in found.said))


def _beginning(text: str) -> str:
    """The beginning of a message with secrets masked; looked for in a little more, so that none is cut in half."""
    return mask(text[: 2 * LENGTH])[:LENGTH]
