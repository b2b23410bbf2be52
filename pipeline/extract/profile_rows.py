"""Profile facts in the ledger: filed as pending, never touching what is confirmed (`spec/memora.md` §7.3, §7.6)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.answer import Citation
from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import Record
from pipeline.extract.gaps import join_quotes
from pipeline.extract.known import alive
from pipeline.extract.profile import Fact, facts
from pipeline.extract.words import jaccard
from pipeline.extract.work import Filed, Harvest
from store.changes import PutRow, Row
from store.fields import is_text, items, objects, revision, text, whole
from store.secret import MASK, find_secrets
from store.view import View

SINGLE = frozenset({"identity"})
"""Categories in which a field has one value; in the others a person may keep both (`spec/memora.md` §7.6)."""
SLUG = 40
QUOTES = 8
"""Quotes that a row keeps; the first ones and the newest tell enough."""
SAME = 0.3
"""Word overlap from which a proposed fact and a profile fact over the same words are one proposal."""


SLOTS = {"姓名": "name", "职业": "job"}
"""The fields that a bare 我是 may mean, by their language-free names (`spec/memora.md` §7.2)."""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One profile fact. `state` is pending, confirmed, rejected, or superseded (another value took its place).

    `value` is `field: captured`; `slot` is the field whatever the language; `memory` is the id of the memory that holds
    it. Times are milliseconds; `rev` is the row's revision (0: not there yet).
    """

    id: str
    category: str
    field: str
    value: str
    confidence: float
    state: str = "pending"
    quotes: tuple[Mapping[str, Any], ...] = ()
    first_seen: int = 0
    last_seen: int = 0
    times_seen: int = 1
    memory: str = ""
    project: str = ""
    owner: str = ""
    slot: str = ""
    choices: tuple[str, ...] = ()
    postponed: bool = False
    rev: int = 0

    @property
    def key(self) -> str:
        """The row's key."""
        return self.id

    @property
    def captured(self) -> str:
        """The value without its field: only the exact prefix is taken off (`spec/memora.md` §7.6)."""
        return self.value.removeprefix(f"{self.field}:").strip()


def profile_id(category: str, field: str, value: str) -> str:
    """The id of a fact: category, field and value; a value that no slug can carry adds 8 digits of its hash."""
    captured = value.removeprefix(f"{field}:").strip()
    plain = unicodedata.normalize("NFKC", captured).casefold()
    slug = _slug(plain)
    mark = [] if slug == plain else [hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:8]]
    return "-".join(["profile:user-profile", category, *filter(None, [_slug(field.casefold()), slug]), *mark])


def _slug(value: str) -> str:
    """`slugify` of `spec/memora.md` §5: ASCII letters, digits, common Han, `-` and `_`, at most 40."""
    kept = re.sub(r"[^A-Za-z0-9一-鿿_-]", "", re.sub(r"[:\s]+", "-", value))
    return re.sub(r"--+", "-", kept).strip("-")[:SLUG].strip("-")


def all_profile(view: View) -> Iterator[ProfileRow]:
    """Every readable profile fact, in the order of the table."""
    for key, row in view.rows("profile").items():
        if (found := read_profile(key, row)) is not None:
            yield found


def read_profile(key: str, row: Row) -> ProfileRow | None:
    """A profile row, or None for a damaged one."""
    if not all(is_text(row.get(name)) for name in ("category", "field", "value", "state")):
        return None
    confidence = row.get("confidence")
    return ProfileRow(
        id=key,
        category=row["category"],
        field=row["field"],
        value=row["value"],
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        state=row["state"],
        quotes=objects(row, "quotes"),
        first_seen=whole(row, "firstSeen") or 0,
        last_seen=whole(row, "lastSeen") or 0,
        times_seen=whole(row, "timesSeen") or 0,
        memory=text(row, "memory"),
        project=text(row, "project"),
        owner=text(row, "owner"),
        slot=text(row, "slot") or row["field"],
        choices=tuple(map(str, items(row, "choices"))),
        postponed=bool(row.get("postponed")),
        rev=revision(row),
    )


def put_profile(row: ProfileRow, **more: Any) -> PutRow:
    """Writes a profile fact over the state that was read; `more` are further fields of the row."""
    fields: dict[str, Any] = {
        "id": row.id,
        "category": row.category,
        "field": row.field,
        "value": row.value,
        "confidence": row.confidence,
        "state": row.state,
        "quotes": [dict(quote) for quote in row.quotes],
        "firstSeen": row.first_seen,
        "lastSeen": row.last_seen,
        "timesSeen": row.times_seen,
        "memory": row.memory or None,
        "project": row.project or None,
        "owner": row.owner or None,
        "slot": row.slot,
        "choices": list(row.choices) or None,
        "postponed": True if row.postponed else None,
    }
    fields.update(more)
    return PutRow("profile", row.key, fields, rev=row.rev)


def conflicting(view: View, rows: Sequence[ProfileRow], row: ProfileRow) -> ProfileRow | None:
    """The confirmed fact that this one would replace: same category, same field, another value (§7.3).

    A field outside identity that holds several values already is a list: then nothing is replaced.
    """
    there = [
        other
        for other in rows
        if other.state == "confirmed"
        and other.category == row.category
        and other.slot == row.slot
        and other.id != row.id
        if alive(view, other.memory)
    ]
    if row.category not in SINGLE and len(there) > 1:
        return None
    return max(there, key=lambda other: (other.last_seen, other.id), default=None)


def choose(row: ProfileRow, field: str) -> ProfileRow:
    """The fact under another of its possible fields (a name that is a profession)."""
    return replace(row, field=field, value=f"{field}: {row.captured}", slot=SLOTS.get(field, field), choices=())


class ProfileExtractor:
    """The rules of `pipeline/extract/profile.py` over the evidence of a range, as an extractor of the engine."""

    def file(self, harvest: Harvest) -> Filed:
        """Rows for the facts that the evidence holds: new ones pending, pending ones counted, the rest untouched."""
        rows: dict[str, ProfileRow] = {}
        new: list[str] = []
        for record in harvest.records:
            for fact in _safe_facts(record):
                name = profile_id(fact.category, fact.field, fact.value)
                before = rows.get(name) or _before(harvest.view, name)
                after = _seen(harvest, record, fact, name, before)
                if after is None:
                    continue
                if before is None or before.state != "pending":
                    new.append(name)
                rows[name] = after
        return Filed(tuple(put_profile(row) for row in rows.values()), tuple(new))

    def claims(self, records: Sequence[Record], content: str, citations: Sequence[Citation]) -> bool:
        """Whether a proposed fact says what a profile fact over the same words says."""
        by_ref = {record.source_ref: record for record in records}
        return all(_claimed(by_ref.get(citation.source_ref), content, citation.quote) for citation in citations)


def _claimed(record: Record | None, content: str, quote: str) -> bool:
    said = normalise(quote)
    for fact in _safe_facts(record) if record else ():
        captured = fact.value.removeprefix(f"{fact.field}:").strip()
        spoken = normalise(fact.quote)
        overlap = spoken in said or said in spoken
        if overlap and captured.lower() in content.lower() and jaccard(content, fact.quote) >= SAME:
            return True
    return False


def _safe_facts(record: Record) -> tuple[Fact, ...]:
    """The facts whose words stand in the record as it was shown, masked and cut."""
    return tuple(
        fact
        for fact in facts(record.raw or record.text)
        if normalise(fact.quote) in record.text and MASK not in fact.quote and not find_secrets(fact.value)
    )


def _before(view: View, name: str) -> ProfileRow | None:
    row = view.rows("profile").get(name)
    return read_profile(name, row) if row is not None else None


def _seen(harvest: Harvest, record: Record, fact: Fact, name: str, before: ProfileRow | None) -> ProfileRow | None:
    """The row once this fact was seen again; None when a person has decided about it or it is confirmed already."""
    view, now = harvest.view, harvest.now
    quotes = tuple(harvest.cite(record.seq, fact.quote))
    if name in view.rows("tombstones") or (before is not None and before.state == "rejected"):
        return None
    if before is None:
        rev = revision(view.rows("profile").get(name, {}))
        return ProfileRow(
            name,
            fact.category,
            fact.field,
            fact.value,
            fact.confidence,
            quotes=quotes,
            first_seen=now,
            last_seen=now,
            slot=fact.slot,
            choices=fact.choices,
            rev=rev,
        )
    if before.state == "confirmed" and alive(view, before.memory):
        return None
    return replace(
        before,
        state="pending",
        confidence=max(before.confidence, fact.confidence),
        quotes=_kept(join_quotes(before.quotes, quotes)),
        last_seen=now,
        times_seen=before.times_seen + 1,
        postponed=False,
    )


def _kept(quotes: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    half = QUOTES // 2
    return quotes if len(quotes) <= QUOTES else (*quotes[:half], *quotes[-half:])
