"""DSH session logs (`spec/formats.md` §9): events with a producer each, plain or as Zstandard frames."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import zstandard

from pipeline.formats.content import KEPT_OF_MODEL, clip, compact, mapping, string, text_of
from pipeline.formats.copies import CHANGED, Seen
from pipeline.formats.lines import CHUNK, Item, Record
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded
from pipeline.formats.turns import ABANDONED, TurnLog
from store.errors import BadInput

NAME = "dsh"
VERSION = 0
"""The one version of the log that is understood (`spec/formats.md` §9)."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
PACKED = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
_PRODUCERS = frozenset({"user", "plugin", "model", "tool"})


@dataclass(frozen=True, slots=True)
class TextEvent:
    """One projected event (`spec/extraction.md` §3): `text` and `turn` are None where the event has none."""

    seq: int
    role: str
    author: str
    text: str | None = None
    turn: int | None = None
    time: int = 0


def project(events: Iterable[Mapping[str, Any]]) -> Iterator[TextEvent]:
    """Raw session events as text events (`spec/extraction.md` §5). Turn markers set the turn and give nothing."""
    turn: int | None = None
    for event in events:
        kind, data = string(event.get("type")), mapping(event.get("data"))
        if kind in {"turn/start", "turn/end"}:
            turn = _whole(data.get("turn")) if kind == "turn/start" else None
            continue
        role, author, text = _projected(kind, data)
        yield TextEvent(_whole(event.get("seq")) or 0, role, author, text or None, turn, _whole(event.get("time")) or 0)


def _projected(kind: str, data: dict[str, Any]) -> tuple[str, str, str]:
    if kind == "user/message":
        producer = string(mapping(data.get("source")).get("kind"))
        return "user", producer if producer in _PRODUCERS else "other", text_of(data.get("content"))
    if kind == "assistant/message":
        return "assistant", "model", text_of(mapping(data.get("message")).get("content"))
    return "other", "tool" if kind in {"tool/call", "tool/result"} else "other", ""


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(slots=True)
class _Reading:
    frame: Frame
    header: dict[str, Any] | None = None
    turns: TurnLog = field(default_factory=TurnLog)
    compactions: list[int] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    expected: int = 0
    warned: int = 0
    """Damages known when the last event was read: a gap right after one needs no warning of its own."""
    turn: int | None = None
    replaced: list[tuple[int, int]] = field(default_factory=list)
    """Ranges of seqs that the person's own later messages replaced."""


class Frames:
    """The plain bytes of a log of Zstandard frames, for `lines.chunks`.

    A torn last frame ends quietly with what it holds; frames that are damaged end the log, and `damage` says so.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._plain = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        self._read = 0
        self.damage: Damage | None = None

    def read(self, size: int = CHUNK, /) -> bytes:
        """At most `size` bytes of the log, b"" at its end or where it cannot be read any further."""
        try:
            piece: bytes = self._plain.read1(min(size, CHUNK))
        except zstandard.ZstdError:
            self.damage = Damage(0, self._read, "the compressed data is damaged from here on")
            return b""
        self._read += len(piece)
        return piece

    def told(self) -> int:
        """Bytes of the compressed file read so far."""
        return self._stream.tell()


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of a log. Raises `BadInput` when it is of another version or does not begin with a header."""
    reading = _Reading(Frame(source))
    for item in reading.frame.records(items):
        if reading.header is None:
            reading.header = _header(item, source)
        else:
            _event(reading, item)
    return (_session(reading),)


def _header(record: Record, source: Source) -> dict[str, Any]:
    data = record.data
    if data.get("type") != "session":
        raise BadInput(f"{source.path} is no DSH session log: its first record is no session header.")
    if data.get("version") != VERSION or isinstance(data.get("version"), bool):
        shown = compact(data.get("version"), 40)
        raise BadInput(f"{source.path} is a DSH log of version {shown}; only version {VERSION} can be read.")
    return data


def _event(reading: _Reading, record: Record) -> None:
    kind, data = string(record.data.get("type")), mapping(record.data.get("data"))
    if kind in PACKED:
        _count(reading, record, "seq0", _members(data, PACKED[kind]))
        return
    seq = _count(reading, record, "seq", 1)
    if kind in {"turn/start", "turn/end"}:
        reading.turn = _whole(data.get("turn")) if kind == "turn/start" else None
    elif kind == "compaction/summary":
        reading.compactions.append(seq)
    words = _words(reading, kind, data)
    if words is not None:
        _keep(reading, record, seq, words)


def _members(data: dict[str, Any], key: str) -> int:
    listed = data.get(key)
    return len(listed) if isinstance(listed, list) else 1


def _count(reading: _Reading, record: Record, key: str, members: int) -> int:
    """The event's seq; warns once where the count has a gap or goes back. An event without one continues the count."""
    frame = reading.frame
    seq = _whole(record.data.get(key))
    if seq is None or not 0 <= seq < 1 << 53:
        frame.damaged(Damage(record.line, record.offset, "an event without a seq; it is counted after the one before"))
        seq = reading.expected
    elif seq > reading.expected and frame.damages == reading.warned:
        frame.damaged(Damage(record.line, record.offset, f"events {reading.expected} to {seq - 1} are missing"))
    elif seq < reading.expected:
        frame.damaged(Damage(record.line, record.offset, f"event {seq} stands after event {reading.expected - 1}"))
    reading.expected = max(reading.expected, seq + members)
    reading.warned = frame.damages
    return seq


def _words(reading: _Reading, kind: str, data: dict[str, Any]) -> Words | None:
    """The text of an event with its author; the source alone decides, nothing is stripped."""
    if kind == "user/message":
        return _message(reading, data)
    if kind == "assistant/message":
        text = clip(text_of(mapping(data.get("message")).get("content")), KEPT_OF_MODEL)
        return Words(Author.OTHER_AGENT, text, "sub-agent report") if _subagent(reading) else Words(Author.MODEL, text)
    if kind == "tool/call":
        return Words(Author.TOOL, f"{string(data.get('name'))} {compact(data.get('arguments'))}".strip(), "tool call")
    if kind == "tool/result":
        return Words(Author.TOOL, _result(mapping(data.get("message")).get("content")), "tool_result")
    if kind == "session/title":
        return Words(Author.SUMMARY, string(data.get("title")), "title")
    if kind == "compaction/summary":
        return Words(Author.SUMMARY, "", "compaction")
    return None


def _message(reading: _Reading, data: dict[str, Any]) -> Words:
    source = mapping(data.get("source"))
    producer, text = string(source.get("kind")), text_of(data.get("content"))
    if producer != "user":
        named = string(source.get("plugin"))
        author = {"model": Author.MODEL, "tool": Author.TOOL}.get(producer, Author.INJECTED)
        if producer == "plugin" and named == "compact":
            author = Author.SUMMARY
        return Words(author, text, clip(f"source.kind={producer or 'missing'} {named}".strip(), 200))
    if data.get("role") is not None and data["role"] != "user":
        return Words(Author.INJECTED, text, "another role than user")
    if _subagent(reading):
        return Words(Author.OTHER_AGENT, text, "sub-agent prompt")
    return Words(Author.TYPED, text if text.strip() else "")


def _result(content: Any) -> str:
    listed = content if isinstance(content, list) else []
    inner = (text_of(mapping(block).get("content")) for block in listed)
    return clip("\n".join(text for text in (text_of(content), *inner) if text))


def _subagent(reading: _Reading) -> bool:
    header = reading.header or {}
    depth = header.get("delegationDepth")
    return header.get("origin") == "subagent" or (isinstance(depth, int | float) and depth > 0)


def _keep(reading: _Reading, record: Record, seq: int, words: Words) -> None:
    told = reading.seen.tell(str(seq), (words.author, words.text))
    if told == "same":
        return
    if told == "changed":
        reading.frame.damaged(Damage(record.line, record.offset, CHANGED))
        reading.warned = reading.frame.damages
    if span := _replaced(record.data.get("surfaceOp"), seq, words):
        reading.replaced.append(span)
    at, doubtful = reading.frame.time(record.data.get("time"))
    inherited = seq < (_whole((reading.header or {}).get("seedLength")) or 0)
    if words.text or words.reason:
        text, reason = bounded(words), words.reason
        turn = Turn(seq, f"seq {seq}", words.author, text, at, doubtful, reason, reading.turn, inherited=inherited)
        reading.turns.append(turn)


def _replaced(operation: Any, seq: int, words: Words) -> tuple[int, int] | None:
    """The earlier seqs that a person's message replaces; what a compaction replaces stays good evidence."""
    start, end = _whole(mapping(operation).get("start")), _whole(mapping(operation).get("end"))
    if words.author is not Author.TYPED or mapping(operation).get("op") != "replace" or start is None or end is None:
        return None
    return start, min(end, seq - 1)


def _in_any(seq: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether a seq lies in one of some ranges that are sorted and do not overlap."""
    place = bisect_right(ranges, (seq, 1 << 53)) - 1
    return place >= 0 and ranges[place][0] <= seq <= ranges[place][1]


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _session(reading: _Reading) -> Session:
    frame, header = reading.frame, reading.header
    if header is None:
        raise BadInput(f"{frame.source.path} is no DSH session log: it holds no session header.")
    if left := _joined(reading.replaced):
        for place, seq in enumerate(reading.turns.seqs):
            if _in_any(seq, left):
                reading.turns.mark(place, ABANDONED)
    return Session(
        format=NAME,
        id=string(header.get("id")) or frame.source.path.parent.name,
        path=str(frame.source.path),
        turns=reading.turns.sealed(),
        project=string(header.get("cwd")),
        started=frame.time(header.get("createdAt"))[0] if frame.started is None else frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=_subagent(reading),
        parent=string(header.get("parentSession")),
        read_to=frame.read_to,
    )
