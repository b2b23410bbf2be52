"""Telling by its content what wrote a file (`spec/formats.md` §15); never by its name alone."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.formats import database, dsh
from pipeline.formats.content import mapping
from pipeline.formats.lines import BOM, Record, chunks, glued, records, split
from pipeline.formats.outline import outline
from pipeline.formats.table import Formats, Where, packaged
from store.errors import BadInput, StorageFailure

HEAD = 1 << 20
"""Bytes of a file that are looked at."""
LINES, WHOLE_DOCUMENT, PATH = "lines", "document", "path"
EMPTY, ZSTD, ZIP = "empty", "zstd", "zip"
ZIP_MAGIC = b"PK\x03\x04"

_DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
_REPAIR = "it is damaged or empty: let the program that keeps it repair it, or give an older copy."
_MAGIC = (
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is: the `format` ("" when nobody reads it), its `shape`, and `what` it is, for people."""

    format: str
    what: str
    shape: str = LINES


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
        found = _by_frames(head, formats)
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


def of_head(head: bytes, name: str, formats: Formats) -> Recognised | None:
    """What a file of that name is by its first bytes; None when nothing is known that looks like it."""
    if not head.removeprefix(BOM).strip():
        return Recognised(EMPTY, "an empty session", EMPTY)
    if _as_lines(head, name):
        return _by_lines(head, formats) or _by_document(head, formats)
    return _by_document(head, formats) or _by_lines(head, formats) or _by_long_line(head, formats)


def head_of(path: Path) -> bytes:
    """The first `HEAD` bytes of a file. Raises `BadInput` when there is no such file, `StorageFailure`."""
    try:
        if not path.is_file():
            raise BadInput(f"{path} is no file; give the path of a transcript.")
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except OSError as error:
        raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check its permissions.") from error
    except ValueError as error:
        raise BadInput(f"{str(path)!r} is no path of a file; give the path of a transcript.") from error


def _insisted(told: str, head: bytes, path: Path, formats: Formats) -> Recognised:
    """The file taken as the format that the person names, in the shape that fits it best."""
    shapes = formats.get(told).shapes
    if head.startswith(dsh.ZSTD_MAGIC) and LINES in shapes:
        shape = ZSTD
    elif PATH in shapes and (head.startswith(database.MAGIC) or len(shapes) == 1):
        shape = PATH
    else:
        shape = (
            LINES if LINES in shapes and (_as_lines(head, path.name) or WHOLE_DOCUMENT not in shapes) else shapes[-1]
        )
        shape = WHOLE_DOCUMENT if shape != LINES and WHOLE_DOCUMENT in shapes else shape
    return Recognised(told, f"taken as {told}", shape)


def _as_lines(head: bytes, name: str) -> bool:
    """Whether to take a file as JSON lines rather than one document: its first line is JSON by itself.

    A single line is a document unless the file is called `.jsonl`: then more lines will follow.
    """
    first, newline, rest = head.lstrip(BOM + b"\x00 \t\r\n").partition(b"\n")
    more = bool(rest.strip()) or name.endswith(".jsonl")
    parsed = list(glued(first.strip(b"\x00 \t\r").decode("utf-8", "replace"))) if newline or len(head) < HEAD else []
    return more and bool(parsed) and isinstance(parsed[0][1], dict | list)


def _by_frames(head: bytes, formats: Formats) -> Recognised | None:
    found = _by_lines(b"".join(_some(dsh.Frames(io.BytesIO(head)))), formats)
    if found is None or found.shape != LINES:
        return Recognised("", "Zstandard data, but no session log; unpack it first and give the file inside")
    return replace(found, what=f"{found.what}, compressed", shape=ZSTD)


def _some(frames: dsh.Frames) -> Iterator[bytes]:
    total = 0
    while total < HEAD and (piece := frames.read()):
        total += len(piece)
        yield piece


def _by_archive(path: Path, told: str | None, formats: Formats) -> Recognised:
    from pipeline.formats.archive import recognise

    found = recognise(path, formats, told)
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


def _by_lines(head: bytes, formats: Formats) -> Recognised | None:
    """The first record that a rule knows decides."""
    items = records(split(chunks(io.BytesIO(head))), lists=True)
    found = (_of_line(item.data, formats) for item in items if isinstance(item, Record))
    return next((one for one in found if one), None)


def _by_long_line(head: bytes, formats: Formats) -> Recognised | None:
    """What begins with a line that is longer than the head, by the keys before its long value."""
    if len(head) < HEAD or b"\n" in head:
        return None
    kind, keys = outline(head.decode("utf-8-sig", "replace").replace("\x00", ""))
    return _fitting(keys, "line", formats) if kind == "object" else None


def _of_line(data: dict[str, Any], formats: Formats) -> Recognised | None:
    if set(data) == {"messages"} and isinstance(listed := data["messages"], list):
        found = _fitting(mapping(listed[0]) if listed else {}, "list", formats)
        return replace(found, shape=LINES) if found else Recognised("openai", "OpenAI-style messages")
    found = _fitting(data, "line", formats) or _fitting(data, "object", formats)
    mapped = found is not None and found.format != "" and formats.get(found.format).fields is not None
    return replace(found, shape=LINES) if found is not None and mapped else found


def _by_document(head: bytes, formats: Formats) -> Recognised | None:
    """A JSON document that spans lines, or one line that may be longer than the head."""
    text = head.decode("utf-8-sig", "replace").replace("\x00", "")
    kind, keys = outline(text)
    if kind == "string":
        plain = text.replace('\\"', '"')
        rule = next((rule for rule in formats.rules_in("string") if all(piece in plain for piece in rule.has)), None)
        return Recognised(rule.format, rule.what, rule.shape) if rule else None
    return _fitting(keys, kind, formats) if kind != "other" else None


def _fitting(data: Mapping[str, Any], where: Where, formats: Formats) -> Recognised | None:
    rule = next((rule for rule in formats.rules_in(where) if rule.fits(data)), None)
    return Recognised(rule.format, rule.what, rule.shape) if rule else None


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
