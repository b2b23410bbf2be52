"""From a path to its sessions: a file, an archive, a database, or a folder of them (`spec/formats.md`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from pipeline.formats import archive, detect, dsh, envelopes, head, table
from pipeline.formats.documents import members
from pipeline.formats.find import millis_of
from pipeline.formats.folders import transcripts_in
from pipeline.formats.lines import chunks, records, split
from pipeline.formats.readers import Progress, Stop, reader_of
from pipeline.formats.session import UNKNOWN, Session
from pipeline.formats.source import Source, never
from pipeline.formats.table import Format, Formats
from store.clock import millis
from store.errors import BadInput, StorageFailure
from store.memory import Problem


@dataclass(frozen=True, slots=True)
class _Told:
    """How far the reading is, of a file that is one of several."""

    progress: Progress
    before: int

    def __call__(self, done: int) -> None:
        self.progress(self.before + done)


def read(
    path: Path | str,
    *,
    format: str | None = None,
    envelopes: envelopes.Table | None = None,
    formats: Formats | None = None,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
) -> tuple[Session, ...]:
    """The sessions of a transcript, of an archive of them, or of all in a folder. Nothing is written.

    Files are streamed, and damage in them is reported, not raised. `format` is a name of the table `formats` and
    overrides what the content says; `formats` and the table `envelopes` are by default those that come with Memdesk,
    with what the person's config folder adds. `progress` is told the bytes read so far; `cancelled` is asked between
    pieces. Raises `BadInput` when nothing of it is a known transcript, or the person's table of envelopes cannot be
    used, `StorageFailure` when it cannot be read, `Cancelled` when `cancelled` said so.
    """
    path = Path(path)
    formats = table.load_own()[0] if formats is None else formats
    told = formats.get(format).name if format is not None else None
    wrapped = _own_envelopes() if envelopes is None else envelopes
    source = Source(path, wrapped, millis(), cancelled or never)
    found: list[Session] = []
    done = 0
    for file in files_of(path, format=told, formats=formats):
        report = _Told(progress, done) if progress is not None else None
        found += _file(replace(source, path=file), told, formats, report)
        done += _size(file) if progress is not None else 0
    return tuple(found)


def files_of(path: Path, *, format: str | None = None, formats: Formats | None = None) -> tuple[Path, ...]:
    """The path itself, or the transcripts in it when it is a folder.

    Raises `BadInput` when the folder holds none.
    """
    if not _is_folder(path):
        return (path,)
    return transcripts_in(path, table.load_own()[0] if formats is None else formats, format)


def recognise(path: Path, format: str | None = None, formats: Formats | None = None) -> head.Recognised:
    """What a file is taken for. See `detect.detect`."""
    return detect.detect(path, format, table.load_own()[0] if formats is None else formats)


def own_problems() -> tuple[Problem, ...]:
    """What is wrong with the tables in the person's config folder."""
    try:
        _own_envelopes()
    except BadInput as error:
        wrong = Problem(str(envelopes.own_file()), f"{error} Until then no transcript is read.")
        return (*table.load_own()[1], wrong)
    return table.load_own()[1]


def _own_envelopes() -> envelopes.Table:
    return envelopes.load(envelopes.own_file())


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _file(source: Source, told: str | None, formats: Formats, progress: Progress | None) -> tuple[Session, ...]:
    path = source.path
    found = detect.detect(path, told, formats)
    if found.shape == head.EMPTY:
        return (Session(format=told or UNKNOWN, id=source.stem, path=str(path), turns=()),)
    try:
        state = path.stat()
        sessions_read = _of_shape(source, found, formats, told, progress)
    except OSError as error:
        raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check the file.") from error
    size, modified = state.st_size, millis_of(path, state)
    return tuple(replace(session, size=size, modified=modified) for session in sessions_read)


def _of_shape(
    source: Source, found: head.Recognised, formats: Formats, told: str | None, progress: Progress | None
) -> tuple[Session, ...]:
    if found.shape == head.ZIP:
        return _archive(source, formats, told, progress)
    if found.shape == head.PATH:
        reader = reader_of(formats.get(found.format)).path
        return reader(source.path, source, progress, source.cancelled) if reader else _wrong(source, found)
    with source.path.open("rb") as stream:
        if found.shape == head.ZSTD:
            return _compressed(stream, found, source, formats, progress)
        return sessions(chunks(stream, progress=progress, cancelled=source.cancelled), found, source, formats)


def sessions(
    pieces: Iterable[bytes], found: head.Recognised, source: Source, formats: Formats | None = None
) -> tuple[Session, ...]:
    """The sessions in a stream of bytes that was recognised as `found`, however the stream is cut."""
    format: Format = (table.packaged() if formats is None else formats).get(found.format)
    reader = reader_of(format)
    if found.shape == head.WHOLE_DOCUMENT and reader.document is not None:
        return reader.document(members(pieces, reader.streamed), source)
    if found.shape == head.LINES and reader.lines is not None:
        return reader.lines(records(split(pieces), lists=format.lists), source)
    return _wrong(source, found)


def _wrong(source: Source, found: head.Recognised) -> tuple[Session, ...]:
    raise BadInput(f"{source.path} is {found.what}, but not in a form that can be read; name its format.")


def _compressed(
    stream: BinaryIO, found: head.Recognised, source: Source, formats: Formats, progress: Progress | None
) -> tuple[Session, ...]:
    frames = dsh.Frames(stream)
    plain = chunks(frames, progress=progress, cancelled=source.cancelled, told=frames.told)
    read_in = sessions(plain, replace(found, shape=head.LINES), source, formats)
    if frames.damage is None:
        return read_in
    return tuple(replace(session, damage=(*session.damage, frames.damage)) for session in read_in)


def _archive(source: Source, formats: Formats, told: str | None, progress: Progress | None) -> tuple[Session, ...]:
    """The conversations of an archive; `progress` is told the bytes of the archive."""
    found: list[Session] = []
    with archive.opened(source.path) as opened:
        for info in archive.conversations(opened, formats):
            kind = archive.kind_of(opened, info, source.path, formats, told)
            if kind is not None:
                with opened.open(info) as stream:
                    packed = archive.Bounded(stream, source.path, info)
                    plain = chunks(packed, progress=progress, cancelled=source.cancelled, told=packed.told)
                    found += sessions(plain, kind, source, formats)
    return tuple(found)
