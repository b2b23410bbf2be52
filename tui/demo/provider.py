"""The demo's provider: a local program that keeps stale notes out of the pack, and long ones out of a small one.

It speaks the provider protocol: one JSON request on stdin, one answer on stdout. Asked as a hook (`memory.hook`), it
takes out what nothing changed for 300 days before the newest entry that it is shown. Asked to page a pack for a budget
(`context.paging`), it takes out each row that needs more than a thirtieth of it: many short rows tell more than a few
long ones.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Any

STALE_DAYS = 300
SHARE = 30
"""A row may take one part in so many of the budget."""


def changed(entry: dict[str, Any]) -> date | None:
    """The day on which an entry last changed, or None when it carries no readable date."""
    try:
        return date.fromisoformat(str(entry.get("updated") or entry.get("created") or "")[:10])
    except ValueError:
        return None


def stale(entries: list[dict[str, Any]]) -> list[str]:
    """The files of the entries to evict."""
    dated = {entry["file"]: day for entry in entries if (day := changed(entry))}
    newest = max(dated.values(), default=date.min)
    return [file for file, day in dated.items() if (newest - day).days > STALE_DAYS]


def long(entries: list[dict[str, Any]], budget: int) -> list[str]:
    """The files of the entries that take more of a budget than their share."""
    return [entry["file"] for entry in entries if entry["chars"] * SHARE > budget]


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What is to go, for a request of either kind."""
    payload = asked["payload"]
    if asked["capability"] == "context.paging":
        return {"drop": long(payload["candidates"], payload["budget"])}
    return {"evict": stale(payload["candidates"])}


def main() -> None:
    """Answer one request."""
    json.dump({"ok": True, "data": answer(json.load(sys.stdin))}, sys.stdout)


if __name__ == "__main__":
    main()
