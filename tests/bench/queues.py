"""Banks with a queue to decide about: invented proposals of every kind, with a transcript behind their words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from pipeline.extract.ledger.quoting import cite_session
from pipeline.extract.profile.rows import ProfileRow, profile_id, put_profile
from pipeline.formats.read import read
from pipeline.formats.session import Session
from pipeline.review.proposals import propose
from store import clock
from store.bank import Bank
from store.changes import PutMemory, PutRow
from tests.bench.banks import make_bank

MEMORIES = 1_000
"""Memories of a bank whose queue is decided about."""
TURNS = 200
"""Turns of a transcript."""
PLACES = ("pier", "harbour office", "north quay", "fuel dock", "slipway", "lighthouse", "渡口", "码头", "灯塔", "船坞")
HABITS = (
    "The {place} opens at {hour} on weekdays, {mark}",
    "Ask the {place} before moving a mooring, {mark}",
    "The {place} keeps its own timetable, {mark}",
    "Reports of the {place} go out at {hour}, {mark}",
    "{place}每天{hour}点开门，{mark}",
    "{place}的值班表由周老师维护，{mark}",
)


def mark(number: int) -> str:
    """The word that stands in one proposal only, so that a frame that shows it shows that proposal."""
    return f"berth-{number:05d}"


def make_queue(folder: Path, count: int) -> Path:
    """A bank of 1,000 memories in `folder`, with `count` proposals that can be approved with one key."""
    make_bank(folder, MEMORIES)
    bank = Bank.open(folder)
    said = [_sentence(number) for number in range(count)]
    parts = [said[at : at + TURNS] for at in range(0, count, TURNS)]
    sessions = [_transcript(folder.parent / f"{folder.name}-talk", part) for part in parts]
    bank.record([row for session in sessions for row in _read_row(session)])
    rows = list(_rows(bank, said, sessions))
    for at in range(0, len(rows), 500):
        bank.record(rows[at : at + 500])
    bank.close()
    return folder


def _sentence(number: int) -> str:
    chance = random.Random(number)
    words = {"place": chance.choice(PLACES), "hour": str(chance.randrange(5, 12)), "mark": mark(number)}
    return chance.choice(HABITS).format(**words)


def _transcript(stem: Path, said: list[str]) -> Session:
    path = stem.with_name(f"{stem.name}-{said[0][-5:]}.json")
    messages = [{"role": role, "content": text} for text in said for role in ("user", "assistant")]
    path.write_text(json.dumps({"messages": messages}, ensure_ascii=False), encoding="utf-8")
    return read(path)[0]


def _read_row(session: Session) -> Iterator[PutRow]:
    yield PutRow("sessions", session.key, {"format": session.format, "id": session.id, "path": session.path})


def _rows(bank: Bank, said: list[str], sessions: list[Session]) -> Iterator[PutRow]:
    """Seven of ten are facts, two an agent's, one about the person."""
    now = clock.millis(clock.now() - timedelta(days=3))
    view = bank.view()
    for number, text in enumerate(said):
        session, at = sessions[number // TURNS], now + number
        turn = session.turns[2 * (number % TURNS)]
        quotes = cite_session(session, turn.seq, text)
        if number % 10 < 7:
            seen = (Sighting(session.key, at, model="offline", quotes=quotes), Sighting("other/one", at))
            yield put_gap(Gap(gap_id(text), "ferrytime", text, "ready", seen, updated_at=at))
        elif number % 10 < 9:
            new = PutMemory(None, {"type": "FACT", "subject": "notes", "statement": text}, key="memory")
            yield from propose(view, [new], "kestrel", "seen while working", at, agent=False).rows
        else:
            name = profile_id("preference", "using", f"using: {text}")
            fact = {"quotes": quotes, "first_seen": at, "last_seen": at, "owner": "aria", "slot": "using"}
            yield put_profile(ProfileRow(name, "preference", "using", f"using: {text}", 0.9, **fact))
