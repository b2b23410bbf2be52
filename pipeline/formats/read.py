"""From a file to its sessions, and where transcripts usually lie (`spec/formats.md`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from pipeline.formats import claude_code, detect, dsh, openai
from pipeline.formats.documents import members
from pipeline.formats.envelopes import Table, load
from pipeline.formats.lines import Item, chunks, records, split
from pipeline.formats.session import Session
from pipeline.formats.source import Source
from store.clock import millis
from store.errors import BadInput, StorageFailure

FORMATS = (claude_code.NAME, dsh.NAME, openai.NAME)
"""The names that `read` takes as a format."""

Progress = Callable[[int], None]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript in a usual place: nothing of it was read. `modified` is milliseconds since 1970, `size` bytes."""

    path: Path
    format: str
    size: int
    modified: int


def read(
    path: Path | str,
    *,
    format: str | None = None,
    envelopes: Table | None = None,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
) -> tuple[Session, ...]:
    """The sessions of a transcript. The file is streamed, never written, and damage in it is reported, not raised.

    `format` is one of `FORMATS` and overrides what the content says; `envelopes` is a table from `envelopes.load`;
    `progress` is told the bytes read so far; `cancelled` is asked between pieces of the file. Raises `BadInput` when
    the file is none of these formats, `StorageFailure` when it cannot be read, `Cancelled` when `cancelled` said so.
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise BadInput(f"{format!r} is no format; the formats are {', '.join(FORMATS)}.")
    found = detect.detect(path, format)
    source = Source(path, load() if envelopes is None else envelopes, millis())
    if found.shape == detect.EMPTY:
        return (Session(format=format or "unknown", id=source.stem, path=str(path), turns=()),)
    try:
        with path.open("rb") as stream:
            state = os.fstat(stream.fileno())
            sessions_read = _sessions(stream, found, source, progress, cancelled)
    except OSError as error:
        raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check the file.") from error
    size, modified = state.st_size, _millis(state)
    return tuple(replace(session, size=size, modified=modified) for session in sessions_read)


def _sessions(
    stream: BinaryIO, found: detect.Recognised, source: Source, progress: Progress | None, cancelled: Stop | None
) -> tuple[Session, ...]:
    if found.shape == detect.ZSTD:
        return _compressed(stream, source, progress, cancelled)
    return sessions(chunks(stream, progress=progress, cancelled=cancelled), found, source)


def sessions(pieces: Iterable[bytes], found: detect.Recognised, source: Source) -> tuple[Session, ...]:
    """The sessions in a stream of bytes that was recognised as `found`, however the stream is cut."""
    if found.shape == detect.WHOLE_DOCUMENT:
        return openai.read_document(members(pieces, openai.STREAMED), source)
    readers: Mapping[str, Callable[[Iterable[Item], Source], tuple[Session, ...]]] = {
        claude_code.NAME: claude_code.read,
        dsh.NAME: dsh.read,
        openai.NAME: openai.read,
    }
    return readers[found.format](records(split(pieces), lists=found.format == openai.NAME), source)


def _compressed(
    stream: BinaryIO, source: Source, progress: Progress | None, cancelled: Stop | None
) -> tuple[Session, ...]:
    frames = dsh.Frames(stream)
    plain = chunks(frames, progress=progress, cancelled=cancelled, told=frames.told)
    (session,) = dsh.read(records(split(plain)), source)
    return (replace(session, damage=(*session.damage, frames.damage)) if frames.damage else session,)


def find(home: Path | None = None, environ: Mapping[str, str] | None = None) -> list[Found]:
    """Transcripts in the usual places of Claude Code and DSH below `home`, newest first; no file is read.

    `environ` names other roots (`CLAUDE_CONFIG_DIR`, `DSH_HOME`), by default this process's. OpenAI-style messages have
    no usual place. What cannot be listed is left out. The depth is fixed, so links to folders lead to no ring.
    """
    claude, harness = places(home, environ)
    found = [*_listed(_claude(claude), claude_code.NAME), *_listed(_dsh(harness), dsh.NAME)]
    return sorted(found, key=lambda item: (-item.modified, str(item.path)))


def places(home: Path | None = None, environ: Mapping[str, str] | None = None) -> tuple[Path, Path]:
    """The folders that `find` looks into: of Claude Code, and of DSH."""
    environ = os.environ if environ is None else environ
    home = Path.home() if home is None else home
    claude = Path(environ.get("CLAUDE_CONFIG_DIR", "").strip() or home / ".claude") / "projects"
    return claude, Path(environ.get("DSH_HOME", "").strip() or home / ".dsh")


def _claude(root: Path) -> Iterator[Path]:
    for project in _folders(root):
        yield from _files(project, ".jsonl")
        for session in _folders(project):
            yield from _files(session / "subagents", ".jsonl")


def _dsh(root: Path) -> Iterator[Path]:
    for place in (root, *_folders(root)):
        for project in _folders(place):
            if project.name == "_no-cwd" or (project.name.startswith("--") and project.name.endswith("--")):
                for session in _folders(project):
                    yield from (path for path in _files(session) if path.name in _DSH_FILES)


_DSH_FILES = frozenset({"session.jsonl", "session.jsonl.zstd"})


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in _entries(folder) if entry.is_dir()]


def _files(folder: Path, ending: str = "") -> list[Path]:
    return [Path(entry.path) for entry in _entries(folder) if entry.name.endswith(ending) and entry.is_file()]


def _listed(paths: Iterable[Path], name: str) -> Iterator[Found]:
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            continue
        yield Found(path, name, state.st_size, _millis(state))


def _millis(state: os.stat_result) -> int:
    return state.st_mtime_ns // 1_000_000
