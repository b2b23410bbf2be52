"""Journal frames: one line each, complete and checked, or not there at all (`storage.md` §4, "Journal frame").

A frame says everything that one commit does: operations on ledger rows and the full bytes of the files it writes, so
a frame alone can redo the work. The line is `<crc32, 8 hex> <length> <JSON>` and a line feed.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson

PUT = "p"
DELETE = "d"

_HEADER = re.compile(rb"([0-9a-f]{8}) ([0-9]{1,12}) ")
FOLDERS = frozenset({"facts", "private", ".archive", ".trash", "settings"})
"""Where a bank's memories and setting files lie; no frame touches a file anywhere else."""
_SHA = re.compile(r"[0-9a-f]{64}")
_NEEDED = {"n", "t", "by", "tx", "ops", "files"}


@dataclass(frozen=True, slots=True)
class RowOp:
    """Put a whole ledger document (`row`), or delete it (`row` None)."""

    table: str
    key: str
    row: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class FileOp:
    """What a commit does at one path: `old` and `new` are SHA-256 of the content before and after (None: no file).

    `data` are the bytes to write, `tmp` the name of the prepared copy in the same folder, `mode` the file's mode bits.
    `seen` marks a state that another program made and we only noticed: it is never written, only known. `was` are
    the bytes before, where no earlier frame or object holds them: undo needs them.
    """

    path: str
    old: str | None
    new: str | None
    data: bytes | None = None
    tmp: str = ""
    mode: int = 0o644
    folder: str = "vault"
    seen: bool = False
    was: bytes | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One commit: number, instant (ISO, UTC), writer (`host:pid`), what it was, and what it does.

    `done` is the number up to which files are known to be safely in their folders when the frame was written.
    """

    n: int
    at: str
    by: str
    tx: str
    ops: tuple[RowOp, ...] = ()
    files: tuple[FileOp, ...] = ()
    done: int = 0


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a piece of journal holds: the frames, the length of their bytes, and what stands behind them.

    `tail`: `clean` (nothing), `torn` (an unfinished last write), `damaged` (bad bytes with valid frames after them, or
    a gap in the numbers), `newer` (a frame that this version does not understand). `why` is for people.
    """

    frames: tuple[Frame, ...]
    length: int
    tail: Literal["clean", "torn", "damaged", "newer"] = "clean"
    why: str = ""


class UnsafeFrame(ValueError):
    """The frame is whole but names something that no frame of ours can name: a file outside of the bank."""


class NewerFrame(ValueError):
    """The frame is whole but speaks of things that this version does not know."""


def encode(frame: Frame) -> bytes:
    """The frame as its journal line. Raises `TypeError` when a row cannot be written as JSON."""
    ops = [[PUT, op.table, op.key, op.row] if op.row is not None else [DELETE, op.table, op.key] for op in frame.ops]
    body: dict[str, Any] = {
        "n": frame.n,
        "t": frame.at,
        "by": frame.by,
        "tx": frame.tx,
        "ops": ops,
        "files": [_encode_file(op) for op in frame.files],
    }
    if frame.done:
        body["done"] = frame.done
    text = orjson.dumps(body)
    return b"%08x %d %s\n" % (binascii.crc32(text), len(text), text)


def _encode_file(op: FileOp) -> dict[str, Any]:
    kind = "seen" if op.seen else "delete" if op.new is None else "write"
    body: dict[str, Any] = {"folder": op.folder, "path": op.path, "op": kind, "old": op.old, "new": op.new}
    if op.tmp:
        body["tmp"] = op.tmp
    if op.data is not None:
        body["mode"] = op.mode
        _put_bytes(body, "text", "b64", op.data)
    if op.was is not None:
        _put_bytes(body, "was", "was64", op.was)
    return body


def _put_bytes(body: dict[str, Any], plain: str, coded: str, data: bytes) -> None:
    """Bytes as text when they are UTF-8 exactly, else as base64 (`decisions.md` §4.2)."""
    try:
        body[plain] = data.decode("utf-8")
    except UnicodeDecodeError:
        body[coded] = base64.b64encode(data).decode("ascii")


def _get_bytes(body: dict[str, Any], plain: str, coded: str) -> bytes | None:
    if plain in body:
        return str(body[plain]).encode("utf-8")
    return base64.b64decode(body[coded]) if coded in body else None


def decode(line: bytes) -> Frame | None:
    """The frame of one line (without line feed), or None when length or checksum do not agree.

    Raises `NewerFrame` when the line is whole but of a kind that this version does not know, `UnsafeFrame` when it
    would touch files outside of the bank.
    """
    header = _HEADER.match(line)
    if header is None:
        return None
    text = line[header.end() :]
    if int(header[2]) != len(text) or int(header[1], 16) != binascii.crc32(text):
        return None
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(body, dict) or not body.keys() >= _NEEDED:
        raise NewerFrame("a journal entry of an unknown shape")
    return _frame(body)


def _frame(body: dict[str, Any]) -> Frame:
    ops: list[RowOp] = []
    for op in body["ops"]:
        if op[0] == PUT and len(op) == 4:
            ops.append(RowOp(op[1], op[2], op[3]))
        elif op[0] == DELETE and len(op) == 3:
            ops.append(RowOp(op[1], op[2], None))
        else:
            raise NewerFrame(f"the unknown operation {op[0]!r}")
    files = tuple(_decode_file(item) for item in body["files"])
    return Frame(body["n"], body["t"], body["by"], body["tx"], tuple(ops), files, body.get("done", 0))


def _decode_file(item: dict[str, Any]) -> FileOp:
    kind = item["op"]
    if kind not in {"write", "delete", "seen"}:
        raise NewerFrame(f"the unknown file operation {kind!r}")
    hashes = all(item[name] is None or _SHA.fullmatch(item[name]) for name in ("old", "new"))
    if not hashes or not _is_safe(item["path"]) or "/" in item.get("tmp", ""):
        raise UnsafeFrame("a file operation that leads out of the bank")
    return FileOp(
        item["path"],
        item["old"],
        item["new"],
        _get_bytes(item, "text", "b64"),
        item.get("tmp", ""),
        item.get("mode", 0o644),
        item.get("folder", "vault"),
        kind == "seen",
        _get_bytes(item, "was", "was64"),
    )


def _is_safe(path: str) -> bool:
    """Whether a path stays within a bank's folders, wherever the journal came from."""
    parts = path.split("/")
    return parts[0] in FOLDERS and len(parts) > 1 and not {"", ".", ".."} & set(parts) and "\0" not in path


def parse(blob: bytes, last: int) -> Parsed:
    """The frames in `blob`, whose numbers go on from `last` without gaps (`storage.md` §7).

    Bad bytes with no newer valid frame behind them are a torn tail; with one, or with a gap, they are damage.
    """
    frames: list[Frame] = []
    position = 0
    while position < len(blob):
        end = blob.find(b"\n", position)
        try:
            frame = decode(blob[position:end]) if end >= 0 else None
        except NewerFrame as error:
            why = f"the journal holds {error}, written by a newer version"
            return Parsed(tuple(frames), position, "newer", why)
        except UnsafeFrame as error:
            return Parsed(tuple(frames), position, "damaged", f"the journal holds {error}")
        if frame is None or frame.n <= last:
            return _bad_tail(blob, position, frames, last)
        if frame.n != last + 1:
            why = f"frame {last + 1} is missing from the journal"
            return Parsed(tuple(frames), position, "damaged", why)
        frames.append(frame)
        last, position = frame.n, end + 1
    return Parsed(tuple(frames), position)


def _bad_tail(blob: bytes, position: int, frames: list[Frame], last: int) -> Parsed:
    if _frame_after(blob, position, last):
        why = f"the journal is damaged behind frame {last}, with good frames after the damage"
        return Parsed(tuple(frames), position, "damaged", why)
    return Parsed(tuple(frames), position, "torn")


def _frame_after(blob: bytes, position: int, last: int) -> bool:
    """Whether a valid frame newer than `last` stands anywhere behind `position`."""
    for header in _HEADER.finditer(blob, position):
        end = header.end() + int(header[2])
        if blob[end : end + 1] != b"\n":
            continue
        try:
            frame = decode(blob[header.start() : end])
        except (NewerFrame, UnsafeFrame):
            return True
        if frame is not None and frame.n > last:
            return True
    return False
