"""Rows and memories for the tests of the review desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline import review
from pipeline.extract.identity import gap_id
from pipeline.rehearsal import Rehearsal
from pipeline.review import Waiting, find
from store.changes import PutMemory
from store.memory import Memory
from store.view import View

NOW = 1_796_032_800_000
"""2026-11-30T10:00:00Z in milliseconds."""
DAY = 86_400_000
CI = "The project CI runs on Buildkite."


def gap(content: str, *sessions: str, project: str = "", at: int = NOW, **more: Any) -> dict[str, dict[str, Any]]:
    """A row of the table `gaps` under its key."""
    identity = gap_id(content)
    seen = [{"sessionId": name, "at": at, "model": "m", "quotes": [quote(content)]} for name in sessions or ("s-1",)]
    row = {
        "id": identity,
        "project": project,
        "content": content,
        "state": "open",
        "covered": False,
        "sightings": seen,
        "updatedAt": at,
        "_rev": 1,
        **more,
    }
    return {f"{project}|{identity}": row}


def quote(text: str) -> dict[str, Any]:
    """A person's words as a row keeps them."""
    return {"session": "s-1", "format": "claude-code", "ref": "line 4", "seq": 4, "quote": text, "at": NOW}


def profile(category: str, field: str, value: str, **more: Any) -> dict[str, dict[str, Any]]:
    """A row of the table `profile` under its key."""
    from pipeline.extract.profile.rows import profile_id

    name = profile_id(category, field, f"{field}: {value}")
    row = {
        "id": name,
        "category": category,
        "field": field,
        "value": f"{field}: {value}",
        "confidence": 0.9,
        "state": "pending",
        "quotes": [quote(f"{field} {value}")],
        "firstSeen": NOW,
        "lastSeen": NOW,
        "timesSeen": 1,
        "slot": field,
        "_rev": 1,
        **more,
    }
    return {name: row}


def memory(number: int, statement: str, **more: Any) -> Memory:
    """A live memory of the bank."""
    name = f"facts/2026/11/2026-11-30-{number:04}.md"
    fields: dict[str, Any] = {"subject": statement[:30], "statement": statement, "ordinal": number, **more}
    return Memory(name, name, f"sha-{number}", **fields)


def desk(*memories: Memory, **tables: Mapping[str, Any]) -> Rehearsal:
    """A bank in memory with these memories and rows, whose only agent is aria."""
    return Rehearsal(View.of(memories, tables, agents=("aria",)))


def item(bank: Rehearsal, reference: str) -> Waiting:
    """The waiting row of that id."""
    return find(bank.view(), reference, NOW)


def remember(statement: str, **more: Any) -> PutMemory:
    """A new memory as an agent would propose it."""
    return PutMemory(None, {"type": "FACT", "subject": statement[:12], "statement": statement, **more}, key="memory")


def one_of(table: str) -> Rehearsal:
    """A bank in which one row of that table waits."""
    if table == "gaps":
        return desk(gaps=gap(CI, state="ready"))
    if table == "profile":
        return desk(profile=profile("expertise", "expertise", "Rust"))
    bank = desk()
    filed = review.propose(bank.view(), [remember("Deploys happen on Fridays.")], "aria", "seen twice", NOW)
    bank.record(filed.rows)
    return bank


def live(bank: Rehearsal) -> list[str]:
    """The statements of the live memories."""
    return [one.statement for one in bank.view().live]


def row(bank: Rehearsal, table: str, key: str) -> dict[str, Any]:
    """One row as it is now."""
    return dict(bank.view().rows(table)[key])
