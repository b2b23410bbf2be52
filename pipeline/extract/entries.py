"""The text events of a session, made when they are asked for: five bytes of memory each, however long the session.

`spec/extraction.md` §5. Order and content are those of the session's turns, ascending by seq, one per seq and writer.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, overload

from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session, Turn
from pipeline.formats.turns import AUTHORS, LEFT_OUT, Turns

Role = Literal["user", "assistant", "other"]
Writer = Literal["user", "model", "plugin", "tool", "other"]
Voice = tuple[Role, Writer]

PERSON: Voice = ("user", "user")
MODEL: Voice = ("assistant", "model")
_VOICES: tuple[Voice, ...] = (("other", "other"), PERSON, MODEL, ("other", "tool"), ("user", "plugin"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One text event of a session. `text` is None when it has none; `time` is milliseconds since 1970.

    `question` is what a chosen answer replies to: shown beside it, never quotable.
    """

    seq: int
    role: Role = "other"
    author: Writer = "other"
    text: str | None = None
    turn: int | None = None
    time: int = 0
    question: str = ""


def entries(session: Session) -> Sequence[Entry]:
    """The text events of a transcript, ascending by seq, one per seq and author.

    Text of abandoned branches and text copied from a parent session is left out, so it can be crossed but not quoted.
    """
    return Entries(session.log)


def said_by(found: Iterable[Entry], voices: Collection[Voice]) -> Iterator[tuple[int, Entry]]:
    """The entries of these voices, each with its place; others are not looked at where that can be spared."""
    if isinstance(found, Entries):
        return found.said_by(voices)
    return ((place, entry) for place, entry in enumerate(found) if (entry.role, entry.author) in voices)


class Entries(Sequence[Entry]):
    """The entries of a session's turns; slices look at the same turns."""

    __slots__ = ("_events", "_span")

    def __init__(self, turns: Turns) -> None:
        self._events = _Events(turns)
        self._span = range(len(self._events.firsts))

    def _part(self, span: range) -> Entries:
        part = object.__new__(Entries)
        part._events, part._span = self._events, span
        return part

    def __len__(self) -> int:
        return len(self._span)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Entry]: ...
    def __getitem__(self, place: int | slice) -> Entry | Sequence[Entry]:
        found = self._span[place]
        return self._part(found) if isinstance(found, range) else self._events.entry(found)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._events.entry, self._span)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def between(self, after: int, through: int) -> Entries:
        """Those with after < seq <= through."""
        start, stop = (bisect_right(self._span, seq, key=self._events.seq) for seq in (after, through))
        return self._part(self._span[start : max(start, stop)])

    def said_by(self, voices: Collection[Voice]) -> Iterator[tuple[int, Entry]]:
        """Those of these voices, each with its place; nothing is unpacked for others."""
        wanted = bytes(code < len(_VOICES) and _VOICES[code] in voices for code in range(256))
        span = self._span if self._span.step > 0 else range(0)
        marked = self._events.voices[span.start : span.stop].translate(wanted)
        place = marked.find(1)
        while place >= 0:
            yield place, self._events.entry(span.start + place)
            place = marked.find(1, place + 1)


class _Events:
    """The turns of a session by entry: the place of the first turn of each, and its voice."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._order: Sequence[int] = range(len(turns))
        if not turns.ascending:
            self._order = array("I", sorted(self._order, key=turns.seqs.__getitem__))
        self._codes = turns.kinds.translate(_CODES)
        self.firsts = array("I", self._starts())
        self.voices = bytes(self._codes[self._order[first]] for first in self.firsts)

    def _starts(self) -> Iterator[int]:
        """Where in the order an entry begins: at the first turn of each voice within a seq."""
        seqs, codes, before, met = self._turns.seqs, self._codes, None, 0
        for at, place in enumerate(self._order):
            seq, bit = seqs[place], 1 << codes[place]
            if seq != before:
                before, met = seq, 0
            if not met & bit:
                met |= bit
                yield at

    def seq(self, number: int) -> int:
        """The seq of an entry."""
        return self._turns.seqs[self._order[self.firsts[number]]]

    def entry(self, number: int) -> Entry:
        """An entry, made from the turns of its seq and voice."""
        at, code = self.firsts[number], self.voices[number]
        seq, seqs, order = self.seq(number), self._turns.seqs, self._order
        turns = []
        while at < len(order) and seqs[order[at]] == seq:
            if self._codes[order[at]] == code:
                turns.append(self._turns[order[at]])
            at += 1
        return _entry(*_VOICES[code], turns)


def _entry(role: Role, author: Writer, turns: Sequence[Turn]) -> Entry:
    first = turns[0]
    text = "\n".join(turn.text for turn in turns if turn.text) if role != "other" else ""
    question = next((turn.question for turn in turns if turn.question), "") if author == "user" else ""
    return Entry(first.seq, role, author, text or None, first.turn, first.at or 0, question)


def _code(byte: int) -> int:
    """The number of the voice for a turn of this kind (`turns.byte_of`)."""
    number = byte & 15
    if byte & LEFT_OUT or number >= len(AUTHORS):
        return 0
    author = AUTHORS[number]
    if author in EVIDENCE_AUTHORS:
        return _VOICES.index(PERSON)
    if author is Author.MODEL:
        return _VOICES.index(MODEL)
    if author is Author.TOOL:
        return _VOICES.index(("other", "tool"))
    return _VOICES.index(("user", "plugin")) if author in {Author.INJECTED, Author.SUMMARY} else 0


_CODES = bytes(map(_code, range(256)))
