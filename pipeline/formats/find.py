"""Where transcripts usually lie: the usual places of every tool, listed and never read (`spec/formats.md` §1)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import Path

from pipeline.formats.table import Format, Formats, Place, packaged

PATIENCE = 10.0
"""Seconds after which the search ends with what it has found: home folders can lie on slow disks."""


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript in a usual place: nothing of it was read. `modified` is milliseconds since 1970, `size` bytes."""

    path: Path
    format: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found, newest first; `complete` is False when it ran out of time."""

    found: tuple[Found, ...]
    complete: bool = True


def search(
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
    formats: Formats | None = None,
    patience: float = PATIENCE,
) -> Search:
    """Transcripts in the usual places of all tools below `home`; no file is read.

    `environ` may name other roots (`CLAUDE_CONFIG_DIR`, `CODEX_HOME`, …), by default this process's. What cannot be
    listed is left out. The depth of each pattern is fixed, so links to folders lead to no ring.
    """
    deadline = time.monotonic() + patience
    found: dict[Path, Found] = {}
    late = False

    def in_time() -> bool:
        nonlocal late
        late = late or time.monotonic() > deadline
        return not late

    for format, place, root in _roots(home, environ, formats):
        for pattern in place.files:
            for entry in _entries_below(root, pattern.split("/"), in_time):
                if (path := Path(entry.path)) not in found and (one := _found(path, entry, format)) is not None:
                    found[path] = one
    return Search(tuple(sorted(found.values(), key=lambda item: (-item.modified, str(item.path)))), not late)


def find(
    home: Path | None = None, environ: Mapping[str, str] | None = None, formats: Formats | None = None
) -> list[Found]:
    """What `search` finds."""
    return list(search(home, environ, formats).found)


def places(
    home: Path | None = None, environ: Mapping[str, str] | None = None, formats: Formats | None = None
) -> tuple[tuple[str, Path], ...]:
    """The folders that `find` looks into for sessions, each with whose it is."""
    roots = _roots(home, environ, formats)
    looked = ((format.tool, root / _still(place)) for format, place, root in roots if not format.fallback)
    return tuple(dict.fromkeys(looked))


def _still(place: Place) -> str:
    """The part of a place's first pattern that holds no wildcard."""
    parts = place.files[0].split("/")[:-1]
    wild = next((index for index, part in enumerate(parts) if any(mark in part for mark in "*?[")), len(parts))
    return "/".join(parts[:wild])


def _roots(
    home: Path | None, environ: Mapping[str, str] | None, formats: Formats | None
) -> Iterator[tuple[Format, Place, Path]]:
    home = Path.home() if home is None else home
    environ = os.environ if environ is None else environ
    for format in (packaged() if formats is None else formats).by_name.values():
        for place in format.places:
            yield format, place, place.root(home, environ)


def _found(path: Path, entry: os.DirEntry[str], format: Format) -> Found | None:
    try:
        state = entry.stat()
    except OSError:
        return None
    return Found(path, format.name, state.st_size, millis_of(path, state))


def about(path: Path, format: Format) -> tuple[str, Path | None]:
    """What the path of a transcript tells: its session's name, and the folder that stands for a project, if any."""
    for place in format.places:
        if not any(_lies(path, pattern.split("/")) for pattern in place.files):
            continue
        named = place.id.search(path.as_posix()) if place.id else None
        name = ":".join(part for part in named.groups() if part) if named else path.stem
        return name, path.parents[place.project - 1] if 0 < place.project <= len(path.parents) else None
    return path.stem, None


def _lies(path: Path, parts: Sequence[str]) -> bool:
    tail = path.parts[-len(parts) :]
    return len(tail) == len(parts) and all(_pattern(part).match(name) for name, part in zip(tail, parts, strict=True))


def millis_of(path: Path, state: os.stat_result) -> int:
    """When a file was last written, in milliseconds since 1970; of a database, also what waits beside it."""
    written = state.st_mtime_ns
    if path.suffix == ".db":
        with suppress(OSError):
            written = max(written, path.with_name(f"{path.name}-wal").stat().st_mtime_ns)
    return written // 1_000_000


def below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """The files that a pattern, given as its parts, fits below a folder."""
    return (Path(entry.path) for entry in _entries_below(folder, parts, _always))


def _always() -> bool:
    return True


def _entries_below(folder: Path | str, parts: Sequence[str], in_time: Callable[[], bool]) -> Iterator[os.DirEntry[str]]:
    fits, deeper = _pattern(parts[0]), len(parts) > 1
    for entry in _entries(folder) if in_time() else ():
        if not fits.match(entry.name):
            continue
        if not deeper:
            if _is(entry.is_file):
                yield entry
        elif _is(entry.is_dir):
            yield from _entries_below(entry.path, parts[1:], in_time)


def _is(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError:
        return False


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []
