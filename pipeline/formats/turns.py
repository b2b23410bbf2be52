"""The turns of a session, however many: 17 bytes of memory each, their text packed away (`spec/formats.md` §1.4)."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import overload

from pipeline.formats.spool import Spool
from pipeline.formats.turn import Author, Turn

AUTHORS = tuple(Author)
"""By the number that `byte_of` gives them."""
DOUBTFUL, ABANDONED, INHERITED = 16, 32, 64
LEFT_OUT = ABANDONED | INHERITED

_HEAD = struct.Struct("<qIIIIII")
"""Time, the bytes of what follows, and the characters in it of ref, reason, turn, question and text."""
_NO_TIME = -(1 << 63)
_NUMBERS = {author: number for number, author in enumerate(AUTHORS)}


def byte_of(author: Author, doubtful: bool = False, abandoned: bool = False, inherited: bool = False) -> int:
    """The byte that stands for an author and the marks of a turn."""
    byte = _NUMBERS[author] | (DOUBTFUL if doubtful else 0)
    return byte | (ABANDONED if abandoned else 0) | (INHERITED if inherited else 0)


class Turns(Sequence[Turn]):
    """The turns of a session in their order: a sequence that makes each `Turn` when it is asked for it.

    Equal to any sequence of equal turns. `kinds` has a byte for each (`byte_of`); `seqs` their seqs.
    """

    __slots__ = ("_ascending", "_spool", "_starts", "kinds", "seqs")

    def __init__(self, seqs: array[int], kinds: bytes, starts: array[int], spool: Spool) -> None:
        self.seqs, self.kinds = seqs, kinds
        self._starts, self._spool = starts, spool
        self._ascending = all(first <= second for first, second in pairwise(seqs))

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> Turns:
        """Any turns in this form."""
        if isinstance(turns, cls):
            return turns
        log = TurnLog()
        for turn in turns:
            log.append(turn)
        return log.sealed()

    def __len__(self) -> int:
        return len(self.seqs)

    @overload
    def __getitem__(self, place: int) -> Turn: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, place: int | slice) -> Turn | tuple[Turn, ...]:
        if isinstance(place, slice):
            return tuple(self._turn(at) for at in range(*place.indices(len(self))))
        return self._turn(range(len(self))[place])

    def __iter__(self) -> Iterator[Turn]:
        return map(self._turn, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} turns>"

    @property
    def last_seq(self) -> int:
        """The highest seq, 0 when there is none."""
        if not self.seqs:
            return 0
        return self.seqs[-1] if self._ascending else max(self.seqs)

    @property
    def ascending(self) -> bool:
        """Whether no turn stands before one of a lower seq."""
        return self._ascending

    def of_seq(self, seq: int) -> tuple[Turn, ...]:
        """The turns of one record."""
        if self._ascending:
            return self[bisect_left(self.seqs, seq) : bisect_right(self.seqs, seq)]
        return tuple(self._turn(place) for place, other in enumerate(self.seqs) if other == seq)

    def by(self, authors: Collection[Author]) -> Iterator[tuple[int, Turn]]:
        """The turns of these authors with their places; the text of others is not touched."""
        wanted = bytes(AUTHORS[byte & 15] in authors if byte & 15 < len(AUTHORS) else False for byte in range(128))
        marked = self.kinds.translate(wanted + bytes(128))
        place = marked.find(1)
        while place >= 0:
            yield place, self._turn(place)
            place = marked.find(1, place + 1)

    def census(self) -> Counter[Author]:
        """How many turns each author has, of those that are neither abandoned nor inherited."""
        counted = Counter(self.kinds)
        found: Counter[Author] = Counter()
        for byte, number in counted.items():
            if not byte & LEFT_OUT:
                found[AUTHORS[byte & 15]] += number
        return found

    def with_inherited(self, places: Iterable[int]) -> Turns:
        """The same turns with those at `places` marked as copied from another session."""
        kinds = bytearray(self.kinds)
        for place in places:
            kinds[place] |= INHERITED
        return Turns(self.seqs, bytes(kinds), self._starts, self._spool)

    def _turn(self, place: int) -> Turn:
        return _unpacked(self.seqs[place], self.kinds[place], *self._spool.look(self._starts[place]))


class TurnLog:
    """Turns while a transcript is read: appended, looked at again, replaced; `sealed` at the end.

    `seqs` are those of the turns so far.
    """

    __slots__ = ("_kinds", "_spool", "_starts", "seqs")

    def __init__(self) -> None:
        self.seqs, self._starts = array("q"), array("Q")
        self._kinds = bytearray()
        self._spool = Spool()

    def __len__(self) -> int:
        return len(self.seqs)

    def __getitem__(self, place: int) -> Turn:
        return _unpacked(self.seqs[place], self._kinds[place], *self._spool.look(self._starts[place]))

    def append(self, turn: Turn) -> None:
        """Add a turn at the end."""
        byte = byte_of(turn.author, turn.doubtful_time, turn.abandoned, turn.inherited)
        group = "" if turn.turn is None else str(turn.turn)
        self.add(turn.seq, byte, turn.at, (turn.ref, turn.reason, group, turn.question, turn.text))

    def add(self, seq: int, byte: int, at: int | None, texts: tuple[str, str, str, str, str]) -> None:
        """The same from its parts, for huge files.

        `byte` is what `byte_of` gives; `texts` are ref, reason, `turn` in digits, question and text.
        """
        whole = "".join(texts).encode("utf-8", "surrogatepass")
        ref, reason, group, question, text = texts
        lengths = len(ref), len(reason), len(group), len(question), len(text)
        head = _HEAD.pack(_NO_TIME if at is None else at, len(whole), *lengths)
        self._starts.append(self._spool.add(head, whole))
        self.seqs.append(seq)
        self._kinds.append(byte)

    def rewrite(self, place: int, text: str) -> None:
        """Give a turn another text."""
        self.put(place, replace(self[place], text=text))

    def put(self, place: int, turn: Turn) -> None:
        """Replace a turn by another one of the same record."""
        self.append(turn)
        self.seqs.pop()
        self._kinds[place] = self._kinds.pop()
        self._starts[place] = self._starts.pop()

    def mark(self, place: int, mark: int) -> None:
        """Mark a turn as `ABANDONED` or `INHERITED`."""
        self._kinds[place] |= mark

    def sealed(self) -> Turns:
        """All of them; the log is not to be used any more."""
        self._spool.seal()
        return Turns(self.seqs, bytes(self._kinds), self._starts, self._spool)


def _unpacked(seq: int, byte: int, block: bytes, start: int) -> Turn:
    at, size, *lengths = _HEAD.unpack_from(block, start)
    start += _HEAD.size
    whole = block[start : start + size].decode("utf-8", "surrogatepass")
    parts, begin = [], 0
    for length in lengths:
        parts.append(whole[begin : begin + length])
        begin += length
    ref, reason, group, question, text = parts
    return Turn(
        seq,
        ref,
        AUTHORS[byte & 15],
        text,
        None if at == _NO_TIME else at,
        bool(byte & DOUBTFUL),
        reason,
        int(group) if group else None,
        question,
        bool(byte & ABANDONED),
        bool(byte & INHERITED),
    )
