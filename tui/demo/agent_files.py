"""Writes what the demo's agent loads from files: an index that is too long, with something of every kind to mend."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

PROJECT = "-home-mei-ferrytime"
"""The demo's project as Claude Code calls its folder (`spec/formats.md` §2.2)."""


def write_agent_files(folder: Path, today: date) -> None:
    """Write the instructions and the memory of `agent_files.toml` below `folder`; its log ends yesterday."""
    table = tomllib.loads((files("tui.demo") / "agent_files.toml").read_text(encoding="utf-8"))
    claude = folder / "claude"
    memory = claude / "projects" / PROJECT / "memory"
    _write(claude, table["claude"])
    _write(memory, table["memory"] | {"MEMORY.md": _index(table["index"], today)})


def _index(index: Mapping[str, Any], today: date) -> str:
    days, said = int(index["days"]), index["log"]
    log = [f"- {(today - timedelta(days=days - at)).isoformat()} {said[at % len(said)]}" for at in range(days)]
    return "\n".join([*index["first"], *log, *index["last"]]) + "\n"


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text.removeprefix("\n"), encoding="utf-8")
