"""Reading one large JSON document member by member, without holding it whole (`spec/formats.md` §1.4)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.formats.lines import LINE_LIMIT, SHORTEN, past_space, value_at
from pipeline.formats.session import Damage

_STEP = 1 << 16
_AT_A_TIME = 256
"""Repetitions in one match, so that its own memory stays small."""
_INSIDE = re.compile(rf'[^"\\]*(?:\\.[^"\\]*){{0,{_AT_A_TIME}}}', re.DOTALL)
"""What stands in a string, as far as it is looked at once."""
_OUTSIDE = re.compile(rf'(?:[^"\[\]{{}}]*"[^"\\]*"){{0,{_AT_A_TIME}}}[^"\[\]{{}}]*')
"""What stands between brackets, with strings that hold no escape."""
_NOTHING = re.compile("")
_CLOSING = {"[": ord("]"), "{": ord("}")}
_DEEPEST = 10_000
"""Brackets in one another, far more than can be read."""
CUT_SHORT = "the document ends before it is complete, or is damaged from here on"


@dataclass(frozen=True, slots=True)
class Member:
    """One value of the document: member `index` of the list under `key` ("" for the document), or all of `key`."""

    key: str
    index: int | None
    value: Any


@dataclass(frozen=True, slots=True)
class _Skipped:
    """A value that is too long to be held: the byte at which it begins, and its characters."""

    offset: int
    size: int


class _Broken(ValueError):
    """The document cannot be read any further."""


class _Window:
    """The stretch of text that is being looked at: grows until a value fits, forgets what was read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = (piece for piece in pieces if piece)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._at = 0
        self.read = 0

    def _more(self, wanted: int) -> bool:
        """Holds at least `wanted` characters from here on; False at the end of the input."""
        self.read += len(self._text[: self._at].encode())
        parts, size, ended = [self._text[self._at :]], len(self._text) - self._at, False
        while size < wanted and not ended:
            piece = next(self._pieces, b"")
            ended = not piece
            parts.append(self._decoder.decode(piece, final=ended).replace("\x00", ""))
            size += len(parts[-1])
        grown = size > len(parts[0])
        self._text, self._at = "".join(parts), 0
        return grown

    def peek(self) -> str:
        """The next character that is not white space, "" at the end."""
        while True:
            self._at = past_space(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(_STEP):
                return ""

    def take(self, char: str) -> bool:
        """Steps over one expected character; False when another stands there."""
        if self.peek() != char:
            return False
        self._at += 1
        return True

    def value(self) -> Any:
        """The next value, whole, or that it was `_Skipped` as it is over `LINE_LIMIT` characters.

        Raises `_Broken` when there is none.
        """
        self.peek()
        while True:
            value, end = value_at(self._text, self._at)
            if 0 <= end < len(self._text) and end - self._at <= LINE_LIMIT:
                self._at = end
                return value
            held = len(self._text) - self._at
            if held > LINE_LIMIT:
                return self._skipped()
            if not self._more(max(_STEP, 2 * held)):
                return self._last()

    def _last(self) -> Any:
        value, end = value_at(self._text, self._at)
        if end < 0:
            raise _Broken
        if end - self._at > LINE_LIMIT:
            return self._skipped()
        self._at = end
        return value

    def _skipped(self) -> _Skipped:
        """Steps over a list, an object or a string. Raises `_Broken` for any other, and for one that is not too long.

        Brackets and strings alone are told apart. Where a damaged string misleads that, no text in a string is taken
        for an object with keys: the quotes in it have a backslash before them.
        """
        offset, size = self.read + len(self._text[: self._at].encode()), self._past()
        if size <= LINE_LIMIT:
            raise _Broken
        return _Skipped(offset, size)

    def _past(self) -> int:
        """Goes behind the value that begins here, without holding it; how many characters that were."""
        size, inside, opened = 0, False, bytearray()
        while True:
            before, run = self._at, _INSIDE if inside else _OUTSIDE if opened else _NOTHING
            found = run.match(self._text, before)
            self._at = found.end() if found else before
            char = self._text[self._at : self._at + 1]
            size += self._at - before
            if char in {"", "\\"}:
                if self._at + len(char) == len(self._text) and not self._more(len(char) + _STEP):
                    raise _Broken
                continue
            self._at, size = self._at + 1, size + 1
            if char == '"':
                inside = not inside
            elif char in _CLOSING and len(opened) < _DEEPEST:
                opened.append(_CLOSING[char])
            elif not opened or opened.pop() != ord(char):
                raise _Broken
            if not inside and not opened:
                return size


def members(pieces: Iterable[bytes], streamed: frozenset[str]) -> Iterator[Member | Damage]:
    """The members of a JSON document: of a list, or of an object whose lists named in `streamed` are given one by one.

    Other values of an object come whole, in file order, and so do lists that are empty. A value that is too long is
    left out with a `Damage` in its place; what cannot be read ends the document with one.
    """
    window = _Window(pieces)
    try:
        if window.peek() == "[":
            yield from _list(window, "")
        elif window.peek() == "{":
            yield from _object(window, streamed)
        else:
            yield _member(window, "", None)
        if window.peek():
            raise _Broken  # noqa: TRY301
    except (_Broken, RecursionError):
        yield Damage(0, window.read, CUT_SHORT)


def _member(window: _Window, key: str, index: int | None) -> Member | Damage:
    value = window.value()
    if not isinstance(value, _Skipped):
        return Member(key, index, value)
    what = f"a conversation or value of {value.size:,} characters"
    reason = f"{what} was left out, as one may have {LINE_LIMIT:,}; {SHORTEN}"
    return Damage(0 if index is None else index + 1, value.offset, reason)


def _list(window: _Window, key: str) -> Iterator[Member | Damage]:
    window.take("[")
    index = 0
    while window.peek() != "]":
        yield _member(window, key, index)
        index += 1
        if not window.take(",") and window.peek() != "]":
            raise _Broken
    window.take("]")


def _object(window: _Window, streamed: frozenset[str]) -> Iterator[Member | Damage]:
    window.take("{")
    while window.peek() != "}":
        key = window.value()
        if not isinstance(key, str) or not window.take(":"):
            raise _Broken
        if key in streamed and window.peek() == "[":
            listed = _list(window, key)
            yield next(listed, Member(key, None, []))
            yield from listed
        else:
            yield _member(window, key, None)
        if not window.take(",") and window.peek() != "}":
            raise _Broken
    window.take("}")
