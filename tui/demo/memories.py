"""The demo's memories, dated back from now."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from importlib.resources import files
from typing import Any

from tui.demo.transcripts import Talk

COPIED = ("type", "owner", "subject", "statement", "tags", "source", "label", "weight", "immutable", "body", "state")


def memories(today: date, talks: Mapping[str, Talk]) -> Iterator[dict[str, Any]]:
    """The fields of each memory of `memories.toml`, for `store.seed.seed`."""
    table = tomllib.loads((files("tui.demo") / "memories.toml").read_text(encoding="utf-8"))
    for entry in table["memory"]:
        yield _fields(entry, today, talks)


def _fields(entry: Mapping[str, Any], today: date, talks: Mapping[str, Talk]) -> dict[str, Any]:
    def day(age: int) -> str:
        return (today - timedelta(days=age)).isoformat()

    fields = {name: entry[name] for name in COPIED if name in entry}
    fields["tags"] = tuple(entry.get("tags", ()))
    fields["created"] = day(entry["made"])
    fields["updated"] = day(entry.get("changed", entry["made"]))
    if hits := entry.get("hits"):
        fields["access_count"] = hits
    if "used" in entry:
        fields["last_accessed"] = day(entry["used"])
    if useful := entry.get("useful"):
        fields["feedback_net"] = useful
    if turn := entry.get("evidence_turn"):
        name, _, number = turn.partition(":")
        talk = talks[name]
        fields["evidence"] = f"{talk.format}/{talk.id}#{talk.ref(int(number))}"
    return fields
