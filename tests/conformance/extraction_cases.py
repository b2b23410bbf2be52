"""The case file of `spec/extraction.md` §27: its macros, its events, and the pieces that every adapter needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.extract.evidence import Entry

FILE = Path(__file__).parent / "cases" / "extraction-cases.jsonl"
_BY = {
    "user": ("user", "user"),
    "assistant": ("assistant", "model"),
    "plugin": ("user", "plugin"),
    "tool": ("other", "tool"),
    "other": ("other", "other"),
}


@cache
def cases() -> Mapping[str, Mapping[str, Any]]:
    """Every case by id, with its text macros written out."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in (_expanded(json.loads(line)) for line in lines if line.strip())}


def ids(*areas: str) -> list[str]:
    """The ids of the cases of some areas, in the order of the file."""
    return [name for name, case in cases().items() if case["area"] in areas]


def _expanded(value: Any) -> Any:
    if isinstance(value, Mapping):
        if set(value) == {"$rep"}:
            return value["$rep"][0] * value["$rep"][1]
        if set(value) == {"$cat"}:
            return "".join(_expanded(part) for part in value["$cat"])
        return {key: _expanded(part) for key, part in value.items()}
    return [_expanded(part) for part in value] if isinstance(value, list) else value


def entries(given: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The events of a case, from its list or its template."""
    template = given.get("eventsTemplate")
    events = given.get("events", [])
    if template:
        first = template.get("firstSeq", 1)
        events = [
            {"seq": seq, "by": template["by"], "text": template["text"]}
            for seq in range(first, first + template["count"])
        ]
    return tuple(entry(event) for event in events)


def entry(event: Mapping[str, Any]) -> Entry:
    """One event as the case files write it (§27, "events")."""
    role, author = _BY[event["by"]]
    time = event.get("time", 60_000 * event["seq"])
    return Entry(event["seq"], role, author, event.get("text"), event.get("turn"), time)  # type: ignore[arg-type]


def holds(expected: Any, found: Any, where: str = "") -> None:
    """Objects match as subsets, lists exactly (§27)."""
    if isinstance(expected, Mapping):
        assert isinstance(found, Mapping), f"{where}: {found!r} is no object"
        for key, value in expected.items():
            assert key in found, f"{where}.{key} is missing in {found!r}"
            holds(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(found, Sequence) and len(found) == len(expected), f"{where}: {found!r} != {expected!r}"
        for index, value in enumerate(expected):
            holds(value, found[index], f"{where}[{index}]")
    else:
        assert found == expected, f"{where}: {found!r} != {expected!r}"
