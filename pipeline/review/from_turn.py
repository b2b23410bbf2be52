"""Remembering a line of a transcript: a ready row with that line as its evidence (`spec/extraction.md` §26)."""

from __future__ import annotations

from dataclasses import replace

from pipeline.extract.canonical import canonical, statement
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, put_gap, with_sighting
from pipeline.extract.ledger.known import alive, known
from pipeline.extract.ledger.matching import load
from pipeline.extract.ledger.quoting import cite_session
from pipeline.extract.offline.door import findings
from pipeline.extract.options import Options
from pipeline.formats.session import EVIDENCE_AUTHORS, Session, Turn
from pipeline.review.by_hand import lifted
from store.changes import Changeset
from store.clock import millis
from store.errors import BadInput
from store.secret import find_secrets
from store.view import View

SHORTEST = 4
"""Code points of a line that can be evidence (`spec/extraction.md` §12)."""
LONGEST = 2_000
"""Code points of a line that can be one fact (`spec/extraction.md` §20)."""


def remember_words(view: View, session: Session, turn: Turn, start: int, end: int) -> tuple[Changeset, str]:
    """The changeset that makes `turn.text[start:end]` a fact ready for review, and its wording.

    What was rejected or forgotten before comes back: the person asks for it. Raises `BadInput` when the words are not
    the person's own, hold a secret, are no single fact, or say what the bank says already.
    """
    words = _own_words(turn, start, end)
    wording = _wording(words)
    project = session.project_name
    if (memory := known(view, wording, project)) is not None:
        raise BadInput(f"The bank says so already, in {memory}; open it there to change it.")
    gap = _gap(view, project, wording)
    if gap.state == "covered" and alive(view, gap.memory):
        raise BadInput(f"The bank keeps this already, in {gap.memory}; open it there to change it.")
    now = millis()
    quotes = cite_session(session, turn.seq, words)
    ready = replace(
        gap,
        state="ready",
        explicit=True,
        sightings=with_sighting(gap, Sighting(session.key, now, quotes=tuple(quotes))),
        updated_at=now,
        covered_at=None,
        covered_by="",
        memory="",
        postponed=None,
        postponed_until=None,
    )
    stones = lifted(view, (gap_key(owner, name) for name in gap.identities for owner in (project, "")))
    row = put_gap(ready, approvedBy="human", rejectedAt=None, rejectReason=None)
    return Changeset((row, *stones), f"remember a line of {session.key}"), ready.content


def _own_words(turn: Turn, start: int, end: int) -> str:
    if turn.author not in EVIDENCE_AUTHORS or turn.abandoned or turn.inherited:
        raise BadInput("Only what you wrote yourself in this session can be remembered; choose a line of yours.")
    words = turn.text[start:end].strip()
    if kinds := find_secrets(words):
        raise BadInput(f"The line looks like it holds a secret ({', '.join(kinds)}); it is not kept.")
    return words


def _wording(words: str) -> str:
    """What the line says: without "remember that" where the rules know how, else the line itself."""
    found = findings(words)
    wording = statement(found[0].content if len(found) == 1 else words)
    if len(canonical(wording)) < SHORTEST:
        raise BadInput("The line says too little to be a fact; choose another one.")
    if len(words) > LONGEST:
        raise BadInput("The line is too long to be one fact; write the memory by hand.")
    return wording


def _gap(view: View, project: str, wording: str) -> Gap:
    """The row of this fact, a rejected or archived one included; a new one when there is none."""
    ledger = load(view, project, millis(), Options())
    name = gap_id(wording)
    rev = ledger.revisions.get(gap_key(project, name), 0)
    return ledger.index.get(name) or Gap(name, project, wording, rev=rev)
