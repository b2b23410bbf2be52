"""Exports that come as a zip archive: the conversations inside are read in place (`spec/formats.md` §6, §7)."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from pipeline.formats.head import HEAD, Recognised, of_head
from pipeline.formats.lines import CHUNK
from pipeline.formats.table import Formats
from store.errors import BadInput

RATIO = 250
"""Bytes that a byte of an archive may become: text of conversations comes to 5 to 30, a bomb to 1,000."""
ALWAYS = 256 << 20
"""Bytes that a file of an archive may have whatever it was packed into."""
BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
"""What `zipfile` raises for archives that are damaged, locked, or packed in a way that it does not know."""


class Bounded:
    """A file of an archive while it is unpacked in pieces; one that grows beyond all measure ends with `BadInput`."""

    def __init__(self, stream: IO[bytes], path: Path, info: zipfile.ZipInfo) -> None:
        self._stream, self._path, self._info = stream, path, info
        self._most = max(ALWAYS, RATIO * info.compress_size)
        self._read = 0

    def read(self, size: int = CHUNK, /) -> bytes:
        """At most `size` bytes, b"" at the end."""
        piece = self._stream.read(size)
        self._read += len(piece)
        if self._read > self._most:
            raise BadInput(
                f"{self._path} unpacks to far more than an export holds, so nothing of it was read; unpack it "
                "and give the file inside if it is what it should be."
            )
        return piece

    def told(self) -> int:
        """About how many bytes of the archive were read."""
        done = min(1.0, self._read / max(1, self._info.file_size))
        return self._info.header_offset + int(done * self._info.compress_size)


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive. Raises `BadInput` for whatever is wrong with it."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except BROKEN as error:
        raise BadInput(f"{path} cannot be unpacked ({_reason(error)}); unpack it and give the file inside.") from error


def _reason(error: BaseException) -> str:
    return (
        "it is locked with a password" if "password" in str(error) else "the archive is damaged or of an unknown kind"
    )


def conversations(archive: zipfile.ZipFile, formats: Formats) -> list[zipfile.ZipInfo]:
    """The files of an archive that are looked at, by name; what holds an account's personal data is not."""
    wanted = {pattern for one in formats.by_name.values() for pattern in one.inside}
    found = [info for info in archive.infolist() if not info.is_dir() and _wanted(info.filename, wanted, formats)]
    return sorted(found, key=lambda info: info.filename)


def _wanted(name: str, patterns: set[str], formats: Formats) -> bool:
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    return base not in formats.never and any(fnmatchcase(base, pattern) for pattern in patterns)


def recognise(path: Path, formats: Formats, told: str | None = None) -> Recognised | None:
    """What the archive holds, by the first of its files that can be told; None when it holds nothing of ours."""
    with opened(path) as archive:
        kinds = (
            kind for info in conversations(archive, formats) if (kind := kind_of(archive, info, path, formats, told))
        )
        return next(kinds, None)


def kind_of(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, formats: Formats, told: str | None = None
) -> Recognised | None:
    """What one file of an archive is, None when it is no transcript."""
    with archive.open(info) as stream:
        head = Bounded(stream, path, info).read(HEAD)
    found = of_head(head, info.filename, formats)
    if told is not None and (found is None or found.format != told):
        return Recognised(told, f"taken as {told}", "document") if "document" in formats.get(told).shapes else None
    return found if found is not None and found.format in formats.by_name else None
