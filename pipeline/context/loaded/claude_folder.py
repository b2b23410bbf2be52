"""The folder of Claude Code's auto memory: an index, and the files beside it (`spec/formats.md` §2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.context.loaded.reading import Read, Room, read, walk

NAME = "claude-memory"
INDEX = "MEMORY.md"


@dataclass(frozen=True, slots=True)
class Folder:
    """The memory folder as it was read: the index, the other files by their name, and whether these are all."""

    path: Path
    label: str
    index: Read
    topics: Mapping[str, Read]
    complete: bool


def read_folder(folder: Path, room: Room, most: int) -> Folder:
    """Read the folder, `most` files of it; `room` bounds what is looked into, over several folders."""
    listed = walk(folder, (".md",), most=most)
    topics = {path.relative_to(folder).as_posix(): path for path in listed.files if path != folder / INDEX}
    read_all = {name: read(path, folder, room) for name, path in topics.items()}
    return Folder(folder, str(folder), read(folder / INDEX, folder), read_all, listed.complete)
