"""`memdesk review --count` for a prompt or a status line: from the ledger's rows, or from what was counted last.

Nothing here parses a command line, opens a bank or imports what draws; whatever is out of the ordinary is left to the
command itself. The last answer is kept in the user's cache folder; whoever deletes it loses some milliseconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.glance import state_of
from store.places import bank_key, cache_home, ledger_folder
from store.roots import default_root, project_root
from tui.cli.asked import COMPLETING

NAME = "ready"
"""The file of the last answer, in the bank's cache folder."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that asks for nothing but the count."""

    bank: str | None = None
    project: bool = False
    json: bool = False


def asks_count(arguments: Sequence[str]) -> Asked | None:
    """What a call asks for that says `review --count` and perhaps which bank; None for every other one."""
    if COMPLETING in os.environ:
        return None
    rest = list(arguments)
    bank: str | None = None
    if "--bank" in rest[:-1]:
        at = rest.index("--bank")
        bank = rest[at + 1]
        del rest[at : at + 2]
    needed, more = {"review", "--count"}, {"--project", "--json"}
    if len(set(rest)) != len(rest) or not needed <= set(rest) <= needed | more:
        return None
    if bank == "" or (bank and "--project" in rest):
        return None
    return Asked(bank, "--project" in rest, "--json" in rest)


def answer(asked: Asked) -> str | None:
    """What is printed; None when the command itself has to look (no bank, keys, a damaged ledger)."""
    try:
        root = _root(asked)
        number = None if root is None else _count(root)
    except (OSError, ValueError):
        return None
    if number is None:
        return None
    return json.dumps({"schema": 1, "proposals": [], "ready": number}, indent=2) if asked.json else str(number)


def _root(asked: Asked) -> Path | None:
    """The bank that the command would look into."""
    user, project = default_root(asked.bank).path, project_root()
    if asked.bank:
        return user if _is_plain(user) else None
    places = [project] if asked.project else [user, project]
    return next((place for place in places if _is_plain(place)), None)


def _is_plain(root: Path) -> bool:
    """Whether it is a bank without keys: what belongs to owners is sealed in the others."""
    names = set(os.listdir(root)) if root.is_dir() else set()  # noqa: PTH208 - names are all that is looked at
    return bool(names & {"facts", "private", "index.json"}) and "keys" not in names


def _count(root: Path) -> int | None:
    from store import clock

    ledger, now = ledger_folder(root), clock.millis()
    if not (ledger / "CURRENT").exists():
        return 0
    state, place = state_of(ledger), _place(root)
    if (known := _known(place, state, now)) is not None:
        return known
    found = _counted(ledger, now)
    if found is not None and state == state_of(ledger):
        _keep(place, {"state": state, "ready": found[0], "until": found[1], "since": now})
    return None if found is None else found[0]


def _place(root: Path) -> Path:
    return cache_home() / "banks" / bank_key(root) / NAME


def _known(place: Path, state: list[Any], now: int) -> int | None:
    """The last answer, while the ledger is the same and no time has come at which it would be another."""
    try:
        kept = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("state") != state or not isinstance(kept.get("ready"), int):
        return None
    until, since = kept.get("until"), kept.get("since")
    if not isinstance(since, int) or now < since or (isinstance(until, int) and now >= until):
        return None
    return int(kept["ready"])


def _keep(place: Path, kept: dict[str, Any]) -> None:
    """Leave the answer for the next call, whole or not at all; a folder that refuses is no fault."""
    written = place.with_name(f"{NAME}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(kept), encoding="utf-8")
        written.replace(place)
    except OSError:
        with suppress(OSError):
            written.unlink()


def _counted(ledger: Path, now: int) -> tuple[int, int | None] | None:
    from pipeline.ready import ready
    from store.glance import tables_of

    tables = tables_of(ledger)
    return None if tables is None else ready(tables, now)
