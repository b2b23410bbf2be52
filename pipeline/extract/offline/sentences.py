"""Sentences of a message, each with its exact place.

Used by the rules that work without a model: `framing.py` leaves out those that are not the person's own, `doubt.py`
says why one states nothing lasting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 400
"""Characters of the longest sentence that rules look at; longer ones are lists, logs and pasted text."""
HIDDEN = "\x00"
"""What stands in the place of each character that is quoted or code."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without its closing punctuation: `text` is the exact slice `start:end` of the message.

    `spoken` is the same with quoted passages and inline code hidden, same length: what the person says themselves.
    `tasked`: an earlier sentence asks for something to be made, so this one may say how. `heading` is the line
    above a list that says what its items are ("House rules for translations:").
    """

    text: str
    start: int
    end: int
    spoken: str
    closing: str = ""
    tasked: bool = False
    heading: str = ""


_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_STAMP = (
    r"\[?(?:\d{4}[-/]\d{1,2}[-/]\d{1,2}[ T]?|\d{1,2}:\d{2}(?::\d{2})?\]?[ \t]+\S"
    r"|(?:[a-z]{2,10} )?(?:ERR!|(?:INFO|WARN|ERROR|DEBUG)\b))"
)
_CODE_LINE = re.compile(
    rf"^(?:(?: {{4}}|\t)(?![ \t]*(?:[-*•]|\d+[.)])\s).*|[ \t]*>.*|[ \t]*\$ .*|{_STAMP}.*)$", re.MULTILINE
)
"""Indented code, quoted lines, commands of a shell, lines of logs and chats that begin with a time."""
_QUOTED = re.compile(
    r"\"[^\"\n]{0,600}\"|“[^“”\n]{0,600}”|「[^「」\n]{0,600}」|『[^『』\n]{0,600}』|《[^《》\n]{0,200}》"
    r"|«[^«»\n]{0,600}»"
    r"|(?<![\w])'[^'\n]{0,600}'(?!\w)|‘[^‘’\n]{0,600}’(?!\w)|`[^`\n]{0,600}`"
)
_INSIDE_END = re.compile(r"[.!?。！？…]+[\"”」』'’]\Z")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)、])\s+|\s+")
_END = re.compile(
    r"(?P<mark>[.!?]+[\"'”’)]*(?=\s|\Z)|(?<=[一-龥])[!?]+|[。！？；…]+[”’」）]*|;(?=\s|\Z)|[～~]+(?=\s"
    r"|\Z))|(?P<line>\n+)"
)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|approx|etc|Dr|Mr|Mrs|Ms|St|[ap]\.m)|^\s*\d{1,3})\Z")


def sentences(text: str, left_out: str = "") -> tuple[Sentence, ...]:
    """The sentences of a message in order, without code, quoted lines and what is too long.

    `left_out` is the message with more hidden, same length, as `shown` gives it.
    """
    plain = left_out or shown(text)
    found = (_sentence(text, plain, start, end, mark) for start, end, mark in _pieces(plain))
    return tuple(sentence for sentence in found if sentence)


def shown(text: str) -> str:
    """The message, same length, with code left out and quoted passages hidden."""
    return _QUOTED.sub(_hide, _CODE_LINE.sub(blank, _CODE.sub(blank, text)))


def blank(hit: re.Match[str]) -> str:
    """Newlines in place of what is left out, so that it ends a sentence and offsets stay."""
    return "\n" * len(hit[0])


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence of a message begins and ends, its closing mark included; nothing is left out but space."""
    whole = ((start, text[start : end + len(mark)]) for start, end, mark in _pieces(text))
    told = ((start + len(piece) - len(piece.lstrip()), piece.strip()) for start, piece in whole)
    return tuple((start, start + len(piece)) for start, piece in told if any(char.isalnum() for char in piece))


def _hide(hit: re.Match[str]) -> str:
    """A passage hidden but for a mark at its end, which ends the sentence around it too."""
    ending = _INSIDE_END.search(hit[0])
    kept = ending[0] if ending else ""
    return HIDDEN * (len(hit[0]) - len(kept)) + kept


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for hit in _END.finditer(text):
        mark = hit["mark"] or ""
        if mark.startswith(".") and _ABBREVIATION.search(text, max(start, hit.start() - 12), hit.start()):
            continue
        if not mark and _wrapped(text, start, hit):
            continue
        yield start, hit.start(), mark
        start = hit.end()
    yield start, len(text), ""


def _wrapped(text: str, start: int, line_end: re.Match[str]) -> bool:
    """Whether a line break only wraps a sentence: a long line, and the next begins in lower case."""
    line = line_end.start() - max(start, text.rfind("\n", 0, line_end.start()) + 1)
    following = text[line_end.end() : line_end.end() + 1]
    return len(line_end[0]) == 1 and line >= 50 and following.islower()


def _sentence(text: str, plain: str, start: int, end: int, mark: str) -> Sentence | None:
    if bullet := _BULLET.match(plain, start, end):
        start = bullet.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    if not 0 < end - start <= LONGEST:
        return None
    return Sentence(text[start:end], start, end, plain[start:end], mark)
