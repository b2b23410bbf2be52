"""Telling by its content what wrote a file (`spec/formats.md` §15); never by its name alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pipeline.formats import archive, database, dsh
from pipeline.formats.head import (
    EMPTY,
    LINES,
    PATH,
    WHOLE_DOCUMENT,
    ZIP,
    ZSTD,
    Recognised,
    as_lines,
    head_of,
    of_frames,
    of_head,
)
from pipeline.formats.lines import BOM
from pipeline.formats.table import Formats, packaged
from store.errors import BadInput

ZIP_MAGIC = b"PK\x03\x04"

_DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
_REPAIR = "it is damaged or empty: let the program that keeps it repair it, or give an older copy."
_MAGIC = (
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)


def detect(path: Path, told: str | None = None, formats: Formats | None = None) -> Recognised:
    """What the file is, by its first `HEAD` bytes; `told` is a format that the person insists on.

    Raises `BadInput` with one sentence that names what it looks like when no reader is for it, `StorageFailure` when it
    cannot be opened.
    """
    formats = packaged() if formats is None else formats
    head = head_of(path)
    if head.startswith(database.MAGIC):
        found: Recognised | None = _by_tables(path, formats)
    elif head.startswith(ZIP_MAGIC):
        return _by_archive(path, told, formats)
    elif head.startswith(dsh.ZSTD_MAGIC):
        found = of_frames(head, formats)
    else:
        found = of_head(head, path.name, formats)
    if told is not None and (found is None or found.format not in {told, EMPTY}):
        return _insisted(told, head, path, formats)
    if (found is None or found.shape == LINES) and path.suffix in _DATABASES:
        raise BadInput(f"{path} is named like a database and does not begin like one; {_REPAIR}")
    if found is None or not found.format:
        raise BadInput(f"{path} looks like {found.what if found else _looks(head)}; {reads(formats)}")
    return found


def reads(formats: Formats) -> str:
    """The words that say what can be read."""
    *others, last = dict.fromkeys(one.tool for one in formats.by_name.values() if not one.fallback)
    return f"{', '.join(others)} and {last} are read: if it is one of them, name it with --format."


def _insisted(told: str, head: bytes, path: Path, formats: Formats) -> Recognised:
    """The file taken as the format that the person names, in the shape that fits it best."""
    shapes = formats.get(told).shapes
    if head.startswith(dsh.ZSTD_MAGIC) and LINES in shapes:
        shape = ZSTD
    elif PATH in shapes and (head.startswith(database.MAGIC) or len(shapes) == 1):
        shape = PATH
    else:
        shape = LINES if LINES in shapes and (as_lines(head, path.name) or WHOLE_DOCUMENT not in shapes) else shapes[-1]
        shape = WHOLE_DOCUMENT if shape != LINES and WHOLE_DOCUMENT in shapes else shape
    return Recognised(told, f"taken as {told}", shape)


def _by_archive(path: Path, told: str | None, formats: Formats) -> Recognised:
    found = archive.recognise(path, formats, told)
    if found is None:
        wanted = sorted({name for one in formats.by_name.values() for name in one.inside})
        raise BadInput(f"{path} is a zip archive without {' or '.join(wanted)}; unpack it and give the file inside.")
    return replace(found, what=f"{found.what}, zipped", shape=ZIP)


def _by_tables(path: Path, formats: Formats) -> Recognised:
    """What a database is by its tables."""
    tables = dict.fromkeys(database.tables(path))
    rule = next((rule for rule in formats.rules_in("tables") if rule.fits(tables)), None)
    if rule is not None:
        return Recognised(rule.format, rule.what, rule.shape)
    if not tables:
        raise BadInput(f"{path} looks like a SQLite database without tables that can be read; {_REPAIR}")
    return Recognised("", "a SQLite database")


def _looks(head: bytes) -> str:
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    start = head.removeprefix(BOM).lstrip()
    if b"\x00" in head[:4096]:
        return "binary data"
    if start[:1] in {b"{", b"["}:
        return "JSON of no known transcript"
    if start[:3] == b"---" or start[:1] == b"#":
        return "Markdown, not a transcript"
    return "text, not a transcript"
