"""Which folder a session of Gemini CLI was held in: it tells a hash or a short name of it (`spec/formats.md` §4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.formats.content import mapping

REGISTRY = "projects.json"
"""In the tool's home: the folder of each project, and the short name that stands for it."""
ROOT = ".project_root"
"""In a project's own folder below `tmp`: the folder that it stands for."""
_LIMIT = 1 << 20
"""Bytes of these files that are looked at."""


def project_of(path: Path, told: str, directories: Iterable[str]) -> str:
    """The project of a session: its folder where that can be known, else what the tool calls it.

    `path` is the session's file; the two files of the tool that name folders are read when it lies in the tool's home.
    `told` is the hash of the folder that the session carries, `directories` the folders that it names itself.
    """
    place = _place(path)
    own = next((text for text in directories if told and hash_of(text) == told), "")
    if own or place is None:
        return own or told
    registry = _registry(place.parents[1] / REGISTRY)
    short = place.name
    named = (text for text, name in registry.items() if short == name or hash_of(text) in {told, short})
    return _root(place / ROOT) or next(named, "") or told or short


def hash_of(folder: str) -> str:
    """The name under which the tool kept the projects of a folder before it gave them short ones."""
    return hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest()


def _place(path: Path) -> Path | None:
    """The folder of the project, when a session lies as the tool lays it: in `tmp/<project>/chats`, or a checkpoint."""
    above = list(path.parents)
    places = [folder.parent for folder in above[:2] if folder.name == "chats"]
    places += above[:1] if path.name.startswith("checkpoint-") else []
    return next((place for place in places if place.parent.name == "tmp"), None)


def _registry(path: Path) -> dict[str, Any]:
    try:
        return mapping(mapping(json.loads(_beginning(path))).get("projects"))
    except (ValueError, RecursionError):
        return {}


def _root(path: Path) -> str:
    text = _beginning(path).strip()
    return text if text and "\n" not in text and Path(text).is_absolute() else ""


def _beginning(path: Path) -> str:
    """The beginning of a small file; nothing when it is not there or cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(_LIMIT).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
