"""Reading JSON lines that another program may be writing, may have broken, or may have made huge.

`spec/formats.md` §1.4: bytes are split on 0x0A only, each line is decoded alone, what cannot be read is reported with
its place and the rest goes on. Memory stays bounded by the longest line that is kept, whatever the size of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pipeline.formats.session import Damage
from store.errors import Cancelled

CHUNK = 1 << 18
"""Bytes asked of the file at a time."""
LINE_LIMIT = 16 << 20
"""Bytes of the longest line that is read; a longer one is skipped in pieces (`decisions.md` §5.3)."""
GLUE_ATTEMPTS = 100
"""Places in a broken line that are tried as the start of a second record."""
GLUE_BUDGET = 64 << 20
"""Characters that these attempts may look at together, so that a hostile line cannot stall the reader."""

BOM = b"\xef\xbb\xbf"
TORN = "the last line is incomplete; it is read again when it has grown"
NULS = "NUL bytes stand where a record should be"
SHORTEN = "shorten it in a copy of the file"
NOT_JSON = "not a JSON record"
NOT_OBJECT = "JSON, but not an object"
NOT_UTF8 = "bytes that are not UTF-8 are shown as U+FFFD"

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")
_STARTS = re.compile(r'\{(?=\s*")')
_ODD = re.compile("[\ud800-\udfff\x00]")
_ODD_ESCAPE = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")
_ODD_BYTES = re.compile(_ODD_ESCAPE.pattern.encode())


class Readable(Protocol):
    """What `chunks` reads from: a binary file, or anything that gives bytes like one."""

    def read(self, size: int = ..., /) -> bytes:
        """At most `size` bytes, b"" at the end."""


class Line(NamedTuple):
    """A raw line without its newline: 1-based number, offset and size in bytes; `data` is empty when it is too long."""

    number: int
    offset: int
    data: bytes
    size: int
    ended: bool


class Record(NamedTuple):
    """One JSON object of a line. Several records may share a line that was glued."""

    line: int
    offset: int
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Whole:
    """The end of the input: `read_to` is the byte offset behind the last line that ends in a newline."""

    read_to: int


Item = Record | Damage | Whole


def chunks(
    stream: Readable,
    *,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    told: Callable[[], int] | None = None,
) -> Iterator[bytes]:
    """A file in pieces. `progress` is told the bytes read so far, `cancelled` is asked before each piece.

    `told` gives the bytes read where they differ from the bytes delivered (a compressed file).
    Raises `Cancelled` when `cancelled` says so.
    """
    total = 0
    while True:
        if cancelled is not None and cancelled():
            raise Cancelled("Reading was stopped; nothing was kept of it.")
        chunk = stream.read(CHUNK)
        if not chunk:
            return
        total += len(chunk)
        yield chunk
        if progress is not None:
            progress(told() if told is not None else total)


def split(pieces: Iterable[bytes], limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Raw lines of a stream of bytes, cut at 0x0A however the stream is cut; at most `limit` bytes are held."""
    number, offset, size = 1, 0, 0
    held: list[bytes] = []
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            size += end - start
            if held:
                held.append(piece[start:end])
            data = b"".join(held) if held else piece[start:end]
            yield Line(number, offset, data if size <= limit else b"", size, ended=True)
            number, offset, size, start = number + 1, offset + size + 1, 0, end + 1
            held.clear()
        size += len(piece) - start
        if size <= limit:
            held.append(piece[start:])
        else:
            held.clear()
    if size:
        yield Line(number, offset, b"".join(held) if size <= limit else b"", size, ended=False)


def records(lines: Iterable[Line], *, lists: bool = False, limit: int = LINE_LIMIT) -> Iterator[Item]:
    """The records of raw lines with the damage between them, in order, and `Whole` at the end.

    `lists` lets a line be a JSON list; it is given as an object whose `messages` it is (`spec/formats.md` §8).
    """
    read_to = 0
    for line in lines:
        if line.ended:
            read_to = line.offset + line.size + 1
        if line.size > limit:
            reason = f"a line of {line.size:,} bytes was left out, as one may have {limit:,}; {SHORTEN}"
            yield Damage(line.number, line.offset, reason)
        elif (plain := _plain(line)) is not None:
            yield plain
        else:
            yield from _parse(line, lists)
    yield Whole(read_to)


def _plain(line: Line) -> Record | None:
    """The record of a line that is one JSON object and nothing odd, as nearly all are; None for every other."""
    data = line.data
    if data[:1] != b"{" or b"\x00" in data or _ODD_BYTES.search(data):
        return None
    try:
        text = data.decode()
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) and not text[end:].isspace():
        return None
    return Record(line.number, line.offset, value)


def _parse(line: Line, lists: bool) -> Iterator[Item]:
    data = line.data.strip(b"\x00 \t\r")
    while data.startswith(BOM):
        data = data[len(BOM) :].strip(b"\x00 \t\r")
    if not data:
        if b"\x00" in line.data:
            yield Damage(line.number, line.offset, NULS)
        return
    before = line.offset + line.data.index(data)
    text = data.replace(b"\x00", b"").decode("utf-8", "replace")
    values = list(glued(text))
    for position, found in values:
        offset = before + len(text[:position].encode())
        if found == NOT_JSON and not line.ended and position == values[-1][0]:
            yield Damage(line.number, offset, TORN)
        elif isinstance(found, str):
            yield Damage(line.number, offset, found)
        elif isinstance(found, list) and lists:
            yield Record(line.number, offset, {"messages": found})
        elif isinstance(found, dict):
            yield Record(line.number, offset, found)
        else:
            yield Damage(line.number, offset, NOT_OBJECT)
    if "\ufffd" in text and "\ufffd".encode() not in data:
        yield Damage(line.number, before, NOT_UTF8)


def glued(text: str) -> Iterator[tuple[int, Any]]:
    """The JSON values of one line with their positions; a stretch that is none is given as its reason, a plain string.

    Top-level JSON strings are given as `NOT_OBJECT`. After a stretch that does not parse, the next record start is
    looked for that parses up to the end of the line (`spec/formats.md` §1.4).
    """
    at = past_space(text, 0)
    while at < len(text):
        value, end = value_at(text, at)
        if end < 0:
            yield at, NOT_JSON
            at = _second_start(text, at)
            continue
        yield at, NOT_OBJECT if isinstance(value, str) else value
        at = past_space(text, end)


def past_space(text: str, at: int) -> int:
    """The next position that holds no white space of JSON."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def value_at(text: str, at: int) -> tuple[Any, int]:
    """The JSON value at a position, scrubbed, and where it ends; -1 when there is none that can be read.

    `text` itself holds no NUL and no lone surrogate, only perhaps escapes of them.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
        if _ODD_ESCAPE.search(text, at, end):
            value = scrub(value)
    except (ValueError, RecursionError):
        return None, -1
    return value, end


def is_odd(text: str) -> bool:
    """Whether a JSON text may be of a value that `scrub` would change."""
    raw = "\x00" in text or (not text.isascii() and _ODD.search(text) is not None)
    return raw or _ODD_ESCAPE.search(text) is not None


def scrub(value: Any) -> Any:
    """A JSON value whose strings hold no lone surrogate (U+FFFD instead) and no NUL (left out)."""
    if isinstance(value, str):
        return _ODD.sub(lambda hit: "" if hit[0] == "\x00" else "\ufffd", value)
    if isinstance(value, list):
        return [scrub(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): scrub(item) for key, item in value.items()}
    return value


def _second_start(text: str, at: int) -> int:
    """Where after `at` a record starts from which the line parses to its end; the end of the line when nowhere.

    An object that is the value of a key or member of a list is no record: a torn line must not promote what it quotes.
    """
    attempts, budget = 0, GLUE_BUDGET
    for hit in _STARTS.finditer(text, at + 1):
        if not _free(text, at, hit.start()):
            continue
        attempts, budget = attempts + 1, budget - (len(text) - hit.start())
        if attempts > GLUE_ATTEMPTS or budget < 0:
            break
        if _parses_to_end(text, hit.start()):
            return hit.start()
    return len(text)


def _free(text: str, begin: int, at: int) -> bool:
    """Whether what stands before a brace leaves it free to begin a record of its own."""
    before = text[max(begin, at - 64) : at].rstrip()
    return before[-1] not in ":,[" if before else at - begin <= 64


def _parses_to_end(text: str, at: int) -> bool:
    while at < len(text):
        value, end = value_at(text, at)
        if end < 0 or not isinstance(value, dict):
            return False
        at = past_space(text, end)
    return True
