"""Reading a file that an agent loads: never written, no link out of its folder followed, never more than is needed."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

KEPT_BYTES = 1 << 20
KEPT_LINES = 20_000
"""Of one file so much is looked into; the rest is counted only."""
COUNTED_BYTES = 1 << 28
"""A file is counted as far as this."""
CHUNK = 1 << 16
MOST_NAMES = 5_000
"""Names of a folder, with those below it, that are looked at."""
DEEPEST = 8
SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})
"""Folders of other people's files: no agent is told anything there."""
BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
NO_TEXT = "it is UTF-16 or no text at all, and agents read UTF-8"
OUTSIDE = "it leads out of the folder, and is not followed"
MISSING = "it is not there"
"""Faults that their readers know again."""


@dataclass(frozen=True, eq=False)
class Read:
    """A file as far as it was read. `raw` are its first lines as bytes without their line feed; `total` counts all.

    `size` is in bytes. `fault` says in words why nothing could be read; `more` that not all was looked into,
    `counted` that `total` is right.
    """

    path: Path
    raw: tuple[bytes, ...] = ()
    total: int = 0
    size: int = 0
    fault: str = ""
    more: bool = False
    counted: bool = True

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as text, without carriage returns and byte-order mark."""
        decoded = [line.decode("utf-8", "replace").removesuffix("\r") for line in self.raw]
        if decoded:
            decoded[0] = decoded[0].removeprefix("\ufeff")
        return tuple(decoded)

    @cached_property
    def bad(self) -> tuple[int, ...]:
        """The numbers of the lines that are no UTF-8."""
        return tuple(number for number, line in enumerate(self.raw, 1) if not _is_text(line))

    @cached_property
    def last(self) -> int:
        """The last line that holds anything, where all was looked into."""
        if self.more:
            return self.total
        return next((number for number in range(len(self.raw), 0, -1) if self.raw[number - 1].strip()), 0)


def _is_text(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in line


@dataclass(slots=True)
class Room:
    """How many bytes of further files are looked into; what does not fit any more is only known to be there."""

    left: int = 1 << 25
    each: int = 1 << 18


def read(path: Path, within: Path, room: Room | None = None) -> Read:
    """Read a file that lies in the folder `within`, links resolved; what cannot be read is told in `fault`.

    A link out of `within` is not followed, and nothing but a regular file is opened. With `room` no more is read than
    is left there, and nothing is counted behind it.
    """
    try:
        real = Path(os.path.realpath(path))
        if not inside(real, Path(os.path.realpath(within))):
            return Read(path, fault=OUTSIDE)
        state = os.lstat(real)
        if not stat.S_ISREG(state.st_mode):
            return Read(path, fault="it is not a file")
        with real.open("rb") as file:
            if os.fstat(file.fileno()).st_ino != state.st_ino:
                return Read(path, fault="another program is just putting it there")
            return _read(path, file, state.st_size) if room is None else _within(path, file, state.st_size, room)
    except (OSError, ValueError) as error:
        return Read(path, fault=told(error))


def told(error: Exception) -> str:
    """Why the system gives no file, in words."""
    if isinstance(error, PermissionError):
        return "nobody may read it"
    if isinstance(error, FileNotFoundError):
        return MISSING
    if isinstance(error, NotADirectoryError):
        return "it is no folder"
    return str(getattr(error, "strerror", "") or "its name is none")


def _read(path: Path, file: BinaryIO, size: int) -> Read:
    head = b""
    chunks = _chunks(file)
    for chunk in chunks:
        head += chunk
        if len(head) >= KEPT_BYTES:
            break
    if head.startswith(WIDE_BOMS) or b"\0" in head[:CHUNK]:
        return Read(path, size=size, fault=NO_TEXT)
    counted, ends = len(head), head.count(b"\n")
    last = head[-1:]
    for chunk in chunks:
        counted, ends, last = counted + len(chunk), ends + chunk.count(b"\n"), chunk[-1:]
        if counted >= COUNTED_BYTES:
            break
    total = ends + (last not in (b"", b"\n"))
    raw = head.split(b"\n")[: min(KEPT_LINES, total)]
    return Read(
        path, tuple(raw), total, size, more=len(head) < counted or len(raw) < total, counted=counted < COUNTED_BYTES
    )


def _within(path: Path, file: BinaryIO, size: int, room: Room) -> Read:
    head = file.read(min(room.left, room.each))
    room.left -= len(head)
    if head.startswith(WIDE_BOMS) or b"\0" in head[:CHUNK]:
        return Read(path, size=size, fault=NO_TEXT)
    raw = head.split(b"\n")
    raw = raw[:-1] if head.endswith(b"\n") or not head else raw
    return Read(path, tuple(raw[:KEPT_LINES]), min(len(raw), KEPT_LINES), size, more=len(head) < size)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def inside(path: Path, folder: Path) -> bool:
    """Whether a path, links resolved, lies in a folder, or is that folder."""
    return path == folder or folder in path.parents


@dataclass(frozen=True, slots=True)
class Walk:
    """The files of a folder with a given ending, in order; `complete` is False when there were too many to look at."""

    files: tuple[Path, ...]
    complete: bool = True


def walk(folder: Path, endings: tuple[str, ...], most: int = MOST_NAMES) -> Walk:
    """The files below a folder whose names end so. Neither links to folders nor hidden ones are entered."""
    found: list[Path] = []
    left = most
    waiting = deque([(folder, 0)])  # nearest first, so that the bound leaves out what lies deepest
    while waiting:
        here, depth = waiting.popleft()
        folders: list[Path] = []
        for entry in entries(here, left):
            left -= 1
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST and entry.name not in SKIPPED and not entry.name.startswith("."):
                    folders.append(here / entry.name)
            elif entry.name.endswith(endings):
                found.append(here / entry.name)
        if left <= 0:
            return Walk(tuple(found), complete=False)
        waiting += ((one, depth + 1) for one in folders)
    return Walk(tuple(found))


def entries(folder: Path, most: int = MOST_NAMES) -> list[os.DirEntry[str]]:
    """The first `most` names of a folder, sorted; none when it cannot be listed."""
    found: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as listed:
            for entry in listed:
                if len(found) >= most:
                    break
                found.append(entry)
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda entry: entry.name)


def closed(folder: Path) -> str:
    """Why the names of a folder cannot be listed, or its files not be opened, in words; "" when they can."""
    try:
        os.scandir(folder).close()
    except (OSError, ValueError) as error:
        return told(error)
    return "" if os.access(folder, os.X_OK) else told(PermissionError())


def there(path: Path) -> bool:
    """Whether something stands at a path, be it a link that leads nowhere."""
    return os.path.lexists(path)


def is_file(path: Path) -> bool:
    """Whether a path leads to a file; what nobody may look at, or cannot be a path, is none."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where it may not look


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder; what nobody may look at, or cannot be a path, is none."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where it may not look


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link."""
    return os.path.islink(path)  # noqa: PTH114 - Path.is_symlink raises where it may not look
