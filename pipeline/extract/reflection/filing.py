"""Insights and suggestions as rows of the table `proposals`: their evidence checked, each filed once.

Both rest on a person's exact words like a fact does; a row that is proposed again is counted, not doubled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.extract.admission import Admitted, Refused, admit
from pipeline.extract.answer import Citation, Incident
from pipeline.extract.effects import Fate
from pipeline.extract.ledger.gaps import join_quotes
from pipeline.extract.ledger.quoting import read_quotes, sessions_of
from pipeline.extract.ledger.serialised import to_rows
from pipeline.extract.placement import sources
from pipeline.extract.work import Filed, Harvest
from store.changes import Change, PutRow, Row
from store.fields import objects, revision, text, whole
from store.secret import find_secrets
from store.view import View

TABLE = "proposals"
PROMPT = "reflect/1"
"""Name and version of the prompt that insights and suggestions came from (`spec/memora.md` §26.28)."""
_OPEN = ("waiting", "postponed")


@dataclass(frozen=True, slots=True)
class Draft:
    """One proposal as it would be filed. `changes` is what approval would commit, `confidence` 0..1."""

    kind: str
    key: str
    content: str
    changes: Sequence[Change]
    quotes: tuple[Mapping[str, Any], ...]
    confidence: float
    reason: str = ""
    by: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


class Desk:
    """What is filed in one range: rows that were there, and those that come; later drafts see the earlier ones."""

    def __init__(self, harvest: Harvest, kind: str) -> None:
        self.harvest = harvest
        self.rows: dict[str, Row] = dict(_rows(harvest.view, kind))
        self._put: dict[str, PutRow] = {}
        self._new: list[str] = []
        self._fates: list[Fate] = []

    def turn_away(self, fate: Fate) -> None:
        """Leave one out, and say why."""
        self._fates.append(fate)

    def file(self, draft: Draft, same: str | None) -> None:
        """File a draft, or count it again in the row `same`; one that a person decided about stays decided."""
        state = text(self.rows[same], "state") if same is not None else ""
        if same is not None and state not in _OPEN:
            why = "you rejected it" if state == "rejected" else "you approved it before"
            self._fates.append(Fate(0, "suppressed", why, draft.content, same))
            return
        key = same or draft.key
        before = self.harvest.view.rows(TABLE).get(key)
        fields = _again(self.rows[key], draft, self.harvest) if same is not None else _first(draft, self.harvest)
        self._put[key] = PutRow(TABLE, key, fields, revision(before))
        self.rows[key] = {**self.rows.get(key, {}), **fields}
        if same is None or state == "postponed":
            self._new.append(key)

    def filed(self) -> Filed:
        """Everything that was filed."""
        return Filed(tuple(self._put.values()), tuple(dict.fromkeys(self._new)), tuple(self._fates))


def cited(harvest: Harvest, content: str, evidence: Sequence[Citation], *more: str) -> Admitted | Fate:
    """The content once its quotes are found in what the person typed; `more` are further texts without secrets."""
    if any(find_secrets(part) for part in (content, *more)):
        return Fate(0, "secret", "secret")
    if not evidence:
        return Fate(0, "bad quote", "no quote", content)
    checked = admit(Incident(content, tuple(evidence)), harvest.records)
    if isinstance(checked, Refused):
        return Fate(0, "secret" if checked.reason == "secret" else "bad quote", checked.reason, checked.content)
    return checked


def quotes_of(harvest: Harvest, found: Admitted) -> tuple[Mapping[str, Any], ...]:
    """The person's words behind a content as rows keep them."""
    by_ref = {record.source_ref: record for record in harvest.records}
    cited = [(by_ref[one.source_ref], one.quote) for one in found.citations]
    return join_quotes([quote for record, words in cited for quote in harvest.cite(record.seq, words)], ())


def proposal_key(kind: str, *parts: str) -> str:
    """The key of a proposal by what it says: the same words are the same row."""
    said = "\n".join(parts)
    return f"{kind}_{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _rows(view: View, kind: str) -> Iterator[tuple[str, Row]]:
    return ((key, row) for key, row in view.rows(TABLE).items() if row.get("kind") == kind)


def _first(draft: Draft, harvest: Harvest) -> dict[str, Any]:
    return {
        "id": draft.key,
        "kind": draft.kind,
        "by": draft.by,
        "state": "waiting",
        "content": draft.content,
        "changes": to_rows(draft.changes),
        "quotes": [dict(quote) for quote in draft.quotes],
        "confidence": draft.confidence,
        "reason": draft.reason,
        "project": harvest.snapshot.project or None,
        "created": harvest.now,
        "lastSeen": harvest.now,
        "timesSeen": 1,
        **draft.more,
    }


def _again(row: Row, draft: Draft, harvest: Harvest) -> dict[str, Any]:
    known = row.get("confidence")
    quotes = join_quotes(objects(row, "quotes"), draft.quotes)
    return {
        "state": "waiting",
        "changes": _resting_on(objects(row, "changes"), quotes, harvest.now),
        "quotes": [dict(quote) for quote in quotes],
        "confidence": max(float(known) if isinstance(known, int | float) else 0.0, draft.confidence),
        "lastSeen": harvest.now,
        "timesSeen": (whole(row, "timesSeen") or 1) + _elsewhere(row, draft),
    }


def _elsewhere(row: Row, draft: Draft) -> bool:
    """Whether a session says it that did not before: one that is evaluated again counts once."""
    return not set(sessions_of(draft.quotes)) <= set(sessions_of(objects(row, "quotes")))


def _resting_on(
    changes: Sequence[Mapping[str, Any]], quotes: Sequence[Mapping[str, Any]], now: int
) -> list[dict[str, Any]]:
    """What approval would commit, a new memory naming the places of all these words and when they were said last."""
    told = sources(read_quotes(quotes), now)
    new = [change.get("op") == "put" and "id" not in change for change in changes]
    return [
        {**change, "fields": {**change.get("fields", {}), **told}} if made else dict(change)
        for change, made in zip(changes, new, strict=True)
    ]
