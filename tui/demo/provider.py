"""The demo's hook: a local program that keeps stale notes out of the context pack.

It speaks the provider protocol (`memory.hook`): one JSON request on stdin, one answer on stdout. An entry is stale when
nothing changed it for 300 days before the newest entry that it is shown.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Any

STALE_DAYS = 300


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


def main() -> None:
    """Answer one request."""
    payload = json.load(sys.stdin)["payload"]
    json.dump({"ok": True, "data": {"evict": stale(payload["candidates"])}}, sys.stdout)


if __name__ == "__main__":
    main()
