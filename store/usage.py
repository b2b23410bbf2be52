"""How often a memory was used: the file's counters plus what the ledger adds (`spec/bank.md` §12, `decisions.md` §2.7).

Everything here is pure: `record_use` gives rows for `Bank.record`, `totals` gives a memory with its true counters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from store.access import path_owner
from store.fields import revision, text, whole
from store.memory import Memory
from store.view import View

if TYPE_CHECKING:
    from store.changes import PutRow, Row

TABLE = "usage"

Signal = Literal["s", "g", "u"]
"""Search (shown by recall), get (explained), use (in a context pack, or useful feedback) (`spec/bank.md` §12.1)."""

Days = Mapping[tuple[str, str], int]
"""(signal, ISO date) → count."""

_ORDER = "sgu"
_DAY = re.compile(r"([sgu])(\d{4}-\d{2}-\d{2}):(\d{1,15})")
_QUERY = re.compile(r"(q[0-9a-f]{8}):(\d{1,15})")


@dataclass(frozen=True, slots=True)
class UsageSettings:
    """`usage_enabled`, `usage_retention_days` and `usage_query_slots` (`spec/bank.md` §12.2–12.3)."""

    enabled: bool = True
    retention_days: int = 90
    query_slots: int = 12


DEFAULTS = UsageSettings()


def read_days(text: str) -> dict[tuple[str, str], int]:
    """The slots of a `hit_days` value; parts that cannot be read are left out."""
    found: dict[tuple[str, str], int] = {}
    for part in text.split("|"):
        match = _DAY.fullmatch(part.strip())
        if match and _is_day(match[2]):
            key = (match[1], match[2])
            found[key] = found.get(key, 0) + int(match[3])
    return found


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def write_days(days: Days) -> str:
    """A `hit_days` value: newest date first, then s, g, u (`spec/bank.md` §12.2)."""
    slots = sorted(days.items(), key=lambda slot: _ORDER.index(slot[0][0]))
    slots.sort(key=lambda slot: slot[0][1], reverse=True)
    return "|".join(f"{signal}{day}:{count}" for (signal, day), count in slots)


def add_signal(text: str, signal: Signal, today: date, retention_days: int = DEFAULTS.retention_days) -> str:
    """`hit_days` after one more signal: slots from the future or older than `retention_days` are dropped."""
    days = read_days(text)
    key = (signal, today.isoformat())
    days[key] = days.get(key, 0) + 1
    return write_days({slot: count for slot, count in days.items() if 0 <= _age(slot[1], today) <= retention_days})


def _age(day: str, today: date) -> int:
    return (today - date.fromisoformat(day)).days


def fingerprint(query: str) -> str:
    """The mark that a query leaves: `q` and 8 hex digits of its SHA-256; the text itself is never kept (§12.3)."""
    return "q" + hashlib.sha256(query.lower().encode("utf-8", "replace")).hexdigest()[:8]


def read_queries(text: str) -> dict[str, int]:
    """The fingerprints of a `hit_queries` value with their counts; parts that cannot be read are left out."""
    found: dict[str, int] = {}
    for part in text.split("|"):
        if match := _QUERY.fullmatch(part.strip()):
            found[match[1]] = found.get(match[1], 0) + int(match[2])
    return found


def write_queries(queries: Mapping[str, int], slots: int = DEFAULTS.query_slots, newest: str = "") -> str:
    """A `hit_queries` value: count descending, then fingerprint, cut to `slots`.

    `newest` keeps its place whatever its count, in place of the one that sorts last (bank-D29).
    """
    ranked = sorted(queries.items(), key=lambda item: (-item[1], item[0]))
    kept = ranked[:slots]
    if slots > 0 and newest in queries and all(mark != newest for mark, _ in kept):
        kept = [*kept[: slots - 1], (newest, queries[newest])]
    return "|".join(f"{mark}:{count}" for mark, count in kept)


def add_query(text: str, query: str, slots: int = DEFAULTS.query_slots) -> str:
    """`hit_queries` after one more search for `query`."""
    queries = read_queries(text)
    mark = fingerprint(query)
    queries[mark] = queries.get(mark, 0) + 1
    return write_queries(queries, slots, mark)


def may_count(memory: Memory, agent: str | None) -> bool:
    """Whether a use by `agent` (None: the person) counts: never for immutable or others' private memories (§12.4)."""
    owner = path_owner(memory.path) or (memory.owner if memory.scope == "private" else "")
    return not memory.immutable and (agent is None or not owner or owner == agent)


def record_use(
    view: View,
    ids: Iterable[str],
    signal: Signal,
    today: date,
    *,
    query: str = "",
    agent: str | None = None,
    settings: UsageSettings = DEFAULTS,
) -> list[PutRow]:
    """The ledger rows after a use of the memories `ids`, for `Bank.record`; they name the revision they count from.

    A search counts an access whatever the settings; the signals of §12 are left out where they are switched off
    (`spec/bank.md` §10.6). Ids that are unknown or not to be counted give no row.
    """
    rows = view.rows(TABLE)
    from store.changes import PutRow  # not on the way to the first frame, which shows counters

    changes: list[PutRow] = []
    for memory_id in ids:
        memory = view.memories.get(memory_id)
        if memory is None or not may_count(memory, agent):
            continue
        row = rows.get(memory_id, {})
        fields = _after_use(row, signal, today, query, settings)
        if fields:
            changes.append(PutRow(TABLE, memory_id, fields, rev=revision(row)))
    return changes


def _after_use(row: Row, signal: Signal, today: date, query: str, settings: UsageSettings) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if signal == "s":
        fields["access_count"] = (whole(row, "access_count") or 0) + 1
        fields["last_accessed"] = today.isoformat()
    if settings.enabled:
        fields["hit_days"] = add_signal(text(row, "hit_days"), signal, today, settings.retention_days)
        if signal == "s" and query:
            fields["hit_queries"] = add_query(text(row, "hit_queries"), query, settings.query_slots)
            fields["last_query"] = fingerprint(query)
    return fields


def with_usage(memory: Memory, row: Row | None, settings: UsageSettings = DEFAULTS) -> Memory:
    """The memory with its total counters: the values of its file plus the ledger's row."""
    if not row:
        return memory
    return replace(
        memory,
        access_count=memory.access_count + (whole(row, "access_count") or 0),
        last_accessed=max(memory.last_accessed, text(row, "last_accessed")),
        hit_days=_total_days(memory.hit_days, text(row, "hit_days"), settings),
        hit_queries=_total_queries(memory.hit_queries, row, settings),
    )


def totals(view: View, memory: Memory, settings: UsageSettings = DEFAULTS) -> Memory:
    """`with_usage` with the row that the view holds for the memory."""
    return with_usage(memory, view.rows(TABLE).get(memory.id), settings)


def _total_days(in_file: str, added: str, settings: UsageSettings) -> str:
    """Both joined; slots of the file that the ledger's latest signal would have dropped as too old are left out."""
    if not added:
        return in_file
    slots, more = read_days(in_file), read_days(added)
    for slot, count in more.items():
        slots[slot] = slots.get(slot, 0) + count
    if more:
        latest = date.fromisoformat(max(day for _, day in more))
        slots = {slot: count for slot, count in slots.items() if _age(slot[1], latest) <= settings.retention_days}
    return write_days(slots)


def _total_queries(in_file: str, row: Row, settings: UsageSettings) -> str:
    added = text(row, "hit_queries")
    if not added:
        return in_file
    queries = read_queries(in_file)
    for mark, count in read_queries(added).items():
        queries[mark] = queries.get(mark, 0) + count
    return write_queries(queries, settings.query_slots, text(row, "last_query"))
