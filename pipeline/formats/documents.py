"""Reading one large JSON document member by member, without holding it whole (`spec/formats.md` §1.4)."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.formats.lines import LINE_LIMIT, scrub
from pipeline.formats.session import Damage

_DECODER = json.JSONDecoder(strict=False)
_STEP = 1 << 16
CUT_SHORT = "the document ends before it is complete, or is damaged from here on"


@dataclass(frozen=True, slots=True)
class Member:
    """One value of the document: member `index` of the list under `key` ("" for the document), or all of `key`."""

    key: str
    index: int | None
    value: Any


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
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
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
        """The next value, whole. Raises `_Broken` when there is none or it is over `LINE_LIMIT` characters."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                value, end = None, -1
            if 0 <= end < len(self._text):
                self._at = end
                return scrub(value)
            held = len(self._text) - self._at
            if held > LINE_LIMIT or not self._more(max(_STEP, 2 * held)):
                return self._last()

    def _last(self) -> Any:
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
            return scrub(value)
        except (ValueError, RecursionError):
            raise _Broken from None


def members(pieces: Iterable[bytes], streamed: frozenset[str]) -> Iterator[Member | Damage]:
    """The members of a JSON document: of a list, or of an object whose lists named in `streamed` are given one by one.

    Other values of an object come whole, in file order, and so do lists that are empty. What cannot be read ends the
    document with one `Damage`.
    """
    window = _Window(pieces)
    try:
        if window.peek() == "[":
            yield from _list(window, "")
        elif window.peek() == "{":
            yield from _object(window, streamed)
        else:
            yield Member("", None, window.value())
        if window.peek():
            raise _Broken  # noqa: TRY301
    except (_Broken, RecursionError):
        yield Damage(0, window.read, CUT_SHORT)


def _list(window: _Window, key: str) -> Iterator[Member]:
    window.take("[")
    index = 0
    while window.peek() != "]":
        yield Member(key, index, window.value())
        index += 1
        if not window.take(",") and window.peek() != "]":
            raise _Broken
    window.take("]")


def _object(window: _Window, streamed: frozenset[str]) -> Iterator[Member]:
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
            yield Member(key, None, window.value())
        if not window.take(",") and window.peek() != "}":
            raise _Broken
    window.take("}")
