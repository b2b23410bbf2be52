"""What waits for a decision in the demo: the ledger rows of `waiting.toml`, resting on the demo's own conversations."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from importlib.resources import files
from typing import Any

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.control import Cursor, put_cursor
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from pipeline.extract.ledger.quoting import cite_session
from pipeline.extract.profile.rows import ProfileRow, profile_id, put_profile
from pipeline.extract.profile.rules import Fact, facts
from pipeline.formats.read import read
from pipeline.formats.session import Session, Turn
from pipeline.review.proposals import propose
from store import clock
from store.changes import Change, MoveMemory, PutMemory, PutRow
from store.view import View
from tui.demo.transcripts import Talk


def waiting_rows(view: View, talks: Sequence[Talk]) -> list[PutRow]:
    """The rows for `Bank.record`: pending facts, profile facts, agents' proposals, and how far was read."""
    table = tomllib.loads((files("tui.demo") / "waiting.toml").read_text(encoding="utf-8"))
    heard = {talk.name: read(talk.path)[0] for talk in talks if talk.read}
    rows = [put_gap(_gap(entry, heard)) for entry in table["gap"]]
    rows += [put_profile(_profile(view, entry, heard)) for entry in table["fact"]]
    for entry in table["proposal"]:
        rows += _proposal(view, entry)
    for session in heard.values():
        rows += _read_rows(session)
    exports = [talk for talk in talks if talk.format == "openai"]
    return [*rows, *(_named_row(talk) for talk in exports)]


def _turn(place: str, heard: Mapping[str, Session]) -> tuple[Session, Turn]:
    name, _, number = place.partition(":")
    return heard[name], heard[name].turns[int(number)]


def _gap(entry: Mapping[str, Any], heard: Mapping[str, Session]) -> Gap:
    sightings = tuple(_sighting(seen, heard) for seen in entry["sightings"])
    return Gap(
        gap_id(entry["content"]),
        "ferrytime",
        entry["content"],
        entry["state"],
        sightings,
        updated_at=max(seen.at for seen in sightings),
        explicit=entry.get("explicit", False),
    )


def _sighting(seen: Mapping[str, str], heard: Mapping[str, Session]) -> Sighting:
    session, turn = _turn(seen["turn"], heard)
    quotes = cite_session(session, turn.seq, seen["quote"])
    return Sighting(session.key, turn.at or clock.millis(), model="offline", quotes=quotes)


def _profile(view: View, entry: Mapping[str, Any], heard: Mapping[str, Session]) -> ProfileRow:
    if "turn" not in entry:
        memory = next(memory for memory in view.live if memory.subject == entry["subject"])
        return _row(facts(entry["text"])[0], 0, state="confirmed", memory=memory.id)
    session, turn = _turn(entry["turn"], heard)
    fact = facts(turn.text)[0]
    return _row(fact, turn.at or 0, quotes=cite_session(session, turn.seq, fact.quote))


def _row(fact: Fact, at: int, **more: Any) -> ProfileRow:
    name = profile_id(fact.category, fact.field, fact.value)
    seen: dict[str, Any] = {"first_seen": at, "last_seen": at, "owner": "kestrel", "slot": fact.slot}
    return ProfileRow(name, fact.category, fact.field, fact.value, fact.confidence, **seen, **more)


def _proposal(view: View, entry: Mapping[str, Any]) -> Sequence[PutRow]:
    at = clock.millis(clock.now() - timedelta(days=entry["days"]))
    return propose(view, list(_changes(view, entry)), entry["by"], entry["reason"], at).rows


def _changes(view: View, entry: Mapping[str, Any]) -> Iterator[Change]:
    fields = {
        name: tuple(value) if isinstance(value, list) else value for name, value in entry.get("fields", {}).items()
    }
    if entry["kind"] == "remember":
        yield PutMemory(None, {"created": clock.today().isoformat(), **fields}, key="memory")
        return
    memory = next(memory for memory in view.live if memory.subject == entry["subject"])
    if entry["kind"] == "edit":
        yield PutMemory(memory.id, fields, base=memory.sha)
    else:
        yield MoveMemory(memory.id, "trashed", memory.sha)


def _read_rows(session: Session) -> list[PutRow]:
    key, at = session.key, session.ended or clock.millis()
    row = {
        "format": session.format,
        "id": session.id,
        "path": session.path,
        "project": session.project_name,
        "lastRun": at,
        "found": 3,
        "kept": 3,
        "out": 0,
        "state": "pending",
        "fates": {},
        "size": session.size,
        "modified": session.modified,
    }
    return [put_cursor(Cursor(key), session.last_seq, at), PutRow("sessions", key, row)]


def _named_row(talk: Talk) -> PutRow:
    """A file that lies in no usual place and that the person has named: it stands in the list, unread."""
    row = {"format": talk.format, "id": talk.id, "path": str(talk.path), "project": "", "state": "new"}
    return PutRow("sessions", f"{talk.format}/{talk.id}", row)
