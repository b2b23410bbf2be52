"""Profile facts in the ledger: filed as pending, never touching what is confirmed (`spec/memora.md` §7.3, §7.6)."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from pipeline.extract.answer import Citation
from pipeline.extract.canonical import normalise
from pipeline.extract.evidence import Record
from pipeline.extract.ledger.gaps import SIGHTINGS, join_quotes
from pipeline.extract.ledger.known import alive, known
from pipeline.extract.ledger.quoting import sessions_of
from pipeline.extract.profile.rules import FIELDS, Category, Fact, facts
from pipeline.extract.words import jaccard
from pipeline.extract.work import Filed, Harvest
from pipeline.segments import slugify
from store.changes import PutRow, Row
from store.fields import is_text, items, objects, revision, text, whole
from store.index.per_base import PerBase
from store.layered import Layered
from store.memory import Memory
from store.secret import MASK, find_secrets
from store.view import View

SURE = 0.8
"""Confidence from which the original confirmed at once, and from which a rejected fact may come back (§7.3, 7.6)."""
SINGLE = frozenset({"identity"})
"""Categories in which a field has one value; in the others a person may keep both (`spec/memora.md` §7.6)."""
QUOTES = 8
"""Quotes that a row keeps; the first ones and the newest tell enough."""
SAME = 0.3
"""Word overlap from which a proposed fact and a profile fact over the same words are one proposal."""


CATEGORIES = frozenset(get_args(Category))
UNKNOWN = "unknown"
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
    sessions: tuple[str, ...] = ()
    """Keys of the sessions that said it, each once; `times_seen` counts them."""
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
    return slugify(value).strip("-")


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
        sessions=tuple(filter(is_text, items(row, "sessions"))) or sessions_of(objects(row, "quotes")),
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
        "sessions": list(row.sessions) or None,
    }
    fields.update(more)
    return PutRow("profile", row.key, fields, rev=row.rev)


def read_stored(content: str, name: str) -> tuple[str, str, str]:
    """Category, field and value of a stored memory, in the reading order for old data (`spec/memora.md` §7.3).

    JSON content; then a name of the form `category: value`; then a field that the rules give, as our own files have it;
    at last `history` with the raw content, whose field is unknown.
    """
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict) and text(said, "category") in CATEGORIES and (value := text(said, "value")):
        return said["category"], text(said, "fieldName") or _field_of(value), value
    category, colon, value = (part.strip() for part in name.partition(":"))
    if colon and category in CATEGORIES and value:
        return category, _field_of(value), value
    field = _field_of(content)
    return (FIELDS[field][0], field, content) if field in FIELDS and ":" in content else ("history", UNKNOWN, content)


def _field_of(value: str) -> str:
    return value.partition(":")[0].strip() or UNKNOWN


def stored_facts(view: View, category: str, slot: str) -> tuple[ProfileRow, ...]:
    """Confirmed facts of one field as live memories say them: also where the ledger that confirmed them is elsewhere.

    Facts whose field is unknown take part in no conflict.
    """
    return _STORED.of(view.memories).get((category, slot), ())


_Fields = dict[tuple[str, str], tuple[ProfileRow, ...]]


def stored_field(memory: Memory) -> tuple[str, str] | None:
    """Category and slot of what a memory says about the person, in whatever state it is; None when it says nothing."""
    said = _said(memory)
    return None if said is None else (said.category, said.slot)


def _said(memory: Memory) -> ProfileRow | None:
    """What a memory says about the person as a confirmed fact; None for another one, and where the field is unknown."""
    if memory.label != "profile":
        return None
    category, field, value = read_stored(memory.statement, dict(memory.extra).get("name", ""))
    if field == UNKNOWN:
        return None
    slot, name = FIELDS[field][1] if field in FIELDS else field, profile_id(category, field, value)
    return ProfileRow(name, category, field, value, 1.0, "confirmed", memory=memory.id, slot=slot)


def _stored(memories: Iterable[Memory | None]) -> _Fields:
    found: _Fields = {}
    for memory in memories:
        if memory is not None and memory.state == "live" and (fact := _said(memory)) is not None:
            place = fact.category, fact.slot
            found[place] = (*found.get(place, ()), fact)
    return found


def _of_view(memories: Mapping[str, Memory]) -> _Fields:
    base, over = memories.parts() if isinstance(memories, Layered) else (memories, {})
    found = dict(_stored(over.values()))
    for place, facts_there in _OF_BASE.of(base).items():
        rest = tuple(fact for fact in facts_there if fact.memory not in over)
        found[place] = (*rest, *found.get(place, ()))
    return found


_OF_BASE = PerBase(lambda base: _stored(base.values()))
_STORED = PerBase(_of_view)


def conflicting(view: View, rows: Sequence[ProfileRow], row: ProfileRow) -> ProfileRow | None:
    """The confirmed fact that this one would replace: same category, same field, another value (§7.3).

    A field outside identity that holds several values already is a list: then nothing is replaced.
    """
    held = [other for other in rows if other.state == "confirmed" and alive(view, other.memory)]
    known = {other.memory for other in held}
    held += [other for other in stored_facts(view, row.category, row.slot) if other.memory not in known]
    there = [
        other for other in held if other.category == row.category and other.slot == row.slot and other.id != row.id
    ]
    if row.category not in SINGLE and len(there) > 1:
        return None
    return max(there, key=lambda other: (other.last_seen, other.id), default=None)


def choose(row: ProfileRow, field: str) -> ProfileRow:
    """The fact under another of its possible fields (a name that is a profession)."""
    return replace(row, field=field, value=f"{field}: {row.captured}", slot=SLOTS.get(field, field), choices=())


class ProfileExtractor:
    """The rules of `pipeline/extract/profile/rules.py` over the evidence of a range, as an extractor of the engine."""

    def file(self, harvest: Harvest) -> Filed:
        """Rows for the facts that the evidence holds: new ones pending, pending ones counted, the rest untouched."""
        rows: dict[str, ProfileRow] = {}
        new: list[str] = []
        for record in harvest.records:
            for fact in _safe_facts(record):
                name = profile_id(fact.category, fact.field, fact.value)
                before = rows.get(name) or known_fact(harvest.view, name)
                after = seen(harvest.view, fact, tuple(harvest.cite(record.seq, fact.quote)), harvest.now, before)
                if after is None or after == before:
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


def known_fact(view: View, name: str) -> ProfileRow | None:
    """The row of that id, None when there is none."""
    row = view.rows("profile").get(name)
    return read_profile(name, row) if row is not None else None


def seen(
    view: View, fact: Fact, quotes: tuple[Mapping[str, Any], ...], now: int, before: ProfileRow | None
) -> ProfileRow | None:
    """The row once this fact was seen again, by these words; None when there is nothing to wait for.

    That is: a person forgot it, the bank says so already, or they rejected it and it is not said more surely than then
    (`spec/memora.md` §7.6). A session counts once, however often it is evaluated; where it says nothing new, the row
    stays as it is. `before` is the row as it was, `now` milliseconds.
    """
    name = profile_id(fact.category, fact.field, fact.value)
    if name in view.rows("tombstones"):
        return None
    if before is None or before.state in ("confirmed", "superseded"):
        if alive(view, before.memory if before else "") or known(view, fact.value, ""):
            return None
    elif before.state == "rejected" and not SURE <= fact.confidence > before.confidence:
        return None
    if before is None:
        rev = revision(view.rows("profile").get(name, {}))
        before = ProfileRow(
            name, fact.category, fact.field, fact.value, 0.0, times_seen=0, first_seen=now, slot=fact.slot, rev=rev
        )
    return _counted(before, fact, quotes, now)


def _counted(before: ProfileRow, fact: Fact, quotes: tuple[Mapping[str, Any], ...], now: int) -> ProfileRow:
    """The row with these words and their session, the session counted if it is a new one."""
    told = sessions_of(quotes)
    again = bool(told) and set(told) <= set(before.sessions)
    kept = _kept(join_quotes(before.quotes, quotes))
    known = before.state == "pending" and again and kept == before.quotes
    if known and fact.confidence <= before.confidence:
        return before
    sessions = tuple(dict.fromkeys((*before.sessions, *told)))
    return replace(
        before,
        state="pending",
        confidence=max(before.confidence, fact.confidence),
        quotes=kept,
        last_seen=now,
        times_seen=before.times_seen + (not again),
        choices=before.choices if before.times_seen else fact.choices,
        postponed=False,
        sessions=sessions if len(sessions) <= SIGHTINGS else (sessions[0], *sessions[1 - SIGHTINGS :]),
    )


def _kept(quotes: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    half = QUOTES // 2
    return quotes if len(quotes) <= QUOTES else (*quotes[:half], *quotes[-half:])
