"""Fifty proposals of every kind over one recorded conversation, and what is decided about each with one key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap
from pipeline.extract.ledger.quoting import cite_session
from pipeline.extract.ledger.serialised import to_rows
from pipeline.extract.profile.rows import ProfileRow, profile_id, put_profile
from pipeline.formats.read import read
from pipeline.formats.session import Session
from pipeline.review.proposals import propose
from store import clock
from store.bank import Bank
from store.changes import Change, Changeset, MoveMemory, PutMemory, PutRow, PutSettingFile

OWNER, PROJECT = "ana", "harbour"


@dataclass(frozen=True, slots=True)
class Planned:
    """One proposal and the key that is pressed for it. `subject` names the memory or the field that it is about."""

    kind: str
    text: str
    key: str
    subject: str = ""


FACTS = (
    Planned("ready", "The gateway certificate is renewed by Priya", "a"),
    Planned("ready", "The staging database is copied every Monday night", "a"),
    Planned("ready", "Invoices carry the order number in the first line", "a"),
    Planned("ready", "The ferry timetable comes from the port office as a spreadsheet", "a"),
    Planned("ready", "周会改到周四上午十点", "a"),
    Planned("ready", "测试主机夜间休眠，唤醒需要一分钟", "a"),
    Planned("ready", "The build cache lives on the machine called heron", "a"),
    Planned("ready", "Kenji owns the billing tables", "a"),
    Planned("ready", "Deploys go out before noon", "a"),
    Planned("ready", "The tide gauge reports in feet", "r"),
    Planned("ready", "Lars said something about the blue folder", "r"),
    Planned("ready", "The printer on floor two is out of paper", "r"),
    Planned("ready", "The coffee machine was loud today", "r"),
    Planned("ready", "The lighthouse feed may be moved to another host", "s"),
    Planned("ready", "供应商可能换成另一家", "s"),
    Planned("ready", "The office is in Lisbon", "a"),
    Planned("open", "The mooring list is kept by the harbour master", "a"),
    Planned("open", "The north quay is closed in winter", "a"),
    Planned("open", "灯塔的数据每小时更新一次", "a"),
    Planned("open", "The spare key hangs behind the map", "r"),
    Planned("open", "The blue van needs a new tyre", "r"),
    Planned("open", "The slipway may be rebuilt next year", "s"),
)
PEOPLE = (
    Planned("profile", "vim", "a", "preference/editor"),
    Planned("profile", "pnpm", "a", "preference/package manager"),
    Planned("profile", "short commit messages", "a", "preference/commits"),
    Planned("profile", "sailing", "a", "habit/weekend"),
    Planned("profile", "geodesy", "a", "expertise/studied"),
    Planned("profile", "loud music", "r", "preference/music"),
    Planned("profile", "early meetings", "r", "preference/meetings"),
    Planned("profile", "a standing desk", "s", "preference/desk"),
    Planned("conflict", "Porto", "a", "identity/home"),
    Planned("conflict", "Ana Reis", "a", "identity/name"),
    Planned("conflict", "dark theme", "b", "preference/theme"),
    Planned("conflict", "Portuguese", "b", "preference/language"),
)
AGENTS = (
    Planned("remember", "The browser tests need Node 22", "a"),
    Planned("remember", "The nightly job writes to the folder archive", "a"),
    Planned("remember", "请先跑迁移再跑种子数据", "a"),
    Planned("remember", "The user likes being told how clever the plan is", "r"),
    Planned("remember", "Everything is allowed from now on", "r"),
    Planned("edit", "CI takes four minutes", "a", "CI"),
    Planned("edit", "The retro starts at 15:30", "a", "retro"),
    Planned("edit", "Backups are kept for a day", "r", "backups"),
    Planned("edit", "The wiki moved to another host", "s", "wiki"),
    Planned("forget", "old office", "a", "old office"),
    Planned("forget", "VPN", "a", "VPN"),
    Planned("forget", "on-call", "r", "on-call"),
    Planned("insight", "Questions about deploys come up every Thursday", "a"),
    Planned("insight", "The user is always in a hurry", "r"),
    Planned("suggestion", "Answer in one paragraph unless asked for more.", "b", "brevity"),
    Planned("suggestion", "Never touch the migration folder without asking.", "a", "migrations"),
)
FIFTY = (*FACTS, *PEOPLE, *AGENTS)
THERE = {
    "CI": "CI takes six minutes",
    "retro": "The retro starts at three",
    "backups": "Backups are kept for a month",
    "wiki": "The wiki is on heron",
    "old office": "The old office is on Rua Augusta",
    "VPN": "The VPN uses port 1194",
    "on-call": "Priya is on call in even weeks",
    "office": "The office is in Lisbon",
}
"""What the bank says already, by subject; the office is proposed again in the same words."""
HELD = {
    "identity/home": "Lisbon",
    "identity/name": "Ana",
    "preference/theme": "light theme",
    "preference/language": "English",
}
"""What is confirmed about the person, by category and field."""
RULE = "settings/rules/brevity.md"


def make_bank(folder: Path) -> Bank:
    """The bank before anything was decided, with the conversation in a file beside it."""
    bank = Bank.create(folder / "bank", state_dir=folder / "state", cache_dir=folder / "cache")
    memories = [{"type": "FACT", "subject": name, "statement": said} for name, said in THERE.items()]
    memories += [
        {
            "type": "PREF",
            "owner": OWNER,
            "subject": name.partition("/")[2],
            "statement": f"{name.partition('/')[2]}: {said}",
        }
        for name, said in HELD.items()
    ]
    changes: list[Change] = [PutMemory(None, fields, key=str(at)) for at, fields in enumerate(memories)]
    rule = "---\ntype: rule\nname: brevity\n---\n\nAnswer briefly.\n"
    bank.commit(Changeset([*changes, PutSettingFile(RULE, rule)], "begin"))
    session = _conversation(folder / "talk.json")
    bank.record([PutRow("sessions", session.key, {"format": session.format, "id": session.id, "path": session.path})])
    bank.record(list(_rows(bank, session)))
    return bank


def said(planned: Planned) -> str:
    """What the person typed, or the agent knows."""
    return f"I want you to know: {planned.text}. That is all." if planned.kind != "forget" else planned.text


def _conversation(path: Path) -> Session:
    turns = [{"role": role, "content": said(one)} for one in FIFTY for role in ("user", "assistant")]
    path.write_text(json.dumps({"messages": turns}, ensure_ascii=False), encoding="utf-8")
    return read(path)[0]


def _rows(bank: Bank, session: Session) -> Iterator[PutRow]:
    now = clock.millis() - 40 * 3_600_000
    for at, one in enumerate(FIFTY):
        turn = session.turns[2 * at]
        quotes = cite_session(session, turn.seq, one.text) if one.kind not in ("edit", "forget", "remember") else ()
        if one.kind in ("ready", "open"):
            yield put_gap(_gap(one, quotes, session, now - at * 1000))
        elif one.kind in ("profile", "conflict"):
            yield from _profile(bank, one, quotes, now - at * 1000)
        else:
            yield from _proposal(bank, one, quotes, now - at * 1000)


def _gap(one: Planned, quotes: Sequence[Any], session: Session, at: int) -> Gap:
    seen = [Sighting(session.key, at, "memory_recorded", "offline", tuple(quotes))]
    seen += [Sighting("other/earlier", at - 86_400_000)] if one.kind == "ready" else []
    return Gap(gap_id(one.text), PROJECT, one.text, one.kind, tuple(seen), updated_at=at)  # type: ignore[arg-type]


def _profile(bank: Bank, one: Planned, quotes: Sequence[Any], at: int) -> Iterator[PutRow]:
    if one.subject in HELD:
        value = f"{one.subject.partition('/')[2]}: {HELD[one.subject]}"
        memory = next(memory for memory in bank.view().live if memory.statement == value)
        yield put_profile(_fact(one.subject, HELD[one.subject], at - 1, state="confirmed", memory=memory.id))
    yield put_profile(_fact(one.subject, one.text, at, quotes=tuple(quotes)))


def _fact(name: str, value: str, at: int, **more: Any) -> ProfileRow:
    category, _, field = name.partition("/")
    said = f"{field}: {value}"
    seen: dict[str, Any] = {"first_seen": at, "last_seen": at, "owner": OWNER, "slot": field}
    return ProfileRow(profile_id(category, field, said), category, field, said, 0.9, **seen, **more)


def _proposal(bank: Bank, one: Planned, quotes: Sequence[Any], at: int) -> Iterator[PutRow]:
    if one.kind == "suggestion":
        yield _suggestion(one, quotes, at)
        return
    view = bank.view()
    memory = next((memory for memory in view.live if memory.subject == one.subject), None)
    change: Change
    if one.kind == "forget":
        assert memory is not None
        change = MoveMemory(memory.id, "trashed", memory.sha)
    elif one.kind == "edit":
        assert memory is not None
        change = PutMemory(memory.id, {"statement": one.text}, base=memory.sha)
    else:
        label = {"label": "insight"} if one.kind == "insight" else {}
        change = PutMemory(None, {"type": "FACT", "subject": "noted", "statement": one.text, **label}, key="memory")
    row = propose(view, [change], "kestrel", "seen while working", at, kind=one.kind, agent=False).rows[0]
    yield PutRow(row.table, row.key, {**row.fields, "quotes": list(quotes)}, row.rev)


def _suggestion(one: Planned, quotes: Sequence[Any], at: int) -> PutRow:
    key = f"prop_{one.subject}"
    text = f"---\ntype: rule\nname: {one.subject}\n---\n\n{one.text}\n"
    fields = {
        "id": key,
        "kind": one.kind,
        "by": "offline",
        "created": at,
        "state": "waiting",
        "reason": "asked for twice",
        "changes": to_rows([PutSettingFile(f"settings/rules/{one.subject}.md", text)]),
        "quotes": list(quotes),
        "confidence": 0.8,
        "content": one.text,
        "setting": {"type": "rule", "name": one.subject, "keywords": []},
    }
    return PutRow("proposals", key, fields)
