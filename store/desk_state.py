"""What the workbench remembers between two starts: last filter, open screen, last agent (`decisions.md` §3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from store import places
from store.config import replace_file

STATE_NAME = "state.json"


def state_file() -> Path:
    """Where the workbench's state is kept."""
    return places.state_home() / STATE_NAME


def load_state(path: Path | None = None) -> dict[str, Any]:
    """The state as it was saved; empty when there is none or it cannot be read, for it is never worth an error."""
    try:
        state = orjson.loads((path or state_file()).read_bytes())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def save_state(state: Mapping[str, Any], path: Path | None = None) -> None:
    """Keep the state (JSON values, whole numbers of 64 bits); raises `StorageFailure` when the folder refuses."""
    replace_file(path or state_file(), orjson.dumps(dict(state), option=orjson.OPT_INDENT_2))
