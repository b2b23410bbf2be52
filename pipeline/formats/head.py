"""Telling by its first bytes what a transcript is, or one inside an archive (`spec/formats.md` §15)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.formats import dsh
from pipeline.formats.content import mapping
from pipeline.formats.lines import BOM, Record, chunks, glued, records, split
from pipeline.formats.outline import outline
from pipeline.formats.table import Formats, Where
from store.errors import BadInput, StorageFailure

HEAD = 1 << 20
"""Bytes of a file that are looked at."""
LINES, WHOLE_DOCUMENT, PATH = "lines", "document", "path"
EMPTY, ZSTD, ZIP = "empty", "zstd", "zip"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is: the `format` ("" when nobody reads it), its `shape`, and `what` it is, for people."""

    format: str
    what: str
    shape: str = LINES


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


def of_head(head: bytes, name: str, formats: Formats) -> Recognised | None:
    """What a file of that name is by its first bytes; None when nothing is known that looks like it."""
    if not head.removeprefix(BOM).strip():
        return Recognised(EMPTY, "an empty session", EMPTY)
    if as_lines(head, name):
        return _by_lines(head, formats) or _by_document(head, formats)
    return _by_document(head, formats) or _by_lines(head, formats) or _by_long_line(head, formats)


def as_lines(head: bytes, name: str) -> bool:
    """Whether to take a file as JSON lines rather than one document: its first line is JSON by itself.

    A single line is a document unless the file is called `.jsonl`: then more lines will follow.
    """
    first, newline, rest = head.lstrip(BOM + b"\x00 \t\r\n").partition(b"\n")
    more = bool(rest.strip()) or name.endswith(".jsonl")
    parsed = list(glued(first.strip(b"\x00 \t\r").decode("utf-8", "replace"))) if newline or len(head) < HEAD else []
    return more and bool(parsed) and isinstance(parsed[0][1], dict | list)


def of_frames(head: bytes, formats: Formats) -> Recognised:
    """What Zstandard data is by the beginning of what it unpacks to."""
    found = _by_lines(b"".join(_some(dsh.Frames(io.BytesIO(head)))), formats)
    if found is None or found.shape != LINES:
        return Recognised("", "Zstandard data, but no session log; unpack it first and give the file inside")
    return replace(found, what=f"{found.what}, compressed", shape=ZSTD)


def _some(frames: dsh.Frames) -> Iterator[bytes]:
    total = 0
    while total < HEAD and (piece := frames.read()):
        total += len(piece)
        yield piece


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
