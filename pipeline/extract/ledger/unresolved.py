"""Messages that nobody could make sense of, shown again when a later range speaks of the same.

`spec/extraction.md` §25, last paragraph. Only their places are kept, never their words: those stand in the transcript.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pipeline.extract.coverage import in_range, record_limit
from pipeline.extract.entries import PERSON, Entry, said_by
from pipeline.extract.evidence import Record, json_size, record_of, utf8
from pipeline.extract.words import content_words
from pipeline.extract.work import Range, Work
from store.changes import DropRow, PutRow, Row
from store.fields import revision, text, whole
from store.view import View

TABLE = "unresolved"
ATTEMPTS = 3
"""Later ranges that a message is shown with at most."""
MAX_AGE = 30 * 86_400_000
"""Milliseconds after which it is left alone: 30 days."""
MOST = 16
"""Messages of one range that are kept; the newest ones."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """One message of a range that was given up because nobody could tell what was meant. `at` is milliseconds.

    `said` is the hash of its text: another text at the same place is another message.
    """

    session: str
    seq: int
    said: str
    at: int
    attempts: int = 0
    rev: int = 0

    @property
    def key(self) -> str:
        """The row's key."""
        return f"{self.session}|{self.seq}"

    def put(self) -> PutRow:
        """The row that keeps it."""
        fields = {
            "sessionId": self.session,
            "seq": self.seq,
            "said": self.said,
            "at": self.at,
            "attempts": self.attempts,
        }
        return PutRow(TABLE, self.key, fields)


def read_unresolved(row: Row) -> Unresolved | None:
    """A row of the table, None for a damaged one."""
    seq, at, session, said = whole(row, "seq"), whole(row, "at"), text(row, "sessionId"), text(row, "said")
    if seq is None or at is None or not session or not said:
        return None
    return Unresolved(session, seq, said, at, whole(row, "attempts") or 0, revision(row))


def unresolved(view: View, session: str, now: int) -> tuple[Unresolved, ...]:
    """What is still open of a session, in log order; `now` is milliseconds."""
    prefix = f"{session}|"
    rows = (read_unresolved(row) for key, row in view.rows(TABLE).items() if key.startswith(prefix))
    found = [one for one in rows if one is not None and one.session == session and not worn_out(one, now)]
    return tuple(sorted(found, key=lambda one: one.seq))


def worn_out(one: Unresolved, now: int) -> bool:
    """Whether it had its attempts or its time."""
    return one.attempts >= ATTEMPTS or now - one.at > MAX_AGE


def carried(view: View, work: Work, span: Range, records: Sequence[Record]) -> tuple[Record, ...]:
    """The unresolved messages that share a content word with the range's evidence and fit beside it, in log order."""
    words = frozenset(word for record in records for word in content_words(record.text))
    limit, budget = record_limit(work.options), work.options.max_evidence_json_chars
    found: list[Record] = []
    for one in unresolved(view, work.snapshot.session, work.now):
        record = _record(work, one) if one.seq <= span.after else None
        if record is None or not words & content_words(record.text):
            continue
        more = (*found, record, *records)
        if (limit is None or len(more) <= limit) and json_size(more) <= budget:
            found.append(record)
    return tuple(found)


def _record(work: Work, one: Unresolved) -> Record | None:
    """The message as evidence, None when the session does not say it any more."""
    said = [entry for _, entry in said_by(in_range(work.entries, one.seq - 1, one.seq), {PERSON})]
    return record_of(said[-1]) if said and _said(said[-1].text or "") == one.said else None


def leave(view: View, work: Work, entries: Sequence[Entry]) -> tuple[PutRow, ...]:
    """Rows that keep the messages of a range given up; those that are kept already stay as they are."""
    there = view.rows(TABLE)
    told = deque((entry for _, entry in said_by(entries, {PERSON}) if record_of(entry) is not None), MOST)
    new = [Unresolved(work.snapshot.session, entry.seq, _said(entry.text or ""), work.now) for entry in told]
    return tuple(one.put() for one in new if one.key not in there)


def tried(view: View, work: Work, shown: Collection[int], cited: Collection[int] = ()) -> tuple[PutRow | DropRow, ...]:
    """Rows after messages at the seqs `shown` were shown again: cited ones are resolved, the others had an attempt."""
    rows: list[PutRow | DropRow] = []
    for one in unresolved(view, work.snapshot.session, work.now):
        if one.seq not in shown:
            continue
        if one.seq in cited or one.attempts + 1 >= ATTEMPTS:
            rows.append(DropRow(TABLE, one.key))
        else:
            rows.append(PutRow(TABLE, one.key, {"attempts": one.attempts + 1}))
    return tuple(rows)


def _said(words: str) -> str:
    return hashlib.sha256(utf8(words)).hexdigest()[:24]
