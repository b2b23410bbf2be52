"""The older store of opencode (`spec/formats.md` §5): a small file for each project, session, message and part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.formats.content import mapping, string
from pipeline.formats.lines import LINE_LIMIT
from pipeline.formats.opencode_store import Meter, Part, Stored, in_order, parsed, unread

SESSIONS = "session"


def root_of(folder: Path) -> Path | None:
    """The folder of the store that a folder is or holds, None when there is none."""
    return next((place for place in (folder, folder / "storage") if (place / SESSIONS).is_dir()), None)


def session_files(root: Path) -> list[Path]:
    """The session files of a store, by path."""
    return [path for project in _listed(root / SESSIONS, "") for path in _listed(project, ".json")]


def stored(path: Path, meter: Meter) -> Stored | None:
    """The session of a session file, None when that cannot be read as one.

    Its messages and parts are found by the names of files and folders, never by what stands in them.
    """
    root, project = path.parents[2] if len(path.parents) > 2 else path.parent, path.parent.name
    about = _object(path, meter)
    if about is None:
        return None
    worktree = string(mapping(_object(root / "project" / f"{project}.json", meter)).get("worktree"))

    def parts(message: str) -> Iterator[Part]:
        return _objects(root / "part" / message, "part", session, meter)

    session = Stored(path.stem, path, about, worktree, [], parts)
    session.messages = in_order(_objects(root / "message" / path.stem, "message", session, meter))
    return session


def _objects(folder: Path, kind: str, session: Stored, meter: Meter) -> Iterator[Part]:
    """The objects of a folder by the names of their files."""
    for path in _listed(folder, ".json"):
        value = _object(path, meter)
        if value is None:
            session.damaged(unread(kind, path.stem))
        yield path.stem, value or {}


def _object(path: Path, meter: Meter) -> dict[str, Any] | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            data = stream.read(LINE_LIMIT + 1)
    except (OSError, ValueError):
        return None
    meter.add(len(data))
    return parsed(data) if len(data) <= LINE_LIMIT else None


def _listed(folder: Path, ending: str) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(ending))
    except (OSError, ValueError):
        return []
