"""Words that an earlier run met in another session: a fork, a resumed one, a log of prompts (`spec/formats.md` §1.3).

A session's row in the ledger keeps hashes of the person's records that were evaluated, so that a copy which is read in
a later run is known for one: a fact that rests on copied words was seen once, not twice.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pipeline.formats.copies import own_id
from pipeline.formats.find import Found, about, search
from pipeline.formats.session import EVIDENCE_AUTHORS, Session, Turn
from pipeline.formats.table import Formats, load_own, packaged
from store.changes import Row
from store.fields import text
from store.view import View

FIELD = "records"
"""The field of a session's row that holds the hashes, one after the other, in base64."""
SIZE = 6
"""Bytes of a hash: among a hundred thousand records a chance of one in two thousand millions for a false match."""
MOST = 4_000
"""Records that a row keeps, the first ones: a copy repeats its original from the beginning."""


class Originals:
    """The records that the ledger knows, by the session that had them first; of several sessions the first one wins."""

    def __init__(self, view: View, formats: Formats | None = None) -> None:
        self._formats = packaged() if formats is None else formats
        self._owners: dict[bytes, str] = {}
        for key, row in view.rows("sessions").items():
            for digest in _kept(row):
                self._owners.setdefault(digest, key)

    def marked(self, session: Session) -> Session:
        """The session with what another one had in an earlier run marked as inherited."""
        copied = [place for place, turn in _evidence(session) if self._is_copy(session, turn)]
        return replace(session, turns=session.log.with_inherited(copied)) if copied else session

    def _is_copy(self, session: Session, turn: Turn) -> bool:
        owners = (self._owners.get(digest) for digest in (_record(session, turn), _said(session.format, session, turn)))
        return any(owner not in {None, session.key} for owner in owners)

    def kept(self, session: Session, through: int) -> str:
        """What the session's row keeps once it is evaluated up to a seq; "" for nothing."""
        own = (turn for _, turn in _evidence(session) if turn.seq <= through and not turn.inherited)
        digests = dict.fromkeys(self._kept_of(session, turn) for turn in own if turn.text)
        found = b"".join(list(filter(None, digests))[:MOST])
        return base64.b64encode(found).decode("ascii")

    def _kept_of(self, session: Session, turn: Turn) -> bytes:
        """A log of prompts is told by its words, since it has no records of the tool's own."""
        format = self._formats.by_name.get(session.format)
        if format is not None and format.fallback:
            return _said(format.fallback, session, turn)
        return _record(session, turn)


def _evidence(session: Session) -> Iterator[tuple[int, Turn]]:
    return ((place, turn) for place, turn in session.log.by(EVIDENCE_AUTHORS) if not turn.abandoned)


def _record(session: Session, turn: Turn) -> bytes:
    """The hash of a record of its own id; b"" for one that is named by its place, which proves nothing."""
    return _hash(session.format, turn.ref, turn.text) if own_id(turn.ref) else b""


def _said(format: str, session: Session, turn: Turn) -> bytes:
    return _hash(format, session.id, "", turn.text)


def _hash(*parts: str) -> bytes:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).digest()[:SIZE]


def _kept(row: Row) -> Iterator[bytes]:
    try:
        found = base64.b64decode(text(row, FIELD), validate=True)
    except (binascii.Error, ValueError):
        return
    for at in range(0, len(found) - SIZE + 1, SIZE):
        yield found[at : at + SIZE]


def as_known(session: Session, view: View) -> Session:
    """The session under the name that the ledger has for it: earlier ones left out the place of the file."""
    rows, named = view.rows("sessions"), replace(session, place="")
    if not session.place or session.key in rows or named.key not in rows:
        return session
    path = text(rows[named.key], "path")
    return named if path and os.path.realpath(path) == os.path.realpath(session.path) else session


def imported(sessions: Iterable[Session], view: View, formats: Formats | None = None) -> tuple[Session, ...]:
    """Sessions that were just read, as a run takes them.

    Without the prompts whose transcript there is, and with what an earlier run met elsewhere marked as inherited.
    """
    known = load_own()[0] if formats is None else formats
    every = tuple(as_known(one, view) for one in sessions)
    logs = any(one.format in known.by_name and known.get(one.format).fallback for one in every)
    kept = only_lost(every, view, search(formats=known).found, known) if logs else every
    return tuple(map(Originals(view, known).marked, kept))


def only_lost(
    sessions: Iterable[Session], view: View, found: Iterable[Found], formats: Formats | None = None
) -> tuple[Session, ...]:
    """The sessions without those of a log of prompts whose transcript is not lost.

    A transcript is there when it lies in a usual place (`found`) or a run has evaluated it. Prompts that name no
    session are lost when no transcript of their project is known.
    """
    known = packaged() if formats is None else formats
    logs = {name for name, format in known.by_name.items() if format.fallback}
    every = tuple(sessions)
    there = _There(view, found, known)
    return tuple(one for one in every if one.format not in logs or not there.holds(one, known.get(one.format).fallback))


class _There:
    """Which transcripts are known, by session and by project."""

    def __init__(self, view: View, found: Iterable[Found], formats: Formats) -> None:
        rows = {key: row for key, row in view.rows("sessions").items() if row.get("lastRun")}
        self._keys = set(rows)
        self._projects = {(text(row, "format"), text(row, "project")) for row in rows.values()}
        for one in found:
            name, project = about(one.path, formats.get(one.format))
            self._keys.add(f"{one.format}/{name}")
            self._projects.add((one.format, project.name if project else ""))

    def holds(self, session: Session, format: str) -> bool:
        """Whether a session of that format stands for what is in this one."""
        if f"{format}/{session.id}" in self._keys:
            return True
        loose = bool(session.project) and session.id.endswith(f":{session.project}")
        names = {(format, session.project_name), (format, _slug(session.project))}
        return loose and not names.isdisjoint(self._projects)


def _slug(path: str) -> str:
    """A project's path as the name of its folder of transcripts (`spec/formats.md` §1.3)."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)
